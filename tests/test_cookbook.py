"""docs/SQL.md: every query runs on the sample and finds something."""

import re
import shutil
from pathlib import Path

import duckdb
import pytest

from documented import snippets

PAGE = Path(__file__).parent.parent / "docs" / "SQL.md"
QUERIES = [snippet.text for snippet in snippets(PAGE) if snippet.language == "sql"]
FILES = re.compile(r"read_csv|\bCOPY\b|\bATTACH\b")
pytestmark = pytest.mark.slow


@pytest.fixture
def folder(sample_index, tmp_path, monkeypatch):
    """Be in a folder with a copy of the index, another one, and a table of one's own."""
    for name in ("graphrag.duckdb", "other.duckdb"):
        shutil.copyfile(sample_index.reader.path, tmp_path / name)
    people = "name,party\nViktor Hale,none\nMara Ellison,Halcyon\nOona Brandt,Cooperative\n"
    (tmp_path / "people.csv").write_text(people, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_at_least_twenty():
    assert len(QUERIES) >= 20
    assert len([query for query in QUERIES if not FILES.search(query)]) >= 20


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: " ".join(query.split())[:60])
def test_a_query_finds_rows_with_names(folder, query):
    with duckdb.connect(str(folder / "graphrag.duckdb"), read_only=True) as connection:
        for statement in duckdb.extract_statements(query):
            connection.execute(statement)
        names = [column[0] for column in connection.description]
        rows = connection.fetchall()

    assert rows
    assert len(set(names)) == len(names)
    if not query.startswith("COPY"):
        assert [name for name in names if not re.fullmatch(r"[a-z_]+", name)] == []


@pytest.mark.parametrize(
    "query",
    [query for query in QUERIES if not FILES.search(query)],
    ids=lambda query: " ".join(query.split())[:60],
)
def test_a_query_without_files_runs_in_the_sandbox(sample_index, query):
    assert sample_index.sql(query).height > 0
