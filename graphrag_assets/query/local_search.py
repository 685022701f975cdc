"""Answers about single things: what the question names, and what is connected to it."""

from collections.abc import Sequence

from graphrag_assets.context import Item, pack
from graphrag_assets.query.answer import Draft, Final
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.question import Question
from graphrag_assets.query.ranking import Ranked, facts, local
from graphrag_assets.query.reader import Vector

N_TEXT_UNITS = 50
N_ENTITIES = 20
N_FACTS = 20
SHARES = {"passages": 0.6, "entities": 0.1, "relationships": 0.12, "claims": 0.08, "reports": 0.1}


async def rank(engine: Engine, question: str, k: int) -> Ranked:
    """Rank text units by what the question names and what is connected to it."""
    vector = await engine.embed(question)
    units, _ = await aside(local, engine.reader, question, vector, k)
    return units


async def answer(engine: Engine, question: Question) -> Draft | Final:
    """Answer from passages, entities, relationships, claims and reports, each in its share."""
    vector = await engine.embed(question.text)
    items = await aside(context, engine, question, vector)
    if not items:
        return Draft("", {}, "no_evidence")
    return engine.final("local_answer", question.text, items)


def context(engine: Engine, question: Question, vector: Vector) -> list[Item]:
    """Return what a local answer is written from."""
    units, entities = local(engine.reader, question.text, vector, N_TEXT_UNITS)
    near = [ref for ref, _ in entities[:N_ENTITIES]]
    told = [ref for ref, _ in facts(engine.reader, vector, N_FACTS)]
    return [
        *_reports(engine, near),
        *_fit(engine, "entities", engine.items("entity", engine.ranked("entity_texts", near))),
        *_relationships(engine, near, told),
        *_claims(engine, near),
        *engine.passages([ref for ref, _ in units], _budget(engine, "passages")),
    ]


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
