"""Points and texts -> blocks of the page: compressed columns, so that a page stays small.

A block is gzip in base64. What needs no text (places, homes, colours) is one binary block of
typed arrays; titles come with it; what is read only on a click waits in blocks of its own.
"""

import base64
import gzip
import json

import numpy as np
import polars as pl

from graphrag_assets.atlas.points import Points
from graphrag_assets.atlas.texts import Texts

ALIGNMENT = 8


def blocks(points: Points, texts: Texts, head: dict[str, object]) -> dict[str, str]:
    """Return the blocks of a page by name; `head` is what the page says about itself."""
    frame, communities = points.frame, points.communities
    types = frame["type"].unique(maintain_order=True)
    columns = {
        "x": frame["x"].to_numpy().astype("<f4"),
        "y": frame["y"].to_numpy().astype("<f4"),
        "size": frame["size"].to_numpy().astype("<f4"),
        "short": _short(frame["id"]),
        "type": _places_in(frame["type"], types),
        "homes": points.homes.astype("<u4").ravel(),
        "source": points.lines["source"].to_numpy().astype("<u4"),
        "target": points.lines["target"].to_numpy().astype("<u4"),
        "weight": points.lines["weight"].to_numpy().astype("<f4"),
        "cx": communities["x"].to_numpy().astype("<f4"),
        "cy": communities["y"].to_numpy().astype("<f4"),
        "hue": communities["hue"].to_numpy().astype("<f4"),
        "tone": communities["tone"].to_numpy().astype("<u4"),
        "level": communities["level"].to_numpy().astype("<u4"),
        "members": communities["size"].to_numpy().astype("<u4"),
        "parent": communities["parent"].to_numpy().astype("<u4"),
        "total": texts.places["total"].fill_null(0).to_numpy().astype("<u4"),
        "place_ends": _ends(texts.places["places"]),
        "places": _flat(texts.places["places"]),
    }
    binary, where = _joined(columns)
    names = {
        "head": head | {"levels": len(points.homes), "arrays": where},
        "titles": frame["title"].to_list(),
        "types": types.to_list(),
        "communities": communities["title"].to_list(),
        "community_ids": communities["id"].str.slice(0, 8).to_list(),
    }
    return {
        "arrays": _packed(binary),
        "names": _json(names),
        "about": _json({"points": texts.about.to_list(), "lines": texts.line_about.to_list()}),
        "reports": _json(_reports(texts)),
        "cited": _json(_cited(texts)),
        "passages": _json(
            texts.passages.select(
                "path", "title", "page", "start_char", "end_char", "text"
            ).to_dict(as_series=False)
        ),
    }


def _reports(texts: Texts) -> dict[str, list[object]]:
    shown = ("row", "summary", "rating", "rating_explanation", "status")
    findings = texts.reports["findings"].list.eval(
        pl.struct(pl.element().struct.field("summary"), pl.element().struct.field("explanation"))
    )
    return texts.reports.select(shown).with_columns(findings=findings).to_dict(as_series=False)


def _cited(texts: Texts) -> dict[str, list[object]]:
    shown = texts.cited.select("marker", "title", "about", "quote", "total", "places")
    return shown.to_dict(as_series=False)


def _short(ids: pl.Series) -> np.ndarray:
    """Return the first 32 bits of hexadecimal ids: enough to find what a report cites."""
    return (
        ids.str.slice(0, 8)
        .str.to_integer(base=16, strict=False)
        .fill_null(0)
        .to_numpy()
        .astype("<u4")
    )


def _places_in(values: pl.Series, distinct: pl.Series) -> np.ndarray:
    numbers = pl.Series(np.arange(len(distinct)), dtype=pl.UInt32)
    return values.replace_strict(distinct, numbers).to_numpy().astype("<u4")


def _ends(lists: pl.Series) -> np.ndarray:
    return lists.list.len().fill_null(0).cum_sum().to_numpy().astype("<u4")


def _flat(lists: pl.Series) -> np.ndarray:
    filled = lists.drop_nulls()
    return filled.filter(filled.list.len() > 0).explode().to_numpy().astype("<u4")


def _joined(columns: dict[str, np.ndarray]) -> tuple[bytes, dict[str, list[object]]]:
    """Return all columns as one string of bytes, and the type, offset and length of each."""
    parts: list[bytes] = []
    where: dict[str, list[object]] = {}
    offset = 0
    for name, column in columns.items():
        data = np.ascontiguousarray(column).tobytes()
        where[name] = [column.dtype.str[1:], offset, len(column)]
        padded = data + b"\0" * (-len(data) % ALIGNMENT)
        parts.append(padded)
        offset += len(padded)
    return b"".join(parts), where


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _packed(text.encode())


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, compresslevel=6, mtime=0)).decode()
