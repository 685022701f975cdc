"""publication: readers see one whole version, or the last one."""

import json
import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest

from graphrag_assets.assets.publication import CONTENTS, publish
from graphrag_assets.errors import UnpublishableError
from graphrag_assets.project import Project
from graphrag_assets.store import Store, fingerprint, open_published, replace, select
from graphrag_assets.versions import changes, roll_back
from pipeline import database_of
from small_corpus import write_project
from table_rows import put, rows_of, vectors

TEXT = "Ada Brook keeps the North Light."
ENTITIES = [
    {"id": "ada", "title": "Ada Brook", "description": "A keeper."},
    {"id": "light", "title": "North Light"},
]


@pytest.fixture(scope="module")
def full(tmp_path_factory) -> Path:
    """Return a working database that is filled."""
    project = Project.open(write_project(tmp_path_factory.mktemp("full")))
    fill(project)
    return project.store.work


@pytest.fixture
def filled(project, full) -> Project:
    """Return a project whose working tables are filled."""
    shutil.copyfile(full, project.store.work)
    return project


def fill(project: Project, entities: list[dict] = ENTITIES) -> None:
    """Make the working tables hold one document with these entities, as lawful tables do."""
    ids = [row["id"] for row in entities]
    unit = {"id": "unit", "document_id": "doc", "text": TEXT, "end_char": len(TEXT)}
    with project.store.transaction() as connection:
        put(
            connection,
            files=[{"path": "a.txt", "status": "indexed", "n_documents": 1}],
            documents=[{"id": "doc", "path": "a.txt", "title": "Light", "text": TEXT}],
            text_units=[unit],
            extractions=[{"text_unit_id": "unit", "status": "ok"}],
            entities=entities,
            communities=[{"id": "root"}],
            community_members=[{"community_id": "root", "entity_id": ref} for ref in ids],
            community_reports=[{"community_id": "root", "status": "ok", "full_content": "# R"}],
        )
        embedded = {
            "text_unit_embeddings": ["unit"],
            "document_embeddings": ["doc"],
            "entity_embeddings": ids,
            "report_embeddings": ["root"],
        }
        for table, refs in embedded.items():
            replace(connection, table, vectors(*refs))
        states = rows_of("asset_states", *(state(connection, table) for table in CONTENTS))
        replace(connection, "asset_states", states)


def state(connection, table: str) -> dict:
    return {"table": table, "fingerprint": fingerprint(connection, table), "inputs": "{}"}


def forget_edition(project: Project) -> None:
    """Make the last publication that of older code."""
    with project.store.transaction() as connection:
        connection.execute("UPDATE asset_states SET recipe = '1' WHERE \"table\" = 'index'")


def publish_it(project: Project, run_id: str = "run") -> dict:
    return publish(project, database_of(project), run_id)


def ask(project: Project, statement: str, version: int | None = None) -> list[dict]:
    connection = open_published(project.store.published(version))
    try:
        return select(connection, statement).to_dicts()
    finally:
        connection.close()


class TestVersions:
    def test_are_counted_from_one(self, filled):
        first = publish_it(filled, "run-1")
        fill(filled, ENTITIES[:1])
        second = publish_it(filled, "run-2")
        versions = ask(filled, "SELECT version, run_id, status FROM index_versions ORDER BY 1")

        assert first == {"version": 1, "published": True}
        assert second == {"version": 2, "published": True}
        assert versions == [
            {"version": 1, "run_id": "run-1", "status": "complete"},
            {"version": 2, "run_id": "run-2", "status": "complete"},
        ]

    def test_say_how_many_rows_each_table_has(self, filled):
        publish_it(filled)
        (version,) = ask(filled, "FROM index_versions")
        counts = json.loads(version["counts"])

        assert set(counts) == set(CONTENTS)
        assert (counts["entities"], counts["claims"]) == (2, 0)
        assert version["cost_usd"] == 0.0

    def test_are_partial_where_something_is_missing(self, filled):
        with filled.store.transaction() as connection:
            connection.execute(
                "UPDATE community_reports SET status = 'failed', full_content = '', reason = 'no'"
            )
            connection.execute("DELETE FROM report_embeddings")
        publish_it(filled)

        assert ask(filled, "SELECT status FROM index_versions") == [{"status": "partial"}]

    def test_of_an_unknown_price_have_an_unknown_cost(self, filled):
        calls = rows_of(
            "model_calls",
            {"id": "1", "run_id": "run", "cost_usd": 0.5},
            {"id": "2", "run_id": "run", "cost_usd": None},
        )
        with filled.store.transaction() as connection:
            replace(connection, "model_calls", calls)
        publish_it(filled)

        assert ask(filled, "SELECT cost_usd FROM index_versions") == [{"cost_usd": None}]

    def test_unchanged_tables_publish_nothing(self, filled):
        publish_it(filled)
        before = filled.store.current.stat()

        assert publish_it(filled) == {"version": 1, "published": False}
        assert filled.store.current.stat().st_ino == before.st_ino
        assert filled.store.current.stat().st_mtime_ns == before.st_mtime_ns

    def test_what_older_code_published_is_published_anew(self, filled):
        publish_it(filled)
        forget_edition(filled)

        assert publish_it(filled) == {"version": 2, "published": True}
        assert publish_it(filled) == {"version": 2, "published": False}

    def test_what_older_code_published_stays_where_it_was_rolled_back(self, filled):
        publish_it(filled)
        fill(filled, ENTITIES[:1])
        publish_it(filled)
        roll_back(filled, 1)
        forget_edition(filled)

        assert publish_it(filled) == {"version": 3, "published": False}
        assert count_in(filled.store) == 2

    def test_old_ones_are_forgotten_as_the_settings_say(self, project):
        for number in range(4):
            fill(project, [{**ENTITIES[0], "description": str(number)}])
            publish_it(project)

        assert [path.stem for path in sorted(project.store.versions.iterdir())] == [
            "0002",
            "0003",
            "0004",
        ]


class TestChanges:
    def test_of_the_first_version_are_all_added(self, filled):
        publish_it(filled)
        found = ask(filled, "SELECT kind, change, title FROM index_changes ORDER BY ALL")

        assert found == [
            {"kind": "community", "change": "added", "title": ""},
            {"kind": "document", "change": "added", "title": "Light"},
            {"kind": "entity", "change": "added", "title": "Ada Brook"},
            {"kind": "entity", "change": "added", "title": "North Light"},
            {"kind": "report", "change": "added", "title": ""},
        ]

    def test_tell_added_removed_and_changed_apart(self, filled):
        publish_it(filled)
        changed = {**ENTITIES[0], "description": "A keeper of lights."}
        fill(filled, [changed, {"id": "bell", "title": "Harbour Bell"}])
        publish_it(filled)
        found = ask(
            filled,
            "SELECT title, change FROM index_changes WHERE version = 2 ORDER BY title",
        )

        assert {row["title"]: row["change"] for row in found} == {
            "Ada Brook": "changed",
            "Harbour Bell": "added",
            "North Light": "removed",
        }

    def test_between_equal_contents_are_none(self):
        rows = pl.DataFrame(
            {"kind": ["entity"], "id": ["ada"], "title": ["Ada"], "content": [1]},
            schema_overrides={"content": pl.UInt64},
        )

        assert changes(rows, rows, 2).is_empty()
        assert changes(rows.clear(), rows.clear(), 1).is_empty()


class TestBrokenLaws:
    @pytest.fixture
    def broken(self, filled):
        publish_it(filled)
        fill(filled, [{**ENTITIES[0], "description": "Changed."}])
        with filled.store.transaction() as connection:
            connection.execute("DELETE FROM community_members")
        return filled

    def test_are_named_with_their_culprits(self, broken):
        with pytest.raises(UnpublishableError, match=r"(?s)exactly one community.*'ada'"):
            publish_it(broken)

    def test_leave_the_old_version_as_it_was(self, broken):
        with pytest.raises(UnpublishableError):
            publish_it(broken)

        assert ask(broken, "SELECT count(*) AS n FROM entities") == [{"n": 2}]
        assert broken.store.published().stem == "0001"
        with broken.store.connect(read_only=True) as connection:
            assert select(connection, "SELECT max(version) AS v FROM index_versions")["v"][0] == 1

    def test_once_mended_are_published_as_the_next_version(self, broken):
        with pytest.raises(UnpublishableError):
            publish_it(broken)
        fill(broken, ENTITIES[:1])

        assert publish_it(broken) == {"version": 2, "published": True}


class TestCrashes:
    """A run may die at any moment: the next one brings the version that it wrote."""

    def die(self, monkeypatch, name):
        def died(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr(name, died)

    @pytest.mark.parametrize(
        "name",
        [
            "graphrag_assets.store.Store.publish",
            "graphrag_assets.store.shutil.copyfile",
            "graphrag_assets.store._link",
        ],
    )
    def test_between_write_and_publication_are_repaired(self, filled, monkeypatch, name):
        publish_it(filled)
        fill(filled, ENTITIES[:1])
        with monkeypatch.context() as patch:
            self.die(patch, name)
            with pytest.raises(KeyboardInterrupt):
                publish_it(filled)
        old = count_in(filled.store)
        publish_it(filled)

        assert old == 2
        assert count_in(filled.store) == 1
        assert ask(filled, "SELECT max(version) AS v FROM index_versions") == [{"v": 2}]

    def test_before_the_write_is_committed_leave_no_trace(self, filled, monkeypatch):
        with monkeypatch.context() as patch:
            self.die(patch, "graphrag_assets.assets.publication.save_states")
            with pytest.raises(KeyboardInterrupt):
                publish_it(filled)
        publish_it(filled)

        assert ask(filled, "SELECT version FROM index_versions") == [{"version": 1}]

    def test_a_current_file_that_was_deleted_is_made_again(self, filled):
        publish_it(filled)
        filled.store.current.unlink()
        publish_it(filled)

        assert count_in(filled.store) == 2


def count_in(store: Store) -> int:
    """Return how many entities the current file holds."""
    with duckdb.connect(str(store.current), read_only=True) as connection:
        return connection.execute("SELECT count(*) FROM entities").fetchall()[0][0]
