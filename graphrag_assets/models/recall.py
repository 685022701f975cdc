"""The memo beside an event loop: what happens at one moment goes together, equal calls are one."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Generic, TypeVar

from graphrag_assets.models.limits import Bucket
from graphrag_assets.models.memo import Memo

T = TypeVar("T")
MOMENT: Final = 0.01  # seconds: a call takes longer, and has another one waiting behind it
AT_ONCE: Final = 4  # moments: the calls of one question don't wait for each other


class Pace:
    """Lets what comes quickly go together: a few go at once, what follows a moment apart."""

    def __init__(self) -> None:
        """Start free."""
        self._moments = Bucket(60 / MOMENT, burst_seconds=(AT_ONCE - 1) * MOMENT)

    async def turn(self) -> None:
        """Wait for the next moment."""
        await asyncio.sleep(self._moments.reserve(time.monotonic(), 1))


class Recall(Generic[T]):
    """Finds, asks and stores; T is what a call ends in."""

    def __init__(self, memo: Memo) -> None:
        """Take the memo."""
        self._memo = memo
        self._wanted: set[str] = set()
        self._unsaved: dict[str, bytes] = {}
        self._saving: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[dict[str, bytes]] | None = None
        self._looks, self._saves = Pace(), Pace()
        self._asked: dict[str, asyncio.Future[T]] = {}

    async def once(self, key: str, ask: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """Return what `ask` gives, and whether another call with this key was asked for both."""
        while (other := self._asked.get(key)) is not None:
            await asyncio.wait([other])
            if not other.cancelled():
                return other.result(), True
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._asked[key] = future
        try:
            result = await ask()
        except BaseException:
            future.cancel()  # whoever waits asks for itself
            raise
        else:
            future.set_result(result)
            return result, False
        finally:
            del self._asked[key]

    async def find(self, key: str) -> bytes | None:
        """Return what is stored, with all other look-ups of this moment in one statement."""
        self._wanted.add(key)
        if self._looking is None:
            self._looking = asyncio.ensure_future(self._look())
        found = await asyncio.shield(self._looking)
        return found.get(key)

    async def find_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return what is stored under some keys."""
        return await asyncio.to_thread(self._memo.get_many, keys)

    async def store(self, items: Mapping[str, bytes]) -> None:
        """Store items, with all others of this moment in one transaction; returns when they are.

        What was handed over is stored even if the caller is cancelled: it has been paid for.
        """
        self._unsaved |= items
        if self._saving is None:
            self._saving = asyncio.ensure_future(self._save())
        await asyncio.shield(self._saving)

    async def _look(self) -> dict[str, bytes]:
        await self._looks.turn()
        wanted, self._wanted, self._looking = self._wanted, set(), None
        return await asyncio.to_thread(self._memo.get_many, wanted)

    async def _save(self) -> None:
        await self._saves.turn()
        items, self._unsaved, self._saving = self._unsaved, {}, None
        await asyncio.to_thread(self._memo.put_many, items)
