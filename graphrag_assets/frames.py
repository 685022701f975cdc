"""Frames on their way into DuckDB and out of it, in little memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

PIECE = 8_000_000  # bytes


@dataclass(frozen=True, eq=False)
class Incoming:
    """A frame as DuckDB takes it; frames as such it takes by pyarrow, 25 MB of libraries."""

    rows: pl.DataFrame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows by the Arrow PyCapsule interface."""
        return self.rows.__arrow_c_stream__(requested_schema)


def taken(relation: Any) -> pl.DataFrame:  # noqa: ANN401 - DuckDB's, which only store.py knows
    """Return the rows of a relation of DuckDB's, times in UTC; its own pl() imports pyarrow."""
    frame = pl.DataFrame(relation)
    dates = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Datetime)]
    return frame.with_columns(pl.col(name).dt.convert_time_zone("UTC") for name in dates)


def in_order(rows: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return the rows in the order of some columns: the frame itself where they stand in it."""
    places = _places(rows, columns)
    return rows if (places.diff().drop_nulls() == 1).all() else rows[places]


def pieces_in_order(rows: pl.DataFrame, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield the rows in the order of some columns, without a second copy of all of them."""
    places = _places(rows, columns)
    size = max(1, rows.height * PIECE // max(1, int(rows.estimated_size())))
    for start in range(0, rows.height, size):
        yield rows[places[start : start + size]]


def _places(rows: pl.DataFrame, columns: Sequence[str]) -> pl.Series:
    """Return where the rows stand that come first, second and so on."""
    return rows.select(pl.arg_sort_by(*columns)).to_series()
