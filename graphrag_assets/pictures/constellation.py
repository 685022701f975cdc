"""The map as one still picture: pixels for points and lines, real text for names.

A browser sets the names, in whatever script they are, and keeps them sharp.
"""

import base64
import textwrap
import unicodedata
from xml.sax.saxutils import escape

import numpy as np
import polars as pl

from graphrag_assets.pictures.colours import hues, on_dark, tones
from graphrag_assets.pictures.raster import Floats, Rows, picture, webp

SIZE = (1040, 780)
MARGIN = 60
MOST_LINES = 20_000
MOST_LABELS = 60
ALONE = np.array([120.0, 130.0, 145.0])  # the colour of what is in no community
Box = tuple[float, float, float, float]


def draw_map(points: pl.DataFrame, lines: pl.DataFrame, labels: pl.DataFrame) -> str:
    """Return the picture as SVG.

    points: id, x, y, size, community_id; lines: source_id, target_id; labels: community_id, x, y,
    n, title, the largest community first.
    """
    places = points.select("x", "y").to_numpy()
    scale, shift = _frame(places)
    colours = _colours(points)
    ends = _ends(points, lines)
    home = points["community_id"].to_numpy()
    same = home[ends[:, 0]] == home[ends[:, 1]]
    pixels = picture(
        size=SIZE,
        xy=places * scale + shift,
        radii=_radii(points["size"].to_numpy().astype(float)),
        colours=colours,
        lines=ends,
        shine=np.where(same, 0.45, 0.06) * min(1.0, (2000 / max(len(ends), 1)) ** 0.5),
    )
    embedded = base64.b64encode(webp(pixels)).decode()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE[0]} {SIZE[1]}"'
        f' width="{SIZE[0]}" height="{SIZE[1]}" role="img">'
        f'<image width="{SIZE[0]}" height="{SIZE[1]}" href="data:image/webp;base64,{embedded}"/>'
        f"{''.join(_labels(labels, scale, shift))}</svg>"
    )


def _frame(places: Floats) -> tuple[Floats, Floats]:
    """Return scale and shift (2,) that bring nearly all places into the picture, y upwards."""
    low, high = np.quantile(places, 0.002, axis=0), np.quantile(places, 0.998, axis=0)
    room = np.array(SIZE) - 2 * MARGIN
    scale = (room / np.maximum(high - low, 1e-9)).min()
    if not np.isfinite(scale) or (high - low).max() < 1e-9:  # noqa: PLR2004 - all in one place
        scale = 1.0
    factors = np.array([scale, -scale])
    return factors, np.array(SIZE) / 2 - (low + high) / 2 * factors


def _radii(sizes: Floats) -> Floats:
    least = min(6.0, max(1.0, 12 / len(sizes) ** 0.25))
    return np.asarray(least * (1 + 2 * np.sqrt(sizes / max(sizes.max(), 1))))


def _colours(points: pl.DataFrame) -> Floats:
    middles = (
        points.drop_nulls("community_id")
        .group_by("community_id")
        .agg(pl.col("x", "y").median())
        .sort("community_id")
    )
    hue = hues(middles.select("x", "y").to_numpy())
    named = middles.select("community_id").with_columns(
        pl.Series("colour", on_dark(hue, tones(hue)), dtype=pl.List(pl.Float64))
    )
    found = points.select("community_id").join(
        named, on="community_id", how="left", maintain_order="left"
    )
    return np.stack(found["colour"].fill_null(ALONE.tolist()).to_list())


def _ends(points: pl.DataFrame, lines: pl.DataFrame) -> Rows:
    """Return the rows of both ends of each line, as far as both have a place."""
    rows = points.select("id").with_row_index("row")
    found = lines.join(rows.select(source_id="id", one="row"), on="source_id").join(
        rows.select(target_id="id", other="row"), on="target_id"
    )
    return found.select("one", "other").to_numpy().astype(np.int64).reshape(-1, 2)


def _labels(labels: pl.DataFrame, scale: Floats, shift: Floats) -> list[str]:
    """Place names by size of community, none over another."""
    largest = max(labels["n"].to_list(), default=1)
    taken: list[Box] = []
    drawn = []
    for x, y, n, title in labels.select("x", "y", "n", "title").iter_rows():
        pixels = 13 + 10 * (n / largest) ** 0.5
        lines = textwrap.wrap(title, 24, max_lines=3, placeholder=" …")
        left, top = np.array([x, y]) * scale + shift
        wide = max(map(_em, lines), default=0) * pixels
        high = len(lines) * pixels * 1.15
        left = float(np.clip(left, wide / 2 + 8, SIZE[0] - wide / 2 - 8))
        box = (left - wide / 2, top - high / 2, left + wide / 2, top + high / 2)
        if lines and not any(_overlap(box, other) for other in taken):
            taken.append(box)
            drawn.append(_text(lines, left, box[1], pixels))
    return drawn


def _em(line: str) -> float:
    """Return about how wide a line is, in its font size; full-width characters count double."""
    return sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.58 for c in line)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _text(lines: list[str], middle: float, top: float, pixels: float) -> str:
    spans = "".join(
        f'<tspan x="{middle:.0f}" y="{top + (i + 0.85) * pixels * 1.15:.0f}">{escape(line)}</tspan>'
        for i, line in enumerate(lines)
    )
    return (
        f'<text text-anchor="middle" font-family="system-ui, sans-serif" font-weight="700"'
        f' font-size="{pixels:.0f}" fill="#f2f5f9" stroke="#0d1117" stroke-width="4"'
        f' stroke-linejoin="round" paint-order="stroke">{spans}</text>'
    )
