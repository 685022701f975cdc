"""cli: rollback, and what status and changes say of versions."""

import json
from functools import partial

import pytest
from filelock import FileLock

from pipeline import index_once
from small_corpus import write_project


@pytest.fixture
def run(run, twice):
    """Return a function that runs the command line on two versions: exit code, output, errors."""
    return partial(run, root=twice.root)


@pytest.fixture
def twice(indexed):
    """Return the small project with two versions: the second has one document more."""
    write_project(indexed.root, {"07-left.txt": "Ben Cole left Gull Island with Greta Hahn."})
    index_once(indexed)
    return indexed


def test_rollback_says_which_version_is_back(run):
    code, said, _ = run("rollback")

    assert code == 0
    assert "Version 3 is current, with the contents of version 1." in said
    assert "Version 3 was a rollback to the contents of version 1." in run("changes")[1]


def test_rollback_to_a_version_that_is_not_kept_lists_those_that_are(run):
    code, _, said = run("rollback", "7")

    assert code == 2
    assert "No version 7: it isn't kept. Kept are 1, 2" in said


def test_rollback_during_a_run_is_refused(run, twice):
    twice.store.work.with_suffix(".holder").write_text("run-1")
    with FileLock(twice.store.work.with_suffix(".lock")):
        code, _, said = run("rollback")

    assert code == 1
    assert "Another run is in progress (run-1)" in said


def test_status_lists_the_versions_that_are_kept(run):
    run("rollback", "1")
    told = json.loads(run("status", "--json")[1])
    said = run("status")[1]

    assert [(row["version"], row["restores"]) for row in told["kept"]] == [
        (3, 1),
        (2, None),
        (1, None),
    ]
    assert "Index version 3 (= 1): complete" in said
    assert "Kept are also version 2, 1" in said


def test_stale_reports_are_told_by_status_and_changes(run, twice):
    reason = "4.0% of its evidence changed since version 1"
    with twice.store.transaction() as connection:
        connection.execute("UPDATE community_reports SET status = 'stale', reason = ?", [reason])
        (count,) = connection.execute("SELECT count(*) FROM community_reports").fetchall()[0]
    twice.store.publish(2)

    assert f"{count} reports are stale" in run("status")[1]
    assert json.loads(run("status", "--json")[1])["stale"] == count
    assert reason in run("changes")[1]
