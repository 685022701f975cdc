"""Fixtures: a store, a project read by a scripted model, the sample indexed once."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from graphrag_assets import cli
from graphrag_assets.layout import fitting
from graphrag_assets.models import client
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.project import Project
from graphrag_assets.prompts import shipped
from graphrag_assets.query import Index
from graphrag_assets.store import Store
from pipeline import index_once, run_job
from small_corpus import reader, write_project


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch):
    for name in list(os.environ):
        if name.startswith("GRAPHRAG"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session", autouse=True)
def _umap_in_this_process() -> Iterator[None]:
    """Import UMAP once, not once for each index; test_isolated tests the process of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitting, "isolated", lambda work: work())
        yield


@pytest.fixture(scope="session")
def _empty_database(tmp_path_factory) -> Path:
    store = Store(tmp_path_factory.mktemp("empty"), Path())
    with store.connect(read_only=False):
        return store.work


@pytest.fixture
def store(tmp_path, _empty_database) -> Store:
    """Return a store whose tables are empty."""
    found = Store(tmp_path / "index", tmp_path / "graphrag.duckdb")
    return _with(_empty_database, found)


def _with(database: Path, store: Store) -> Store:
    store.work.parent.mkdir(parents=True)
    shutil.copyfile(database, store.work)
    return store


@pytest.fixture
def script(monkeypatch) -> ScriptedTransport:
    """Return the model that every project opened in this test will ask."""
    scripted = reader()
    monkeypatch.setattr(client, "LitellmTransport", lambda: scripted)
    return scripted


@pytest.fixture
def project(tmp_path, script, _empty_database) -> Project:
    """Return a project of six documents, read by the scripted model, not indexed yet."""
    found = Project.open(write_project(tmp_path / "project"))
    _with(_empty_database, found.store)
    return found


@pytest.fixture(scope="session")
def small_job(tmp_path_factory) -> Iterator[tuple[Project, dg.ExecuteInProcessResult]]:
    """Return the project of six documents and the run of Dagster's job that indexed it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "LitellmTransport", reader)
        found = Project.open(write_project(tmp_path_factory.mktemp("small")))
        result = run_job(found.root)
    yield found, result
    found.models.close()


@pytest.fixture(scope="session")
def small_index(small_job) -> Project:
    """Return the project of six documents, indexed once: to be read, not changed."""
    return small_job[0]


@pytest.fixture
def indexed(small_index, tmp_path, script) -> Project:
    """Return a copy of the project of six documents, indexed once, to be changed."""
    return Project.open(shutil.copytree(small_index.root, tmp_path / "indexed"))


@pytest.fixture(scope="session")
def sample_root(tmp_path_factory) -> Path:
    """Return a folder with the English sample, indexed once by the embedded provider."""
    root = tmp_path_factory.mktemp("sample")
    shutil.copyfile(shipped() / "settings.toml", root / "settings.toml")
    shutil.copytree(shipped() / "data" / "sample" / "en", root / "data" / "sample" / "en")
    project = Project.open(root)
    index_once(project)
    project.models.close()
    return root


@pytest.fixture(scope="session")
def sample_index(sample_root) -> Iterator[Index]:
    """Return the published index of the English sample."""
    index = Index.open(sample_root)
    yield index
    index.close()


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Return a function that runs the command line here: exit code, output, errors."""
    monkeypatch.setenv("COLUMNS", "200")

    def run_it(*words, root=tmp_path):
        monkeypatch.setattr(sys, "argv", ["graphrag-assets", "--root", str(root), *words])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        said = capsys.readouterr()
        return stopped.value.code, said.out, said.err

    return run_it


@pytest.fixture
def published(small_index, script):
    """Return the folder of the index of six documents; the scripted model answers."""
    return small_index.root
