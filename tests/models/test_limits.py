"""How fast a model may be asked."""

import asyncio

import pytest

from graphrag_assets.errors import ModelStoppedError
from graphrag_assets.models import limits
from graphrag_assets.models.limits import Bucket, Gate, Slots, backoff


def test_units_are_given_out_at_an_even_pace():
    bucket = Bucket(per_minute=60, burst_seconds=1)
    waits = [bucket.reserve(100.0, 1) for _ in range(4)]

    assert waits == [0, 0, 1, 2]


def test_a_minute_never_sees_more_than_its_units_and_one_burst():
    bucket = Bucket(per_minute=120, burst_seconds=1)
    starts = [bucket.reserve(50.0, 1) for _ in range(400)]

    assert sum(start < 60 for start in starts) <= 120 + 2


def test_without_a_limit_nothing_waits():
    bucket = Bucket(per_minute=0, burst_seconds=1)

    assert [bucket.reserve(0.0, 1e9) for _ in range(3)] == [0, 0, 0]


def test_what_was_guessed_too_low_is_made_up_for():
    bucket = Bucket(per_minute=60, burst_seconds=0)
    bucket.reserve(10.0, 1)
    bucket.settle(5)

    assert bucket.reserve(10.0, 1) == 6


def test_slots_are_halved_and_grow_again():
    slots = Slots(8)
    slots.shrink()
    slots.shrink()

    assert int(slots.limit) == 2
    for _ in range(50):
        slots.grow()
    assert slots.limit == 8
    for _ in range(10):
        slots.shrink()
    assert slots.limit == 1


def test_a_waiter_that_gives_up_passes_its_turn_on():
    async def scene() -> int:
        slots = Slots(1)
        await slots.acquire()
        impatient = asyncio.ensure_future(slots.acquire())
        patient = asyncio.ensure_future(slots.acquire())
        await asyncio.sleep(0)
        slots.release()
        impatient.cancel()
        await patient
        return slots.active

    assert asyncio.run(scene()) == 1


def test_a_pause_is_one_however_many_are_told(monkeypatch):
    monkeypatch.setattr(limits, "FIRST_WAIT", 0.001)

    async def scene() -> tuple[int, float]:
        gate = Gate(32, 0, 0)
        for _ in range(32):
            assert gate.throttle(0.01)
        async with gate.turn(1):
            return gate._throttled, gate.slots.limit

    assert asyncio.run(scene()) == (1, 16.0)


def test_an_endless_rate_limit_is_given_up(monkeypatch):
    async def scene() -> bool:
        gate = Gate(1, 0, 0)
        gate.throttle(0.0)
        monkeypatch.setattr(limits, "PATIENCE", -1.0)
        return gate.throttle(0.0)

    assert not asyncio.run(scene())


def test_what_stopped_a_model_is_told_to_all_for_a_while(monkeypatch):
    async def scene() -> None:
        gate = Gate(1, 0, 0)
        gate.stop(ModelStoppedError("m", "", "no key"))
        with pytest.raises(ModelStoppedError):
            async with gate.turn(1):
                pass
        monkeypatch.setattr(limits, "STOP_LASTS", -1.0)
        async with gate.turn(1):
            assert gate.flying()[0] == 1

    asyncio.run(scene())


def test_a_hanging_attempt_is_told_by_the_recent_ones():
    async def scene() -> tuple[float, float, float]:
        gate = Gate(1, 0, 0)
        before = gate.patience("p", 180, 1)
        for _ in range(limits.ENOUGH):
            gate.succeeded("p", 3.0)
        return before, gate.patience("p", 180, 1), gate.patience("p", 180, 2)

    assert asyncio.run(scene()) == (90, 24, 48)


def test_waits_grow_with_jitter_to_a_minute():
    waits = [backoff(tries) for tries in range(1, 40)]

    assert 0.75 <= waits[0] / limits.FIRST_WAIT <= 1.25
    assert max(waits) <= 75
    assert waits[-1] >= 45
