"""models/recall.py: what comes at one moment is looked up and stored together."""

import asyncio

import pytest

from graphrag_assets.models import recall
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.recall import MOMENT, Pace, Recall


class Counted(Memo):
    """A memo that tells how often it was written to."""

    written = 0

    def put_many(self, items):
        """Count, then store."""
        self.written += 1
        super().put_many(items)


def test_what_comes_in_one_moment_is_stored_in_one_transaction_and_is_there_afterwards():
    memo = Counted("sqlite://")

    async def scenario():
        recall = Recall(memo)
        await recall.store({"first": b"1"})  # alone: it goes at once
        await asyncio.gather(*(recall.store({str(number): b"2"}) for number in range(20)))
        return [await recall.find(key) for key in ("first", "7", "none")]

    assert asyncio.run(scenario()) == [b"1", b"2", None]
    assert memo.written == 2


def test_what_was_handed_over_is_stored_even_if_nobody_waits_for_it_any_more():
    memo = Counted("sqlite://")

    async def scenario():
        recall = Recall(memo)
        await recall.store({"first": b"1"})
        waiting = asyncio.ensure_future(recall.store({"second": b"2"}))
        await asyncio.sleep(0)
        waiting.cancel()
        await recall.store({"third": b"3"})

    asyncio.run(scenario())
    assert memo.get_many(["first", "second", "third"]).keys() == {"first", "second", "third"}


def test_a_few_go_at_once_and_what_follows_a_moment_apart(monkeypatch):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    async def scenario():
        pace = Pace()
        for _ in range(6):
            await pace.turn()

    monkeypatch.setattr(recall.time, "monotonic", lambda: 1000.0)
    monkeypatch.setattr(recall.asyncio, "sleep", sleep)
    asyncio.run(scenario())

    assert waits == pytest.approx([0, 0, 0, 0, MOMENT, 2 * MOMENT])
