"""Map-reduce over source text (the paper's baseline TS): as global, but of text units."""

from collections.abc import Sequence
from typing import Final as Constant

from graphrag_assets.context import Item
from graphrag_assets.query.answer import Draft, Final
from graphrag_assets.query.citable import citable
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.map_reduce import batched, map_reduced, shuffled
from graphrag_assets.query.question import Question
from graphrag_assets.query.subtree import Subtree, nearest_units

MOST_UNITS: Constant = 500


async def answer(engine: Engine, question: Question) -> Draft | Final:
    """Ask for points from source text, then merge the best into one answer.

    All text is read if the question says so, or if it is no more than a global question may
    read; else the text units nearest to the question.
    """
    items, chosen = await _selected(engine, question)
    _, known = await aside(citable, engine, items)
    batches = batched(shuffled(items), engine.settings.context_tokens)
    return await map_reduced(engine, question.text, batches, Draft("", known, chosen=chosen))


async def _selected(engine: Engine, question: Question) -> tuple[Sequence[Item], str]:
    subtree = await aside(Subtree.of, engine.reader, question.community)
    sizes = await aside(engine.reader.rows, "SELECT id, n_tokens FROM text_units ORDER BY id")
    if subtree.ids is not None:
        sizes = sizes.filter(sizes["id"].is_in(list(subtree.ids)))
    budget = engine.settings.report_tokens
    ids = sizes["id"].to_list()
    if question.selection == "all" or int(sizes["n_tokens"].sum()) <= budget:
        return await aside(engine.text_units, ids), ""
    vector = await engine.embed(question.text)
    nearest = await aside(nearest_units, engine.reader, vector, question.community, MOST_UNITS)
    items = await aside(engine.passages, [ref for ref, _ in nearest], budget)
    return items, f"the passages nearest, {len(items)} of {len(ids)}"
