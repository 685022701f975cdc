"""Their community reports -> ours, with evidence and citations that lead to passages.

Reports of theirs cite rows by number; the numbers become ids. A community without report gets a
row that says so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from graphrag_assets.context import KINDS, cited, marker
from graphrag_assets.exchange.microsoft.communities import Communities, as_before, hashed, inner
from graphrag_assets.exchange.microsoft.graph import Graph
from graphrag_assets.exchange.microsoft.schemas import CITATION, DATASET, DATASETS
from graphrag_assets.text import count_tokens_many, normalise

OF_DATASET = {dataset: kind for kind, dataset in DATASETS.items()}
NO_REPORT = "The imported index has no report on this community."
Columns = dict[str, pl.DataType | type[pl.DataType]]
FINDING: Columns = {"summary": pl.String, "explanation": pl.String, "citations": pl.List(pl.String)}
TOLD: Columns = {
    "community_id": pl.String,
    "title": pl.String,
    "summary": pl.String,
    "full_content": pl.String,
    "findings": pl.List(pl.Struct(FINDING)),
    "rating": pl.Float64,
    "rating_explanation": pl.String,
    "cited": pl.List(pl.String),
    "removed": pl.Int64,
}
Known = dict[tuple[str, int], tuple[str, str]]  # (data set, number): (short id, id)


@dataclass(frozen=True)
class Reports:
    """Tables of ours."""

    community_reports: pl.DataFrame
    report_evidence: pl.DataFrame
    n_uncited: int  # citations of rows that aren't there


def read_reports(
    rows: pl.DataFrame,
    graph: Graph,
    communities: Communities,
    *,
    previous: pl.DataFrame,
    version: int,
    encoding: str,
    recipe: str,
) -> Reports:
    """Return a report for each community; one that is the same as before keeps its version."""
    known = _known(graph, communities.numbers)
    told = _told(rows, communities.numbers, known)
    evidence = _with_cited(_evidence(communities, graph), told, known)
    reports = (
        communities.communities.select("level", community_id="id")
        .join(_names(communities.members, graph), on="community_id")
        .join(told, on="community_id", how="left")
        .join(hashed(evidence).rename({"fingerprint": "evidence"}), on="community_id")
    )
    reports = _completed(reports, encoding).with_columns(
        model=pl.lit("graphrag"), recipe=pl.lit(recipe), refreshed_in=pl.lit(version, pl.Int64)
    )
    same = ("community_id", "evidence", "full_content")
    return Reports(
        community_reports=as_before(reports, previous, same, ("refreshed_in",)),
        report_evidence=evidence,
        n_uncited=int(told["removed"].sum()),
    )


def _evidence(communities: Communities, graph: Graph) -> pl.DataFrame:
    """Return community_id, kind and ref_id of each element and each child's report."""
    members = communities.members
    claims = graph.claims.select("subject_id", ref_id="id")
    parts = {
        "entity": members.select("community_id", ref_id="entity_id"),
        "relationship": inner(members, graph),
        "claim": members.join(claims, left_on="entity_id", right_on="subject_id"),
        "report": communities.communities.select(
            community_id="parent_id", ref_id="id"
        ).drop_nulls(),
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


def _known(graph: Graph, numbers: pl.DataFrame) -> Known:
    """Return everything that a report may cite."""
    tables = {name: rows.select("number", "id") for name, rows in graph.known.items()}
    tables["Reports"] = numbers
    return {
        (name, number): (marker(OF_DATASET[name], ref), ref)
        for name, rows in tables.items()
        for number, ref in rows.iter_rows()
    }


def _told(rows: pl.DataFrame, numbers: pl.DataFrame, known: Known) -> pl.DataFrame:
    """Return the reports of known communities, their citations as short ids."""
    newest = rows.sort("human_readable_id").unique("community", keep="last", maintain_order=True)
    named = newest.join(
        numbers.rename({"id": "community_id"}), left_on="community", right_on="number"
    )
    ids = dict(known.values())
    return pl.DataFrame([_report(row, known, ids) for row in named.to_dicts()], schema=TOLD)


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


def _completed(rows: pl.DataFrame, encoding: str) -> pl.DataFrame:
    """Fill in what a report lacks; one that is missing is named after its entities."""
    missing = pl.col("full_content").fill_null("") == ""
    whole = rows.with_columns(
        pl.col("summary", "full_content", "rating_explanation").fill_null(""),
        pl.col("findings").fill_null([]),
        pl.col("rating").fill_null(0.0),
        title=pl.coalesce("title", "name"),
        status=pl.when(missing).then(pl.lit("missing")).otherwise(pl.lit("ok")),
        reason=pl.when(missing).then(pl.lit(NO_REPORT)),
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
        .select("community_id", "kind", "ref_id", "included", "via")
    )
