"""cli: what people type, and what they get."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from graphrag_assets import cli
from graphrag_assets.project import Project
from graphrag_assets.settings import load_settings
from graphrag_assets.tables import TABLES
from small_corpus import CORPUS, SETTINGS, write_project


class TestInit:
    def test_makes_an_empty_folder_ready(self, run, tmp_path):
        code, said, _ = run("init")

        assert code == 0
        assert {path.name for path in tmp_path.iterdir()} == {
            "data",
            "settings.toml",
            "dagster.yaml",
            "workspace.yaml",
        }
        assert (tmp_path / "data" / "input").is_dir()
        assert "put documents into data/input" in said
        assert load_settings(tmp_path).corpus.root == "data/input"

    def test_leaves_what_is_there(self, run, tmp_path):
        (tmp_path / "settings.toml").write_text("# mine\n", encoding="utf-8")
        code, said, _ = run("init")

        assert code == 0
        assert "settings.toml is there already" in said
        assert (tmp_path / "settings.toml").read_text("utf-8") == "# mine\n"

    def test_brings_the_sample_and_the_prompts(self, run, tmp_path):
        code, _, _ = run("init", "--sample", "--prompts")

        assert code == 0
        assert (tmp_path / load_settings(tmp_path).corpus.root / "01-plan.md").is_file()
        assert (tmp_path / "prompts" / "extract_graph.md").is_file()


class TestIndex:
    def test_shows_what_it_made_and_where_to_look_next(self, run, indexed):
        code, said, _ = run("index", root=indexed.root)

        assert code == 0
        assert "Index version 1: complete" in said
        assert "documents" in said
        assert "graphrag-assets ask" in said

    def test_of_a_corpus_with_an_unreadable_file_is_partial_and_names_it(
        self, run, script, tmp_path
    ):
        write_project(tmp_path, {"01-light.txt": CORPUS["01-light.txt"]})
        (tmp_path / "data" / "input" / "lost.txt").symlink_to(tmp_path / "nowhere.txt")
        code, said, _ = run("index")

        assert code == 3
        assert "Index version 1: partial" in said
        assert "lost.txt" in said
        assert "symbolic link" in said

    def test_of_an_empty_folder_is_wrong_use(self, run, tmp_path):
        write_project(tmp_path, {})
        code, _, said = run("index")

        assert code == 2
        assert "Error:" in said
        assert "holds no files" in said
        assert "[corpus] root" in said

    def test_of_a_folder_that_is_none_is_wrong_use(self, run, tmp_path):
        (tmp_path / "a.txt").touch()

        for root, problem in ((tmp_path / "no", "does not exist"), (tmp_path / "a.txt", "folder")):
            code, _, err = run("index", root=root)

            assert (code, problem in err) == (2, True)

    def test_where_nothing_can_be_written_fails_and_names_the_place(self, run, tmp_path):
        (tmp_path / "data").mkdir()
        (tmp_path / "data/index").touch()
        code, _, err = run("index")

        assert code == 1
        assert "data/index" in err

    def test_with_an_unknown_key_is_wrong_use_and_names_it(self, run, tmp_path):
        write_project(tmp_path, settings="[reports]\ncontext_tokns = 100\n")
        code, _, said = run("index")

        assert code == 2
        assert "unknown key `reports.context_tokns`" in said
        assert "Did you mean `context_tokens`?" in said

    def test_with_an_unknown_model_fails_and_names_it(self, run, tmp_path):
        write_project(tmp_path, settings=re.sub("scripted/\\w+", "openay/gpt", SETTINGS))
        code, _, said = run("index")

        assert code == 1
        assert "Failed:" in said
        assert "`openay/gpt`" in said
        assert "[models.*] in settings.toml" in said

    def test_beside_another_run_fails_and_says_so(self, run, tmp_path):
        write_project(tmp_path)
        lock = Project.open(tmp_path).store.work.with_suffix(".lock")
        lock.parent.mkdir(parents=True)
        with FileLock(lock):
            code, _, said = run("index")

        assert code == 1
        assert "Another run is in progress" in said


class TestSql:
    QUERY = "SELECT path, pages FROM documents ORDER BY path LIMIT 2"

    def test_prints_a_table(self, run, published):
        code, said, _ = run("sql", self.QUERY, root=published)

        assert code == 0
        assert "01-light.txt" in said

    def test_prints_json(self, run, published):
        _, said, _ = run("sql", self.QUERY, "--format", "json", root=published)

        assert json.loads(said) == [
            {"path": "01-light.txt", "pages": []},
            {"path": "02-pilots.txt", "pages": []},
        ]

    def test_prints_json_whatever_the_width_of_the_screen(self, run, published, monkeypatch):
        monkeypatch.setenv("COLUMNS", "20")
        _, said, _ = run("sql", "FROM text_units", "--format", "json", root=published)

        assert len(json.loads(said)) >= 6

    def test_prints_csv_with_nested_values_as_json(self, run, published):
        _, said, _ = run("sql", self.QUERY, "--format", "csv", root=published)

        assert list(csv.DictReader(io.StringIO(said))) == [
            {"path": "01-light.txt", "pages": "[]"},
            {"path": "02-pilots.txt", "pages": "[]"},
        ]

    def test_prints_brackets_as_they_are(self, run, published):
        for form in ("table", "json", "csv"):
            _, said, _ = run("sql", "SELECT '[red]E1[/red]' AS x", "--format", form, root=published)

            assert "[red]E1[/red]" in said

    @pytest.mark.parametrize(
        ("query", "reason"),
        [
            ("SELEC 1", "syntax error"),
            ("FROM nowhere", "nowhere"),
            ("DELETE FROM entities", "read-only"),
            ("COPY entities TO 'x.csv'", "disabled"),
            ("SELECT 1 / 'x'", "Could not convert"),
        ],
    )
    def test_refused_says_why(self, run, published, query, reason):
        code, _, said = run("sql", query, root=published)

        assert code == 2
        assert "The statement was refused" in said
        assert reason in said

    def test_without_an_index_says_how_to_make_one(self, run):
        code, _, said = run("sql", "SELECT 1")

        assert code == 2
        assert "graphrag-assets index" in said


class TestStatus:
    def test_as_json_holds_the_version_and_its_counts(self, run, published):
        code, said, _ = run("status", "--json", root=published)
        found = json.loads(said)

        assert code == 0
        assert (found["version"], found["status"]) == (1, "complete")
        assert found["counts"]["documents"] == 6
        assert found["levels"][0]["level"] == 0
        assert found["took"]["calls"] > 0
        assert found["unfinished"] == []
        assert found["path"].endswith("graphrag.duckdb")

    def test_for_people_is_a_table(self, run, published):
        code, said, _ = run("status", root=published)

        assert code == 0
        assert "Index version 1: complete" in said
        assert "level 0 (C0)" in said

    def test_verbose_lists_what_is_passed_over(self, run, published):
        (published / "data" / "input" / "notes.txt~").write_text("A backup.", "utf-8")
        code, said, _ = run("status", "--verbose", root=published)
        told = json.loads(run("status", "--verbose", "--json", root=published)[1])

        assert code == 0
        assert "passed over notes.txt~: temporary" in said
        assert told["passed_over"] == {"notes.txt~": "temporary"}

    def test_without_an_index_says_how_to_make_one(self, run):
        code, _, said = run("status")

        assert code == 2
        assert "graphrag-assets index" in said


class TestTrace:
    def test_changes_says_what_the_newest_version_brought(self, run, published):
        code, said, _ = run("changes", root=published)

        assert code == 0
        assert "From version 0 to version 1" in said
        assert f"documents: {len(CORPUS)} came" in said

    def test_changes_of_nothing_says_so(self, run, published):
        assert "Nothing changed." in run("changes", "--from", "1", "--to", "1", root=published)[1]

    def test_lineage_shows_the_passages_behind_an_id(self, run, published):
        _, rows, _ = run(
            "sql", "SELECT id FROM text_units LIMIT 1", "--format", "json", root=published
        )
        (row,) = json.loads(rows)
        code, said, _ = run("lineage", f"T{row['id'][:8]}", root=published)

        assert code == 0
        assert said.startswith("text unit ")
        assert re.search(r"characters \d+-\d+", said)

    def test_lineage_of_an_unknown_id_is_wrong_use(self, run, published):
        code, _, said = run("lineage", "E00000000", root=published)

        assert code == 2
        assert "No report, element or text unit has the id `E00000000`" in said


class TestBefore:
    def test_check_asks_the_embedded_models_and_says_ok(self, run, sample_root):
        code, said, _ = run("check", root=sample_root)

        assert code == 0
        assert "offline/nlp" in said
        assert "offline/use-m3" in said

    def test_check_names_a_model_that_does_not_work(self, run, tmp_path):
        (tmp_path / "settings.toml").write_text('[models.default]\nmodel = "openay/gpt"\n', "utf-8")
        code, said, _ = run("check", root=tmp_path)

        assert code == 1
        assert "openay/gpt" in said

    def test_estimate_of_an_indexed_corpus_is_nothing_to_pay(self, run, sample_root):
        code, said, _ = run("estimate", "--json", root=sample_root)
        total = json.loads(said)["total"]

        assert code == 0
        assert (total["calls"]["low"], total["calls"]["high"]) == (0, 0)

    def test_estimate_of_a_new_corpus_is_a_table_of_stages(self, run, tmp_path):
        write_project(tmp_path, settings=SETTINGS)
        code, said, _ = run("estimate", root=tmp_path)

        assert code == 0
        assert f"{len(CORPUS)} documents" in said
        assert "extraction" in said


class TestReference:
    def test_tables_names_each_with_its_meaning(self, run):
        code, said, _ = run("tables")

        assert code == 0
        assert [line.split()[0] for line in said.splitlines()] == list(TABLES)

    def test_tables_as_markdown_has_a_chapter_for_each(self, run):
        _, said, _ = run("tables", "--markdown")

        assert [line[3:] for line in said.splitlines() if line.startswith("## ")] == list(TABLES)
        assert "| document_id | String | Document it is cut from. → documents.id |" in said

    def test_settings_prints_a_settings_toml_that_changes_nothing(self, run, tmp_path):
        code, said, _ = run("settings")
        (tmp_path / "settings.toml").write_text(said, encoding="utf-8")
        (tmp_path / "empty").mkdir()

        assert code == 0
        assert load_settings(tmp_path) == load_settings(tmp_path / "empty")

    def test_settings_as_markdown_tells_every_section(self, run):
        _, said, _ = run("settings", "--markdown")

        assert "| max_tokens | `600` | Longest text unit in tokens; the paper's choice. |" in said
        assert "## models.TASK" in said

    def test_every_command_has_help(self, run):
        for command in ("init", "index", "ask", "sql", "status", "tables", "settings", "ui"):
            code, said, _ = run(command, "--help")

            assert code == 0
            assert f"graphrag-assets {command}" in said

    def test_an_unknown_command_is_wrong_use(self, run):
        assert run("indx")[0] == 2


def test_the_ui_is_dagsters_in_the_projects_folder(run, tmp_path, monkeypatch):
    started = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        cli.indexing.os, "execve", lambda *words: started.append((Path.cwd(), *words))
    )
    code, said, _ = run("ui", "--port", "3123")
    ((folder, _, command, environment),) = started

    assert code == 0
    assert "http://127.0.0.1:3123" in said
    assert command[1:4] == ["-m", "dagster", "dev"]
    assert folder == tmp_path
    assert environment["GRAPHRAG_ROOT"] == environment["DAGSTER_HOME"] == str(tmp_path)


def test_the_command_starts_without_dagster_or_models(tmp_path):
    """Help must be there at once: what is heavy is imported where it is used."""
    code = (
        "import sys, graphrag_assets.cli; "
        "print(sorted({'dagster', 'litellm', 'spacy', 'umap', 'igraph'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )

    assert done.stdout.strip() == "[]"
