"""microsoft: an index that their code made becomes a version that answers."""

import shutil
from pathlib import Path

import polars as pl
import pytest

from graphrag_assets.assets.publication import CONTENTS
from graphrag_assets.context import cited
from graphrag_assets.errors import ImportedError
from graphrag_assets.exchange.export import export
from graphrag_assets.exchange.importing import import_microsoft
from graphrag_assets.exchange.microsoft.index import read_index
from graphrag_assets.project import Project
from graphrag_assets.query import Index
from graphrag_assets.query.lineage import trace
from graphrag_assets.query.reader import Reader
from graphrag_assets.run import run_index
from graphrag_assets.settings import Settings
from graphrag_assets.store import validate
from graphrag_assets.tables import TABLES
from small_corpus import SETTINGS, write_project

THEIRS = Path(__file__).parent.parent / "microsoft_index"  # made by graphrag 3.3 on the sample
SAMPLE = Path(__file__).parent.parent.parent / "data" / "sample" / "en"


@pytest.fixture
def empty(tmp_path, script) -> Project:
    """Return a project without files, whose models answer by rule."""
    return Project.open(write_project(tmp_path / "imported", {}, settings=SETTINGS))


@pytest.fixture
def theirs(tmp_path) -> Path:
    """Return a copy of their index, to be changed."""
    return shutil.copytree(THEIRS, tmp_path / "theirs")


@pytest.fixture
def change(theirs):
    """Return a function that changes one of their tables."""

    def change_it(name, change):
        path = theirs / f"{name}.parquet"
        change(pl.read_parquet(path)).write_parquet(path)
        return theirs

    return change_it


def read(project, *tables):
    rows = project.store.read(*tables)
    return rows[tables[0]] if len(tables) == 1 else [rows[table] for table in tables]


def test_everything_of_theirs_is_there(empty):
    imported = import_microsoft(empty, THEIRS)
    counts = {path.stem: pl.read_parquet(path).height for path in THEIRS.glob("*.parquet")}
    found = empty.store.read(*CONTENTS)

    assert imported.version == 1
    for name in ("documents", "text_units", "entities"):
        assert found[name].height == counts[name]
    assert set(pl.read_parquet(THEIRS / "entities.parquet")["title"]) == set(
        found["entities"]["title"]
    )
    assert found["claims"].height > 0
    assert found["layout"].height == found["entities"].height + found["documents"].height


def test_text_units_stand_where_their_text_stands(empty):
    import_microsoft(empty, THEIRS)
    documents, units = read(empty, "documents", "text_units")
    texts = dict(documents.select("id", "text").iter_rows())
    theirs = {t.strip("\ufffd") for t in pl.read_parquet(THEIRS / "text_units.parquet")["text"]}

    for row in units.to_dicts():
        assert row["text"] == texts[row["document_id"]][row["start_char"] : row["end_char"]]
        assert row["text"] in theirs
    sample = {path.read_text("utf-8").strip() for path in SAMPLE.glob("*.md")}
    assert {text.strip() for text in texts.values()} <= sample


def test_questions_are_answered_from_it_with_passages(empty):
    import_microsoft(empty, THEIRS)
    index = Index.open(empty.root)
    answers = {
        method: index.ask("Who is Mara Ellison?", method=method)
        for method in ("local", "global", "basic")
    }
    index.close()

    for answer in answers.values():
        assert answer.status == "ok"
        assert answer.citations
        assert any(citation.passages for citation in answer.citations)


def test_what_a_report_cites_leads_to_passages(empty):
    import_microsoft(empty, THEIRS)
    reader = Reader(empty.store.published())
    text = reader.rows("SELECT full_content FROM community_reports WHERE status = 'ok'")
    markers = cited("\n".join(text["full_content"]))
    passages = [trace(reader, marker).passages for marker in markers]
    reader.close()

    assert markers
    assert "[Data:" not in "".join(text["full_content"])
    assert all(rows.height > 0 for rows in passages)


def test_entities_of_no_community_get_one_and_a_report_that_says_it_is_missing(empty):
    import_microsoft(empty, THEIRS)
    communities = pl.read_parquet(THEIRS / "communities.parquet")
    covered = set(communities["entity_ids"].explode())
    entities = set(pl.read_parquet(THEIRS / "entities.parquet")["id"])
    reports = read(empty, "community_reports")
    missing = reports.filter(pl.col("status") == "missing")

    assert entities - covered
    assert missing.height == reports.height - communities.height > 0
    assert set(missing["full_content"]) == {""}
    assert missing["reason"].str.contains("has no report").all()


def test_importing_again_changes_nothing(empty):
    first = import_microsoft(empty, THEIRS)
    before = empty.store.read(*CONTENTS)
    again = import_microsoft(empty, THEIRS)
    after = empty.store.read(*CONTENTS)

    assert again.version == first.version == 1
    assert [name for name in CONTENTS if not before[name].equals(after[name])] == []


def test_a_newer_index_is_the_next_version_and_says_what_changed(empty, change):
    import_microsoft(empty, THEIRS)
    gone = pl.read_parquet(THEIRS / "entities.parquet")["title"][0]
    folder = change("entities", lambda rows: rows.filter(pl.col("title") != gone))
    imported = import_microsoft(empty, folder)
    changes = read(empty, "index_changes").filter(pl.col("version") == 2)

    assert imported.version == 2
    assert changes.filter(kind="entity", change="removed")["title"].to_list() == [gone]


def test_our_export_comes_back_as_it_was(empty, small_index, tmp_path):
    reader = Reader(small_index.store.published())
    export(reader, "graphrag", tmp_path / "out", force=False)
    reader.close()
    imported = import_microsoft(empty, tmp_path / "out")
    same = ("title", "type", "description", "n_mentions", "n_documents", "degree")
    before, after = (read(p, "entities").select(same).sort("title") for p in (small_index, empty))

    assert imported.notes == ()
    assert before.equals(after)
    for name, columns in {
        "relationships": ["weight", "strength", "n_mentions", "description"],
        "claims": ["type", "status", "description", "quote"],
        "communities": ["level", "size", "n_relationships"],
        "community_reports": ["level", "title", "rating", "status"],
        "text_units": ["text", "n_tokens", "start_char", "end_char"],
    }.items():
        one, other = (read(p, name).select(columns).sort(columns) for p in (small_index, empty))
        assert one.equals(other), name


def test_a_text_unit_in_other_words_takes_those_of_its_document(empty, change):
    def reworded(rows):
        text = pl.col("text")
        first = pl.col("human_readable_id") == 0
        return rows.with_columns(
            pl.when(first).then("source: a.txt.\n" + text).otherwise(text).alias("text")
        )

    imported = import_microsoft(empty, change("text_units", reworded))

    assert any(note.startswith("1 text units stand") for note in imported.notes)
    assert not read(empty, "text_units")["text"].str.contains("source: a.txt").any()


def test_a_text_unit_that_stands_nowhere_becomes_a_document(empty, change):
    def strange(rows):
        first = pl.col("human_readable_id") == 0
        return rows.with_columns(
            text=pl.when(first).then(pl.lit("Something else entirely.")).otherwise("text")
        )

    imported = import_microsoft(empty, change("text_units", strange))
    added = read(empty, "documents").filter(pl.col("text") == "Something else entirely.")

    assert any("each became one" in note for note in imported.notes)
    assert added["record"].to_list() == ["text unit 0"]


def test_what_hangs_in_the_air_is_left_out_and_counted(empty, change):
    change("relationships", lambda rows: rows.with_columns(target=pl.lit("NOBODY")))
    folder = change("entities", lambda rows: rows.with_columns(text_unit_ids=pl.lit(["nowhere"])))
    imported = import_microsoft(empty, folder)
    entities, relationships = read(empty, "entities", "relationships")

    assert relationships.is_empty()
    assert entities["n_mentions"].to_list() == [0] * entities.height
    assert any("relationships were left out" in note for note in imported.notes)


def test_of_two_communities_of_a_level_the_newest_counts(empty, change):
    def updated(rows):  # as `graphrag update` leaves them
        newest = rows["community"].max() + 1
        twin = rows.filter(pl.col("level") == 0).head(1)
        return pl.concat(
            [rows, twin.with_columns(community=pl.lit(newest, pl.Int64), id=pl.lit("twin"))]
        )

    import_microsoft(empty, change("communities", updated))  # the check that blocks holds
    members = read(empty, "community_members")

    assert members.height > 0


@pytest.mark.parametrize(
    "lost",
    [
        {"communities", "community_reports"},
        {"relationships", "communities", "community_reports"},
        {"entities", "relationships", "communities", "community_reports", "covariates"},
        {"documents"},
    ],
    ids=lambda lost: "+".join(sorted(lost)),
)
def test_tables_that_are_empty_leave_rows_that_fit(theirs, lost):
    for name in lost:
        path = theirs / f"{name}.parquet"
        pl.read_parquet(path).clear().write_parquet(path)
    previous = {name: TABLES[name].create_empty() for name in ("communities", "community_reports")}
    index = read_index(theirs, Settings(), previous=previous, version=1, recipe="imported")
    members = index.tables["community_members"]["entity_id"]

    for name, rows in index.tables.items():
        assert validate(name, rows).height == rows.height
    assert set(members) == set(index.tables["entities"]["id"])


class TestRefused:
    def test_an_index_without_text_says_so(self, empty, change):
        with pytest.raises(ImportedError, match="holds no text units"):
            import_microsoft(empty, change("text_units", lambda rows: rows.clear()))

    def test_a_folder_that_is_no_index_names_what_it_lacks(self, empty, tmp_path):
        with pytest.raises(ImportedError, match=r"has no communities\.parquet, .*output"):
            import_microsoft(empty, tmp_path)

    def test_an_index_of_graphrag_2_names_the_column(self, empty, change):
        folder = change("text_units", lambda rows: rows.rename({"document_id": "document_ids"}))
        with pytest.raises(ImportedError, match=r"no column document_id.*graphrag 2"):
            import_microsoft(empty, folder)

    def test_a_column_of_another_type_is_named(self, empty, change):
        folder = change("entities", lambda rows: rows.with_columns(text_unit_ids=pl.lit("a")))
        with pytest.raises(ImportedError, match="text_unit_ids"):
            import_microsoft(empty, folder)

    def test_a_file_that_is_no_parquet_is_named(self, empty, theirs):
        (theirs / "entities.parquet").write_text("nothing", encoding="utf-8")
        with pytest.raises(ImportedError, match=r"entities\.parquet.*can't be read"):
            import_microsoft(empty, theirs)

    def test_a_root_with_an_index_of_files_stays_as_it_is(self, indexed):
        before = indexed.store.read("entities")["entities"]
        with pytest.raises(ImportedError, match="--root FOLDER import"):
            import_microsoft(indexed, THEIRS)

        assert indexed.store.read("entities")["entities"].equals(before)

    def test_an_imported_index_is_not_mixed_with_files(self, empty):
        import_microsoft(empty, THEIRS)
        write_project(empty.root)
        with pytest.raises(ImportedError, match="This index was imported"):
            run_index(empty.root, empty.progress)
