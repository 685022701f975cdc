"""How fast a model may be asked: calls in flight, requests and tokens a minute, pauses.

All of it belongs to one event loop, so that nothing needs a lock; waiting never blocks that loop.
"""

import asyncio
import random
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from graphrag_assets.errors import ModelStoppedError

FIRST_WAIT: Final = 1.0
LONGEST_WAIT: Final = 60.0
PATIENCE: Final = 900.0  # rate-limited for so long without one answer: stop
STOP_LASTS: Final = 30.0  # a key or quota may be mended while a server runs
GROWTH: Final = 0.25
RECENT: Final = 64
ENOUGH: Final = 10
SLOWEST: Final = 8  # an attempt that takes so many times the slowest of the recent ones hangs
SHORTEST: Final = 10.0


class Bucket:
    """So many units a minute, given out at an even pace."""

    def __init__(self, per_minute: float, burst_seconds: float) -> None:
        """0 a minute = no limit."""
        self.rate = per_minute / 60
        self.burst = burst_seconds
        self.next_free = 0.0

    def reserve(self, now: float, amount: float) -> float:
        """Take units and return how long to wait until they are there."""
        if not self.rate:
            return 0.0
        start = max(self.next_free, now - self.burst)
        self.next_free = start + amount / self.rate
        return max(start - now, 0.0)

    def settle(self, difference: float) -> None:
        """Take more (or give back) once the real amount is known."""
        if self.rate:
            self.next_free += difference / self.rate


class Slots:
    """Calls in flight, at most `most`; halved under overload, grown again by success."""

    def __init__(self, most: int) -> None:
        """Start with all slots free."""
        self.most = most
        self.limit = float(most)
        self.active = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self) -> None:
        """Wait for a slot."""
        while self.active >= int(self.limit):
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._wake()
                raise
            finally:
                if turn in self._waiting:
                    self._waiting.remove(turn)
        self.active += 1

    def release(self) -> None:
        """Give a slot back."""
        self.active -= 1
        self._wake()

    def shrink(self) -> None:
        """Halve the slots."""
        self.limit = max(1.0, self.limit / 2)

    def grow(self) -> None:
        """Add a slot for every few successes."""
        if self.limit < self.most:
            self.limit = min(float(self.most), self.limit + GROWTH)
            self._wake()

    def _wake(self) -> None:
        free = int(self.limit) - self.active
        while free > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1


class Gate:
    """The one door to a model: every attempt of every worker passes it."""

    def __init__(self, concurrency: int, rpm: int, tpm: int) -> None:
        """Take the model's limits; 0 = no limit."""
        self.slots = Slots(concurrency)
        self.requests = Bucket(rpm, burst_seconds=1.0)
        self.tokens = Bucket(tpm, burst_seconds=6.0)
        self.answered = False
        self.failed_in_row = 0
        self._paused_until = 0.0
        self._throttled = 0
        self._throttled_since: float | None = None
        self._shrunk_until = 0.0
        self._stopped: tuple[float, ModelStoppedError] | None = None
        self._starts: dict[int, float] = {}
        self._seconds: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=RECENT))

    @asynccontextmanager
    async def turn(self, tokens: float) -> AsyncIterator[None]:
        """Wait until one more attempt may be made, and count it as in flight."""
        await self.slots.acquire()
        key = id(asyncio.current_task())
        try:
            await self._admit(tokens)
            self._starts[key] = _now()
            yield
        finally:
            self._starts.pop(key, None)
            self.slots.release()

    async def _admit(self, tokens: float) -> None:
        self.check()
        now = _now()
        wait = max(self.requests.reserve(now, 1), self.tokens.reserve(now, tokens))
        if wait:
            await asyncio.sleep(wait)
        while (rest := self._paused_until - _now()) > 0:
            await asyncio.sleep(rest + random.uniform(0, min(1.0, rest / 10)))  # noqa: S311
        self.check()

    def check(self) -> None:
        """Raise what stopped this model a moment ago."""
        if self._stopped and _now() - self._stopped[0] < STOP_LASTS:
            raise self._stopped[1]

    def stop(self, error: ModelStoppedError) -> None:
        """Let no further attempt through."""
        self._stopped = (_now(), error)

    def throttle(self, wait: float | None) -> bool:
        """Pause all workers; False if that has gone on for too long without an answer."""
        now = _now()
        self._throttled_since = self._throttled_since or now
        if now >= self._paused_until:  # the first to be told; the others were in flight already
            self._throttled += 1
            self.slots.shrink()
        if wait is None:
            wait = backoff(self._throttled)
        self._paused_until = max(self._paused_until, now + wait)
        return now - self._throttled_since < PATIENCE

    def overloaded(self, wait: float | None) -> None:
        """Halve the calls in flight, once a second at most; pause all if told to."""
        now = _now()
        if now >= self._shrunk_until:
            self.slots.shrink()
            self._shrunk_until = now + 1.0
        if wait:
            self._paused_until = max(self._paused_until, now + wait)

    def succeeded(self, prompt: str, seconds: float) -> None:
        """Note an answer: the pace may rise again."""
        self.answered = True
        self.failed_in_row = 0
        self._throttled = 0
        self._throttled_since = None
        self.slots.grow()
        self._seconds[prompt].append(seconds)

    def patience(self, prompt: str, deadline: float, tries: int) -> float:
        """Return how long an attempt may take before it is taken to hang."""
        recent = self._seconds[prompt]
        if len(recent) < ENOUGH:
            return deadline / 2 if tries == 1 else deadline
        return max(SHORTEST, SLOWEST * max(recent)) * 2.0 ** (tries - 1)

    def flying(self) -> tuple[int, float]:
        """Return how many attempts are in flight, and the age of the oldest."""
        now = _now()
        starts = list(self._starts.values())  # asked for from other threads too
        return len(starts), max((now - start for start in starts), default=0.0)


def backoff(tries: int) -> float:
    """Return a growing wait with jitter."""
    wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tries - 1))
    return wait * random.uniform(0.75, 1.25)  # noqa: S311


def _now() -> float:
    return time.monotonic()
