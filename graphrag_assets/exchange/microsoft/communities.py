"""Their communities and reports -> ours, complete: every entity in a community of each level.

Theirs leave out what lies outside the largest component and what has no relationship: those are
divided as the pipeline divides them. A community without report gets a row that says so. Reports
cite rows by number; the numbers become ids that lead to passages.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from graphrag_assets.context import KINDS, cited, marker
from graphrag_assets.evidence import EVIDENCE
from graphrag_assets.exchange.microsoft.corpus import Corpus
from graphrag_assets.exchange.microsoft.files import Tables
from graphrag_assets.exchange.microsoft.graph import Graph
from graphrag_assets.exchange.microsoft.schemas import CITATION, DATASET, DATASETS
from graphrag_assets.network.communities import detect_communities
from graphrag_assets.settings import CommunitySettings
from graphrag_assets.text import content_id, count_tokens_many, normalise

OF_DATASET = {dataset: kind for kind, dataset in DATASETS.items()}
NO_REPORT = "The imported index has no report on this community."
Known = dict[tuple[str, int], tuple[str, str]]  # (data set, number): (short id, id)
MEMBERS = {"level": pl.Int64, "number": pl.Int64, "parent": pl.Int64, "entity_id": pl.String}


@dataclass(frozen=True)
class Communities:
    """Tables of ours."""

    communities: pl.DataFrame
    community_members: pl.DataFrame
    community_reports: pl.DataFrame
    report_evidence: pl.DataFrame
    n_added: int  # communities that theirs had none for
    n_uncited: int  # citations of rows that aren't there


def read_communities(
    found: Tables,
    graph: Graph,
    corpus: Corpus,
    settings: CommunitySettings,
    *,
    version: int,
    encoding: str,
    recipe: str,
) -> Communities:
    """Return communities, members, reports and what these rest on."""
    theirs, members = _communities(found["communities"], graph, version)
    added, their_members = _left_over(graph, corpus, members, settings, version)
    members = pl.concat([members.select("community_id", "entity_id"), their_members])
    communities = pl.concat([theirs.drop("number"), added.select(theirs.drop("number").columns)])
    evidence = _evidence(communities, members, graph)
    names = _names(members, graph)
    known = _known(graph, theirs)
    told = _told(found["community_reports"], theirs, known)
    evidence = _with_cited(evidence, told, known)
    reports = communities.select("level", community_id="id").join(names, on="community_id")
    reports = reports.join(told, on="community_id", how="left", suffix="_told")
    reports = _reports(reports, evidence, version=version, encoding=encoding, recipe=recipe)
    return Communities(
        communities=communities,
        community_members=members,
        community_reports=reports,
        report_evidence=evidence,
        n_added=added.height,
        n_uncited=int(told["removed"].sum()),
    )


def _communities(
    rows: pl.DataFrame, graph: Graph, version: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return communities and members; in an index that was updated, the newest community counts."""
    entities = graph.known["Entities"].select("theirs", entity_id="id")
    listed = (
        rows.select("level", "parent", "entity_ids", number="community")
        .explode("entity_ids")
        .join(entities, left_on="entity_ids", right_on="theirs")
        .sort("number", descending=True)
        .unique(["level", "entity_id"], keep="first", maintain_order=True)
        .select(*MEMBERS)
    )
    members = listed.filter(pl.col("level") == 0)
    for level in sorted(set(listed["level"]) - {0}):
        above = members.filter(pl.col("level") == level - 1).select("entity_id", parent="number")
        inside = listed.filter(pl.col("level") == level).join(above, on=["entity_id", "parent"])
        members = pl.concat([members, inside.select(*MEMBERS)])
    named = members.sort("number", "entity_id").group_by("number", maintain_order=True)
    ids = named.agg(
        level=pl.col("level").first(), parent=pl.col("parent").first(), refs=pl.col("entity_id")
    ).with_columns(size=pl.col("refs").list.len().cast(pl.Int64))
    ids = ids.with_columns(
        id=pl.struct("level", "refs").map_elements(
            lambda row: content_id(str(row["level"]), *row["refs"]), return_dtype=pl.String
        )
    ).drop("refs")
    parents = ids.select(parent="number", parent_id="id")
    members = members.join(ids.select("number", community_id="id"), on="number")
    inner = _inner(members, graph)
    counts = inner.group_by("community_id").agg(n_relationships=pl.len().cast(pl.Int64))
    hashes = _fingerprints(members, inner)
    found = (
        ids.join(parents, on="parent", how="left")
        .join(counts, left_on="id", right_on="community_id", how="left")
        .join(hashes, left_on="id", right_on="community_id")
        .with_columns(
            pl.col("n_relationships").fill_null(0),
            born_in=pl.lit(version, pl.Int64),
            event=pl.lit("new"),
        )
        .drop("parent")
    )
    return found, members


def _inner(members: pl.DataFrame, graph: Graph) -> pl.DataFrame:
    """Return community_id and ref_id of each relationship inside a community."""
    here = members.select("community_id", "entity_id")
    sources = graph.relationships.select("id", "source_id", "target_id").join(
        here, left_on="source_id", right_on="entity_id"
    )
    both = sources.join(
        here, left_on=["target_id", "community_id"], right_on=["entity_id", "community_id"]
    )
    return both.select("community_id", ref_id="id")


def _fingerprints(members: pl.DataFrame, inner: pl.DataFrame) -> pl.DataFrame:
    parts = pl.concat([members.select("community_id", ref_id="entity_id"), inner])
    return (
        parts.sort("community_id", "ref_id")
        .group_by("community_id")
        .agg("ref_id")
        .select(
            "community_id",
            fingerprint=pl.col("ref_id").map_elements(
                lambda refs: content_id(*refs), return_dtype=pl.String
            ),
        )
    )


def _left_over(
    graph: Graph,
    corpus: Corpus,
    members: pl.DataFrame,
    settings: CommunitySettings,
    version: int,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Divide the entities that stand in no community as the pipeline does."""
    covered = members.filter(pl.col("level") == 0).select(id="entity_id")
    entities = graph.entities.join(covered, on="id", how="anti")
    inside = pl.col("source_id").is_in(entities["id"].implode()) & pl.col("target_id").is_in(
        entities["id"].implode()
    )
    homes = graph.entity_mentions.join(
        corpus.text_units.select(text_unit_id="id", home_id="document_id"), on="text_unit_id"
    ).select("entity_id", "home_id")
    found = detect_communities(
        entities,
        graph.relationships.filter(inside),
        homes=homes.unique(),
        max_community_size=settings.max_community_size,
        seed=settings.seed,
        previous=None,
        version=version,
    )
    return found.communities, found.members.select("community_id", "entity_id")


def _evidence(communities: pl.DataFrame, members: pl.DataFrame, graph: Graph) -> pl.DataFrame:
    """Return community_id, kind and ref_id of each element and each child's report."""
    claims = graph.claims.select("subject_id", ref_id="id")
    parts = {
        "entity": members.select("community_id", ref_id="entity_id"),
        "relationship": _inner(members, graph),
        "claim": members.join(claims, left_on="entity_id", right_on="subject_id"),
        "report": communities.select(community_id="parent_id", ref_id="id").drop_nulls(),
    }
    return pl.concat(
        rows.select("community_id", pl.lit(kind).alias("kind"), "ref_id")
        for kind, rows in parts.items()
    )


def _names(members: pl.DataFrame, graph: Graph) -> pl.DataFrame:
    """Return community_id and name: the titles of its three best-connected entities."""
    titles = graph.entities.select("title", "degree", entity_id="id")
    return (
        members.join(titles, on="entity_id")
        .sort("community_id", pl.col("degree"), "title", descending=[False, True, False])
        .group_by("community_id", maintain_order=True)
        .agg(name=pl.col("title").head(3).str.join(", "))
    )


def _known(graph: Graph, communities: pl.DataFrame) -> Known:
    """Return everything that a report may cite."""
    tables = {name: rows.select("number", "id") for name, rows in graph.known.items()}
    tables["Reports"] = communities.select("number", "id")
    return {
        (name, number): (marker(OF_DATASET[name], ref), ref)
        for name, rows in tables.items()
        for number, ref in rows.iter_rows()
    }


def _told(rows: pl.DataFrame, communities: pl.DataFrame, known: Known) -> pl.DataFrame:
    """Return the reports of known communities, their citations as short ids."""
    numbered = rows.sort("human_readable_id").unique("community", keep="last", maintain_order=True)
    numbered = numbered.join(
        communities.select(community="number", community_id="id"), on="community"
    )
    ids = dict(known.values())
    return pl.DataFrame(
        [_report(row, known, ids) for row in numbered.to_dicts()],
        schema={
            "community_id": pl.String,
            "title": pl.String,
            "summary": pl.String,
            "full_content": pl.String,
            "findings": pl.List(
                pl.Struct(
                    {
                        "summary": pl.String,
                        "explanation": pl.String,
                        "citations": pl.List(pl.String),
                    }
                )
            ),
            "rating": pl.Float64,
            "rating_explanation": pl.String,
            "cited": pl.List(pl.String),
            "removed": pl.Int64,
        },
    )


def _report(row: Mapping[str, Any], known: Known, ids: Mapping[str, str]) -> dict[str, Any]:
    unknown: list[tuple[str, int]] = []

    def ours(text: str | None) -> str:
        return CITATION.sub(lambda match: _cite(match[1], known, unknown), normalise(text or ""))

    findings = []
    for finding in row["findings"] or []:
        summary, explanation = ours(finding["summary"]), ours(finding["explanation"])
        refs = [ids[short] for short in cited(f"{summary} {explanation}")]
        findings.append({"summary": summary, "explanation": explanation, "citations": refs})
    title, summary, content = (ours(row[name]) for name in ("title", "summary", "full_content"))
    return {
        "community_id": row["community_id"],
        "title": title,
        "summary": summary,
        "full_content": content,
        "findings": findings,
        "rating": min(max(row["rank"] or 0.0, 0.0), 10.0),
        "rating_explanation": ours(row["rating_explanation"]),
        "cited": cited(content),
        "removed": len(unknown),
    }


def _cite(listed: str, known: Known, unknown: list[tuple[str, int]]) -> str:
    """Return "Entities (5, 7); Reports (2)" as short ids in brackets; note unknown rows."""
    rows = [
        (dataset.capitalize(), int(number))
        for dataset, numbers in DATASET.findall(listed)
        for number in re.findall(r"\b\d{1,9}\b", numbers)
    ]
    unknown += [row for row in rows if row not in known]
    found = dict.fromkeys(known[row][0] for row in rows if row in known)
    return f" [{', '.join(found)}]" if found else ""


def _reports(
    rows: pl.DataFrame, evidence: pl.DataFrame, *, version: int, encoding: str, recipe: str
) -> pl.DataFrame:
    """Return a row for each community; one that has no report is named after its entities."""
    hashes = _fingerprints(
        evidence.select("community_id", entity_id="ref_id"),
        evidence.clear().select("community_id", "ref_id"),
    ).rename({"fingerprint": "evidence"})
    missing = pl.col("full_content").fill_null("") == ""
    whole = rows.join(hashes, on="community_id").with_columns(
        title=pl.coalesce("title", "name"),
        status=pl.when(missing).then(pl.lit("missing")).otherwise(pl.lit("ok")),
        reason=pl.when(missing).then(pl.lit(NO_REPORT)),
        findings=pl.col("findings").fill_null([]),
        rating=pl.col("rating").fill_null(0.0),
        model=pl.lit("graphrag"),
        recipe=pl.lit(recipe),
        refreshed_in=pl.lit(version, pl.Int64),
    )
    whole = whole.with_columns(
        pl.col("summary", "full_content", "rating_explanation").fill_null("")
    )
    tokens = count_tokens_many(whole["full_content"].to_list(), encoding)
    return whole.with_columns(n_tokens=pl.Series(tokens, dtype=pl.Int64))


def _with_cited(evidence: pl.DataFrame, told: pl.DataFrame, known: Known) -> pl.DataFrame:
    """Add what reports cite, as included: whether they were shown the rest nobody knows."""
    elements = pl.DataFrame(
        [(short, KINDS[short[0]], ref) for short, ref in known.values()],
        schema={"short": pl.String, "kind": pl.String, "ref_id": pl.String},
        orient="row",
    ).unique("short")
    shorts = told.select("community_id", short="cited").explode("short").drop_nulls().unique()
    marked = shorts.join(elements, on="short").select(
        "community_id", "kind", "ref_id", included=pl.lit(value=True)
    )
    rest = evidence.unique().join(marked, on=["community_id", "ref_id"], how="anti")
    return (
        pl.concat([marked, rest.with_columns(included=pl.lit(value=False))], how="diagonal")
        .with_columns(via=pl.lit("own"))
        .select(*EVIDENCE)
    )
