"""versions: the way back to a version, and a history that stays right."""

import os
from contextlib import contextmanager

import duckdb
import pytest
from filelock import FileLock

from graphrag_assets.errors import NoIndexError, NoVersionError, RunInProgressError
from graphrag_assets.query import Index
from graphrag_assets.query.lineage import changes_between
from graphrag_assets.query.reader import Reader
from graphrag_assets.store import open_published, read_table, select
from graphrag_assets.versions import contents_of, kept_versions, roll_back
from pipeline import index_once
from small_corpus import write_project

LEFT = "Ben Cole left Gull Island with Greta Hahn."
SOLD = "Ben Cole sold the Silver Tern to Ada Brook."


@pytest.fixture
def twice(indexed):
    """Return the small project with two versions: the second has one document more."""
    write_project(indexed.root, {"07-left.txt": LEFT})
    assert index_once(indexed)["version"] == 2
    return indexed


def ask(project, statement):
    connection = open_published(project.store.published())
    try:
        return select(connection, statement).rows()
    finally:
        connection.close()


@contextmanager
def reader_of(project):
    reader = Reader(project.store.published())
    yield reader
    reader.close()


def documents(project):
    return ask(project, "SELECT count(*) FROM documents")[0][0]


def test_by_default_the_version_before_comes_back_as_a_new_one(twice):
    calls = ask(twice, "SELECT count(*) FROM model_calls")
    number = roll_back(twice)
    with reader_of(twice) as reader:
        version = reader.version

    assert (number, version) == (3, 3)
    assert documents(twice) == 6
    assert twice.store.current.samefile(twice.store.published())
    assert contents_of(twice.store, 3).equals(contents_of(twice.store, 1))
    assert ask(twice, "SELECT version, restores FROM index_versions ORDER BY 1") == [
        (1, None),
        (2, None),
        (3, 1),
    ]
    assert ask(twice, "SELECT count(*) FROM model_calls") == calls


def test_changes_say_what_a_rollback_took_back(twice):
    roll_back(twice)
    with reader_of(twice) as reader:
        back = changes_between(reader, 2, 3)
        none = changes_between(reader, 1, 3)
    gone = back.filter(kind="document")

    assert gone.select("title", "change").rows() == [("07-left", "removed")]
    assert none.filter(change="added").is_empty()
    assert none.filter(change="removed").is_empty()


def test_a_run_without_changes_leaves_the_rollback_alone(twice):
    roll_back(twice)

    assert index_once(twice)["version"] == 3
    assert not index_once(twice)["published"]
    assert documents(twice) == 6


def test_a_run_with_changes_publishes_on_top(twice):
    roll_back(twice)
    write_project(twice.root, {"08-sold.txt": SOLD})
    published = index_once(twice)
    came = ask(
        twice,
        "SELECT title FROM index_changes"
        " WHERE version = 4 AND kind = 'document' AND change = 'added' ORDER BY 1",
    )

    assert published["version"] == 4
    assert came == [("07-left",), ("08-sold",)]
    assert documents(twice) == 8
    assert [row[0] for row in ask(twice, "SELECT version FROM index_versions ORDER BY 1")] == [
        1,
        2,
        3,
        4,
    ]


def test_a_second_rollback_goes_further_back(twice):
    write_project(twice.root, {"08-sold.txt": SOLD})
    index_once(twice)
    numbers = [roll_back(twice), roll_back(twice)]
    kept = kept_versions(twice.store).select("version", "restores").rows()

    assert numbers == [4, 5]
    assert kept == [(5, 1), (4, 2), (3, None), (2, None), (1, None)]
    assert documents(twice) == 6


def test_a_rollback_can_be_taken_back(twice):
    roll_back(twice)
    roll_back(twice, 2)

    assert documents(twice) == 7
    assert ask(twice, "SELECT max(version), max_by(restores, version) FROM index_versions") == [
        (4, 2)
    ]


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        (9, "No version 9: it isn't kept. Kept are 1, 2"),
        (2, "No version 2: version 2 already is it"),
    ],
)
def test_a_version_that_cannot_come_back_is_refused_with_those_that_can(twice, version, reason):
    with pytest.raises(NoVersionError, match=reason):
        roll_back(twice, version)

    assert twice.store.kept == [1, 2]


def test_before_the_first_version_there_is_none(indexed, project):
    with pytest.raises(NoVersionError, match="none before version 1 is kept"):
        roll_back(indexed)
    with pytest.raises(NoIndexError):
        roll_back(project)


def test_a_rollback_keeps_out_of_a_runs_way(twice):
    twice.store.work.with_suffix(".holder").write_text("run-1")
    with (
        FileLock(twice.store.work.with_suffix(".lock")),
        pytest.raises(RunInProgressError, match="run-1"),
    ):
        roll_back(twice)

    assert twice.store.kept == [1, 2]


@pytest.mark.parametrize("name", ["os.fsync", "graphrag_assets.store._link"])
def test_a_rollback_that_breaks_off_is_as_if_it_never_was_or_is_done(twice, monkeypatch, name):
    def died(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(name, died)
        with pytest.raises(KeyboardInterrupt):
            roll_back(twice)
    before = twice.store.kept[-1]
    write_project(twice.root, {"08-sold.txt": SOLD})
    published = index_once(twice)

    assert os.fsync is not died
    assert before == (2 if name == "os.fsync" else 3)
    assert published["version"] == before + 1
    assert [row[0] for row in ask(twice, "SELECT version FROM index_versions ORDER BY 1")] == list(
        range(1, before + 2)
    )
    assert documents(twice) == 8


def test_a_new_working_database_goes_on_where_the_published_ones_are(twice):
    twice.store.work.unlink()
    published = index_once(twice)

    assert published == {**published, "version": 3, "published": True}
    assert ask(twice, "SELECT version FROM index_versions ORDER BY 1") == [(1,), (2,), (3,)]


def test_any_kept_version_can_be_opened(twice):
    roll_back(twice)
    index = Index.open(twice.root, version=2)
    count = index.sql("SELECT count(*) AS n FROM documents")["n"].to_list()
    index.close()

    assert (index.version, count) == (2, [7])
    with pytest.raises(NoVersionError, match="Kept are 1, 2, 3"):
        Index.open(twice.root, version=4)


def test_what_older_code_published_reads_with_its_columns(twice):
    with duckdb.connect(str(twice.store.published(1))) as old:
        old.execute("ALTER TABLE index_versions DROP COLUMN restores")
    roll_back(twice)
    connection = open_published(twice.store.published())
    rows = read_table(connection, "index_versions")
    connection.close()

    assert rows["restores"].to_list() == [None, None, 1]
