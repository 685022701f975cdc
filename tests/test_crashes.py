"""A run may be killed at any point, and readers may read at any time."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crashing import CHILD, crash, die
from edits import same_tables
from graphrag_assets.project import Project
from graphrag_assets.store import read_table
from pipeline import index_once
from small_corpus import write_project

NEW = {
    "01-light.txt": "Ada Brook left the North Light. Ben Cole keeps the North Light.",
    "07-left.txt": "Ben Cole left Gull Island with Greta Hahn. Greta Hahn blamed Kaja Lund.",
}
IN_FLIGHT = 32  # concurrency: so many questions are lost at most


@pytest.fixture
def changed(indexed):
    """Return the indexed small project whose corpus has changed since."""
    write_project(indexed.root, NEW)
    return indexed


@pytest.fixture
def undisturbed(changed, tmp_path):
    """Return what the project would become without a crash."""
    whole = Project.open(shutil.copytree(changed.root, tmp_path / "undisturbed"))
    index_once(whole)
    return whole


@pytest.mark.slow
def test_a_run_that_is_killed_leaves_the_version_before_and_the_next_one_completes(
    changed, undisturbed
):
    log = changed.root / "asked.log"
    versions = changed.store.versions

    def after_some_calls(_):
        return log.exists() and len(log.read_text("utf-8").splitlines()) >= 2

    first = crash(changed.root, after_some_calls)
    write_project(changed.root, {"08-more.txt": "Ivo Jansen paid the Pilot Office."})
    write_project(undisturbed.root, {"08-more.txt": "Ivo Jansen paid the Pilot Office."})
    index_once(undisturbed)
    second = crash(changed.root, lambda _: any(versions.glob("0003*")))

    assert first.killed
    assert (first.before, first.after) == (1, 2)
    assert first.paid_twice <= IN_FLIGHT
    assert second.before in {2, 3}
    assert second.after == 3
    assert second.paid_twice == 0
    assert same_tables(changed, undisturbed) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "point",
    ["rollback: half the file is copied", "rollback: it is current, not committed"],
)
def test_a_rollback_that_is_killed_leaves_a_version_and_the_next_run_completes(changed, point):
    index_once(changed)
    write_project(changed.root, {"08-more.txt": "Ivo Jansen paid the Pilot Office."})
    found = die(changed.root, point)
    numbers = versions_of(changed)

    assert found.killed
    assert found.after == found.before + 1
    assert found.before == (3 if "current" in point else 2)
    assert numbers == list(range(1, found.after + 1))


def versions_of(project):
    with project.store.connect(read_only=True) as connection:
        return sorted(read_table(connection, "index_versions")["version"])


def test_readers_in_another_process_see_one_whole_version_each_time(indexed):
    command = [sys.executable, str(Path(CHILD).with_name("reading.py")), str(indexed.root)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as reader:
        for number in range(3):
            write_project(indexed.root, {"07-new.txt": "Ben Cole paid Ada Brook. " * (number + 1)})
            index_once(indexed)
        told, _ = reader.communicate()
    seen = json.loads(told)

    assert seen["errors"] == []
    assert seen["reads"] > 0
    assert {int(version) for version in seen["versions"]} <= {1, 2, 3, 4}
