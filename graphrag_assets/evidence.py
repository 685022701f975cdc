"""What each report rests on: a community's elements, packed with its children's reports."""

import hashlib
from collections.abc import Iterator, Mapping
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
    pack_community,
    render,
)
from graphrag_assets.text import count_tokens_many

HEADING_TOKENS = 12  # of all kinds together
EVIDENCE = {
    "community_id": pl.String,
    "kind": pl.String,
    "ref_id": pl.String,
    "included": pl.Boolean,
    "via": pl.String,
}


@dataclass(frozen=True)
class Evidence:
    """A community's context and all that it covers."""

    community_id: str
    level: int
    name: str
    packed: Packed
    covers: Mapping[str, Item]
    context: str

    @property
    def fingerprint(self) -> str:
        """Hash of what the model reads."""
        return hashlib.sha256(self.context.encode()).hexdigest()[:32]

    @property
    def known(self) -> dict[str, str]:
        """{short id: id} of everything the report may cite."""
        reports = {child.report.marker: child.report.id for child in self.packed.replaced}
        return {item.marker: item.id for item in self.covers.values()} | reports


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
        return Evidence(
            community_id=community,
            level=self.levels[community],
            name=", ".join(rows.titles[entity] for entity in members[:3]),
            packed=packed,
            covers={item.id: item for item in elements(prepared)},
            context=render(packed.items),
        )

    def _about(self, entity: str) -> list[Item]:
        return [self.rows.entities[entity], *self.rows.claims_about.get(entity, ())]


def evidence_rows(evidence: Mapping[str, Evidence]) -> Iterator[tuple[Any, ...]]:
    """Yield what each report rests on: own rows first, then what its children's reports cover."""
    for community, one in evidence.items():
        packed = one.packed
        own = {item.id for item in packed.items}
        cut = {item.id for item in packed.cut}
        told = frozenset().union(*(child.included_ids for child in packed.replaced))
        for item in one.covers.values():
            via = "own" if item.id in own | cut else "child"
            yield community, item.kind, item.id, item.id in own or item.id in told, via
        for child in packed.replaced:
            yield community, "report", child.report.id, True, "own"


def _child(evidence: Evidence, report: Mapping[str, Any]) -> Child:
    told = frozenset().union(*(child.included_ids for child in evidence.packed.replaced))
    return Child(
        report=Item(
            "report",
            evidence.community_id,
            report["full_content"].removeprefix("# "),
            report["n_tokens"] + LINE_TOKENS,
        ),
        element_ids=frozenset(evidence.covers),
        included_ids=told | {item.id for item in evidence.packed.items},
        n_tokens=sum(item.n_tokens for item in evidence.covers.values()),
    )


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
