"""The whole pipeline on six documents: what comes out depends on what stands in them alone."""

import json
import shutil
from collections import Counter
from functools import cache

import pytest

from graphrag_assets.assets.publication import CONTENTS
from graphrag_assets.errors import ModelStoppedError
from graphrag_assets.models import client
from graphrag_assets.project import Project
from graphrag_assets.store import fingerprint, open_published, select
from graphrag_assets.tables import TABLES
from pipeline import STABLE, contents, index_once
from small_corpus import CORPUS, NAMES, reader, write_project

CHANGED = CORPUS | {
    "05-bank.txt": "Ivo Jansen founded the Island Bank. The Island Bank owns the Rope Yard."
}
SHORTER = {name: text for name, text in CORPUS.items() if name != "06-ship.txt"}


@pytest.fixture(scope="module")
def from_scratch(tmp_path_factory, small_index):
    """Return a function that indexes a corpus anew, and gives its tables."""

    @cache
    def made(name: str):
        if name == "all":
            return rows_in(small_index)
        corpus = {"changed": CHANGED, "shorter": SHORTER}[name]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(client, "LitellmTransport", reader)
            project = Project.open(write_project(tmp_path_factory.mktemp(name), corpus))
            index_once(project)
        return rows_in(project)

    return made


@pytest.fixture(scope="module")
def shorter(tmp_path_factory, small_index):
    """Return a project after one document was deleted: to be read, not changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "LitellmTransport", reader)
        folder = tmp_path_factory.mktemp("deleted") / "project"
        project = Project.open(shutil.copytree(small_index.root, folder))
        bring(project, SHORTER)
    return project


def rows_in(project) -> dict[str, list[dict]]:
    return {table: rows.to_dicts() for table, rows in contents(project).items()}


def bring(project, corpus) -> dict:
    """Make the folder hold these documents, and index them."""
    for file in (project.root / "data" / "input").iterdir():
        if file.name not in corpus:
            file.unlink()
    write_project(project.root, corpus)
    return index_once(project, "next")


def paid(project, run_id: str = "next") -> int:
    query = "SELECT count(*) AS n FROM model_calls WHERE run_id = $run AND NOT from_memo"
    with project.store.connect(read_only=True) as connection:
        return select(connection, query, run=run_id)["n"][0]


class TestIncremental:
    """An index brought to a corpus step by step is that of the corpus."""

    def test_a_changed_document_leaves_what_a_new_index_has(self, indexed, script, from_scratch):
        bring(indexed, CHANGED)
        asked = Counter(ask.prompt for ask in script.history)

        assert rows_in(indexed) == from_scratch("changed")
        assert asked["extract_graph"] == 1
        assert asked["community_report"] < indexed.store.read("communities")["communities"].height

    def test_a_deleted_document_leaves_what_a_new_index_has(self, shorter, from_scratch):
        assert rows_in(shorter) == from_scratch("shorter")

    def test_a_document_brought_back_is_back_at_no_cost(
        self, shorter, tmp_path, script, from_scratch
    ):
        project = Project.open(shutil.copytree(shorter.root, tmp_path / "back"))
        write_project(project.root, CORPUS)
        index_once(project, "back")

        assert rows_in(project) == from_scratch("all")
        assert paid(project, "back") == 0
        assert script.history == []

    def test_a_new_name_and_a_copy_cost_no_call(self, indexed, script):
        renamed = {name.replace("05-bank", "05-island bank"): text for name, text in CORPUS.items()}
        found = bring(indexed, renamed | {"07-copy of bank.txt": CORPUS["05-bank.txt"]})

        assert found["published"]
        assert indexed.store.read("documents")["documents"].height == len(CORPUS) + 1
        assert paid(indexed) == 0
        assert script.history == []

    def test_of_a_deleted_document_nothing_is_left_in_any_table(self, shorter, small_index):
        before = json.dumps(everything(small_index), default=str)
        after = json.dumps(everything(shorter), default=str)

        for gone in ("Kaja Lund", "Silver Tern", "06-ship.txt"):
            assert gone in before
            assert gone not in after
        assert "Ivo Jansen" in after

    def test_the_places_of_the_map_are_those_of_what_is_there(self, shorter):
        found = contents(shorter, ["layout", "entities", "documents"])
        there = {*found["entities"]["id"], *found["documents"]["id"]}

        assert set(found["layout"]["id"]) == there

    def test_the_versions_tell_what_changed(self, shorter):
        found = changes_in(shorter, 2)

        assert ("document", "removed", "06-ship") in found
        assert ("entity", "removed", "Kaja Lund") in found
        assert ("entity", "changed", "Ada Brook") not in found


class TestSecondRun:
    def test_asks_no_model_and_writes_no_table(self, indexed, script):
        asked, embedded = len(script.history), len(script.embedded)
        before = fingerprints(indexed)
        made = indexed.store.current.stat().st_mtime_ns
        found = index_once(indexed)

        assert (len(script.history), len(script.embedded)) == (asked, embedded)
        assert fingerprints(indexed) == before
        assert indexed.store.current.stat().st_mtime_ns == made
        assert found["published"] is False
        assert {key.to_user_string() for key in found["recomputed"]} == {"files", "documents"}

    def test_after_a_stop_goes_on_where_the_first_one_was(self, project, script):
        script.enqueue(
            ModelStoppedError("scripted/reader", "", "no credit"), prompt="community_report"
        )
        with pytest.raises(ModelStoppedError):
            index_once(project)
        asked = Counter(ask.prompt for ask in script.history)
        index_once(project, "next")
        again = Counter(ask.prompt for ask in script.history) - asked

        assert asked["extract_graph"] == 6 + 1
        assert again.keys() == {"community_report"}


def test_what_is_read_is_what_the_documents_say(small_index):
    found = contents(small_index, ["entities", "claims", "files", "relationships"])
    titles = dict(found["entities"].select("title", "type").iter_rows())
    (claim,) = found["claims"].to_dicts()

    assert titles == NAMES
    assert set(found["files"]["status"]) == {"indexed"}
    assert claim["description"] == "Ivo Jansen blamed Emil Frost for the Great Fire."
    assert claim["start_char"] is not None
    assert found["relationships"].filter(found["relationships"]["weight"] < 1).is_empty()


class TestJob:
    """What the button of the Dagster UI does."""

    def test_makes_the_same_tables_as_its_steps_do(self, small_job, tmp_path, script):
        project, result = small_job
        stepwise = Project.open(write_project(tmp_path, dict(reversed(CORPUS.items()))))
        index_once(stepwise)

        assert result.success
        assert rows_in(project) == rows_in(stepwise)  # nor does the order of files matter

    def test_publishes_every_table_of_the_dictionary(self, small_index):
        connection = open_published(small_index.store.published())
        found = select(connection, "SELECT table_name FROM duckdb_tables()")
        views = select(connection, "SELECT view_name FROM duckdb_views() WHERE NOT internal")
        connection.close()

        assert set(found["table_name"]) == set(TABLES)
        assert {"community_levels", "report_lineage", "cost_by_document"} <= set(views["view_name"])

    def test_shows_versions_rows_and_checks(self, small_job):
        project, result = small_job
        made = {
            event.asset_key.to_user_string(): event.materialization
            for event in result.get_asset_materialization_events()
        }
        checks = result.get_asset_check_evaluations()
        states = fingerprints(project)
        versions = {
            table: made[table].tags["dagster/data_version"] for table in states if table in made
        }

        assert set(made) == {*CONTENTS, "index"}
        assert versions == {table: states[table] for table in CONTENTS}
        assert made["entities"].metadata["dagster/row_count"].value == len(NAMES)
        assert made["extractions"].metadata["model_calls"].value > 0
        assert len(checks) > 40
        assert all(check.passed for check in checks)


def everything(project) -> dict:
    return {table: rows.to_dicts() for table, rows in contents(project, CONTENTS).items()}


def fingerprints(project) -> dict[str, str]:
    with project.store.connect(read_only=True) as connection:
        return {table: fingerprint(connection, table) for table in CONTENTS}


def changes_in(project, version: int) -> set[tuple[str, str, str]]:
    query = "SELECT kind, change, title FROM index_changes WHERE version = $version"
    with project.store.connect(read_only=True) as connection:
        return set(select(connection, query, version=version).iter_rows())


def test_only_communities_may_differ_from_a_new_index():
    assert set(CONTENTS) - set(STABLE) == {
        "communities",
        "community_members",
        "community_reports",
        "report_evidence",
        "report_embeddings",
        "layout",
    }
