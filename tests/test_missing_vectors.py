"""A text that no model embeds is a row with a reason; the index is partial and complete later."""

import pytest

from graphrag_assets.errors import UnpublishableError
from graphrag_assets.models.faults import ProviderError
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.project import Project, silent
from graphrag_assets.query import Index
from graphrag_assets.query.browse import summary
from graphrag_assets.run import run_index
from small_corpus import SETTINGS, write_project

LENIENT = SETTINGS.replace("claims = true", "claims = true\nmax_failed = 0.2")
REASON = "json: unsupported value: NaN"


@pytest.fixture
def poisoned(tmp_path, script, monkeypatch):
    """Return a project, and the texts (parts of them) whose vectors break the server."""
    bad: list[str] = ["02-"]
    embed = ScriptedTransport.embed

    async def broken(self, ask):
        if any(part in text for part in bad for text in ask.texts):
            raise ProviderError("bad", REASON)
        return await embed(self, ask)

    monkeypatch.setattr(ScriptedTransport, "embed", broken)
    return tmp_path, bad


def unfinished(root):
    reader = Index.open(root).reader
    found = summary(reader)
    reader.close()
    return found["status"], [row for row in found["unfinished"] if row["kind"] == "vector"]


def test_the_run_goes_on_and_the_next_one_mends_it(poisoned):
    root, bad = poisoned
    write_project(root, settings=LENIENT)
    text = next(iter(sorted((root / "data/input").iterdir()))).read_text()
    bad[:] = [text[:40]]
    run_index(root, silent)
    status, rows = unfinished(root)
    assert status == "partial"
    assert {row["status"] for row in rows} == {"failed"}
    assert {row["reason"] for row in rows} == {REASON, "made of others that are missing"}

    bad.clear()
    run_index(root, silent)
    assert unfinished(root) == ("complete", [])
    with Project.open(root).store.connect(read_only=True) as connection:
        ((lacking,),) = connection.execute(
            "SELECT count(*) FROM text_units ANTI JOIN text_unit_embeddings USING (id)"
        ).fetchall()
    assert lacking == 0


def test_too_many_block_publication(poisoned):
    root, bad = poisoned
    write_project(root)
    bad[:] = [""]
    with pytest.raises(UnpublishableError, match="no vector"):
        run_index(root, silent)
