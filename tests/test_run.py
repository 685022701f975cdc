"""run: one run of the index job in this process, and how it fails."""

from pathlib import Path

import dagster as dg
import pytest
from filelock import FileLock

from graphrag_assets.errors import (
    CorpusError,
    ModelCallError,
    ModelStoppedError,
    RunInProgressError,
    UnpublishableError,
)
from graphrag_assets.project import Project, silent
from graphrag_assets.prompts import shipped
from graphrag_assets.run import run_index
from graphrag_assets.store import open_published, select
from small_corpus import CORPUS, SETTINGS, write_project

TWO = {name: CORPUS[name] for name in ("01-light.txt", "02-pilots.txt")}


@pytest.fixture
def root(tmp_path, script):
    return write_project(tmp_path, TWO)


def count(root, table):
    connection = open_published(Project.open(root).store.published())
    try:
        return select(connection, f"SELECT count(*) AS n FROM {table}")["n"][0]
    finally:
        connection.close()


def test_a_run_publishes_the_index_and_is_seen_in_the_projects_own_dagster(root, monkeypatch):
    (root / "dagster.yaml").write_text((shipped() / "dagster.yaml").read_text("utf-8"), "utf-8")
    seen = []
    ended = run_index(root, lambda label, done, total: seen.append((label, done, total)))
    monkeypatch.chdir(root)
    with dg.DagsterInstance.from_config(str(root)) as instance:
        (run,) = instance.get_runs()
        made = instance.get_latest_materialization_event(dg.AssetKey("entities"))

    assert ended.seconds > 0
    assert ended.took["calls"] > 0
    assert count(root, "documents") == 2
    assert ("extractions", 2, 2) in seen
    assert (run.job_name, run.status) == ("index", dg.DagsterRunStatus.SUCCESS)
    assert made is not None


def test_an_empty_corpus_is_an_error_of_ours(root):
    for file in (root / "data" / "input").iterdir():
        file.unlink()

    with pytest.raises(CorpusError, match="holds no files"):
        run_index(root, silent)


def test_a_model_that_stops_is_an_error_of_ours_and_the_last_version_stays(indexed, script):
    script.enqueue(ModelStoppedError("scripted/reader", "", "no credit"))
    write_project(indexed.root, {"07-new.txt": "Ben Cole left Gull Island."})
    with pytest.raises(ModelStoppedError, match="no credit"):
        run_index(indexed.root, silent)

    assert count(indexed.root, "documents") == 6


def test_a_broken_law_is_an_error_of_ours_with_its_culprits(root, script):
    script.enqueue(ModelCallError("no answer came"), prompt="extract_graph")
    write_project(root, settings=SETTINGS.replace("claims = true", "max_failed = 0"))

    with pytest.raises(UnpublishableError, match=r"No more text units failed.*no answer came"):
        run_index(root, silent)


def test_two_runs_at_once_never_mix(root):
    project = Project.open(root)
    project.store.work.parent.mkdir(parents=True)
    with (
        FileLock(project.store.work.with_suffix(".lock")),
        pytest.raises(RunInProgressError, match="Another run is in progress"),
    ):
        run_index(root, silent)

    assert not project.store.work.exists()


def test_the_working_directory_is_what_it_was(root):
    here = Path.cwd()
    write_project(root, settings=SETTINGS + '[corpus]\nroot = "nowhere"\n')
    with pytest.raises(CorpusError, match="does not exist"):
        run_index(root, silent)

    assert Path.cwd() == here
