"""Answers about single things: what the question names, and what is connected to it."""

import asyncio
from collections.abc import Sequence

import polars as pl

from graphrag_assets.context import HEADING_TOKENS, Item, pack
from graphrag_assets.query.answer import Draft, Final, Known
from graphrag_assets.query.citable import citable
from graphrag_assets.query.engine import Engine, aside, in_order
from graphrag_assets.query.graph import Ranked
from graphrag_assets.query.likest import likest
from graphrag_assets.query.question import Question
from graphrag_assets.query.ranking import Found, local, worded
from graphrag_assets.query.subtree import Subtree
from graphrag_assets.query.vectors import Vector

N_TEXT_UNITS = 50
N_ENTITIES = 20
N_BETWEEN = 20
SHARES = {  # of the context's tokens
    "report": 0.1,
    "entity": 0.1,
    "relationship": 0.12,
    "claim": 0.08,
    "text_unit": 0.6,
}


async def rank(engine: Engine, question: str, k: int) -> Ranked:
    """Rank text units by what the question names and what is connected to it."""
    found, _ = await _found(engine, question, k)
    return found.units[:k]


async def answer(engine: Engine, question: Question) -> Draft | Final:
    """Answer from passages, entities, relationships, claims and reports, each in its share."""
    items, known = await context(engine, question, engine.settings.context_tokens)
    return engine.final("local_answer", question.text, items, known)


async def context(engine: Engine, question: Question, budget: int) -> tuple[list[Item], Known]:
    """Return what a local answer is written from, each kind of rows in its share of the budget."""
    found, vector = await _found(engine, question.text, N_TEXT_UNITS)
    return await aside(_context, engine, question, budget, found, vector)


async def _found(engine: Engine, question: str, k: int) -> tuple[Found, Vector]:
    """Return what a question finds, and its vector; words are looked for while it is made."""
    vector, words = await asyncio.gather(
        engine.embed(question), aside(worded, engine.reader, question)
    )
    return await aside(local, engine.reader, words, vector, k), vector


def _context(
    engine: Engine, question: Question, budget: int, found: Found, vector: Vector
) -> tuple[list[Item], Known]:
    subtree = Subtree.of(engine.reader, question.community)
    near = [ref for ref, _ in subtree.kept(found.entities)[:N_ENTITIES]]
    told = [ref for ref, _ in found.facts]
    units = _units(engine, found.units, vector, subtree)
    rows = {
        "report": _reports(engine, near, question),
        "entity": engine.ranked("entity_texts", near),
        "relationship": _relationships(engine, near, told, subtree),
        "claim": engine.reader.ask("claims_about", ids=near),
        "text_unit": engine.passage_rows(units, _share("text_unit", budget)),
    }
    items = [
        item
        for kind, of_kind in rows.items()
        for item in pack(engine.items(kind, of_kind), _share(kind, budget) - HEADING_TOKENS)
    ]
    return citable(engine, items)


def _share(kind: str, budget: int) -> int:
    """Return the tokens of a kind of rows."""
    return int(SHARES[kind] * budget)


def _units(engine: Engine, ranked: Ranked, vector: Vector, subtree: Subtree) -> list[str]:
    """Return text units; in a subtree, the nearest ones of it follow those that were found."""
    kept = subtree.kept(ranked)
    if subtree.ids is not None:
        kept += likest(engine.reader.vectors("text_unit"), vector, subtree.ids)[:N_TEXT_UNITS]
    return list(dict.fromkeys(ref for ref, _ in kept))


def _reports(engine: Engine, entities: Sequence[str], question: Question) -> pl.DataFrame:
    """Return reports of the communities that the entities lie in: of the subtree, if limited."""
    reader = engine.reader
    level = engine.settings.level if question.level is None else question.level
    if question.community is None:
        return reader.ask("reports_about", ids=entities, level=level)
    inside = reader.ask("community_subtree", id=question.community)
    level = max(level, int(inside["level"][0]) + 1)
    rows = reader.ask("reports_about", ids=entities, level=level)
    return rows.join(inside, on="id", how="semi", maintain_order="left")


def _relationships(
    engine: Engine, entities: Sequence[str], told: Sequence[str], subtree: Subtree
) -> pl.DataFrame:
    """Return the facts nearest to the question, then those between the entities.

    In a subtree only the latter: their ends are known to lie in it.
    """
    between = engine.reader.relations.between(entities, N_BETWEEN)
    first = told if subtree.ids is None else []
    ids = list(dict.fromkeys([*first, *between]))
    ends = engine.reader.relations.ends(ids)
    sources, targets = ([pair[end] for pair in ends.values()] for end in (0, 1))
    texts = engine.reader.ask(
        "relationship_texts", ids=list(ends), sources=sources, targets=targets
    )
    return in_order(ids, texts)
