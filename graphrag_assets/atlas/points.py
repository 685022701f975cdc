"""What stands on the map: points, the communities they are in, the lines between them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from graphrag_assets.errors import NoMapError
from graphrag_assets.pictures.colours import hues, tones
from graphrag_assets.query.reader import Reader

MOST_LINES = 60_000  # relationships drawn, the heaviest; more are a fog, and a slow one
NOWHERE = 0xFFFFFFFF

Indices = npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Points:
    """Things with a place, the most connected first."""

    kind: str  # entity or document
    frame: pl.DataFrame  # id, title, type, about, size, x, y
    homes: Indices  # (levels, n) the community's row, or NOWHERE
    communities: pl.DataFrame  # communities on the map with reports, x, y, hue, tone, parent
    lines: pl.DataFrame  # source, target (rows of frame), weight, about
    n_lines: int  # relationships in the index
    unplaced: int  # things without a place


def read_points(reader: Reader, kind: str) -> Points:
    """Return the map of entities or documents; raise NoMapError where nothing has a place."""
    everything = reader.ask("map/entities" if kind == "entity" else "map/documents")
    frame = everything.drop_nulls("x")
    if frame.is_empty():
        raise NoMapError(kind, everything.height)
    rows = frame.select("id").with_row_index("row")
    found = reader.ask(f"map/{kind}_homes")
    levels = int(found["level"].max()) + 1 if found.height else 1  # type: ignore[arg-type]
    placed = found.join(rows, on="id")
    communities = _centred(reader.ask("map/communities"), placed, frame)
    return Points(
        kind=kind,
        frame=frame,
        homes=_homes(placed, communities, (levels, frame.height)),
        communities=communities,
        lines=_lines(reader, rows) if kind == "entity" else _lines(reader, rows.clear()),
        n_lines=reader.rows("SELECT count(*) AS n FROM relationships")["n"][0],
        unplaced=everything.height - frame.height,
    )


def _centred(communities: pl.DataFrame, homes: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    """Give communities the middle of their members, a colour, and their parent's row."""
    middles = (
        homes.unique(["id", "community_id"])
        .join(frame.select("id", "x", "y"), on="id")
        .group_by("community_id")
        .agg(pl.col("x", "y").median(), shown=pl.len())
    )
    there = communities.join(
        middles, left_on="id", right_on="community_id", maintain_order="left"
    ).with_row_index("row")
    parents = there.select(parent_id="id", parent="row")
    there = there.join(parents, on="parent_id", how="left", maintain_order="left")
    hue = hues(there.select("x", "y").to_numpy())
    untitled = pl.format("Community {}", pl.col("id").str.slice(0, 8))
    return there.with_columns(
        pl.col("title").replace("", None).fill_null(untitled),
        pl.col("parent").fill_null(NOWHERE),
        hue=pl.Series(hue),
        tone=pl.Series(tones(hue)),
    )


def _homes(placed: pl.DataFrame, communities: pl.DataFrame, shape: tuple[int, int]) -> Indices:
    rows = communities.select(community_id="id", home="row")
    joined = placed.join(rows, on="community_id")
    homes = np.full(shape, NOWHERE, dtype=np.uint32)
    homes[joined["level"].to_numpy(), joined["row"].to_numpy()] = joined["home"].to_numpy()
    return homes


def _lines(reader: Reader, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the heaviest relationships whose ends both have a place."""
    return (
        reader.ask("map/relationships", most=MOST_LINES)
        .join(rows.select(source_id="id", source="row"), on="source_id", maintain_order="left")
        .join(rows.select(target_id="id", target="row"), on="target_id", maintain_order="left")
        .select("id", "source", "target", "weight", "about")
    )
