"""Relevance tests: a rater says how far each of some items helps with a question."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from graphrag_assets.context import Item, render
from graphrag_assets.models.replies import Rating
from graphrag_assets.query.engine import Engine

RELEVANT: Final = 3  # the least rating, of 5, of what helps


@dataclass(frozen=True)
class Ratings:
    """Ratings from 0 to 5 by id; a test that failed is none, and why is told."""

    scores: Mapping[str, int] = field(default_factory=dict)
    failures: tuple[str, ...] = ()

    @property
    def n_asked(self) -> int:
        """How many tests were made."""
        return len(self.scores) + len(self.failures)

    def joined(self, other: "Ratings") -> "Ratings":
        """Return these and others."""
        return Ratings({**self.scores, **other.scores}, self.failures + other.failures)


async def rate_all(engine: Engine, question: str, items: Sequence[Item]) -> Ratings:
    """Rate items side by side, one call each."""
    outcomes = await asyncio.gather(
        *(
            engine.call("rate_relevance", question, Rating, task="rater", context=render([item]))
            for item in items
        )
    )
    pairs = list(zip(items, outcomes, strict=True))
    return Ratings(
        {item.id: outcome.reply.rating for item, outcome in pairs if outcome.reply},
        tuple(outcome.reason or outcome.status for _, outcome in pairs if not outcome.reply),
    )
