"""schema: a database made by an older version of the code becomes one of today's."""

import duckdb
import pytest

from graphrag_assets import schema
from graphrag_assets.schema import bring_up_to_date, is_up_to_date, quoted
from graphrag_assets.states import asset_states
from graphrag_assets.store import read_table, replace, views
from graphrag_assets.tables import TABLES, columns
from pipeline import index_once
from table_rows import entity, rows_of


@pytest.fixture
def old(store):
    """Return a function that changes the database behind our back."""
    with store.transaction() as connection:
        replace(connection, "entities", entity("a", "b"))
        replace(connection, "index_versions", rows_of("index_versions", {"version": 1}))
        states = [{"table": "entities", "inputs": "{}"}, {"table": "claims", "inputs": "{}"}]
        replace(connection, "asset_states", rows_of("asset_states", *states))

    def change(*statements):
        with duckdb.connect(str(store.work)) as connection:
            for statement in statements:
                connection.execute(statement)
        return store

    return change


def known(store):
    with store.connect(read_only=True) as connection:
        return set(asset_states(connection))


def test_a_new_database_has_nothing_to_change(store):
    with store.connect(read_only=True) as connection:
        assert is_up_to_date(connection, views())


def test_a_column_that_is_missing_comes_and_its_asset_fills_it(old):
    store = old("ALTER TABLE entities DROP COLUMN degree")
    found = store.read("entities")["entities"]

    assert found.columns == list(columns("entities"))
    assert found["id"].to_list() == ["a", "b"]
    assert found["degree"].to_list() == [None, None]
    assert known(store) == {"claims"}


def test_a_column_that_is_no_more_goes(old):
    store = old("ALTER TABLE entities ADD COLUMN rank BIGINT")
    with store.connect(read_only=True) as connection:
        there = [row[0] for row in connection.execute("DESCRIBE entities").fetchall()]

    assert sorted(there) == sorted(columns("entities"))
    assert known(store) == {"claims"}


def test_a_table_with_another_key_is_made_anew_and_empty(old):
    store = old("COMMENT ON TABLE entities IS 'Things. Key: title.'")

    assert store.read("entities")["entities"].is_empty()
    assert known(store) == {"claims"}


def test_a_table_without_a_part_of_its_key_is_made_anew_and_empty(old):
    store = old("ALTER TABLE entities DROP COLUMN id", "COMMENT ON TABLE entities IS NULL")

    assert store.read("entities")["entities"].is_empty()


def test_a_column_of_another_type_makes_a_table_anew_and_casts_a_book(old):
    store = old(
        "ALTER TABLE entities ALTER degree SET DATA TYPE VARCHAR",
        "ALTER TABLE index_versions ALTER version SET DATA TYPE VARCHAR",
        "ALTER TABLE index_versions DROP COLUMN cost_usd",
    )
    found = store.read("entities", "index_versions")

    assert found["entities"].is_empty()
    assert found["index_versions"].select("version", "cost_usd").rows() == [(1, None)]


def test_views_are_made_again_when_their_statement_changed(old):
    store = old(
        "CREATE OR REPLACE VIEW community_levels AS SELECT 1 AS level",
        "DROP VIEW cost_by_asset",
    )
    with store.connect(read_only=True) as connection:
        levels = [row[0] for row in connection.execute("DESCRIBE community_levels").fetchall()]

        assert levels == ["level", "entity_id", "community_id"]
        assert connection.execute("FROM cost_by_asset").fetchall() == []


def test_a_comment_that_changed_changes_nothing_else(old):
    store = old("COMMENT ON COLUMN entities.degree IS 'Edges.'")

    assert store.read("entities")["entities"].height == 2
    assert known(store) == {"claims", "entities"}


def test_what_a_reader_meets_is_up_to_date_from_then_on(old):
    store = old("ALTER TABLE entities DROP COLUMN degree")
    store.read("entities")
    with duckdb.connect(str(store.work), read_only=True) as connection:
        assert is_up_to_date(connection, views())


def test_a_change_happens_whole_or_not_at_all(old, monkeypatch):
    store = old("ALTER TABLE entities DROP COLUMN degree")
    with duckdb.connect(str(store.work)) as connection:
        with pytest.raises(duckdb.ParserException):
            bring_up_to_date(connection, {"broken": "CREATE VIEW"})
        connection.rollback()
        there = [row[0] for row in connection.execute("DESCRIBE entities").fetchall()]

    assert "degree" not in there


def test_an_index_of_an_older_version_is_brought_to_the_corpus_without_a_call(indexed, script):
    with duckdb.connect(str(indexed.store.work)) as connection:
        connection.execute("ALTER TABLE entities DROP COLUMN n_documents")
        connection.execute("DROP VIEW report_lineage")
    calls = len(script.history)
    published = index_once(indexed)
    with indexed.store.connect(read_only=True) as connection:
        filled = read_table(connection, "entities")["n_documents"]

    assert len(script.history) == calls
    assert filled.null_count() == 0
    assert ["entities"] in [key.path for key in published["recomputed"]]


def test_text_is_quoted_as_sql_does():
    assert quoted("it's") == "'it''s'"


def test_every_table_has_a_shape():
    assert schema._wanted().keys() == TABLES.keys()
