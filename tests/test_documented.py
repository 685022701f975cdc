"""Every command and every piece of Python in README and docs works on the sample."""

import shutil
import sys
from pathlib import Path

import pytest

from documented import commands, pages, python
from graphrag_assets import cli
from graphrag_assets.cli.app import PARTIAL
from graphrag_assets.exchange.importing import import_microsoft
from graphrag_assets.project import Project
from graphrag_assets.query import Index
from pipeline import index_once

ROOT = Path(__file__).parent.parent
THEIRS = Path(__file__).parent / "microsoft_index"
STAY = {"ui", "serve"}  # they run until they are stopped; their own tests start them
PAGES = pages(ROOT)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def reader_folder(sample_root, tmp_path_factory):
    """Return the folder of somebody who follows the docs: the sample, in its third version."""
    root = Path(shutil.copytree(sample_root, tmp_path_factory.mktemp("docs") / "my-corpus"))
    document = next(iter(sorted((root / "data" / "sample" / "en").iterdir())))
    text = document.read_text("utf-8")
    for version in (None, text):
        document.unlink() if version is None else document.write_text(version, encoding="utf-8")
        project = Project.open(root)
        index_once(project)
        project.models.close()
    shutil.copytree(THEIRS, root / "theirs")  # an index of Microsoft's graphrag
    import_microsoft(Project.open(root / "imported"), THEIRS)
    return root


@pytest.fixture
def here(reader_folder, monkeypatch):
    """Be in that folder."""
    monkeypatch.chdir(reader_folder)
    return reader_folder


def real(word: str, root: Path) -> str:
    """Return what a reader would put in the place of an example."""
    if word in {"E12ab34cd", "ID"}:
        index = Index.open(root)
        try:
            return "E" + str(index.sql("SELECT id FROM entities ORDER BY id")["id"][0])[:8]
        finally:
            index.close()
    return word


@pytest.mark.parametrize(
    ("page", "words"),
    [
        pytest.param(page, words, id=f"{page.name}: {' '.join(words)[:60]}")
        for page in PAGES
        for words in commands(page)
    ],
)
def test_commands_work(here, monkeypatch, capsys, page, words):
    words = [real(word, here) for word in words]
    words = [*words[:1], "--help"] if words[0] in STAY else words
    monkeypatch.setattr(sys, "argv", ["graphrag-assets", *words])
    with pytest.raises(SystemExit) as stopped:
        cli.main()

    partial = {PARTIAL} if "import" in words else set()  # theirs lacks reports
    assert stopped.value.code in {0, None} | partial, capsys.readouterr().err
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("page", "code"),
    [
        pytest.param(page, code, id=f"{page.name} {place}")
        for page in PAGES
        for place, code in enumerate(python(page))
    ],
)
def test_python_works(here, capsys, page, code):
    exec(compile(code, page.name, "exec"), {})

    assert capsys.readouterr().out


def test_the_readme_tells_what_to_type():
    told = {words[0] for words in commands(ROOT / "README.md")}

    assert {"init", "index", "ask", "sql"} <= told
    assert python(ROOT / "README.md")
