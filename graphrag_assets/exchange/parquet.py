"""Every published table as it is, vectors too: one Parquet file each, zstd."""

from pathlib import Path

from graphrag_assets.query.reader import Reader
from graphrag_assets.tables import TABLES


def write(reader: Reader, folder: Path) -> None:
    """Write TABLE.parquet for each table of a version."""
    for table in TABLES:
        reader.rows(f'FROM "{table}"').write_parquet(
            folder / f"{table}.parquet", compression="zstd"
        )
