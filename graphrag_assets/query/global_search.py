"""Answers about the whole corpus: map-reduce over the reports of a level."""

import asyncio
import random
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from graphrag_assets.context import Item, cited, keep_known, render
from graphrag_assets.models.client import Outcome, Request
from graphrag_assets.models.replies import Point, Points
from graphrag_assets.prompts import language_name
from graphrag_assets.query.answer import Draft
from graphrag_assets.query.engine import Engine, first_line
from graphrag_assets.query.graph import Ranked
from graphrag_assets.query.ranking import behind_reports
from graphrag_assets.text import count_tokens, language

SEED = 42
Known = Mapping[str, tuple[str, str, str]]


async def rank(engine: Engine, question: str, k: int) -> Ranked:
    """Rank the text units that the reports nearest to the question rest on."""
    vector = await engine.embed(question)
    return await asyncio.to_thread(behind_reports, engine.reader, question, vector, k)


async def answer(engine: Engine, question: str, level: int) -> Draft:
    """Ask for points from every report of a level, then merge the best into one answer."""
    rows = engine.reader.ask("reports_at_level", level=level)
    reports = engine.items(
        "report", rows.select("id", text=pl.col("full_content").str.strip_prefix("# "))
    )
    known = _known(engine, reports)
    batches = list(_batches(reports, engine.settings.context_tokens))
    replies = await asyncio.gather(*(_map(engine, question, batch) for batch in batches))
    failed = [reply.reason for reply in replies if reply.reply is None]
    if failed and len(failed) == len(replies):
        return Draft("", known, status="failed", reason=failed[0], level=level)
    points = _points((reply.reply for reply in replies if reply.reply), known)
    reason = f"{len(failed)} of {len(replies)} map calls failed: {failed[0]}" if failed else None
    if not points:
        return Draft("", known, status="no_evidence", reason=reason, level=level)
    outcome = await _reduce(engine, question, _fitting(engine, points))
    return Draft.from_outcome(outcome, known, reason=reason, level=level)


def _batches(reports: Sequence[Item], budget: int) -> Iterable[list[Item]]:
    """Shuffle reports and cut them into batches that fit a prompt."""
    shuffled = list(reports)
    random.Random(SEED).shuffle(shuffled)  # noqa: S311
    batch: list[Item] = []
    used = 0
    for report in shuffled:
        if batch and used + report.n_tokens > budget:
            yield batch
            batch, used = [], 0
        batch.append(report)
        used += report.n_tokens
    if batch:
        yield batch


async def _map(engine: Engine, question: str, batch: Sequence[Item]) -> Outcome[Points]:
    messages = engine.prompts.render(
        "global_map",
        question=question,
        context=render(batch),
        language=language_name(language(question)),
    )
    return await engine.models.chat(Request("query", "global_map", messages, schema=Points))


def _points(replies: Iterable[Points], known: Known) -> list[Point]:
    """Return the points that help, the best first, without citations of unknown ids."""
    points = [point for reply in replies for point in reply.points if point.score > 0]
    checked = [
        point.model_copy(update={"answer": keep_known(point.answer, known)[0]}) for point in points
    ]
    return sorted(checked, key=lambda point: (-point.score, point.answer))


def _fitting(engine: Engine, points: Sequence[Point]) -> str:
    """Return points as lines, as many as fit; one that doesn't is skipped, not the rest."""
    lines: list[str] = []
    left = engine.settings.context_tokens
    for point in points:
        line = f"({point.score:.0f}) {' '.join(point.answer.split())}"
        if (tokens := count_tokens(line, engine.encoding)) < left:
            lines.append(line)
            left -= tokens + 1
    return "## Points\n" + "\n".join(lines)


async def _reduce(engine: Engine, question: str, points: str) -> Outcome[str]:
    messages = engine.prompts.render(
        "global_reduce",
        question=question,
        context=points,
        language=language_name(language(question)),
    )
    return await engine.models.chat(Request("query", "global_reduce", messages, schema=None))


def _known(engine: Engine, reports: Sequence[Item]) -> Known:
    """Return what an answer may cite: the reports, and the elements that they cite."""
    cites = {marker for report in reports for marker in cited(report.text)}
    elements = engine.reader.ask("elements_of_reports", ids=[report.id for report in reports])
    known = {report.marker: ("report", report.id, first_line(report)) for report in reports}
    for kind, ref, short in elements.iter_rows():
        if short in cites:
            known[short] = (kind, ref, "")
    return known
