"""Answers about single things: what the question names, and what is connected to it."""

import asyncio
from collections.abc import Sequence

from graphrag_assets.context import Item, pack
from graphrag_assets.query.answer import Draft
from graphrag_assets.query.engine import Engine, first_line
from graphrag_assets.query.graph import Ranked
from graphrag_assets.query.ranking import facts, local

N_TEXT_UNITS = 50
N_ENTITIES = 20
N_FACTS = 20
SHARES = {"passages": 0.6, "entities": 0.1, "relationships": 0.12, "claims": 0.08, "reports": 0.1}


async def rank(engine: Engine, question: str, k: int) -> Ranked:
    """Rank text units by what the question names and what is connected to it."""
    vector = await engine.embed(question)
    units, _ = await asyncio.to_thread(local, engine.reader, question, vector, k)
    return units[:k]


async def answer(engine: Engine, question: str) -> Draft:
    """Answer from passages, entities, relationships, claims and reports, each in its share."""
    vector = await engine.embed(question)
    units, entities = local(engine.reader, question, vector, N_TEXT_UNITS)
    near = [ref for ref, _ in entities[:N_ENTITIES]]
    told = [ref for ref, _ in facts(engine.reader, vector, N_FACTS)]
    items = [
        *_reports(engine, near),
        *_fit(engine, "entities", engine.items("entity", engine.ranked("entity_texts", near))),
        *_relationships(engine, near, told),
        *_claims(engine, near),
        *engine.passages([ref for ref, _ in units], _budget(engine, "passages")),
    ]
    outcome = await engine.write("local_answer", question, items)
    known = {item.marker: (item.kind, item.id, first_line(item)) for item in items}
    return Draft.from_outcome(outcome, known)


def _reports(engine: Engine, entities: Sequence[str]) -> list[Item]:
    rows = engine.reader.ask("reports_about", ids=entities, level=engine.settings.level)
    return _fit(engine, "reports", engine.items("report", rows))


def _relationships(engine: Engine, entities: Sequence[str], told: Sequence[str]) -> list[Item]:
    between = engine.reader.ask("relationships_between", ids=entities, k=N_FACTS)["id"].to_list()
    rows = engine.ranked("relationship_texts", list(dict.fromkeys([*told, *between])))
    return _fit(engine, "relationships", engine.items("relationship", rows))


def _claims(engine: Engine, entities: Sequence[str]) -> list[Item]:
    return _fit(
        engine, "claims", engine.items("claim", engine.reader.ask("claims_about", ids=entities))
    )


def _fit(engine: Engine, share: str, items: list[Item]) -> list[Item]:
    return pack(items, _budget(engine, share))


def _budget(engine: Engine, share: str) -> int:
    return int(SHARES[share] * engine.settings.context_tokens)
