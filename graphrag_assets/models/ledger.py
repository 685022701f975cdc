"""What every call took and cost, and the budget that stops them in time."""

import asyncio
import hashlib
import itertools
import logging
import os
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from graphrag_assets.errors import BudgetExceededError

LOG: Final = logging.getLogger(__name__)
UNSEEN_OUTPUT: Final = 1000  # tokens of an answer, before one of its kind was seen


@dataclass(frozen=True)
class Call:
    """One row of model_calls."""

    id: str
    task: str
    prompt: str
    subject: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None  # None = the price is unknown
    seconds: float
    tries: int
    status: str
    from_memo: bool
    created_at: datetime
    estimated: bool = False  # the provider didn't say how many tokens it took
    reason: str | None = None  # why a text has no vector


@dataclass(frozen=True)
class Usage:
    """What some calls took: those that were paid for, and how many the memo answered."""

    calls: int = 0
    memo_hits: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0  # None = a price is unknown

    @classmethod
    def of(cls, calls: Iterable[Call]) -> "Usage":
        """Return what these calls took."""
        calls = list(calls)
        paid = [call for call in calls if not call.from_memo]
        costs = [call.cost_usd for call in paid]
        return cls(
            calls=len(paid),
            memo_hits=len(calls) - len(paid),
            prompt_tokens=sum(call.prompt_tokens for call in paid),
            completion_tokens=sum(call.completion_tokens for call in paid),
            cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        )


@dataclass
class Tally:
    """What one call took so far, over all its tries."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    tries: int = 0
    estimated: bool = False
    reason: str | None = None  # why a part of it failed

    def add(self, prompt: int, completion: int, cost: float | None, *, estimated: bool) -> None:
        """Add one answer."""
        self.prompt_tokens += prompt
        self.completion_tokens += completion
        self.cost_usd = None if cost is None or self.cost_usd is None else self.cost_usd + cost
        self.estimated |= estimated


class Ledger:
    """All calls since the last drain."""

    def __init__(self) -> None:
        """Start empty."""
        self._rows: list[Call] = []
        self._lock = threading.Lock()  # drained from another thread than the loop's
        self._numbers = itertools.count()

    def note(
        self,
        *,
        task: str,
        prompt: str,
        subject: str,
        model: str,
        tally: Tally,
        seconds: float,
        status: str,
        from_memo: bool,
    ) -> None:
        """Add a row."""
        now = datetime.now(UTC)
        origin = f"{os.getpid()} {id(self)} {next(self._numbers)} {now.isoformat()}"
        call = Call(
            id=hashlib.sha256(f"{origin} {task} {prompt} {subject} {model}".encode()).hexdigest(),
            task=task,
            prompt=prompt,
            subject=subject,
            model=model,
            prompt_tokens=tally.prompt_tokens,
            completion_tokens=tally.completion_tokens,
            cost_usd=tally.cost_usd,
            seconds=seconds,
            tries=tally.tries,
            status=status,
            from_memo=from_memo,
            created_at=now,
            estimated=tally.estimated,
            reason=tally.reason,
        )
        with self._lock:
            self._rows.append(call)

    def drain(self) -> list[Call]:
        """Return the rows and forget them."""
        with self._lock:
            rows, self._rows = self._rows, []
        return rows


class Budget:
    """The most that may be spent; 0 = no limit. What is in flight counts as spent."""

    def __init__(self, usd: float) -> None:
        """Start with nothing spent."""
        self.usd = usd
        self.spent = 0.0
        self._reserved: dict[object, float] = {}
        self._longest: dict[tuple[str, str], int] = defaultdict(int)
        self._changed: asyncio.Event | None = None
        self._warned: set[str] = set()

    def output_tokens(self, model: str, prompt: str, most: int) -> int:
        """Guess the length of an answer from the longest of its kind so far."""
        seen = self._longest[model, prompt]
        return min(most, seen or UNSEEN_OUTPUT) if most else seen

    def saw(self, model: str, prompt: str, completion_tokens: int) -> None:
        """Note the length of an answer."""
        key = (model, prompt)
        self._longest[key] = max(self._longest[key], completion_tokens)

    async def admit(self, model: str, cost: float | None) -> None:
        """Wait until a call fits beside those in flight; raise BudgetExceededError if none will."""
        if not self.usd:
            return
        if cost is None:
            self._warn(model)
            return
        while self.spent + sum(self._reserved.values()) + cost > self.usd:
            if not self._reserved or self.spent + cost > self.usd:
                raise BudgetExceededError(model, budget=self.usd, spent=self.spent, cost=cost)
            self._changed = self._changed or asyncio.Event()
            await self._changed.wait()

    @contextmanager
    def holding(self, cost: float | None) -> Iterator[None]:
        """Count a call as spent while it is in flight."""
        key = object()
        self._reserved[key] = cost or 0.0
        try:
            yield
        finally:
            del self._reserved[key]
            if self._changed is not None:
                self._changed.set()
                self._changed = None

    def spend(self, cost: float | None) -> None:
        """Add what an answer cost."""
        self.spent += cost or 0.0

    def _warn(self, model: str) -> None:
        if model not in self._warned:
            self._warned.add(model)
            LOG.warning("The price of %s is unknown: the budget can't count its calls.", model)
