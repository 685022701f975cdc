"""exclusive: a run holds the index from its first step to its last, whoever started it."""

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest
from filelock import FileLock

from graphrag_assets import exclusive as exclusively
from graphrag_assets.database import one_run
from graphrag_assets.errors import RunInProgressError
from graphrag_assets.lock import held, holder
from graphrag_assets.project import Project, silent
from graphrag_assets.run import run_index
from small_corpus import write_project
from two_steps import in_many_processes, in_one_process


@pytest.fixture
def work(tmp_path):
    return tmp_path / "index.duckdb"


def run(job, instance):
    """Run a job with its own executor, as the UI does."""
    return dg.execute_job(dg.reconstructable(job), instance=instance)


@pytest.fixture
def seen(work, monkeypatch):
    """Return a function that says who held the index in each step."""
    monkeypatch.setenv("TEST_WORK", str(work))
    monkeypatch.chdir(Path(__file__).parent)  # where steps in their own process look for the job
    notes = work.with_name("seen")
    return lambda: notes.read_text("utf-8").split() if notes.exists() else []


@pytest.fixture
def instance():
    with dg.instance_for_test() as found:
        yield found


@pytest.mark.parametrize(
    "job", [in_one_process, pytest.param(in_many_processes, marks=pytest.mark.slow)]
)
def test_the_index_is_held_from_the_first_step_to_the_last(job, instance, seen, work):
    with run(job, instance) as result:
        assert result.success
        assert seen() == [result.run_id, result.run_id]
    assert holder(work) == ""


def test_a_run_waits_for_another_and_then_gives_up(instance, seen, work, monkeypatch):
    monkeypatch.setattr(exclusively, "LOCK_TIMEOUT", 0.1)
    work.with_suffix(".holder").write_text("graphrag-assets index, process 7")
    with FileLock(work.with_suffix(".lock")), run(in_one_process, instance) as result:
        told = [entry.user_message for entry in instance.all_logs(result.run_id)]

        assert not result.success
    assert seen() == []
    assert any("process 7" in message and "waits" in message for message in told)


def test_the_command_line_is_refused_while_a_run_of_the_ui_holds_the_index(tmp_path, script):
    root = write_project(tmp_path)
    work = Project.open(root).store.work
    work.parent.mkdir(parents=True)
    hold = (
        "import sys, pathlib; from graphrag_assets.lock import held\n"
        "with held(pathlib.Path(sys.argv[1]), who='run-of-the-ui', timeout=0):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", hold, str(work)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        process.stdout.readline()
        with pytest.raises(RunInProgressError, match=r"run-of-the-ui.*Wait for it"):
            run_index(root, silent)
        process.kill()
    with held(work, who="next", timeout=5):
        assert holder(work) == "next"


def test_a_step_of_the_run_that_holds_the_index_does_not_wait_for_itself(tmp_path, script):
    project = Project.open(write_project(tmp_path))
    work = project.store.work
    work.parent.mkdir(parents=True)
    work.with_suffix(".holder").write_text("run")
    with FileLock(work.with_suffix(".lock")), one_run(project, "run"):
        assert holder(work) == "run"


def test_the_holder_is_who_came_first(work):
    with held(work, who="command", timeout=0), held(work, who="step", timeout=0):
        inner = holder(work)

    assert (inner, holder(work)) == ("command", "")
