"""query/lookups.py: rows by key are the same, whether a version's are kept or asked for."""

import pytest

from graphrag_assets.query import reader as of_reader
from graphrag_assets.query.lookups import KEYS, Lookups
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
    monkeypatch.setattr(of_reader, "SMALL", 0)
    large = Reader(path)
    wanted = ["nothing-has-this-key", *keys(small, name)]

    assert small.look_up(name, wanted) == large.look_up(name, wanted)
    assert large.look_up(name, wanted)


def test_a_statement_of_a_small_version_is_asked_once():
    asked = []

    def records(statement, **values):
        asked.append(values)
        return [("a", 1), ("b", 2), ("a", 3)] if values else [("a",), ("b",)]

    lookups = Lookups(records, keep=lambda: True)

    assert lookups.of("entity_texts", ["b", "a", "b"]) == [("b", 2), ("a", 1), ("a", 3)]
    assert lookups.of("entity_texts", ["gone"]) == []
    assert asked == [{}, {"keys": ["a", "b"]}]


def test_of_a_large_version_only_what_is_wanted_is_asked_for():
    asked = []

    def records(statement, **values):
        asked.append(values)
        return [(key, 1) for key in values["keys"]]

    lookups = Lookups(records, keep=lambda: False)

    assert lookups.of("entity_texts", iter(["b", "a", "b"])) == [("b", 1), ("a", 1)]
    assert lookups.of("entity_texts", []) == []
    assert asked == [{"keys": ["b", "a"]}]


def test_a_scope_is_not_kept(path, monkeypatch):
    scope = Reader(path).scoped("path <> ''")
    asked = []
    monkeypatch.setattr(
        of_reader, "records", lambda _, statement, **values: asked.append(values) or [(0,)]
    )
    scope.look_up("entity_titles", ["a"])

    assert {"keys": ["a"]} in asked
