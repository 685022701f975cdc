"""ahead.py: what takes long begins as soon as what it reads is there."""

import threading

import pytest

from graphrag_assets.ahead import Ahead, aside, directly

READS = {
    "extraction": frozenset({"units"}),
    "layout": frozenset({"units", "vectors"}),
    "reports": frozenset({"extraction"}),
}


@pytest.fixture
def ahead() -> Ahead[str]:
    return Ahead(READS, lambda name: f"{name} begun")


def test_a_step_begins_when_the_last_of_what_it_reads_is_written(ahead):
    ahead.wrote("units")

    assert set(ahead.begun) == {"extraction"}
    ahead.wrote("vectors")
    assert set(ahead.begun) == {"extraction", "layout"}


def test_what_was_begun_is_taken_once(ahead):
    ahead.wrote("units")

    assert ahead.take("extraction") == "extraction begun"
    assert ahead.take("extraction") is None


def test_a_step_that_dagster_came_to_first_is_not_begun_again(ahead):
    assert ahead.take("extraction") is None
    ahead.wrote("units")

    assert ahead.begun == {}


def test_nothing_begins_on_what_was_taken_but_never_written(ahead):
    ahead.wrote("units")
    ahead.take("extraction")  # and it fails
    ahead.wrote("vectors")

    assert set(ahead.begun) == {"layout"}


def test_work_aside_runs_on_another_thread_and_gives_its_result():
    assert aside(threading.get_ident).result(5) != threading.get_ident()
    assert directly(threading.get_ident).result(0) == threading.get_ident()


@pytest.mark.parametrize("perform", [aside, directly])
def test_an_error_is_raised_where_the_result_is_asked_for(perform):
    future = perform(lambda: 1 // 0)

    with pytest.raises(ZeroDivisionError):
        future.result(5)
