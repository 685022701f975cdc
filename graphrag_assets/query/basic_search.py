"""Vector RAG: the nearest passages, and nothing else (the paper's baseline SS)."""

from graphrag_assets.context import Item
from graphrag_assets.query.answer import Draft, Final, Known
from graphrag_assets.query.citable import citable
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.question import Question
from graphrag_assets.query.ranking import Ranked
from graphrag_assets.query.reader import Vector
from graphrag_assets.query.scope import Scope

N_TEXT_UNITS = 50


async def rank(engine: Engine, question: str, k: int) -> Ranked:
    """Rank text units by similarity to the question."""
    vector = await engine.embed(question)
    return await aside(_nearest, engine, vector, k)


async def answer(engine: Engine, question: Question) -> Draft | Final:
    """Answer from the nearest passages that fit the budget."""
    vector = await engine.embed(question.text)
    items, known = await aside(_context, engine, question, vector)
    return engine.final("basic_answer", question.text, items, known)


def _nearest(engine: Engine, vector: Vector, k: int) -> Ranked:
    return engine.reader.vectors("text_unit").nearest(vector, k)


def _context(engine: Engine, question: Question, vector: Vector) -> tuple[list[Item], Known]:
    ids = nearest_units(engine, vector, question.community, N_TEXT_UNITS)
    return citable(engine, engine.passages(ids, engine.settings.context_tokens))


def nearest_units(engine: Engine, vector: Vector, community: str | None, k: int) -> list[str]:
    """Return the k nearest text units, of a community if one is given."""
    scope = Scope.of(engine.reader, community)
    n_ranked = len(engine.reader.vectors("text_unit").ids) if scope.is_limited else k
    return [ref for ref, _ in scope.kept(_nearest(engine, vector, n_ranked))[:k]]
