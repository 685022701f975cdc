"""Vector RAG: the nearest passages, and nothing else (the paper's baseline SS)."""

import asyncio

from graphrag_assets.query.answer import Draft
from graphrag_assets.query.engine import Engine, first_line
from graphrag_assets.query.graph import Ranked

N_TEXT_UNITS = 50


async def rank(engine: Engine, question: str, k: int) -> Ranked:
    """Rank text units by similarity to the question."""
    vector = await engine.embed(question)
    return await asyncio.to_thread(engine.reader.vectors("text_unit").nearest, vector, k)


async def answer(engine: Engine, question: str) -> Draft:
    """Answer from the nearest passages that fit the budget."""
    ids = [ref for ref, _ in await rank(engine, question, N_TEXT_UNITS)]
    items = engine.passages(ids, engine.settings.context_tokens)
    outcome = await engine.write("basic_answer", question, items)
    return Draft.from_outcome(
        outcome, {item.marker: ("text_unit", item.id, first_line(item)) for item in items}
    )
