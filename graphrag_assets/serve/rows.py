"""Rows of any statement, as JSON has them."""

import json
import math
from typing import Any

import polars as pl


def plain(rows: pl.DataFrame) -> list[list[Any]]:
    """Return rows as lists of what JSON knows; what it doesn't know becomes text."""
    return [[_plain(value) for value in row] for row in rows.iter_rows()]


def _plain(value: object) -> Any:  # noqa: ANN401
    """Return one value; NaN and infinity are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, list | dict):
        return json.loads(json.dumps(value, default=str), parse_constant=lambda _: None)
    return str(value)
