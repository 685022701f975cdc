"""Answers that need no reports: relevance tests where a hit is likely, then claims, merged.

After LazyGraphRAG (Microsoft Research, 2024): the question is split; communities are visited
best-first by their nearest text units, which a rater tests under a budget; after some communities
without a hit it goes one level down; what was found is told community by community.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final as Constant

import numpy as np
import polars as pl

from graphrag_assets.models.replies import Questions
from graphrag_assets.query.answer import Draft, Final
from graphrag_assets.query.citable import citable
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.map_reduce import batched, failed, joined, map_reduced
from graphrag_assets.query.question import Question
from graphrag_assets.query.rater import RELEVANT, Ratings, rate_all
from graphrag_assets.query.subtree import level_of, nearest_units

N_TEXT_UNITS: Constant = 200  # candidates, over all parts of the question
MOST_PARTS: Constant = 5
TESTED: Constant = 3  # text units of a community in one visit: the k whose likeness ranks it
MOST_MISSES: Constant = 3  # communities in a row without a hit: then one level down
NOWHERE: Constant = {"unit": pl.String, "id": pl.String, "level": pl.Int64}  # names nothing
OWN_CALLS: Constant = 5  # the split, three maps and the merger


@dataclass(frozen=True)
class Candidates:
    """Text units by their likeness to the question's parts, and the communities they lie in."""

    likeness: Mapping[str, float]
    places: pl.DataFrame  # unit, and id and level of a community

    def ranked(self, level: int, without: Sequence[str]) -> list[tuple[str, list[str]]]:
        """Return a level's communities with their best units that weren't tested, best first.

        A community is as good as the mean likeness of its k best units.
        """
        units = pl.DataFrame(
            {"unit": list(self.likeness), "likeness": list(self.likeness.values())},
            schema={"unit": pl.String, "likeness": pl.Float64},
        )
        best = (
            self.places.filter(pl.col("level") == level, ~pl.col("unit").is_in(list(without)))
            .join(units, on="unit")
            .sort(["likeness", "unit"], descending=[True, False])
            .group_by("id", maintain_order=True)
            .agg(pl.col("unit").head(TESTED), pl.col("likeness").head(TESTED).mean())
            .sort(["likeness", "id"], descending=[True, False])
        )
        return list(best.select("id", "unit").iter_rows())


@dataclass
class Search:
    """What was tested so far, and what was found where."""

    left: int
    ratings: Ratings = field(default_factory=Ratings)
    found: dict[str, str] = field(default_factory=dict)  # text unit: community

    @property
    def tested(self) -> list[str]:
        """The text units that were tested."""
        return [*self.ratings.scores, *self.untested]

    untested: list[str] = field(default_factory=list)  # the test failed

    def next_of(self, ranked: list[tuple[str, list[str]]], k: int) -> list[tuple[str, list[str]]]:
        """Return the first k communities that have untested units, within what is left; take them.

        A unit that lies in several counts for the first.
        """
        known, left = set(self.tested), self.left
        few: list[tuple[str, list[str]]] = []
        while ranked and len(few) < k and left > 0:
            community, units = ranked.pop(0)
            if new := [ref for ref in units if ref not in known][:left]:
                few.append((community, new))
                known.update(new)
                left -= len(new)
        return few


async def answer(engine: Engine, question: Question) -> Draft | Final:
    """Answer from the passages that a rater finds relevant."""
    parts = await _parts(engine, question.text)
    candidates = await _candidates(engine, question, parts)
    search = Search(max(1, engine.settings.max_calls - OWN_CALLS))
    level = level_of(engine.reader, question.community) + 1
    levels = sorted(set(candidates.places["level"].to_list()))
    for each in [one for one in levels if one >= level] or levels[-1:]:
        await _visit(engine, question.text, candidates, each, search)
    failures = search.ratings.failures
    untested = failed(failures, search.ratings.n_asked, "relevance tests")
    chosen = f"{len(search.found)} of {search.ratings.n_asked} passages tested are relevant"
    nothing = Draft("", {}, reason=untested, chosen=chosen)
    if not search.found:
        all_failed = len(failures) == search.ratings.n_asked > 0
        return replace(nothing, status="failed" if all_failed else "no_evidence")
    return await _merged(engine, question, search, nothing)


async def _parts(engine: Engine, question: str) -> list[str]:
    """Return the questions that must be answered first; the question itself, if none come."""
    outcome = await engine.call("question_split", question, Questions)
    found = [one.question for one in outcome.reply.questions] if outcome.reply else []
    return list(dict.fromkeys(found))[:MOST_PARTS] or [question]


async def _candidates(engine: Engine, question: Question, parts: Sequence[str]) -> Candidates:
    vectors = await asyncio.gather(*(engine.embed(part) for part in (question.text, *parts)))
    return await aside(_near, engine, question.community, vectors)


def _near(engine: Engine, community: str | None, vectors: Sequence[np.ndarray]) -> Candidates:
    likeness: dict[str, float] = {}
    for vector in vectors:
        for ref, score in nearest_units(engine.reader, vector, community, N_TEXT_UNITS):
            likeness[ref] = max(score, likeness.get(ref, -1.0))
    best = sorted(likeness, key=lambda ref: (-likeness[ref], ref))[:N_TEXT_UNITS]
    places = engine.reader.ask("communities_of_units", ids=best)
    lone = pl.DataFrame({"unit": best, "id": "", "level": 0}, schema=NOWHERE).join(
        places, on="unit", how="anti"
    )
    places = pl.concat([places.select(*NOWHERE), lone])
    return Candidates({ref: likeness[ref] for ref in best}, places)


async def _visit(
    engine: Engine, question: str, candidates: Candidates, level: int, search: Search
) -> None:
    """Test the communities of a level, best first, until too many in a row have no hit.

    Those that will be visited whatever the next ones hold are tested side by side.
    """
    ranked = candidates.ranked(level, search.tested)
    misses = 0
    while (few := search.next_of(ranked, MOST_MISSES - misses)) and search.left > 0:
        units = [ref for _, new in few for ref in new]
        items = await aside(engine.passages, units, len(few) * engine.settings.context_tokens)
        ratings = await rate_all(engine, question, items)
        search.left -= len(units)
        search.ratings = search.ratings.joined(ratings)
        search.untested += [ref for ref in units if ref not in ratings.scores]
        for community, new in few:
            hits = [ref for ref in new if ratings.scores.get(ref, 0) >= RELEVANT]
            search.found |= dict.fromkeys(hits, community)
            misses = 0 if hits else misses + 1


async def _merged(
    engine: Engine, question: Question, search: Search, nothing: Draft
) -> Draft | Final:
    """Tell what was found, community by community, and merge it."""
    scores = search.ratings.scores
    order = list(dict.fromkeys(search.found.values()))
    units = sorted(search.found, key=lambda ref: (order.index(search.found[ref]), -scores[ref]))
    items = await aside(engine.text_units, units)
    _, known = await aside(citable, engine, items)
    batches = batched(items, engine.settings.context_tokens)[: OWN_CALLS - 2]
    told = replace(nothing, known=known, reason=None)
    step = await map_reduced(engine, question.text, batches, told)
    return replace(step, reason=joined(nothing.reason, step.reason))
