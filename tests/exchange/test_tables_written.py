"""parquet, jsonl, spreadsheet: every published table, as it is."""

import csv
import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from graphrag_assets.exchange.export import export
from graphrag_assets.exchange.spreadsheet import safe_csv
from graphrag_assets.tables import TABLES


@pytest.fixture
def out(tmp_path):
    """Return the folder to write to."""
    return tmp_path / "out"


def records(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("which", ["small", "hostile"])
def test_parquet_holds_every_table_with_its_types(request, out, which):
    reader = request.getfixturevalue(which)
    export(reader, "parquet", out, force=False)

    for table in TABLES:
        assert_frame_equal(
            pl.read_parquet(out / f"{table}.parquet"), reader.rows(f'FROM "{table}"')
        )


def test_parquet_keeps_vectors_as_arrays_of_one_length(small, out):
    export(small, "parquet", out, force=False)
    vectors = pl.read_parquet(out / "entity_embeddings.parquet")["vector"]

    assert isinstance(vectors.dtype, pl.Array)
    assert len(vectors) == small.rows("FROM entities").height


@pytest.mark.parametrize("which", ["small", "hostile"])
def test_json_lines_have_one_object_a_line_whoever_splits_them(request, out, which):
    reader = request.getfixturevalue(which)
    export(reader, "jsonl", out, force=False)

    for table in TABLES:
        text = (out / f"{table}.jsonl").read_text("utf-8")
        rows = reader.rows(f'FROM "{table}"')
        assert len(text.splitlines()) == rows.height  # at U+2028, U+2029 and U+0085 too
        assert all(isinstance(json.loads(line), dict) for line in text.splitlines())
    titles = reader.rows("SELECT title FROM entities")["title"].to_list()
    lines = (out / "entities.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["title"] for line in lines] == titles


def test_no_cell_of_a_csv_file_begins_as_a_formula_does(hostile, out):
    export(hostile, "csv", out, force=False)
    rows = records(out / "entities.csv")
    titles = hostile.rows("SELECT title FROM entities")["title"].to_list()

    assert [row["title"].removeprefix("'") for row in rows] == titles
    assert all(not cell.startswith(tuple("=+-@\t\r\n")) for row in rows for cell in row.values())
    assert [row["title"] for row in rows if row["title"].startswith("'")] == [
        *("'=HYPERLINK(0)", "'+1", "'-1", "'@SUM(A1)", "'\ttab", "'\rreturn")
    ]


def test_csv_follows_rfc_4180_and_nested_columns_are_json(small, out):
    export(small, "csv", out, force=False)
    raw = (out / "community_reports.csv").read_bytes()
    rows = records(out / "community_reports.csv")
    reports = small.rows("FROM community_reports").to_dicts()

    assert raw.endswith(b"\r\n")
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert [json.loads(row["findings"]) for row in rows] == [r["findings"] for r in reports]
    vectors = records(out / "entity_embeddings.csv")
    assert json.loads(vectors[0]["vector"]) == pytest.approx(
        small.rows("FROM entity_embeddings")["vector"][0].to_list()
    )


def test_negative_numbers_stay_numbers(small, out):
    export(small, "csv", out, force=False)
    places = [float(row["x"]) for row in records(out / "layout.csv")]

    assert places == pytest.approx(small.rows("FROM layout")["x"].to_list())


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=20))
def test_a_safe_text_is_the_text_or_the_text_behind_an_apostrophe(texts):
    safe = safe_csv(pl.DataFrame({"text": texts}, schema={"text": pl.String}))["text"].to_list()

    for text, cell in zip(texts, safe, strict=True):
        assert cell in {text, f"'{text}"}
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
