"""Frames go into DuckDB and come out of it as they are, in order, without pyarrow."""

import subprocess
import sys

import duckdb
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from graphrag_assets import frames
from graphrag_assets.frames import Incoming, in_order, pieces_in_order, taken

ROWS = pl.DataFrame(
    {"id": ["b", "a", "c"], "vector": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "n": [1, None, 3]},
    schema={"id": pl.String, "vector": pl.Array(pl.Float32, 2), "n": pl.Int64},
)
SCRIPT = """
import sys
import duckdb, polars as pl
from graphrag_assets.frames import Incoming, taken
incoming = Incoming(pl.DataFrame({"a": [1]}))
assert taken(duckdb.connect().sql("FROM incoming")).rows() == [(1,)]
print("pyarrow.lib" in sys.modules)
"""


def test_what_went_in_comes_out():
    incoming = Incoming(ROWS)  # noqa: F841 - DuckDB finds it by its name

    assert_frame_equal(taken(duckdb.connect().sql("FROM incoming")), ROWS)


def test_times_come_out_in_utc():
    found = taken(duckdb.connect().sql("SELECT now() AS at"))

    assert found.schema == {"at": pl.Datetime("us", "UTC")}


def test_neither_way_needs_pyarrow():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "False"


def test_a_frame_in_order_is_not_copied():
    ordered = ROWS.sort("id")

    assert in_order(ordered, ["id"]) is ordered


@given(st.lists(st.tuples(st.text(max_size=3), st.integers(0, 5)), max_size=30))
def test_rows_come_in_the_order_of_the_columns(pairs):
    rows = pl.DataFrame(pairs, schema={"a": pl.String, "b": pl.Int64}, orient="row")

    assert in_order(rows, ["b", "a"]).rows() == sorted(pairs, key=lambda pair: pair[::-1])


def test_pieces_are_small_and_together_the_whole_in_order(monkeypatch):
    monkeypatch.setattr(frames, "PIECE", ROWS.estimated_size() // 2)

    pieces = list(pieces_in_order(ROWS, ["id"]))

    assert [piece.height for piece in pieces] == [1, 1, 1]
    assert_frame_equal(pl.concat(pieces), ROWS.sort("id"))


def test_an_empty_frame_has_no_pieces():
    assert list(pieces_in_order(ROWS.clear(), ["id"])) == []
