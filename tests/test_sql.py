"""sql/: every statement fits the tables, found by asking DuckDB on empty ones."""

import re

import duckdb
import pytest

from graphrag_assets.checks import unfinished
from graphrag_assets.store import connect, sql, sql_files
from graphrag_assets.tables import TABLES

QUESTIONS = sql_files("")
FOLDERS = [
    f"{folder}/{name}"
    for folder in ("by_key", "exchange", "map", "pictures")
    for name in sql_files(folder)
]
CHECKS = [f"checks/{name}" for name in sql_files("checks")]
VIEWS = [f"views/{name}" for name in sql_files("views")]


@pytest.fixture(scope="module")
def connection(_empty_database):
    with connect(_empty_database, read_only=True) as opened:
        yield opened


@pytest.mark.parametrize("name", [*QUESTIONS, *FOLDERS, *CHECKS])
def test_a_statement_binds(connection, name):
    statement = unfinished() if name == "unfinished" else sql(name)
    connection.execute(f"PREPARE question AS {statement}")
    connection.execute("DEALLOCATE question")


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_there_and_can_be_read(connection, name):
    view = name.removeprefix("views/")

    assert connection.execute(f"FROM {view}").fetchall() == []
    assert f"CREATE OR REPLACE VIEW {view} AS" in sql(name)


@pytest.mark.parametrize("name", [*QUESTIONS, *FOLDERS, *VIEWS])
def test_a_statement_says_first_what_it_answers(name):
    assert re.match(r"-- [A-Z].{10,}", sql(name))


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_says_where_it_belongs_whether_it_blocks_and_what_must_hold(name):
    on, blocking, meaning = sql(name).splitlines()[:3]

    assert on.removeprefix("-- on: ") in TABLES
    assert blocking in {"-- blocking: yes", "-- blocking: no"}
    assert re.fullmatch(r"-- [A-Z].*\.", meaning)


def test_a_name_of_a_column_that_is_not_there_is_found(connection):
    with pytest.raises(duckdb.BinderException, match="nowhere"):
        connection.execute("PREPARE question AS SELECT nowhere FROM entities")
