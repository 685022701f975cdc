"""Vector RAG: the nearest passages, and nothing else (the paper's baseline SS)."""

from graphrag_assets.context import Item
from graphrag_assets.query.answer import Draft, Final, Known
from graphrag_assets.query.citable import citable
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.graph import Ranked
from graphrag_assets.query.question import Question
from graphrag_assets.query.subtree import nearest_units
from graphrag_assets.query.vectors import Vector

N_TEXT_UNITS = 50


async def rank(engine: Engine, question: str, k: int) -> Ranked:
    """Rank text units by similarity to the question."""
    vector = await engine.embed(question)
    return await aside(engine.reader.vectors("text_unit").nearest, vector, k)


async def answer(engine: Engine, question: Question) -> Draft | Final:
    """Answer from the nearest passages that fit the budget."""
    vector = await engine.embed(question.text)
    items, known = await aside(_context, engine, question, vector)
    return engine.final("basic_answer", question.text, items, known)


def _context(engine: Engine, question: Question, vector: Vector) -> tuple[list[Item], Known]:
    nearest = nearest_units(engine.reader, vector, question.community, N_TEXT_UNITS)
    ids = [ref for ref, _ in nearest]
    return citable(engine, engine.passages(ids, engine.settings.context_tokens))
