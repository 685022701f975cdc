"""opening.py: databases opened with patience, and with few threads where they are small."""

import random
from pathlib import Path

import duckdb
import pytest

from graphrag_assets import opening
from graphrag_assets.opening import open_patiently, spared


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "a.duckdb"
    duckdb.connect(str(found)).close()
    return found


def threads(connection):
    return connection.execute("SELECT current_setting('threads')").fetchall()[0][0]


@pytest.mark.parametrize(("worth", "expected"), [(1 << 40, 1), (1, 4)])
def test_a_database_gets_the_threads_that_its_size_is_worth(path, monkeypatch, worth, expected):
    monkeypatch.setattr(opening, "WORTH_A_THREAD", worth)
    config = {"threads": "4"}
    connection = open_patiently(path, read_only=False, config=config, timeout=1)
    try:
        assert threads(spared(connection, path)) == expected
    finally:
        connection.close()


def test_what_isnt_there_fails_at_once_however_patient_one_is(tmp_path):
    with pytest.raises(duckdb.IOException, match="does not exist"):
        open_patiently(tmp_path / "none.duckdb", read_only=True, config={}, timeout=600)


def test_waits_are_short_at_first_and_random(monkeypatch):
    naps = []
    tries = iter([duckdb.IOException("Could not set lock")] * 12)

    def refuse(*args, **kwargs):
        error = next(tries, None)
        if error is None:
            return "connection"
        raise error

    monkeypatch.setattr(opening.duckdb, "connect", refuse)
    monkeypatch.setattr(opening.time, "sleep", naps.append)
    random.seed(1)

    assert open_patiently(Path("a.duckdb"), read_only=True, config={}, timeout=600) == "connection"
    assert naps[0] < 0.05
    assert 0.5 <= max(naps) <= 1.5
