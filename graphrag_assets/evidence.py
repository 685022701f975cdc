"""What each report rests on: a community's elements, packed with its children's reports."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from graphrag_assets.context import (
    LINE_TOKENS,
    Child,
    Community,
    Item,
    Markers,
    Packed,
    elements,
    marker,
    pack_community,
    render,
)
from graphrag_assets.reuse import digest
from graphrag_assets.text import count_tokens_many

HEADING_TOKENS = 12  # of all kinds together
EVIDENCE = pl.Schema(
    {
        "community_id": pl.String(),
        "kind": pl.String(),
        "ref_id": pl.String(),
        "included": pl.Boolean(),
        "via": pl.String(),
        "sha256": pl.String(),
        "n_tokens": pl.Int64(),
        "made_from": pl.List(pl.String()),
    }
)


@dataclass(frozen=True)
class Source:
    """What a report rests on, as it was when the report was written."""

    kind: str
    id: str
    sha256: str  # of its row in the prompt
    n_tokens: int
    made_from: tuple[str, ...] | None  # None: not known


@dataclass(frozen=True)
class Evidence:
    """A community's context, all that it covers, and what its report rests on.

    `rests_on` is all that it covers and what the reports of its children rest on: they may be
    older than their communities.
    """

    community_id: str
    level: int
    name: str
    packed: Packed
    covers: Mapping[str, Item]
    context: str
    rests_on: Mapping[str, Source]
    included: frozenset[str]  # of these, what stood in the prompt, itself or in a child's report
    own: frozenset[str]  # of these, what no child's report stands for
    below: Mapping[str, "Below"]  # its sub-communities that have a report

    @property
    def fingerprint(self) -> str:
        """Hash of what the model reads."""
        return hashlib.sha256(self.context.encode()).hexdigest()[:32]

    @property
    def known(self) -> dict[str, str]:
        """{short id: id} of everything the report may cite."""
        return {marker(source.kind, source.id): source.id for source in self.rests_on.values()}


@dataclass(frozen=True)
class Below:
    """A sub-community's report, and what it rests on today."""

    report: Source
    evidence: Evidence


class Rows:
    """Entities, relationships and claims as rows of a prompt."""

    def __init__(
        self,
        entities: pl.DataFrame,
        relationships: pl.DataFrame,
        claims: pl.DataFrame,
        encoding: str,
    ) -> None:
        """Write every element once, and count its tokens."""
        titles = dict(entities.select("id", "title").iter_rows())
        self.entities = _items(
            "entity",
            entities.select("id", pl.format("{} ({}): {}", "title", "type", "description")),
            encoding,
        )
        self.relationships = _items(
            "relationship",
            relationships.select(
                "id",
                pl.format(
                    "{} — {}: {}",
                    pl.col("source_id").replace_strict(titles, return_dtype=pl.String),
                    pl.col("target_id").replace_strict(titles, return_dtype=pl.String),
                    "description",
                ),
            ),
            encoding,
        )
        self.claims = _items(
            "claim",
            claims.select(
                "id",
                pl.format(
                    "{}: {} ({})",
                    pl.col("subject_id").replace_strict(titles, return_dtype=pl.String),
                    "description",
                    pl.concat_str("status", "start_date", separator=", ", ignore_nulls=True),
                ),
            ),
            encoding,
        )
        self.sources = _sources(entities, relationships, self)
        self.titles = titles
        self.degrees = dict(entities.select("id", "degree").iter_rows())
        self.ends = {
            row[0]: row[1:]
            for row in relationships.select("id", "source_id", "target_id").iter_rows()
        }
        self.importance = {
            row[0]: (-row[1], row[0])
            for row in relationships.select("id", "combined_degree").iter_rows()
        }
        self.claims_about: dict[str, list[Item]] = {}
        for claim, subject in claims.select("id", "subject_id").sort("id").iter_rows():
            self.claims_about.setdefault(subject, []).append(self.claims[claim])


class Graph:
    """The hierarchy of communities with their elements."""

    def __init__(self, communities: pl.DataFrame, members: pl.DataFrame, rows: Rows) -> None:
        """Sort relationships into the communities that hold both their ends."""
        self.rows = rows
        self.levels = dict(communities.select("id", "level").iter_rows())
        self.members = _grouped(members.select("community_id", "entity_id"))
        self.children = _grouped(communities.drop_nulls("parent_id").select("parent_id", "id"))
        self.inside = _grouped(_inner_relationships(members, rows))

    def at(self, level: int) -> list[str]:
        """Return the communities of a level."""
        return sorted(community for community, found in self.levels.items() if found == level)

    def evidence(
        self,
        community: str,
        reports: Mapping[str, Mapping[str, Any]],
        below: Mapping[str, Evidence],
        budget: int,
    ) -> Evidence:
        """Pack a community's context; its children's reports stand for what doesn't fit."""
        rows = self.rows
        inner = sorted(self.inside.get(community, ()), key=rows.importance.__getitem__)
        members = sorted(
            self.members[community], key=lambda entity: (-rows.degrees[entity], rows.titles[entity])
        )
        prepared = Community(
            id=community,
            relationships=[rows.relationships[ref] for ref in inner],
            around={
                ref: [item for end in rows.ends[ref] for item in self._about(end)] for ref in inner
            },
            lone=[item for entity in members for item in self._about(entity)],
            children=[
                _child(below[child], reports[child])
                for child in self.children.get(community, ())
                if reports[child]["full_content"]
            ],
        )
        packed = pack_community(prepared, budget - HEADING_TOKENS)
        told = [below[child.report.id] for child in packed.replaced]
        covers = {item.id: item for item in elements(prepared)}
        mine = {ref: rows.sources[ref] for ref in covers}
        under = {
            child.report.id: Below(_report_source(child.report), below[child.report.id])
            for child in prepared.children
        }
        reports_read = {child.report.id: under[child.report.id].report for child in packed.replaced}
        inside = frozenset(item.id for item in packed.items)
        return Evidence(
            community_id=community,
            level=self.levels[community],
            name=", ".join(rows.titles[entity] for entity in members[:3]),
            packed=packed,
            covers=covers,
            context=render(packed.items),
            rests_on={**elements_of(told), **mine, **reports_read},
            included=inside.union(*(child.included for child in told)),
            own=inside | {item.id for item in packed.cut},
            below=under,
        )

    def _about(self, entity: str) -> list[Item]:
        return [self.rows.entities[entity], *self.rows.claims_about.get(entity, ())]


def evidence_rows(evidence: Mapping[str, Evidence]) -> Iterator[tuple[Any, ...]]:
    """Yield what each report rests on, in the columns of EVIDENCE."""
    for community, one in evidence.items():
        for ref, source in one.rests_on.items():
            via = "own" if ref in one.own else "child"
            told = (source.sha256, source.n_tokens, source.made_from)
            yield community, source.kind, ref, ref in one.included, via, *told


def _child(evidence: Evidence, report: Mapping[str, Any]) -> Child:
    """Return what a child's report can stand for: what it rests on, not all that came since."""
    refs = [ref for ref in evidence.rests_on if ref in evidence.covers]
    return Child(
        report=Item(
            "report",
            evidence.community_id,
            report["full_content"].removeprefix("# "),
            report["n_tokens"] + LINE_TOKENS,
        ),
        element_ids=frozenset(refs),
        included_ids=evidence.included,
        n_tokens=sum(evidence.covers[ref].n_tokens for ref in refs),
    )


def elements_of(children: Iterable[Evidence]) -> dict[str, Source]:
    """Return the elements that the reports of some communities rest on."""
    return {
        ref: source
        for child in children
        for ref, source in child.rests_on.items()
        if source.kind != "report"
    }


def _report_source(report: Item) -> Source:
    return Source("report", report.id, digest(report.text), report.n_tokens, ())


def _sources(entities: pl.DataFrame, relationships: pl.DataFrame, rows: Rows) -> dict[str, Source]:
    """Return each element with the hashes of what it was made from, an entity's name included."""
    named = entities.select("id", "made_from", pl.format("{} ({})", "title", "type"))
    made = {
        ref: None if pieces is None else (*pieces, digest(name))
        for ref, pieces, name in named.iter_rows()
    }
    made |= {
        ref: None if pieces is None else tuple(pieces)
        for ref, pieces in relationships.select("id", "made_from").iter_rows()
    }
    items = (rows.entities, rows.relationships, rows.claims)
    return {
        ref: Source(item.kind, ref, digest(item.text), item.n_tokens, made.get(ref, ()))
        for found in items
        for ref, item in found.items()
    }


def _items(kind: str, rows: pl.DataFrame, encoding: str) -> dict[str, Item]:
    ids, texts = rows.columns
    folded = rows[texts].str.replace_all(r"\s+", " ").to_list()
    counts = count_tokens_many(folded, encoding)
    markers = Markers()
    return {
        ref: Item(kind, ref, text, count + LINE_TOKENS, markers.digits(kind, ref))
        for ref, text, count in zip(rows[ids], folded, counts, strict=True)
    }


def _inner_relationships(members: pl.DataFrame, rows: Rows) -> pl.DataFrame:
    """Return community_id and id of each relationship with both ends in one community."""
    ends = pl.DataFrame(
        [(ref, *pair) for ref, pair in rows.ends.items()],
        schema={"id": pl.String, "source_id": pl.String, "target_id": pl.String},
        orient="row",
    )
    source = members.rename({"entity_id": "source_id"})
    target = members.rename({"entity_id": "target_id"})
    inner = ends.join(source, on="source_id").join(target, on=["target_id", "community_id"])
    return inner.select("community_id", "id")


def _grouped(pairs: pl.DataFrame) -> dict[str, list[str]]:
    key, value = pairs.columns
    return dict(pairs.sort(key, value).group_by(key, maintain_order=True).agg(value).iter_rows())
