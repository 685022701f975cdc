"""Their Parquet files -> frames of the columns and types that they document."""

from pathlib import Path

import polars as pl

from graphrag_assets.errors import ImportedError
from graphrag_assets.exchange.microsoft.schemas import OPTIONAL, SCHEMAS

Tables = dict[str, pl.DataFrame]


def read_tables(folder: Path) -> Tables:
    """Read the tables of an index, from its `output` folder or the project above it.

    Raises ImportedError that names the file, and the column if one is missing or of another type;
    and if there is no text.
    """
    place = folder / "output" if (folder / "output").is_dir() else folder
    there = {path.stem for path in place.glob("*.parquet")}
    if missing := sorted(SCHEMAS.keys() - OPTIONAL - there):
        raise ImportedError(
            f"`{place}` isn't an index of Microsoft GraphRAG 3: it has no "
            f"{', '.join(f'{name}.parquet' for name in missing)}. "
            "Name the folder that `graphrag index` wrote (output)."
        )
    found = {name: _read(place / f"{name}.parquet") for name in SCHEMAS if name in there}
    if found["text_units"].is_empty():
        raise ImportedError(f"`{place}` holds no text units: there is nothing to ask.")
    return found | {name: _empty(name) for name in OPTIONAL - there}


def _empty(name: str) -> pl.DataFrame:
    found = pl.from_arrow(SCHEMAS[name].empty_table())
    assert isinstance(found, pl.DataFrame)
    return found


def _read(path: Path) -> pl.DataFrame:
    wanted = _empty(path.stem).schema
    try:
        rows = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise ImportedError(f"`{path}` can't be read: {error}") from error
    if missing := [name for name in wanted if name not in rows.columns]:
        old = " (graphrag 2 and older wrote others)" if "document_ids" in rows.columns else ""
        raise ImportedError(
            f"`{path}` has no column {', '.join(missing)}: graphrag 3 writes them{old}."
        )
    try:
        return rows.select(_typed(name, rows.schema[name], wanted[name]) for name in wanted)
    except pl.exceptions.PolarsError as error:
        raise ImportedError(f"`{path}` has a column of another type: {error}") from error


def _typed(name: str, dtype: pl.DataType, wanted: pl.DataType) -> pl.Expr:
    """Return a column in its documented type; a struct (raw_data) as JSON."""
    column = pl.col(name)
    if isinstance(dtype, pl.Struct) and wanted == pl.String:
        return column.struct.json_encode()
    if isinstance(wanted, pl.List) and dtype == pl.String:
        raise pl.exceptions.SchemaError(f"`{name}` is text, not a list")
    return column.cast(wanted)
