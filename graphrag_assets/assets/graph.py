"""Mentions -> relationships, entities, communities."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
from graphrag_assets.models.replies import Description as Summary
from graphrag_assets.network.communities import detect_communities
from graphrag_assets.network.history import Previous
from graphrag_assets.prompts import Prompts, language_name
from graphrag_assets.reuse import digest, summary_holds
from graphrag_assets.settings import CommunitySettings, ReportSettings
from graphrag_assets.text import count_tokens, language
from graphrag_assets.warehouse import Result, table_asset

MAX_TOKENS = 500  # a description up to this long is its pieces, joined
MAX_PIECES = 12
GROUP_TOKENS = 3000  # what one summary reads


@dataclass(frozen=True)
class Description:
    """What is said of an element, and whether a model failed to say all of it."""

    text: str
    failed: bool = False


@dataclass(frozen=True)
class Describer:
    """Makes one description of many."""

    models: Models
    prompts: Prompts
    encoding: str
    language: str

    @property
    def recipe(self) -> str:
        """Hash of all but the pieces that decides a summary."""
        prompt = self.prompts.fingerprint("summarize_description")
        return digest(f"{prompt}-{self.models.recipe('description')}-{self.language}")

    def fits(self, pieces: Sequence[str]) -> bool:
        """Whether a description is its pieces, joined: no model is asked."""
        if len(pieces) > MAX_PIECES:
            return False
        text = joined(pieces)
        short = len(text.encode()) <= MAX_TOKENS  # a token has a byte or more
        return short or count_tokens(text, self.encoding) <= MAX_TOKENS

    async def describe(self, subject: str, name: str, pieces: Sequence[str]) -> Description:
        """Join a few pieces; let a model summarise many, in groups, until few are left.

        Where the model fails, the most informative pieces stand for all (the failed call is in
        model_calls, and the next run asks again).
        """
        if self.fits(pieces):
            return Description(joined(pieces))
        groups = self._groups(pieces)
        summaries = [await self._summarise(subject, name, group) for group in groups]
        failed = any(summary.failed for summary in summaries)
        if len(summaries) == 1:
            return summaries[0]
        whole = await self.describe(subject, name, [summary.text for summary in summaries])
        return replace(whole, failed=whole.failed or failed)

    async def _summarise(self, subject: str, name: str, pieces: Sequence[str]) -> Description:
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
                schema=Summary,
                subject=subject,
            )
        )
        if outcome.reply:
            return Description(outcome.reply.description)
        return Description(joined(self._fitting(pieces)), failed=True)

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
    settings: ReportSettings,
    previous_relationships: pl.DataFrame,
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
    former = Summaries(previous_relationships, describer.recipe, settings.tolerance)
    return merged.join(_described(named, pieces, describer, former, progress), on="id")


@table_asset("entities", prompts=("summarize_description",), tasks=("description",), priority=-4)
def entities(
    entity_mentions: pl.DataFrame,
    relationship_mentions: pl.DataFrame,
    text_units: pl.DataFrame,
    encoding: str,
    output_language: str,
    models: Models,
    prompts: Prompts,
    settings: ReportSettings,
    previous_entities: pl.DataFrame,
    progress: Callable[[int, int], None],
) -> pl.DataFrame:
    """Merge the mentions of each entity."""
    merged = merge_entities(entity_mentions, text_units, relationship_mentions)
    describer = Describer(models, prompts, encoding, output_language)
    pieces = distinct_pieces(entity_mentions, "entity_id")
    named = merged.select("id", name="title")
    former = Summaries(previous_entities, describer.recipe, settings.tolerance)
    return merged.join(_described(named, pieces, describer, former, progress), on="id")


@table_asset("communities", "community_members", long=True)
def communities(
    relationships: pl.DataFrame,
    entity_mentions: pl.DataFrame,
    text_units: pl.DataFrame,
    settings: CommunitySettings,
    previous_communities: pl.DataFrame,
    previous_community_members: pl.DataFrame,
    version: int,
) -> Result:
    """Divide the graph into a hierarchy of communities; what didn't change keeps its identity."""
    mentioned = entity_mentions.drop_nulls("entity_id")
    homes = (
        mentioned.join(
            text_units.select(text_unit_id="id", home_id="document_id"), on="text_unit_id"
        )
        .select("entity_id", "home_id")
        .unique()
    )
    previous = Previous(previous_communities, previous_community_members)
    found = detect_communities(
        mentioned.select(id="entity_id").unique(),
        relationships,
        homes=homes,
        max_community_size=settings.max_community_size,
        seed=settings.seed,
        previous=None if previous_communities.is_empty() else previous,
        version=version,
    )
    return {"communities": found.communities, "community_members": found.members}


class Summaries:
    """What a model summarised before, by the same recipe."""

    def __init__(self, previous: pl.DataFrame, recipe: str, tolerance: float) -> None:
        """Take the table as the last run left it, and the share of pieces that may come."""
        mine = previous.filter(pl.col("made_from").list.contains(recipe))
        rows = mine.select("id", "description", "made_from").iter_rows()
        self.known = {ref: (text, frozenset(made)) for ref, text, made in rows}
        self.tolerance = tolerance

    def kept(self, ref: str, made_from: frozenset[str]) -> tuple[str, frozenset[str]] | None:
        """Return a former summary that still holds, with what it was made from."""
        former = self.known.get(ref)
        holds = former and summary_holds(former[1], made_from, self.tolerance)
        return former if holds else None


def _described(
    named: pl.DataFrame,
    pieces: pl.DataFrame,
    describer: Describer,
    former: Summaries,
    progress: Callable[[int, int], None],
) -> pl.DataFrame:
    """Return id, description and made_from of each named element."""
    told: dict[str, tuple[str, frozenset[str]]] = {}
    asked = []
    recipe = describer.recipe
    for ref, name, found in named.join(pieces, on="id", how="left").iter_rows():
        made_from = frozenset(map(digest, found or ()))
        if describer.fits(found or ()):
            told[ref] = joined(found or ()), made_from
        elif kept := former.kept(ref, made_from | {recipe}):
            told[ref] = kept
        else:
            asked.append((ref, name, found, made_from))
    jobs = [partial(describer.describe, ref, name, found) for ref, name, found, _ in asked]
    answers = describer.models.map(jobs, progress=lambda done: progress(done, len(jobs)))
    for (ref, _, _, made_from), answer in zip(asked, answers, strict=True):
        told[ref] = answer.text, made_from if answer.failed else made_from | {recipe}
    rows = [(ref, text, sorted(made_from)) for ref, (text, made_from) in told.items()]
    return pl.DataFrame(
        rows,
        schema={"id": pl.String, "description": pl.String, "made_from": pl.List(pl.String)},
        orient="row",
    )
