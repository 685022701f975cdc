"""export and import, as people type them."""

from pathlib import Path

import pytest

from small_corpus import SETTINGS, write_project

THEIRS = Path(__file__).parent.parent / "microsoft_index"


@pytest.fixture
def run(run):
    """Return a function that runs the command line in a folder: exit code, output, errors."""
    return lambda root, *words: run(*words, root=root)


def test_export_says_what_it_wrote_and_where(run, small_index, tmp_path):
    target = tmp_path / "graph.graphml"
    code, said, _ = run(small_index.root, "export", "--format", "graphml", "--output", str(target))

    assert code == 0
    assert f"wrote version 1 to {target}" in said
    assert target.is_file()


def test_export_over_files_of_somebody_is_wrong_use(run, small_index, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    code, _, said = run(small_index.root, "export", "--format", "csv", "--output", str(tmp_path))

    assert code == 2
    assert "thesis.txt" in said
    assert "--force" in said


def test_export_of_a_version_that_is_not_there_is_wrong_use(run, small_index, tmp_path):
    words = ("export", "--format", "csv", "--output", str(tmp_path / "out"), "--version", "99")
    code, _, said = run(small_index.root, *words)

    assert code == 2
    assert "Kept are 1" in said
    assert not (tmp_path / "out").exists()


def test_import_prints_the_version_what_it_lacks_and_what_did_not_fit(run, script, tmp_path):
    root = write_project(tmp_path / "imported", {}, settings=SETTINGS)
    code, said, _ = run(root, "import", "graphrag", str(THEIRS))

    assert code == 3
    assert "Index version 1: partial" in said
    assert "missing report" in said
    assert "graphrag: 3 claims were left out" in said


def test_import_of_a_folder_without_an_index_is_wrong_use(run, script, tmp_path):
    root = write_project(tmp_path / "imported", {}, settings=SETTINGS)
    code, _, said = run(root, "import", "graphrag", str(tmp_path))

    assert code == 2
    assert "isn't an index of Microsoft GraphRAG 3" in said
