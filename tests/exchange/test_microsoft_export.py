"""microsoft.export: tables as Microsoft's graphrag writes and reads them."""

import json
import re
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from graphrag_assets.exchange.export import export
from graphrag_assets.exchange.microsoft.schemas import SCHEMAS

THEIRS = Path(__file__).parent.parent / "microsoft_index"  # made by graphrag 3.3 on the sample


@pytest.fixture(scope="module")
def written(small_index, tmp_path_factory):
    """Return their tables of the six documents."""
    from graphrag_assets.query.reader import Reader

    folder = tmp_path_factory.mktemp("export") / "out"
    reader = Reader(small_index.store.published())
    export(reader, "graphrag", folder, force=False)
    reader.close()
    return {path.stem: pl.read_parquet(path) for path in folder.glob("*.parquet")}, folder


@pytest.mark.parametrize("name", SCHEMAS)
def test_columns_and_types_are_those_of_files_that_their_code_wrote(written, name):
    theirs = pq.read_schema(THEIRS / f"{name}.parquet")
    ours = pq.read_schema(written[1] / f"{name}.parquet")
    unknown = [field.name for field in theirs if pa.types.is_null(field.type)]

    assert ours.names == theirs.names
    assert [(f.name, str(f.type)) for f in ours if f.name not in unknown] == [
        (f.name, str(f.type)) for f in theirs if f.name not in unknown
    ]


def test_every_reference_leads_somewhere(written):
    tables, _ = written
    ids = {name: set(rows["id"]) for name, rows in tables.items()}
    titles = set(tables["entities"]["title"])
    lists = [
        ("documents", "text_unit_ids", "text_units"),
        ("text_units", "entity_ids", "entities"),
        ("text_units", "relationship_ids", "relationships"),
        ("text_units", "covariate_ids", "covariates"),
        ("entities", "text_unit_ids", "text_units"),
        ("relationships", "text_unit_ids", "text_units"),
        ("communities", "entity_ids", "entities"),
        ("communities", "relationship_ids", "relationships"),
        ("communities", "text_unit_ids", "text_units"),
    ]
    for table, column, other in lists:
        found = set(tables[table][column].explode().drop_nulls())
        assert found
        assert found <= ids[other]
    assert set(tables["text_units"]["document_id"]) <= ids["documents"]
    assert set(tables["relationships"]["source"]) <= titles
    assert set(tables["relationships"]["target"]) <= titles
    assert set(tables["covariates"]["subject_id"]) <= titles
    assert set(tables["covariates"]["object_id"]) <= titles | {"NONE"}


def test_titles_and_numbers_are_keys(written):
    for rows in written[0].values():
        assert rows["human_readable_id"].is_unique().all()
        assert rows["id"].is_unique().all()
    assert written[0]["entities"]["title"].is_unique().all()


def test_communities_are_numbered_from_the_root_down_and_know_their_children(written):
    rows = written[0]["communities"].sort("community").to_dicts()
    by_number = {row["community"]: row for row in rows}

    assert [row["community"] for row in rows] == list(range(len(rows)))
    assert [row["level"] for row in rows] == sorted(row["level"] for row in rows)
    for row in rows:
        assert (row["parent"] == -1) == (row["level"] == 0)
        assert row["size"] == len(row["entity_ids"])
        assert all(by_number[child]["parent"] == row["community"] for child in row["children"])
    assert {row["parent"] for row in rows} - {-1} == {
        row["community"] for row in rows if row["children"]
    }


def test_reports_cite_rows_by_number_as_theirs_do(written):
    tables, _ = written
    numbers = set(tables["entities"]["human_readable_id"])
    text = "\n".join(tables["community_reports"]["full_content"])
    cited = re.findall(r"\[Data: [^\]]*Entities \(([\d, ]+)\)", text)

    assert cited
    assert {int(number) for group in cited for number in group.split(",")} <= numbers
    assert not re.search(r"\[[ERCPT][0-9a-f]{6,}", text)


def test_a_report_stands_whole_in_its_json(written):
    for row in written[0]["community_reports"].to_dicts():
        whole = json.loads(row["full_content_json"])
        assert whole["findings"] == row["findings"]
        assert (whole["title"], whole["rating"]) == (row["title"], row["rank"])


def test_two_entities_of_one_title_get_two_titles(store, tmp_path):
    from graphrag_assets.query.reader import Reader
    from table_rows import put

    twins = [{"id": f"{n}" * 32, "title": "Alex Kim", "types": ["person"]} for n in (1, 2)]
    pair = {"id": "r", "source_id": twins[0]["id"], "target_id": twins[1]["id"]}
    with store.connect(read_only=False) as connection:
        put(connection, entities=twins, relationships=[pair])
    reader = Reader(store.publish(1))
    export(reader, "graphrag", tmp_path / "out", force=False)
    reader.close()
    row = pl.read_parquet(tmp_path / "out" / "relationships.parquet").to_dicts()[0]

    assert (row["source"], row["target"]) == ("Alex Kim (E11111111)", "Alex Kim (E22222222)")


def test_an_index_without_claims_has_no_covariates(hostile, tmp_path):
    export(hostile, "graphrag", tmp_path / "out", force=False)

    assert not (tmp_path / "out" / "covariates.parquet").exists()
    assert pl.read_parquet(tmp_path / "out" / "entities.parquet").height > 0
