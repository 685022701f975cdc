"""Map-reduce over items: points from every batch, the best of them merged into one answer.

As "From Local to Global" (Edge et al. 2024), section 3.1.6, for reports as for source text.
"""

import asyncio
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final as Constant

from graphrag_assets.context import HEADING_TOKENS, Item, keep_known, render
from graphrag_assets.models.client import Outcome, Request
from graphrag_assets.models.replies import Point, Points
from graphrag_assets.query.answer import Draft, Final, Known
from graphrag_assets.query.engine import Engine
from graphrag_assets.text import count_tokens

SEED: Constant = 42
HEADING: Constant = "## Points\n"


async def map_reduced(
    engine: Engine, question: str, batches: Sequence[Sequence[Item]], nothing: Draft
) -> Draft | Final:
    """Ask every batch for points, and return the call that merges the best of them.

    `nothing` is the answer that says nothing, with what is known, chosen and gone wrong; it is
    returned as failed if all map calls did.
    """
    points, failures = await map_points(engine, question, batches, nothing.known)
    reason = joined(failed(failures, len(batches), "map calls"), nothing.reason)
    nothing = replace(nothing, reason=reason)
    if len(failures) == len(batches) > 0:
        return replace(nothing, status="failed")
    return reduced(engine, question, points, nothing)


async def map_points(
    engine: Engine, question: str, batches: Sequence[Sequence[Item]], known: Known
) -> tuple[list[Point], list[str]]:
    """Return the points of all batches, the best first, and why calls failed.

    Points without a score are dropped, and citations of what the batches don't hold.
    """
    outcomes = await asyncio.gather(*(_map(engine, question, batch) for batch in batches))
    failures = [outcome.reason or outcome.status for outcome in outcomes if not outcome.reply]
    found = (point for outcome in outcomes if outcome.reply for point in outcome.reply.points)
    return best(found, known), failures


def shuffled(items: Sequence[Item]) -> list[Item]:
    """Return items in an order that is random and always the same: no batch gets the best."""
    found = list(items)
    random.Random(SEED).shuffle(found)  # noqa: S311
    return found


def batched(items: Iterable[Item], budget: int) -> list[list[Item]]:
    """Cut items into batches that fit a prompt; an item that is too long is one of its own."""
    batches: list[list[Item]] = []
    used = budget
    for item in items:
        if used + item.n_tokens > budget:
            batches.append([])
            used = HEADING_TOKENS
        batches[-1].append(item)
        used += item.n_tokens
    return batches


def best(points: Iterable[Point], known: Known) -> list[Point]:
    """Return the points that help, the best first, without citations of unknown ids."""
    checked = [
        point.model_copy(update={"answer": keep_known(point.answer, known)[0]})
        for point in points
        if point.score > 0 and point.answer.strip()
    ]
    return sorted(checked, key=lambda point: (-point.score, point.answer))


def reduced(
    engine: Engine, question: str, points: Sequence[Point], nothing: Draft
) -> Draft | Final:
    """Return the call that merges points into an answer; without points there is no evidence.

    `nothing` is the answer that says nothing, with what is known, chosen and gone wrong.
    """
    if not points:
        return replace(nothing, status="no_evidence")
    request: Request[str] = engine.request(
        "global_reduce", question, None, context=fitting(engine, points)
    )
    return Final(request, nothing.known, nothing.reason, nothing.level, nothing.chosen)


def fitting(engine: Engine, points: Sequence[Point]) -> str:
    """Return points as lines, as many as fit; one that doesn't is skipped, not the rest."""
    lines: list[str] = []
    left = engine.settings.context_tokens - HEADING_TOKENS
    for point in points:
        line = f"({point.score:.0f}) {' '.join(point.answer.split())}"
        if (tokens := count_tokens(line + "\n", engine.encoding)) <= left:
            lines.append(line)
            left -= tokens
    return HEADING + "\n".join(lines)


def failed(failures: Sequence[str], n_calls: int, what: str) -> str | None:
    """Return how many of some calls failed and why, None if none did."""
    return f"{len(failures)} of {n_calls} {what} failed: {failures[0]}" if failures else None


def joined(*reasons: str | None) -> str | None:
    """Return reasons as one."""
    return "; ".join(filter(None, reasons)) or None


async def _map(engine: Engine, question: str, batch: Sequence[Item]) -> Outcome[Points]:
    return await engine.call("global_map", question, Points, context=render(batch))
