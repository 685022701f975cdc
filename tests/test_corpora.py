"""Several corpora side by side: in one Dagster, and in one statement."""

import shutil
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from documented import FILE, snippets
from graphrag_assets.definitions import JOB, build
from graphrag_assets.project import Project
from graphrag_assets.run import QUIET
from pipeline import index_once
from small_corpus import write_project

PAGE = Path(__file__).parent.parent / "docs" / "OPERATIONS.md"


def keys(definitions: dg.Definitions) -> set[str]:
    graph = definitions.resolve_asset_graph()
    return {key.to_user_string() for key in graph.get_all_asset_keys()}


class TestInOneDagster:
    def test_named_corpora_share_no_asset_key(self, tmp_path):
        north, south = (
            keys(build(write_project(tmp_path / name), name=name)) for name in ("north", "south")
        )
        alone = keys(build(tmp_path / "north"))

        assert north == {f"north/{key}" for key in alone}
        assert south.isdisjoint(north)

    def test_a_named_corpus_is_indexed_with_its_checks(self, tmp_path, script):
        root = write_project(tmp_path / "north")
        job = build(root, name="north").resolve_job_def(JOB)
        result = job.execute_in_process(run_config=QUIET)
        made = {event.asset_key.path[0] for event in result.get_asset_materialization_events()}
        checked = {check.asset_key.path[0] for check in result.get_asset_check_evaluations()}

        assert result.success
        assert made == checked == {"north"}
        assert Project.open(root).store.published().is_file()

    @pytest.mark.slow
    def test_the_workspace_of_the_docs_loads(self, tmp_path):
        page = [snippet for snippet in snippets(PAGE) if snippet.language in {"python", "yaml"}]
        file = next(s.text for s in page if s.language == "python" and FILE.match(s.text))
        workspace = next(s.text for s in page if "load_from" in s.text)
        for name in ("north", "south"):
            root = write_project(tmp_path / name)
            (root / "corpus.py").write_text(file.replace("north", name), encoding="utf-8")
        (tmp_path / "workspace.yaml").write_text(workspace, encoding="utf-8")
        command = ["dagster", "definitions", "validate", "-w", "workspace.yaml"]
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

        assert done.returncode == 0, done.stderr
        assert "north" in done.stderr + done.stdout
        assert "south" in done.stderr + done.stdout


class TestInOneStatement:
    @pytest.fixture
    def ask(self, run, small_index):
        """Return a function that asks in SQL: exit code, output, errors."""

        def ask_it(query, *pairs, root=small_index.root):
            words = [word for pair in pairs for word in ("--with", pair)]
            return run("sql", query, *words, "--format", "csv", root=root)

        return ask_it

    def test_tables_and_views_of_another_index_are_read_by_its_name(self, ask, indexed):
        document = indexed.root / "data" / "input" / "06-ship.txt"
        document.unlink()
        index_once(indexed)
        code, said, _ = ask(
            "SELECT title FROM entities EXCEPT SELECT title FROM later.entity_lineage ORDER BY 1",
            f"later={indexed.root}",
        )

        assert code == 0
        assert said.split("\n")[1:3] == ["Kaja Lund", "Silver Tern"]

    def test_the_others_cannot_be_written_and_files_stay_closed(self, ask, small_index, indexed):
        pair = f"other={indexed.root}"
        refused = [
            ask("CREATE TABLE other.mine AS SELECT 1", pair),
            ask("DELETE FROM other.entities", pair),
            ask("FROM read_csv('/etc/passwd')", pair),
            ask("ATTACH 'mine.duckdb'", pair),
            ask("SET enable_external_access = true", pair),
        ]

        assert [code for code, _, _ in refused] == [2] * len(refused)

    @pytest.mark.parametrize(
        "pair",
        ["main={root}", "this={root}", "a b={root}", "={root}", "{root}", "x=", 'x"; DROP={root}'],
    )
    def test_a_name_that_cannot_be_is_wrong_use(self, ask, small_index, pair):
        code, _, said = ask("SELECT 1", pair.format(root=small_index.root))

        assert code == 2
        assert "isn't NAME=ROOT" in said

    def test_a_root_without_index_is_named(self, ask, tmp_path):
        code, _, said = ask("SELECT 1", f"x={tmp_path}")

        assert code == 2
        assert str(tmp_path) in said


def test_a_version_that_is_left_is_a_working_database_to_go_on_from(indexed):
    kept = indexed.store.published()
    shutil.copyfile(kept, indexed.store.work)
    again = index_once(indexed)

    assert again["published"] is False
    assert {key.path[-1] for key in again["recomputed"]} == {"files", "documents"}
