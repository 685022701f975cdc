"""Rows of tables as tests need them: what matters is named, the rest is filled in."""

from datetime import UTC, datetime

import numpy as np
import polars as pl

from graphrag_assets.store import Connection, replace
from graphrag_assets.tables import TABLES


def rows_of(table: str, *rows: dict[str, object]) -> pl.DataFrame:
    """Return rows of a table; what they don't say is "", 0, [] or NULL."""
    empty = TABLES[table].create_empty()
    blank = {
        name: None if column.nullable else _blank(empty.schema[name])
        for name, column in TABLES[table].columns().items()
    }
    return pl.DataFrame([blank | row for row in rows], schema=empty.schema)


def put(connection: Connection, **tables: list[dict[str, object]]) -> None:
    """Make tables hold these rows."""
    for table, rows in tables.items():
        replace(connection, table, rows_of(table, *rows))


def entity(*ids: str, title: str = "Title") -> pl.DataFrame:
    """Return entities."""
    return rows_of("entities", *({"id": ref, "title": title, "types": ["person"]} for ref in ids))


def vectors(*ids: str, dimension: int = 3) -> pl.DataFrame:
    """Return one unlike vector per id."""
    matrix = np.random.default_rng(1).normal(size=(len(ids), dimension)).astype(np.float32)
    return pl.DataFrame(
        {"id": list(ids), "vector": matrix},
        schema={"id": pl.String, "vector": pl.Array(pl.Float32, dimension)},
    ).with_columns(model=pl.lit("scripted/words"))


def _blank(dtype: pl.DataType) -> object:
    if dtype.is_numeric():
        return 0
    if dtype == pl.Boolean:
        return False
    if dtype.is_temporal():
        return datetime(2031, 3, 2, tzinfo=UTC)
    return [] if dtype.is_nested() else ""
