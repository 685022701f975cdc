"""Answers about the whole corpus: map-reduce over the reports of a level."""

from dataclasses import replace

from graphrag_assets.query.answer import Draft, Final
from graphrag_assets.query.citable import citable
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.graph import Ranked
from graphrag_assets.query.map_reduce import batched, failed, map_reduced, shuffled
from graphrag_assets.query.question import Question
from graphrag_assets.query.ranking import behind_reports
from graphrag_assets.query.selection import select


async def rank(engine: Engine, question: str, k: int) -> Ranked:
    """Rank the text units that the reports nearest to the question rest on."""
    vector = await engine.embed(question)
    return await aside(behind_reports, engine.reader, question, vector, k)


async def answer(engine: Engine, question: Question) -> Draft | Final:
    """Ask for points from every report that is selected, then merge the best into one answer."""
    selected = await select(engine, question)
    reports, known = await aside(citable, engine, selected.reports)
    untested = failed(selected.failures, selected.n_calls, "relevance tests")
    nothing = Draft("", known, reason=untested, level=selected.level, chosen=selected.chosen)
    if not reports and len(selected.failures) == selected.n_calls > 0:
        return replace(nothing, status="failed")
    batches = batched(shuffled(reports), engine.settings.context_tokens)
    return await map_reduced(engine, question.text, batches, nothing)
