"""Every published table as CSV (RFC 4180, UTF-8, no BOM), safe to open in a spreadsheet.

A text that a spreadsheet would run as a formula is preceded by an apostrophe (OWASP, "CSV
Injection"). Lists, structs and vectors are JSON; NULL is an empty cell, an empty text is "".
"""

from pathlib import Path

import polars as pl

from graphrag_assets.query.reader import Reader
from graphrag_assets.tables import TABLES

FORMULA = r"^[=+\-@\t\r\n＝＋－＠]"


def write(reader: Reader, folder: Path) -> None:
    """Write TABLE.csv for each table of a version."""
    for table in TABLES:
        write_rows(_flat(reader, table), folder / f"{table}.csv")


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """Write rows as CSV, their texts made safe."""
    safe_csv(rows).write_csv(path, line_terminator="\r\n", quote_style="necessary")


def safe_csv(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows whose texts no spreadsheet runs as a formula."""
    text = pl.col(pl.String)
    return rows.with_columns(
        pl.when(text.str.contains(FORMULA)).then(pl.lit("'") + text).otherwise(text).name.keep()
    )


def _flat(reader: Reader, table: str) -> pl.DataFrame:
    """Return a table with its nested columns as JSON."""
    kinds = reader.rows(f'SELECT * FROM "{table}" LIMIT 0').schema
    nested = [name for name, dtype in kinds.items() if dtype.is_nested()]
    as_json = ", ".join(
        f'to_json("{name}"::{"FLOAT[]" if name == "vector" else "JSON"})::VARCHAR AS "{name}"'
        for name in nested
    )
    changed = f" REPLACE ({as_json})" if nested else ""
    return reader.rows(f'SELECT *{changed} FROM "{table}"')
