"""Vectors -> places on a two-dimensional map that stays where it was.

UMAP (McInnes, Healy and Melville 2018) over the nearest neighbours by cosine. What has a place
keeps it; what is new goes where its neighbours stand. Only when more than a fifth was placed that
way is the map fitted again, and then turned onto the old one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from graphrag_assets.layout.fitting import TINY, fit_all
from graphrag_assets.layout.neighbours import Points
from graphrag_assets.layout.placing import place

Bools: TypeAlias = npt.NDArray[np.bool_]

REFIT_ABOVE = 0.2  # share of points that were placed, not fitted, since the last fit


@dataclass(frozen=True, eq=False)
class Layout:
    """Places in the order of the keys."""

    positions: Points  # (n, 2) finite
    fitted: Bools  # (n,) False: placed into an existing map
    note: str  # the path taken: kept, placed or fitted, and how many


@dataclass(frozen=True, eq=False)
class Map:
    """What a map is drawn of."""

    keys: list[str]  # (n,)
    vectors: Points  # (n, d)
    previous: pl.DataFrame | None = None  # id, x, y and, if there, fitted: the map as it was


@dataclass(frozen=True, eq=False)
class _Draft:
    """A map in the order of its keys, before anything is placed."""

    order: npt.NDArray[np.intp]  # (n,) from the caller's order
    old: Points  # (n, 2) NaN where there was no place
    fitted: Bools  # (n,)
    usable: Bools  # (n,) the vector has a direction
    unique: Points  # (u, d) the distinct directions
    twin: npt.NDArray[np.intp]  # (usable,) which one a point has

    @property
    def known(self) -> Bools:
        """Which usable points (usable,) have a place."""
        known: Bools = ~np.isnan(self.old[self.usable].sum(axis=1))
        return known

    @property
    def placed(self) -> Bools:
        """Which usable points (usable,) are, or would be, placed rather than fitted."""
        placed: Bools = ~(self.known & self.fitted[self.usable])
        return placed

    @property
    def is_kept(self) -> bool:
        """Whether nothing is new."""
        return bool(self.known.all()) and len(self.known) > 0

    @property
    def needs_fit(self) -> bool:
        """Whether the map has to be laid out from nothing."""
        enough = self.placed.sum() > REFIT_ABOVE * len(self.known)
        return not self.is_kept and (len(self.unique) in TINY or bool(enough))


def lay_out(
    keys: list[str],
    vectors: npt.NDArray[np.float32],
    *,
    neighbors: int,
    min_distance: float,
    seed: int,
    previous: pl.DataFrame | None,
) -> Layout:
    """Lay out one map, as `lay_out_all` does."""
    drawn = Map(keys, vectors, previous)
    return lay_out_all([drawn], neighbors=neighbors, min_distance=min_distance, seed=seed)[0]


def lay_out_all(
    maps: Sequence[Map], *, neighbors: int, min_distance: float, seed: int
) -> list[Layout]:
    """Give each key (n,) with its vector (n, d) a place on its map, deterministic under the seed.

    Maps that have to be fitted are fitted by one process of its own. Equal vectors share a place.
    A vector of NaN, infinity or zeros only is nobody's neighbour: it waits below the map.

    Raises:
        ValueError: keys twice, as many vectors as keys missing, or fewer than 2 neighbours.
    """
    for drawn in maps:
        _check(drawn.keys, drawn.vectors, neighbors)
    settings = _Settings(neighbors=neighbors, min_distance=min_distance, seed=seed)
    drafts = [_draft(drawn) for drawn in maps]
    fresh = [draft.unique for draft in drafts if draft.needs_fit]
    fits = iter(fit_all(fresh, neighbors=neighbors, min_distance=min_distance, seed=seed))
    return [_finished(d, next(fits) if d.needs_fit else None, settings) for d in drafts]


@dataclass(frozen=True)
class _Settings:
    neighbors: int
    min_distance: float
    seed: int


def _draft(drawn: Map) -> _Draft:
    order = np.argsort(np.array(drawn.keys, dtype=np.str_))
    old, fitted = _known([drawn.keys[i] for i in order], drawn.previous)
    rows, usable = _directions(drawn.vectors[order])
    unique, twin = _distinct(rows if usable.all() else rows[usable])
    return _Draft(order=order, old=old, fitted=fitted, usable=usable, unique=unique, twin=twin)


def _finished(draft: _Draft, fit: Points | None, settings: _Settings) -> Layout:
    """Put together what was kept, placed and fitted; fit (u, 2) are the places of the distinct."""
    places, placed, note = _places(draft, fit, settings)
    positions = draft.old.copy()
    vague = ~draft.usable & np.isnan(draft.old).any(axis=1)
    positions[draft.usable] = places
    positions[vague] = _below(positions[~vague], int(vague.sum()))
    result = np.empty_like(positions)
    result[draft.order] = positions
    was_fitted = np.ones(len(draft.order), dtype=bool)
    was_fitted[draft.order[draft.usable]] = ~placed
    return Layout(positions=result, fitted=was_fitted, note=note)


def _check(keys: list[str], vectors: npt.NDArray[np.float32], neighbors: int) -> None:
    if len(set(keys)) < len(keys):
        twice = next(k for i, k in enumerate(keys) if k in keys[:i])
        raise ValueError(f"Key `{twice}` stands there more than once.")
    if vectors.ndim != 2 or len(vectors) != len(keys):  # noqa: PLR2004 - rows and columns
        raise ValueError(f"{len(keys)} keys need as many rows of vectors, not {vectors.shape}.")
    if neighbors < 2:  # noqa: PLR2004 - a point is its own first neighbour
        raise ValueError(f"neighbors is {neighbors}; it must be 2 or more.")


def _known(keys: list[str], previous: pl.DataFrame | None) -> tuple[Points, Bools]:
    """Return the former places (n, 2), NaN where there was none, and if they were fitted (n,)."""
    nowhere = pl.DataFrame(schema={"id": pl.String, "x": pl.Float32, "y": pl.Float32})
    before = nowhere if previous is None or previous.is_empty() else previous
    if "fitted" not in before.columns:
        before = before.with_columns(fitted=pl.lit(value=True))
    places = pl.DataFrame({"id": keys}, schema={"id": pl.String}).join(
        before.unique("id", keep="first", maintain_order=True),
        on="id",
        how="left",
        maintain_order="left",
    )
    xy = places.select(pl.col("x", "y").cast(pl.Float32).fill_null(float("nan"))).to_numpy()
    return np.array(xy, dtype=np.float32), places.get_column("fitted").fill_null(
        value=False
    ).to_numpy()


def _directions(vectors: npt.NDArray[np.float32]) -> tuple[Points, Bools]:
    """Scale rows (n, d) to length 1, where they stand, for cosine's order; and which can be."""
    rows = vectors.astype(np.float32, copy=False)
    rows += 0  # no -0, which would make equal rows differ
    finite = np.isfinite(rows).all(axis=1)
    rows[~finite] = 0
    largest = np.maximum(rows.max(axis=1, initial=0), -rows.min(axis=1, initial=0))[:, None]
    np.divide(rows, largest, out=rows, where=largest > 0)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    np.divide(rows, length, out=rows, where=length > 0)
    return rows, finite & (length[:, 0] > 0)


def _distinct(rows: Points) -> tuple[Points, npt.NDArray[np.intp]]:
    """Return the distinct rows (u, d) in order of appearance, and which one each row is (n,)."""
    _, first, twin = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    rows = rows if len(first) == len(rows) else rows[np.sort(first)]
    return rows, np.argsort(np.argsort(first))[twin.ravel()]


def _places(draft: _Draft, fit: Points | None, settings: _Settings) -> tuple[Points, Bools, str]:
    """Return places (usable, 2), which of them were placed into the map, and a note."""
    old, known, n = draft.old[draft.usable], draft.known, len(draft.known)
    if draft.is_kept:
        return old, draft.placed, f"kept: {n}"
    if fit is not None:
        return _turned_onto(fit[draft.twin], old, known), np.zeros(n, dtype=bool), f"fitted: {n}"
    start = np.full((len(draft.unique), 2), np.nan, dtype=np.float32)
    start[draft.twin[known][::-1]] = old[known][::-1]  # of several twins, the first one stays
    found = place(
        draft.unique,
        start,
        neighbors=settings.neighbors,
        min_distance=settings.min_distance,
        seed=settings.seed,
    )
    places = np.where(known[:, None], old, found[draft.twin])
    return places, draft.placed, f"placed: {int((~known).sum())} of {n}"


def _turned_onto(places: Points, old: Points, known: Bools) -> Points:
    """Rotate, mirror and shift places (n, 2) onto the old ones where these are known (Procrustes).

    The scale stays UMAP's own, so that distances mean the same for points placed later.
    """
    if not known.any():
        return places
    mine, theirs = places[known].astype(np.float64), old[known].astype(np.float64)
    here, there = mine.mean(axis=0), theirs.mean(axis=0)
    left, _, right = np.linalg.svd((mine - here).T @ (theirs - there))
    turned: Points = ((places - here) @ (left @ right) + there).astype(np.float32)
    return turned


def _below(places: Points, n: int) -> Points:
    """Return n places in a row below the map."""
    if not len(places):
        return np.column_stack([np.arange(n), np.zeros(n)]).astype(np.float32)
    low = places.min(axis=0)
    return np.column_stack([low[0] + np.arange(n), np.full(n, low[1] - 1)]).astype(np.float32)
