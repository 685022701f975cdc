"""models/recall.py: what comes at one moment is looked up and stored together."""

import asyncio

from graphrag_assets.models.memo import Memo
from graphrag_assets.models.recall import Recall


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
