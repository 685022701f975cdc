"""Mentions -> relationships, entities, communities."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from graphrag_assets.mentions import (
    display_names,
    distinct_pieces,
    joined,
    merge_entities,
    merge_relationships,
)
from graphrag_assets.models.client import Models, Request
from graphrag_assets.models.replies import Description
from graphrag_assets.network.communities import detect_communities
from graphrag_assets.network.history import Previous
from graphrag_assets.prompts import Prompts, language_name
from graphrag_assets.settings import CommunitySettings
from graphrag_assets.text import count_tokens, language
from graphrag_assets.warehouse import Result, table_asset

MAX_TOKENS = 500  # a description up to this long is its pieces, joined
MAX_PIECES = 12
GROUP_TOKENS = 3000  # what one summary reads


@dataclass(frozen=True)
class Describer:
    """Makes one description of many."""

    models: Models
    prompts: Prompts
    encoding: str
    language: str

    async def describe(self, subject: str, name: str, pieces: Sequence[str]) -> str:
        """Join a few pieces; let a model summarise many, in groups, until few are left.

        Where the model fails, the most informative pieces stand for all (the failed call is in
        model_calls, and the next run asks again).
        """
        if len(pieces) <= MAX_PIECES and self._tokens(pieces) <= MAX_TOKENS:
            return joined(pieces)
        groups = self._groups(pieces)
        summaries = [await self._summarise(subject, name, group) for group in groups]
        if len(summaries) == 1:
            return summaries[0]
        return await self.describe(subject, name, summaries)

    async def _summarise(self, subject: str, name: str, pieces: Sequence[str]) -> str:
        tongue = language(joined(pieces)) if self.language == "auto" else self.language
        messages = self.prompts.render(
            "summarize_description",
            name=name,
            descriptions="\n".join(f"- {piece}" for piece in sorted(pieces)),
            language=language_name(tongue),
            max_tokens=str(MAX_TOKENS),
        )
        outcome = await self.models.chat(
            Request(
                "description",
                "summarize_description",
                messages,
                schema=Description,
                subject=subject,
            )
        )
        return outcome.reply.description if outcome.reply else joined(self._fitting(pieces))

    def _tokens(self, pieces: Sequence[str]) -> int:
        return count_tokens(joined(pieces), self.encoding)

    def _groups(self, pieces: Sequence[str]) -> list[list[str]]:
        groups: list[list[str]] = [[]]
        used = 0
        for piece in pieces:
            tokens = self._tokens([piece])
            if used + tokens > GROUP_TOKENS and len(groups[-1]) > 1:
                groups.append([])
                used = 0
            groups[-1].append(piece)
            used += tokens
        return groups

    def _fitting(self, pieces: Sequence[str]) -> list[str]:
        fitting: list[str] = []
        for piece in pieces[:MAX_PIECES]:
            if self._tokens([*fitting, piece]) <= MAX_TOKENS:
                fitting.append(piece)
        return fitting or [pieces[0][:MAX_TOKENS]]


@table_asset(
    "relationships", prompts=("summarize_description",), tasks=("description",), priority=-2
)
def relationships(
    relationship_mentions: pl.DataFrame,
    entity_mentions: pl.DataFrame,
    text_units: pl.DataFrame,
    encoding: str,
    output_language: str,
    models: Models,
    prompts: Prompts,
    progress: Callable[[int, int], None],
) -> pl.DataFrame:
    """Merge the mentions of each pair of entities."""
    merged = merge_relationships(relationship_mentions, text_units)
    names = display_names(entity_mentions)
    for end in ("source", "target"):
        merged = merged.join(
            names.select(pl.col("entity_id").alias(f"{end}_id"), pl.col("title").alias(end)),
            on=f"{end}_id",
        )
    named = merged.select("id", name=pl.concat_str("source", pl.lit(" — "), "target"))
    describer = Describer(models, prompts, encoding, output_language)
    pieces = distinct_pieces(relationship_mentions, "relationship_id")
    return merged.join(_described(named, pieces, describer, progress), on="id")


@table_asset("entities", prompts=("summarize_description",), tasks=("description",), priority=-2)
def entities(
    entity_mentions: pl.DataFrame,
    relationships: pl.DataFrame,
    text_units: pl.DataFrame,
    encoding: str,
    output_language: str,
    models: Models,
    prompts: Prompts,
    progress: Callable[[int, int], None],
) -> pl.DataFrame:
    """Merge the mentions of each entity."""
    merged = merge_entities(entity_mentions, text_units, relationships)
    describer = Describer(models, prompts, encoding, output_language)
    pieces = distinct_pieces(entity_mentions, "entity_id")
    named = merged.select("id", name="title")
    return merged.join(_described(named, pieces, describer, progress), on="id")


@table_asset("communities", "community_members")
def communities(
    entities: pl.DataFrame,
    relationships: pl.DataFrame,
    entity_mentions: pl.DataFrame,
    text_units: pl.DataFrame,
    settings: CommunitySettings,
    previous_communities: pl.DataFrame,
    previous_community_members: pl.DataFrame,
    version: int,
) -> Result:
    """Divide the graph into a hierarchy of communities; what didn't change keeps its identity."""
    homes = (
        entity_mentions.drop_nulls("entity_id")
        .join(text_units.select(text_unit_id="id", home_id="document_id"), on="text_unit_id")
        .select("entity_id", "home_id")
        .unique()
    )
    previous = Previous(previous_communities, previous_community_members)
    found = detect_communities(
        entities,
        relationships,
        homes=homes,
        max_community_size=settings.max_community_size,
        seed=settings.seed,
        previous=None if previous_communities.is_empty() else previous,
        version=version,
    )
    return {"communities": found.communities, "community_members": found.members}


def _described(
    named: pl.DataFrame,
    pieces: pl.DataFrame,
    describer: Describer,
    progress: Callable[[int, int], None],
) -> pl.DataFrame:
    """Return id and description of each named element."""
    rows = named.join(pieces, on="id", how="left", maintain_order="left")
    told = rows.filter(pl.col("pieces").is_not_null())
    jobs = [
        partial(describer.describe, *row) for row in told.select("id", "name", "pieces").iter_rows()
    ]
    texts = describer.models.map(jobs, progress=lambda done: progress(done, len(jobs)))
    described = told.select("id").with_columns(description=pl.Series(texts, dtype=pl.String))
    return (
        named.select("id")
        .join(described, on="id", how="left")
        .with_columns(pl.col("description").fill_null(""))
    )
