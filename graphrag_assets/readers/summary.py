"""What became of a corpus, in few words: for the terminal and for Dagster."""

from collections import Counter
from typing import Any

import polars as pl

_ORDER = ("failed", "unreadable", "needs_ocr", "unsupported", "empty", "indexed", "duplicate")
_FIRST = "^same (?:bytes|text) as "
_NAMED = 10  # files that a summary names


def corpus_summary(files: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Count states, formats, encodings, reasons, and the copies of each file that has some."""
    copies = files.filter(pl.col("status") == "duplicate")
    others = files.filter(pl.col("status") != "duplicate")
    first = copies.select(pl.col("reason").str.replace(_FIRST, ""))
    return {
        "states": _counts(files["status"]),
        "formats": _counts(files["format"]),
        "encodings": _counts(files["encoding"]),
        "reasons": _counts(others["reason"]),
        "duplicates": _counts(first["reason"]),
    }


def summary_lines(files: pl.DataFrame) -> list[str]:
    """Return what isn't plain of a corpus, a line each; no lines if every file is just indexed."""
    said = files.filter(pl.col("reason").is_not_null() & (pl.col("status") != "duplicate"))
    counts = corpus_summary(files)
    if said.is_empty() and not counts["duplicates"]:
        return []
    order = said.sort(pl.col("status").cast(pl.Enum(_ORDER)), "path")
    lines = [f"files: {_listed(counts['states'])}", *map(_line, order.head(_NAMED).to_dicts())]
    rest = said.height - _NAMED
    return lines + (
        [f"and {rest} more: SELECT path, status, reason FROM files"] if rest > 0 else []
    )


def _counts(column: pl.Series) -> dict[str, int]:
    counted = Counter(value for value in column if value is not None)
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _line(row: dict[str, Any]) -> str:
    return f"{row['status']} {row['path']}: {row['reason']}"
