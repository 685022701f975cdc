"""store: the only door to DuckDB."""

import subprocess
import sys
import time

import dataframely as dy
import duckdb
import numpy as np
import polars as pl
import pytest

from graphrag_assets import store as stores
from graphrag_assets.errors import NoIndexError, NoVersionError, SqlError, TableError
from graphrag_assets.store import (
    append,
    connect,
    fingerprint,
    open_published,
    read_table,
    replace,
    select,
    sql,
    sql_files,
    validate,
)
from graphrag_assets.tables import TABLES, columns, keys, meaning, references
from table_rows import entity, vectors

EMBEDDINGS = [table for table in TABLES if table.endswith("_embeddings")]
SAMPLED = [table for table in TABLES if table not in EMBEDDINGS]


@pytest.fixture
def connection(store):
    with store.connect(read_only=False) as opened:
        yield opened


class TestTables:
    def test_all_of_the_dictionary_exist_with_their_columns_in_order(self, connection):
        there = {
            table: [row[0] for row in connection.execute(f'DESCRIBE "{table}"').fetchall()]
            for table in TABLES
        }

        assert there == {table: list(columns(table)) for table in TABLES}

    def test_say_what_they_and_their_columns_mean(self, connection):
        comments = dict(
            connection.execute("SELECT table_name, comment FROM duckdb_tables()").fetchall()
        )
        query = "SELECT comment FROM duckdb_columns() WHERE table_name = ? AND column_name = ?"
        ((linked,),) = connection.execute(query, ["text_units", "document_id"]).fetchall()

        told = {table: f"{meaning(table)} Key: {', '.join(keys(table))}." for table in TABLES}

        assert comments == told
        assert linked == "Document it is cut from. -> documents.id"

    def test_every_column_has_a_meaning_and_every_link_a_target(self):
        mute = [
            (table, name)
            for table in TABLES
            for name, column in columns(table).items()
            if not column.description
        ]
        dangling = [
            (table, column, target)
            for table in TABLES
            for column, target in references(table).items()
            if target[1] not in columns(target[0])
        ]

        assert mute == []
        assert dangling == []

    def test_a_column_that_must_have_a_value_is_not_null(self, connection):
        with pytest.raises(duckdb.ConstraintException, match="NOT NULL"):
            connection.execute("INSERT INTO entities (id) VALUES ('e')")

    def test_a_database_without_tables_reads_as_empty_ones(self, store):
        store.work.unlink()
        with duckdb.connect(str(store.work)):
            pass
        found = store.read("entities", "layout")

        assert {table: rows.height for table, rows in found.items()} == {"entities": 0, "layout": 0}
        assert found["entities"].schema == TABLES["entities"].create_empty().schema

    def test_types_are_those_of_duckdb(self, connection):
        """Pin what we lean on: the names DuckDB gives to Polars' types."""
        kinds = {
            row[0]: row[1] for row in connection.execute("DESCRIBE community_reports").fetchall()
        }
        made = connection.execute("DESCRIBE model_calls").fetchall()

        assert kinds["findings"] == (
            "STRUCT(summary VARCHAR, explanation VARCHAR, citations VARCHAR[])[]"
        )
        assert dict(row[:2] for row in made)["created_at"] == "TIMESTAMP WITH TIME ZONE"


class TestReplace:
    def test_merges_by_key_and_counts_what_it_touched(self, connection):
        replace(connection, "entities", entity("a", "b", "c"))
        changed = pl.concat([entity("a"), entity("b", title="Other"), entity("d")])

        assert replace(connection, "entities", changed) == {
            "inserted": 1,
            "updated": 1,
            "deleted": 1,
            "unchanged": 1,
        }
        assert read_table(connection, "entities").to_dicts() == changed.to_dicts()

    def test_touches_nothing_when_the_rows_are_equal(self, connection):
        rows = entity("a", "b")
        replace(connection, "entities", rows)

        assert replace(connection, "entities", rows.reverse()) == {
            "inserted": 0,
            "updated": 0,
            "deleted": 0,
            "unchanged": 2,
        }

    def test_of_a_table_of_keys_only_inserts_and_deletes(self, connection):
        rows = pl.DataFrame({"community_id": ["c", "c"], "entity_id": ["a", "b"]})
        replace(connection, "community_members", rows)

        assert replace(connection, "community_members", rows.head(1))["deleted"] == 1

    def test_tells_null_from_a_value(self, connection):
        rows = pl.DataFrame(
            [{"id": "c", "level": 0, "parent_id": None, "size": 1, "n_relationships": 0}]
        ).with_columns(born_in=1, event=pl.lit("new"), fingerprint=pl.lit("f"))
        replace(connection, "communities", rows)
        found = replace(connection, "communities", rows.with_columns(parent_id=pl.lit("p")))

        assert found["updated"] == 1

    def test_makes_the_table_anew_when_the_dimension_of_vectors_changes(self, connection):
        replace(connection, "entity_embeddings", vectors("a", "b", dimension=3))
        replace(connection, "entity_embeddings", vectors("a", dimension=4))
        kinds = dict(row[:2] for row in connection.execute("DESCRIBE entity_embeddings").fetchall())

        assert kinds["vector"] == "FLOAT[4]"
        assert read_table(connection, "entity_embeddings").height == 1

    def test_keeps_the_dimension_when_no_rows_are_left(self, connection):
        replace(connection, "entity_embeddings", vectors("a", dimension=3))
        replace(connection, "entity_embeddings", vectors("a", dimension=3).clear())

        assert read_table(connection, "entity_embeddings").schema["vector"] == pl.Array(
            pl.Float32, 3
        )

    def test_puts_the_rows_of_an_empty_table_in_the_order_of_its_key(self, connection):
        pairs = [("b", "2"), ("a", "9"), ("b", "1"), ("a", "10")]
        rows = [{"term": term, "text_unit_id": unit, "n": 1} for term, unit in pairs]
        replace(connection, "text_unit_terms", pl.DataFrame(rows))
        lying = connection.execute("SELECT term, text_unit_id FROM text_unit_terms ORDER BY rowid")

        assert lying.fetchall() == sorted(pairs)

    def test_puts_members_in_the_order_in_which_questions_look_for_them(self, connection):
        pairs = [("c1", "e2"), ("c2", "e1"), ("c1", "e1")]
        rows = [{"community_id": one, "entity_id": other} for one, other in pairs]
        replace(connection, "community_members", pl.DataFrame(rows))
        lying = connection.execute(
            "SELECT entity_id, community_id FROM community_members ORDER BY rowid"
        )

        assert lying.fetchall() == [("e1", "c1"), ("e1", "c2"), ("e2", "c1")]

    def test_keeps_vectors_to_the_last_bit(self, connection):
        rows = vectors("a", "b", dimension=384)
        replace(connection, "entity_embeddings", rows)
        found = read_table(connection, "entity_embeddings")

        assert np.array_equal(found["vector"].to_numpy(), rows["vector"].to_numpy())

    def test_refuses_rows_that_break_the_schema_and_names_the_rule(self, connection):
        with pytest.raises(TableError, match=r"(?s)Table `entities`: .*primary_key"):
            replace(connection, "entities", entity("a", "a"))
        with pytest.raises(TableError, match=r"(?s)Table `entities`: .*min_length"):
            replace(connection, "entities", entity("a", title=""))
        with pytest.raises(TableError, match=r"(?s)Table `entities`: .*degree"):
            replace(connection, "entities", entity("a").drop("degree"))

    def test_that_fails_leaves_the_table_as_it_was(self, store):
        with store.transaction() as connection:
            replace(connection, "entities", entity("a"))
            replace(connection, "entity_embeddings", vectors("a", dimension=3))

        def break_off():
            with store.transaction() as connection:
                replace(connection, "entities", entity("b"))
                replace(connection, "entity_embeddings", vectors("b", dimension=4))
                replace(connection, "entities", entity("b", title=""))

        with pytest.raises(TableError):
            break_off()
        found = store.read("entities", "entity_embeddings")

        assert {table: rows["id"].to_list() for table, rows in found.items()} == {
            "entities": ["a"],
            "entity_embeddings": ["a"],
        }

    @pytest.mark.parametrize("table", SAMPLED)
    def test_and_read_is_the_identity_for_any_rows(self, connection, table):
        rows = TABLES[table].sample(12, generator=dy.random.Generator(seed=7))
        replace(connection, table, rows)

        assert read_table(connection, table).to_dicts() == rows.sort(keys(table)).to_dicts()

    @pytest.mark.parametrize("table", EMBEDDINGS)
    def test_and_read_is_the_identity_for_vectors(self, connection, table):
        rows = validate(table, vectors("a", "b"))
        replace(connection, table, rows)

        assert read_table(connection, table).to_dicts() == rows.to_dicts()


class TestFingerprint:
    def test_is_that_of_the_content_whatever_the_order(self, store, tmp_path):
        rows = TABLES["claims"].sample(50, generator=dy.random.Generator(seed=1))
        orders = [rows, rows.reverse(), rows.sample(fraction=1, shuffle=True, seed=2)]
        found = set()
        for number, ordered in enumerate(orders):
            with connect(tmp_path / f"{number}.duckdb", read_only=False) as connection:
                for row in ordered.iter_slices(1):  # rows written at once are sorted
                    append(connection, "claims", row)
                found.add(fingerprint(connection, "claims"))

        assert len(found) == 1

    def test_changes_with_any_row(self, connection):
        found = [fingerprint(connection, "entities")]
        for rows in (entity("a"), entity("a", "b"), entity("a", title="Other")):
            replace(connection, "entities", rows)
            found.append(fingerprint(connection, "entities"))

        assert len(set(found)) == 4


class TestSelect:
    def test_takes_values_by_name(self, connection):
        found = select(connection, "SELECT $n + 1 AS n", n=1)

        assert found.to_dicts() == [{"n": 2}]

    def test_gives_times_in_utc(self, connection):
        found = select(connection, "SELECT TIMESTAMPTZ '2031-03-02 12:00:00+02' AS t")

        assert str(found["t"][0]) == "2031-03-02 10:00:00+00:00"

    def test_a_statement_without_rows_gives_none(self, connection):
        assert select(connection, "SET threads = 2").is_empty()

    @pytest.mark.parametrize(
        ("statement", "reason"),
        [("SELEC 1", "syntax error"), ("FROM nowhere", "nowhere"), ("SELECT 1 / 'x'", "x")],
    )
    def test_says_why_a_statement_is_refused(self, connection, statement, reason):
        with pytest.raises(SqlError, match=reason):
            select(connection, statement)


class TestPublish:
    @pytest.fixture
    def published(self, store):
        with store.transaction() as connection:
            replace(connection, "entities", entity("a"))
        store.publish(1)
        return store

    def test_makes_the_version_current_under_one_name(self, published):
        version = published.published()

        assert version == published.versions / "0001.duckdb"
        assert published.current.samefile(version)

    def test_leaves_no_partial_file(self, published):
        published.publish(2)
        files = {path.name for path in published.current.parent.rglob("*") if path.is_file()}

        assert files == {"index.duckdb", "0001.duckdb", "0002.duckdb", "graphrag.duckdb"}

    def test_a_reader_keeps_the_version_it_opened(self, published):
        reader = open_published(published.published())
        with published.transaction() as connection:
            replace(connection, "entities", entity("a", "b"))
        published.publish(2)
        newer = open_published(published.published())
        counts = [
            one.execute("SELECT count(*) FROM entities").fetchall()[0][0] for one in (reader, newer)
        ]
        reader.close()
        newer.close()

        assert counts == [1, 2]

    def test_copies_where_the_file_system_has_no_hard_links(self, published, monkeypatch):
        def refuse(self, target):
            raise OSError(1, "no hard links here")

        monkeypatch.setattr("pathlib.Path.hardlink_to", refuse)
        published.publish(2)

        assert not published.current.samefile(published.published())
        assert published.current.read_bytes() == published.published().read_bytes()

    def test_a_publication_that_breaks_off_leaves_the_old_version(self, published, monkeypatch):
        before = published.current.read_bytes()

        def full(source, target):
            target.write_bytes(source.read_bytes()[:100])
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(stores.shutil, "copyfile", full)
        with pytest.raises(OSError, match="No space left"):
            published.publish(2)

        assert published.published().name == "0001.duckdb"
        assert published.current.read_bytes() == before
        assert [path.name for path in published.versions.iterdir()] == ["0001.duckdb"]

    def test_what_a_killed_publication_left_is_cleared_away(self, published):
        (published.versions / "0002.4711.partial").write_bytes(b"half")
        (published.versions / "0001.arrays.4711.partial").mkdir()
        published.publish(2)

        assert not list(published.versions.glob("*.partial"))

    def test_forget_keeps_the_newest(self, published):
        for version in (2, 3, 4):
            published.publish(version)
        published.forget(2)

        assert [path.stem for path in sorted(published.versions.iterdir())] == ["0003", "0004"]
        assert published.published(3).stem == "0003"
        assert published.current.samefile(published.published(4))

    def test_a_version_that_is_not_there_is_an_error(self, store, published):
        with pytest.raises(NoVersionError, match=r"No version 7: it isn't kept\. Kept are 1:"):
            published.published(7)

    def test_a_version_that_goes_while_it_is_opened_gives_way_to_a_newer_one(self, published):
        def slow(path):
            if path.stem == "0001":
                published.publish(2)
                published.forget(1)
            return open_published(path)

        published.opened(slow).close()
        with pytest.raises(NoVersionError, match="Kept are 2"):
            published.opened(open_published, 1)

    def test_a_file_that_cannot_be_opened_is_not_asked_for_again(self, published):
        published.published().write_bytes(b"no database")
        with pytest.raises(NoIndexError):
            published.opened(open_published)

    def test_without_any_version_the_way_out_is_named(self, store):
        with pytest.raises(NoIndexError, match="graphrag-assets index"):
            store.published()


class TestReading:
    @pytest.fixture
    def reader(self, store):
        with store.transaction() as connection:
            replace(connection, "entities", entity("a"))
        store.publish(1)
        opened = open_published(store.published())
        yield opened
        opened.close()

    @pytest.mark.parametrize(
        "statement",
        [
            "DELETE FROM entities",
            "CREATE TABLE mine (x INTEGER)",
            "DROP TABLE entities",
            "UPDATE entities SET title = 'x'",
        ],
    )
    def test_a_version_cannot_be_written(self, reader, statement):
        with pytest.raises(SqlError, match="read-only"):
            select(reader, statement)

    @pytest.mark.parametrize(
        "statement",
        [
            "FROM read_csv('{file}')",
            "FROM read_text('{file}')",
            "FROM '{file}'",
            "FROM glob('{folder}/*')",
            "COPY entities TO '{file}'",
            "ATTACH '{folder}/other.duckdb'",
            "FROM read_csv('https://example.org/x.csv')",
            "EXPORT DATABASE '{folder}/export'",
            "INSTALL fts",
            "LOAD fts",
            "SET enable_external_access = true",
            "SET lock_configuration = false",
            "RESET enable_external_access",
        ],
    )
    def test_sql_reaches_neither_files_nor_network(self, reader, tmp_path, statement):
        secret = tmp_path / "secret.csv"
        secret.write_text("word\nhush\n", encoding="utf-8")
        with pytest.raises(SqlError):
            select(reader, statement.format(file=secret, folder=tmp_path))

        assert secret.read_text("utf-8") == "word\nhush\n"
        assert {path.name for path in tmp_path.iterdir()} == {
            "secret.csv",
            "index",
            "graphrag.duckdb",
        }

    def test_a_version_may_be_opened_many_times(self, reader, store):
        again = open_published(store.published())
        found = [
            select(one, "SELECT count(*) AS n FROM entities")["n"][0] for one in (reader, again)
        ]
        again.close()

        assert found == [1, 1]

    def test_sql_does_not_see_variables_of_this_program(self, reader):
        hidden = pl.DataFrame({"password": ["hush"]})

        with pytest.raises(SqlError, match="hidden"):
            select(reader, "FROM hidden")
        assert hidden.height == 1


class TestLock:
    HOLD = (
        "import duckdb, sys, time; c = duckdb.connect(sys.argv[1]); print('held', flush=True);"
        " time.sleep(0.4); c.close()"
    )

    @pytest.fixture
    def held(self, store):
        command = [sys.executable, "-c", self.HOLD, str(store.work)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            yield
            process.wait()

    @pytest.mark.parametrize("read_only", [True, False])
    def test_of_another_process_is_waited_for(self, store, held, read_only):
        start = time.monotonic()
        with store.connect(read_only=read_only) as connection:
            there = select(connection, "SELECT count(*) AS n FROM entities")

        assert there["n"].to_list() == [0]
        assert time.monotonic() - start > 0.2

    def test_is_not_waited_for_without_end(self, store, held, monkeypatch):
        monkeypatch.setattr(stores, "LOCK_TIMEOUT", 0.1)

        with pytest.raises(duckdb.IOException, match="lock"), store.connect(read_only=True):
            pass


class TestStatements:
    def test_are_files(self):
        assert "FROM relationships" in sql("graph_edges")
        assert "community_levels" in sql_files("views")


def test_the_file_is_readable_by_older_duckdb(store):
    """Pin what we lean on: the storage version that DuckDB 1.5 reads."""
    with store.connect(read_only=False) as connection:
        found = connection.execute("SELECT tags FROM duckdb_databases()").fetchall()

    assert "v1.5" in str(found)
