"""Answers about single things: what the question names, and what is connected to it."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from graphrag_assets.context import HEADING_TOKENS, Item, pack
from graphrag_assets.query.answer import Draft, Final, Known
from graphrag_assets.query.citable import citable
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.graph import Ranked
from graphrag_assets.query.likest import likest
from graphrag_assets.query.question import Question
from graphrag_assets.query.ranking import local
from graphrag_assets.query.subtree import Subtree
from graphrag_assets.query.vectors import Vector

N_TEXT_UNITS = 50
N_ENTITIES = 20
N_BETWEEN = 20
SHARES = {  # of the context's tokens
    "text_unit": 0.6,
    "entity": 0.1,
    "relationship": 0.12,
    "claim": 0.08,
    "report": 0.1,
}


async def rank(engine: Engine, question: str, k: int) -> Ranked:
    """Rank text units by what the question names and what is connected to it."""
    vector = await engine.embed(question)
    found = await aside(local, engine.reader, question, vector, k)
    return found.units[:k]


async def answer(engine: Engine, question: Question) -> Draft | Final:
    """Answer from passages, entities, relationships, claims and reports, each in its share."""
    vector = await engine.embed(question.text)
    items, known = await aside(context, engine, question, vector)
    return engine.final("local_answer", question.text, items, known)


def context(
    engine: Engine, question: Question, vector: Vector, budget: int | None = None
) -> tuple[list[Item], Known]:
    """Return what a local answer is written from, each kind of rows in its share of the budget."""
    subtree = Subtree.of(engine.reader, question.community)
    found = local(engine.reader, question.text, vector, N_TEXT_UNITS)
    near = [ref for ref, _ in subtree.kept(found.entities)[:N_ENTITIES]]
    told = [ref for ref, _ in found.facts]
    shares = Shares(engine, budget or engine.settings.context_tokens)
    items = [
        *_reports(shares, near, question),
        *shares.fit("entity", engine.ranked("entity_texts", near)),
        *_relationships(shares, near, told, subtree),
        *shares.fit("claim", engine.reader.ask("claims_about", ids=near)),
        *engine.passages(_units(engine, found.units, vector, subtree), shares.of("text_unit")),
    ]
    return citable(engine, items)


@dataclass(frozen=True)
class Shares:
    """A budget, of which every kind of rows has its share."""

    engine: Engine
    budget: int

    def fit(self, kind: str, rows: pl.DataFrame) -> list[Item]:
        """Return the rows (id, text) that fit, in their order."""
        return pack(self.engine.items(kind, rows), self.of(kind) - HEADING_TOKENS)

    def of(self, kind: str) -> int:
        """Return the tokens of a kind of rows."""
        return int(SHARES[kind] * self.budget)


def _units(engine: Engine, ranked: Ranked, vector: Vector, subtree: Subtree) -> list[str]:
    """Return text units; in a subtree, the nearest ones of it follow those that were found."""
    kept = subtree.kept(ranked)
    if subtree.ids is not None:
        kept += likest(engine.reader.vectors("text_unit"), vector, subtree.ids)[:N_TEXT_UNITS]
    return list(dict.fromkeys(ref for ref, _ in kept))


def _reports(shares: Shares, entities: Sequence[str], question: Question) -> list[Item]:
    """Return reports of the communities that the entities lie in: of the subtree, if limited."""
    reader = shares.engine.reader
    level = shares.engine.settings.level if question.level is None else question.level
    if question.community is None:
        return shares.fit("report", reader.ask("reports_about", ids=entities, level=level))
    inside = reader.ask("community_subtree", id=question.community)
    level = max(level, int(inside["level"][0]) + 1)
    rows = reader.ask("reports_about", ids=entities, level=level)
    return shares.fit("report", rows.join(inside, on="id", how="semi", maintain_order="left"))


def _relationships(
    shares: Shares, entities: Sequence[str], told: Sequence[str], subtree: Subtree
) -> list[Item]:
    """Return the facts nearest to the question, then those between the entities.

    In a subtree only the latter: their ends are known to lie in it.
    """
    reader = shares.engine.reader
    between = reader.ask("relationships_between", ids=entities, k=N_BETWEEN)["id"].to_list()
    first = told if subtree.ids is None else []
    ids = list(dict.fromkeys([*first, *between]))
    return shares.fit("relationship", shares.engine.ranked("relationship_texts", ids))
