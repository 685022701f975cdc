"""Which table has which picture."""

import base64
from pathlib import Path

import polars as pl

from graphrag_assets.pictures.charts import bar_chart
from graphrag_assets.pictures.constellation import MOST_LABELS, MOST_LINES, draw_map
from graphrag_assets.store import Connection, select, sql

TITLES = {
    "files": "Files by state",
    "text_units": "Text units by length",
    "extractions": "Text units by outcome of extraction",
    "entities": "Entities by number of relationships",
    "relationships": "Relationships by number of texts",
    "communities": "Communities by size, level by level",
    "community_reports": "Reports by rating",
    "layout": "The map of entities",
}
CHARTS = TITLES.keys() - {"layout"}


def picture_of(connection: Connection, table: str) -> str | None:
    """Return the picture of a table as SVG; None if it has none, or nothing to show."""
    if table == "layout":
        points = _rows(connection, "map_points")
        lines = _rows(connection, "map_lines", most=MOST_LINES)
        labels = _rows(connection, "map_labels", most=MOST_LABELS)
        return draw_map(points, lines, labels) if points.height else None
    if table in CHARTS:
        counts = _rows(connection, table)
        return bar_chart(counts) if counts["n"].sum() else None
    return None


def kept_picture(connection: Connection, table: str, folder: Path, *, fresh: bool) -> str | None:
    """Return a table's picture, drawn anew only if it is to be fresh; the last one lies in folder.

    A table that wasn't computed again still shows what it looks like, at no cost.
    """
    path = folder / f"{table}.svg"
    if not fresh and path.exists():
        return path.read_text("utf-8")
    drawn = picture_of(connection, table)
    if drawn:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    else:
        path.unlink(missing_ok=True)
    return drawn


def as_markdown(table: str, svg: str) -> str:
    """Return an image that needs nothing else, for Dagster's pages."""
    return (
        f"![{TITLES[table]}](data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()})"
    )


def _rows(connection: Connection, question: str, **values: object) -> pl.DataFrame:
    return select(connection, sql(f"pictures/{question}"), **values)
