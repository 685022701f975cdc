"""Which reports a global question reads: all of a level, the nearest ones, the relevant ones."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, log
from typing import Final

import polars as pl

from graphrag_assets.context import Item
from graphrag_assets.query.engine import Engine, aside, in_order
from graphrag_assets.query.levels import Levels
from graphrag_assets.query.likest import likest
from graphrag_assets.query.question import Question
from graphrag_assets.query.ranking import fused
from graphrag_assets.query.rater import RELEVANT, Ratings, rate_all
from graphrag_assets.query.vectors import Vector
from graphrag_assets.text import terms

OWN_CALLS: Final = 3  # of a question with dynamic selection: two maps and the reduction


@dataclass(frozen=True)
class Selected:
    """Reports that cover a level or a part of it: none twice, none beside its parent."""

    reports: Sequence[Item]
    level: int
    chosen: str = ""
    failures: tuple[str, ...] = ()
    n_calls: int = 0


async def select(engine: Engine, question: Question) -> Selected:
    """Return the reports that a global question reads."""
    levels, top = await aside(_levels, engine, question)
    selection = question.selection or engine.settings.selection
    if levels.rows.is_empty():
        return Selected((), max(top, 0))
    if selection == "dynamic":
        return await _dynamic(engine, question, levels, top)
    if selection == "embedding":
        level = _finest(engine, question, levels, top)
        return await _nearest(engine, question, levels, level)
    return await _all(engine, question, levels, top)


async def _all(engine: Engine, question: Question, levels: Levels, top: int) -> Selected:
    """Return all reports of the level asked for, else of the finest one that is affordable.

    Where even the coarsest is too much and nobody insists on all: as many as are affordable.
    """
    wanted = _finest(engine, question, levels, top)
    if question.level is not None:
        return Selected(await aside(_items, engine, levels.at(wanted)), wanted)
    budget = engine.settings.report_tokens
    level = levels.fitting(wanted, top, budget)
    if level is None and question.selection == "all":
        level = top
    if level is None:
        rows = await aside(_widely, engine, question.text, levels.at(top))
        return await _cut(engine, rows, top, f"the largest and most fitting reports of C{top}")
    why = f"C{level} is the finest level whose reports are at most {budget} tokens"
    reports = await aside(_items, engine, levels.at(level))
    return Selected(reports, level, why if level < wanted else "")


async def _nearest(engine: Engine, question: Question, levels: Levels, level: int) -> Selected:
    """Return the reports of a level that are most like the question, within the budget."""
    vector = await engine.embed(question.text)
    rows = await aside(_by_likeness, engine, vector, levels.at(level))
    return await _cut(engine, rows, level, f"the nearest reports of C{level}")


async def _cut(engine: Engine, rows: pl.DataFrame, level: int, what: str) -> Selected:
    """Return the first reports, as many as a question may read."""
    budget = engine.settings.report_tokens
    fitting = _within(rows, budget)
    why = f"{what}, {fitting.height} of {rows.height}, in {budget} tokens"
    return Selected(await aside(_items, engine, fitting), level, why)


async def _dynamic(engine: Engine, question: Question, levels: Levels, top: int) -> Selected:
    """Return what a rater finds on its way down from the coarsest reports, the nearest first.

    It descends only below a report that is relevant, which its relevant children replace: as
    dynamic community selection in GraphRAG (Microsoft Research, 2024), under a budget of calls.
    """
    finest = levels.finest if question.level is None else _finest(engine, question, levels, top)
    vector = await engine.embed(question.text)
    left = max(1, engine.settings.max_calls - OWN_CALLS)
    frontier = await aside(_by_likeness, engine, vector, levels.at(top))
    ratings, kept = Ratings(), dict[str, float]()
    while left > 0 and not frontier.is_empty():
        tested = frontier.head(left)
        left -= tested.height
        texts = await aside(engine.reader.look_up, "report_summaries", tested["id"])
        found = await rate_all(engine, question.text, engine.items("report", texts))
        ratings = ratings.joined(found)
        relevant = {ref: r for ref, r in found.scores.items() if r >= RELEVANT}
        parents = tested.filter(pl.col("id").is_in(list(relevant)))["parent_id"].to_list()
        kept = {ref: r for ref, r in kept.items() if ref not in parents} | relevant
        below = levels.children(list(relevant)).filter(pl.col("own_level") <= finest)
        frontier = await aside(_by_likeness, engine, vector, below)
    order = sorted(kept, key=lambda ref: (-kept[ref], ref))
    rows = _within(in_order(order, levels.rows.unique("id")), engine.settings.report_tokens)
    level = int(rows["own_level"].max() or 0) if rows.height else top  # type: ignore[arg-type]
    why = f"{rows.height} reports that a rater found relevant among {ratings.n_asked}"
    reports = await aside(_items, engine, rows)
    return Selected(reports, level, why, ratings.failures, ratings.n_asked)


def _levels(engine: Engine, question: Question) -> tuple[Levels, int]:
    """Return the levels that a question may read, and the coarsest of them."""
    levels = Levels.of(engine.reader)
    if question.community is None:
        return levels, 0
    subtree = engine.reader.ask("community_subtree", id=question.community)
    own = int(subtree["level"][0])
    below = subtree.filter(pl.col("level") > own)
    return levels.within(below if below.height else subtree), own + (below.height > 0)


def _finest(engine: Engine, question: Question, levels: Levels, top: int) -> int:
    """Return the level that is asked for, where there is such a one."""
    wanted = engine.settings.level if question.level is None else question.level
    return min(max(wanted, top), max(levels.finest, top))


def _by_likeness(engine: Engine, vector: Vector, rows: pl.DataFrame) -> pl.DataFrame:
    """Return reports by falling similarity to a vector."""
    ranked = likest(engine.reader.vectors("report"), vector, rows["id"].to_list())
    return in_order([ref for ref, _ in ranked], rows)


def _widely(engine: Engine, question: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Return reports by size and by the question's rarer terms in them, fused: no call needed.

    For questions about everything: what most of the corpus is about counts as much as likeness.
    """
    reports = engine.reader.look_up("report_words", rows["id"])
    rarities: dict[str, list[float]] = defaultdict(list)
    for term, times in sorted(Counter(terms(question)).items()):
        holding = [ref for ref, words in reports if term in words]
        for ref in holding:
            rarities[ref].append(times * log((rows.height + 1) / len(holding) / times))
    fitting = [(ref, fsum(of)) for ref, of in rarities.items()]  # equal ones in whatever order
    largest = rows.select("id", "size").iter_rows()
    ranked = fused(sorted(of, key=_best_first) for of in (largest, fitting))
    return in_order([ref for ref, _ in ranked], rows)


def _best_first(one: tuple[str, float]) -> tuple[float, str]:
    return -one[1], one[0]


def _within(rows: pl.DataFrame, budget: int) -> pl.DataFrame:
    """Return the first rows whose tokens are within a budget; at least one."""
    return rows.filter((pl.col("n_tokens").cum_sum() <= budget) | (pl.int_range(pl.len()) == 0))


def _items(engine: Engine, rows: pl.DataFrame) -> list[Item]:
    return engine.reports(rows["id"])
