"""The docs say what is there: trees, generated pages, commands, settings."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from graphrag_assets.cli import app
from graphrag_assets.console import pages
from graphrag_assets.prompts import PROMPTS
from graphrag_assets.settings import Settings
from graphrag_assets.tables import TABLES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
UNLISTED = {".ci", ".git", ".gitignore", ".venv", "dist"}


def tree(text: str, title: str) -> set[str]:
    """Return the names of a page's tree: lines that begin with four spaces and a name."""
    block = text.partition(f"## {title}\n\n")[2].partition("\n\n")[0]
    return {line.split()[0].rstrip("/") for line in block.splitlines()}


def test_the_readme_lists_the_top():
    generated = {"graphrag_assets.egg-info", "uv.lock", "dist", "build"}
    top = {path.name for path in ROOT.iterdir() if not path.name.startswith((".", "__"))}

    assert tree(README, "What is where") == top - UNLISTED - generated


def test_the_architecture_lists_the_package():
    page = (ROOT / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    package = (ROOT / "graphrag_assets").iterdir()

    assert tree(page, "What is where in graphrag_assets/") == {
        path.name for path in package if not path.name.startswith("__")
    }


def test_the_readme_begins_with_two_commands_and_is_short():
    commands = [line.strip() for line in README.splitlines()[2:4]]

    assert [command.split("  ")[0] for command in commands] == ["make demo", "make ui"]
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize(
    "command",
    [command.name or command.callback.__name__ for command in app.registered_commands],
)
def test_every_command_is_documented(command):
    assert f"## `graphrag-assets {command}`" in (ROOT / "docs" / "CLI.md").read_text("utf-8")


def test_the_pages_of_tables_and_settings_are_those_of_the_code():
    assert (ROOT / "docs" / "TABLES.md").read_text("utf-8") == pages.tables_markdown()
    assert (ROOT / "docs" / "SETTINGS.md").read_text("utf-8") == pages.settings_markdown()


def test_the_page_of_commands_is_that_of_the_code(tmp_path):
    page = tmp_path / "CLI.md"
    command = ["graphrag_assets.cli", "utils", "docs", "--name", "graphrag-assets"]
    subprocess.run(
        [sys.executable, "-m", "typer", *command, "--output", str(page)], check=True, cwd=ROOT
    )

    assert (ROOT / "docs" / "CLI.md").read_text("utf-8") == page.read_text("utf-8")


def test_every_table_and_section_of_the_settings_is_explained():
    tables = (ROOT / "docs" / "TABLES.md").read_text("utf-8")
    settings = (ROOT / "docs" / "SETTINGS.md").read_text("utf-8")

    assert [table for table in TABLES if f"## {table}\n" not in tables] == []
    assert [name for name in Settings.model_fields if f"## {name}" not in settings] == []


def test_every_prompt_is_a_file_of_its_name():
    assert {path.stem for path in (ROOT / "prompts").glob("*.md")} == set(PROMPTS)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    local = [link for link in links if "://" not in link]

    assert [link for link in local if not (page.parent / link).exists()] == []


def test_the_decisions_are_all_listed():
    listed = (ROOT / "docs" / "adr" / "README.md").read_text("utf-8")
    pages = {path.name for path in (ROOT / "docs" / "adr").glob("0*.md")}

    assert {name for name in pages if f"({name})" not in listed} == set()
