"""Their communities -> ours, complete: every entity stands in a community of each level.

Theirs leave out what lies outside the largest component and what has no relationship: those are
divided as the pipeline divides them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from graphrag_assets.exchange.microsoft.corpus import Corpus
from graphrag_assets.exchange.microsoft.graph import Graph
from graphrag_assets.network.communities import detect_communities
from graphrag_assets.settings import CommunitySettings
from graphrag_assets.text import content_id

MEMBERS = {"level": pl.Int64, "number": pl.Int64, "parent": pl.Int64, "entity_id": pl.String}


@dataclass(frozen=True)
class Communities:
    """Tables of ours."""

    communities: pl.DataFrame
    members: pl.DataFrame  # community_id, entity_id
    numbers: pl.DataFrame  # their number, id
    n_added: int  # communities of entities that stood in none


def read_communities(
    rows: pl.DataFrame,
    graph: Graph,
    corpus: Corpus,
    settings: CommunitySettings,
    *,
    previous: pl.DataFrame,
    version: int,
) -> Communities:
    """Return communities; one that was there before keeps the version in which it appeared.

    In an index that was updated an entity may stand in several of a level: the newest counts.
    """
    listed = _members(rows, graph)
    theirs = _named(listed, version)
    members = listed.join(theirs.select("number", community_id="id"), on="number")
    theirs = _measured(theirs, members, graph)
    added, others = _left_over(graph, corpus, members, settings, version)
    whole = pl.concat([theirs.drop("number"), added.select(theirs.drop("number").columns)])
    return Communities(
        communities=as_before(whole, previous, ("id", "fingerprint"), ("born_in", "event")),
        members=pl.concat([members.select("community_id", "entity_id"), others]),
        numbers=theirs.select("number", "id"),
        n_added=added.height,
    )


def inner(members: pl.DataFrame, graph: Graph) -> pl.DataFrame:
    """Return community_id and ref_id of each relationship inside a community."""
    here = members.select("community_id", "entity_id")
    sources = graph.relationships.select("id", "source_id", "target_id").join(
        here, left_on="source_id", right_on="entity_id"
    )
    both = sources.join(
        here, left_on=["target_id", "community_id"], right_on=["entity_id", "community_id"]
    )
    return both.select("community_id", ref_id="id")


def hashed(parts: pl.DataFrame) -> pl.DataFrame:
    """Return community_id and fingerprint of the ref_ids of each community."""
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


def as_before(
    rows: pl.DataFrame, before: pl.DataFrame, same: Sequence[str], kept: Sequence[str]
) -> pl.DataFrame:
    """Return rows with these columns as they were where others are the same."""
    former = before.select(*same, pl.col(kept).name.suffix("_before"))
    found = rows.join(former, on=same, how="left", maintain_order="left")
    return found.with_columns(
        pl.coalesce(f"{name}_before", name).alias(name) for name in kept
    ).select(rows.columns)


def _members(rows: pl.DataFrame, graph: Graph) -> pl.DataFrame:
    """Return MEMBERS: one community of each level for an entity, inside that of the level above."""
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
    return members


def _named(members: pl.DataFrame, version: int) -> pl.DataFrame:
    """Return communities with their number, and ids of ours."""
    found = (
        members.sort("number", "entity_id")
        .group_by("number", maintain_order=True)
        .agg(pl.col("level", "parent").first(), refs=pl.col("entity_id"))
    )
    found = found.with_columns(
        size=pl.col("refs").list.len().cast(pl.Int64),
        id=pl.struct("level", "refs").map_elements(
            lambda row: content_id(str(row["level"]), *row["refs"]), return_dtype=pl.String
        ),
        born_in=pl.lit(version, pl.Int64),
        event=pl.lit("new"),
    )
    parents = found.select(parent="number", parent_id="id")
    return found.join(parents, on="parent", how="left").drop("parent", "refs")


def _measured(theirs: pl.DataFrame, members: pl.DataFrame, graph: Graph) -> pl.DataFrame:
    """Add n_relationships and fingerprint."""
    relations = inner(members, graph)
    counts = relations.group_by("community_id").agg(n_relationships=pl.len().cast(pl.Int64))
    hashes = hashed(pl.concat([members.select("community_id", ref_id="entity_id"), relations]))
    return (
        theirs.join(counts, left_on="id", right_on="community_id", how="left")
        .join(hashes, left_on="id", right_on="community_id")
        .with_columns(pl.col("n_relationships").fill_null(0))
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
