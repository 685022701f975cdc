"""graphrag-assets map."""

from typer.testing import CliRunner

from graphrag_assets.cli import app


def test_the_command_writes_a_page_and_says_what_is_on_it(sample_root, tmp_path):
    path = tmp_path / "new" / "map.html"
    done = CliRunner().invoke(app, ["--root", str(sample_root), "map", "--output", str(path)])

    assert done.exit_code == 0
    assert "entities in" in done.output
    assert path.read_text("utf-8").startswith("<!doctype html>")


def test_a_folder_is_no_file_to_write(sample_root, tmp_path):
    done = CliRunner().invoke(app, ["--root", str(sample_root), "map", "--output", str(tmp_path)])

    assert done.exit_code == 2
