"""query/lookups.py: rows by key are the same, whether a version's are kept or asked for."""

import pytest

from graphrag_assets.query import lookups
from graphrag_assets.query.lookups import KEYS, SMALL, Lookups
from graphrag_assets.query.reader import Reader
from graphrag_assets.store import sql_files


@pytest.fixture
def path(small_index):
    """Return the file of the version of six documents."""
    return small_index.store.published()


def keys(reader: Reader, name: str) -> list[str]:
    """Return all keys of a statement, the last first."""
    return sorted({key for (key,) in reader.rows(KEYS[name]).iter_rows()}, reverse=True)


def test_every_statement_by_key_says_where_its_keys_stand():
    assert sorted(KEYS) == sql_files("by_key")


@pytest.mark.parametrize("name", KEYS)
def test_kept_rows_are_those_that_are_asked_for(path, name, monkeypatch):
    small = Reader(path)
    monkeypatch.setattr(lookups, "SMALL", 0)
    large = Reader(path)
    wanted = ["nothing-has-this-key", *keys(small, name)]

    assert small.look_up(name, wanted) == large.look_up(name, wanted)
    assert large.look_up(name, wanted)


def asked_of(keep: bool, n_text_units: int, *of: list[str]):
    """Return the keys that statements were run for, and what was found."""
    asked = []

    def run(statement, **values):
        if values:
            asked.append(values["keys"])
            return [(key, number) for number in (1, 2) for key in values["keys"]]
        return [(n_text_units,)] if "count" in statement else [("a",), ("b",)]

    rows = Lookups(keep=keep)
    found = [rows.of("entity_texts", iter(keys), run) for keys in of]
    return asked, found


def test_a_statement_of_a_small_version_is_run_once():
    asked, found = asked_of(True, SMALL, ["b", "a", "b"], ["gone"], [])

    assert asked == [["a", "b"]]
    assert found == [[("b", 1), ("b", 2), ("a", 1), ("a", 2)], [], []]


@pytest.mark.parametrize(("keep", "n_text_units"), [(True, SMALL + 1), (False, SMALL)])
def test_else_only_what_is_wanted_is_read(keep, n_text_units):
    asked, found = asked_of(keep, n_text_units, ["b", "a", "b"], [])

    assert asked == [["b", "a"]]
    assert found == [[("b", 1), ("b", 2), ("a", 1), ("a", 2)], []]
