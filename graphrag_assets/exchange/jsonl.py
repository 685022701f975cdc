"""Every published table as JSON Lines (jsonlines.org): one object a row, UTF-8.

Signs that only some readers take for the end of a line (U+2028, U+2029, U+0085) are escaped.
"""

from pathlib import Path

from graphrag_assets.query.reader import Reader
from graphrag_assets.tables import TABLES

LINE_ENDS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"}
ROWS = 10_000


def write(reader: Reader, folder: Path) -> None:
    """Write TABLE.jsonl for each table of a version."""
    for table in TABLES:
        rows = reader.rows(f'FROM "{table}"')
        with (folder / f"{table}.jsonl").open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(_one_line_each(part.write_ndjson()) for part in rows.iter_slices(ROWS))


def _one_line_each(text: str) -> str:
    for sign, escape in LINE_ENDS.items():
        text = text.replace(sign, escape)
    return text
