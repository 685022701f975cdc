"""Vector RAG: the nearest passages, and nothing else (the paper's baseline SS)."""

from graphrag_assets.context import Item
from graphrag_assets.query.answer import Draft, Final
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.question import Question
from graphrag_assets.query.ranking import Ranked
from graphrag_assets.query.reader import Vector

N_TEXT_UNITS = 50


async def rank(engine: Engine, question: str, k: int) -> Ranked:
    """Rank text units by similarity to the question."""
    vector = await engine.embed(question)
    return await aside(_nearest, engine, vector, k)


async def answer(engine: Engine, question: Question) -> Draft | Final:
    """Answer from the nearest passages that fit the budget."""
    vector = await engine.embed(question.text)
    items = await aside(_passages, engine, vector)
    if not items:
        return Draft("", {}, "no_evidence")
    return engine.final("basic_answer", question.text, items)


def _nearest(engine: Engine, vector: Vector, k: int) -> Ranked:
    return engine.reader.vectors("text_unit").nearest(vector, k)


def _passages(engine: Engine, vector: Vector) -> list[Item]:
    ids = [ref for ref, _ in _nearest(engine, vector, N_TEXT_UNITS)]
    return engine.passages(ids, engine.settings.context_tokens)
