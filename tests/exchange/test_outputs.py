"""outputs: an export is written whole, and never over what isn't ours."""

import json

import pytest

from graphrag_assets.errors import ExportError
from graphrag_assets.exchange.export import FORMATS, export
from graphrag_assets.exchange.outputs import MANIFEST, whole_file, whole_folder


def names(folder):
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_written_again_over_itself_and_leaves_nothing_else(small, tmp_path, form):
    target = tmp_path / "out"
    export(small, form, target, force=False)
    export(small, form, target, force=False)

    assert names(tmp_path) == {"out"}


def test_a_folder_says_which_version_it_holds(small, tmp_path):
    export(small, "jsonl", tmp_path / "out", force=False)
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text("utf-8"))

    assert manifest["format"] == "jsonl"
    assert manifest["version"] == 1
    assert "entities.jsonl" in manifest["files"]


def test_another_format_takes_the_place_of_the_former(small, tmp_path):
    export(small, "jsonl", tmp_path / "out", force=False)
    export(small, "cypher", tmp_path / "out", force=False)

    assert "load.cypher" in names(tmp_path / "out")
    assert "entities.jsonl" not in names(tmp_path / "out")


def test_a_folder_with_a_file_of_somebody_is_refused_and_stays_as_it_is(small, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ExportError, match=r"thesis\.txt.*--force"):
        export(small, "csv", tmp_path, force=False)

    assert names(tmp_path) == {"thesis.txt"}


def test_force_replaces_files_of_the_same_name_and_keeps_the_others(small, tmp_path):
    target = tmp_path / "out"
    target.mkdir()
    (target / "thesis.txt").write_text("mine", encoding="utf-8")
    (target / "entities.csv").write_text("mine", encoding="utf-8")
    export(small, "csv", target, force=True)

    assert (target / "thesis.txt").read_text("utf-8") == "mine"
    assert (target / "entities.csv").read_text("utf-8").startswith("id,title")


def test_a_file_of_somebody_is_overwritten_only_by_force(small, tmp_path):
    target = tmp_path / "graph.graphml"
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(ExportError, match="isn't an export of ours"):
        export(small, "graphml", target, force=False)
    assert target.read_text("utf-8") == "mine"

    export(small, "graphml", target, force=True)

    assert target.read_text("utf-8").startswith("<?xml")


def test_a_file_where_a_folder_should_be_and_the_other_way_round(small, tmp_path):
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(ExportError, match="is a file; this format writes a folder"):
        export(small, "csv", tmp_path / "file", force=True)
    with pytest.raises(ExportError, match="is a folder; name a file in it"):
        export(small, "graphml", tmp_path, force=True)


def broken_off(context):
    with context as path:
        target = path / "two.txt" if path.is_dir() else path
        target.write_text("half", encoding="utf-8")
        raise RuntimeError


def test_what_breaks_off_leaves_the_former_export(tmp_path):
    with whole_folder(tmp_path / "out", {}, force=False) as folder:
        (folder / "one.txt").write_text("one", encoding="utf-8")
    with pytest.raises(RuntimeError):
        broken_off(whole_folder(tmp_path / "out", {}, force=False))
    with pytest.raises(RuntimeError):
        broken_off(whole_file(tmp_path / "file", force=False))

    assert names(tmp_path) == {"out"}
    assert names(tmp_path / "out") == {"one.txt", MANIFEST}


def test_a_place_that_cannot_be_written_is_named(small, tmp_path):
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(ExportError, match="can't be written"):
        export(small, "graphml", tmp_path / "file" / "graph.graphml", force=False)
