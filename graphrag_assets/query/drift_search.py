"""From the nearest reports to what they leave open: a primer, follow-up questions, a merger.

After DRIFT search (Microsoft Research, 2024), without its hypothetical document: several top
reports give a partial answer and follow-up questions; the best of these are answered from what
is connected to them, which may raise others; the partial answers are merged. Its calls and its
rounds are limited.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final as Constant

from graphrag_assets.context import HEADING_TOKENS, Item, pack, render
from graphrag_assets.models.client import Outcome
from graphrag_assets.models.replies import FollowUp, Point, Step
from graphrag_assets.query import local_search
from graphrag_assets.query.answer import Draft, Final, Known
from graphrag_assets.query.citable import citable
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.map_reduce import best, failed, reduced
from graphrag_assets.query.question import Question
from graphrag_assets.query.subtree import nearest_reports
from graphrag_assets.query.vectors import Vector

N_REPORTS: Constant = 5
ROUNDS: Constant = 2
SIDE_BY_SIDE: Constant = 3  # follow-up questions of a round
SHARE: Constant = 0.5  # of the context's tokens, for a follow-up question
OWN_CALLS: Constant = 2  # the primer and the merger


@dataclass(frozen=True)
class Told:
    """A step's reply, with what it may cite."""

    outcome: Outcome[Step]
    known: Known

    @property
    def points(self) -> Sequence[Point]:
        """The partial answer."""
        step = self.outcome.reply
        return [Point(answer=step.answer, score=step.score)] if step and step.answer else []

    @property
    def follow_ups(self) -> Sequence[FollowUp]:
        """What to ask next."""
        return self.outcome.reply.follow_ups if self.outcome.reply else []


async def answer(engine: Engine, question: Question) -> Draft | Final:
    """Answer from the nearest reports, then from what is connected to the best follow-ups."""
    told = [await _primer(engine, question)]
    asked = {question.text}
    left = engine.settings.max_calls - OWN_CALLS
    for _ in range(ROUNDS):
        found = (one for step in told for one in step.follow_ups)
        following = best_first(found, asked)[: min(SIDE_BY_SIDE, left)] or _itself(question, told)
        if not following or left < 1:
            break
        asked |= {*following}
        left -= len(following)
        told += await asyncio.gather(*(_follow(engine, question, one) for one in following))
    known = {marker: about for step in told for marker, about in step.known.items()}
    failures = [step.outcome.reason or "" for step in told if step.outcome.reply is None]
    nothing = Draft("", known, reason=failed(failures, len(told), "steps"))
    if len(failures) == len(told):
        return replace(nothing, status="failed")
    return reduced(
        engine, question.text, best((p for step in told for p in step.points), known), nothing
    )


def best_first(follow_ups: Iterable[FollowUp], asked: Iterable[str]) -> list[str]:
    """Return the questions that weren't asked yet, those that would help most first, each once."""
    before = {question.casefold() for question in asked}
    new: dict[str, str] = {}
    for one in sorted(follow_ups, key=lambda one: (-one.score, one.question)):
        new.setdefault(one.question.casefold(), one.question)
    return [question for key, question in new.items() if key and key not in before]


def _itself(question: Question, told: Sequence[Told]) -> list[str]:
    """Return the question itself as the first to follow, where a primer raised none."""
    return [question.text] if len(told) == 1 else []


async def _primer(engine: Engine, question: Question) -> Told:
    vector = await engine.embed(question.text)
    items, known = await aside(_nearest, engine, question, vector)
    if not items:
        return Told(Outcome("ok", Step(), None), {})
    outcome = await engine.call("drift_primer", question.text, Step, context=render(items))
    return Told(outcome, known)


def _nearest(engine: Engine, question: Question, vector: Vector) -> tuple[list[Item], Known]:
    nearest = nearest_reports(engine.reader, vector, question.community, N_REPORTS)
    budget = engine.settings.context_tokens - HEADING_TOKENS
    return citable(engine, pack(engine.reports(nearest), budget))


async def _follow(engine: Engine, main: Question, text: str) -> Told:
    question = replace(main, text=text)
    budget = int(SHARE * engine.settings.context_tokens)
    items, known = await local_search.context(engine, question, budget)
    outcome = await engine.call(
        "drift_follow_up", text, Step, context=render(items), main_question=main.text
    )
    return Told(outcome, known)
