"""An index of six documents, to be asked with a model that each test scripts."""

import pytest

from graphrag_assets.models import client
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.project import Project
from graphrag_assets.query import Index
from pipeline import index_once
from small_corpus import reader, reply_to, write_project


@pytest.fixture
def ask_with(small_index, monkeypatch):
    """Return a function that opens the index with a model of its own: index, script."""
    opened = []

    def open_it(default=reply_to, **settings):
        script = ScriptedTransport(default)
        monkeypatch.setattr(client, "LitellmTransport", lambda: script)
        monkeypatch.setenv("GRAPHRAG__STORE__MEMO", "sqlite://")
        for key, value in settings.items():
            monkeypatch.setenv(f"GRAPHRAG__QUERY__{key.upper()}", str(value))
        opened.append(Index.open(small_index.root))
        return opened[-1], script

    yield open_it
    for index in opened:
        index.close()


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """Return the index of a document without any names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "LitellmTransport", reader)
        root = write_project(tmp_path_factory.mktemp("nothing"), {"a.txt": "it rained."})
        index_once(Project.open(root))
        index = Index.open(root)
    yield index
    index.close()
