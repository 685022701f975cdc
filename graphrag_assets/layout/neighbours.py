"""The nearest neighbours of unit vectors, and how much each point belongs to its own."""

from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from graphrag_assets.isolated import isolated
from graphrag_assets.layout.umap_learn import approximate_neighbours

Indices: TypeAlias = npt.NDArray[np.int32]
Points: TypeAlias = npt.NDArray[np.float32]

EXACT_UP_TO = 60_000  # points: beyond, approximate neighbours (and their minute of compiling) pay
SIMILARITIES, ROWS = 16_000_000, 1024  # held at a time: 64 MB at most, less of a small map
SORTED = 64  # rows at a time: what sorts them is twice as large
HALVINGS = 64  # of the interval that a scale is looked for in
SMALLEST_SCALE = 1e-3  # of the mean distance: UMAP's own


def neighbours(unique: Points, k: int, *, seed: int) -> tuple[Indices, Points]:
    """Return the k nearest of each unit vector (u, d), itself first: indices, distances (u, k)."""
    if len(unique) > EXACT_UP_TO:
        return isolated(partial(approximate_neighbours, unique, k, seed=seed))
    return exact_neighbours(unique, len(unique), k)


def exact_neighbours(unique: Points, n: int, k: int) -> tuple[Indices, Points]:
    """Return the k nearest of the first n unit vectors among all, itself first: (n, k) each."""
    index = np.empty((n, k), dtype=np.int32)
    distance = np.empty((n, k), dtype=np.float32)
    step = max(1, min(ROWS, SIMILARITIES // len(unique)))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        index[rows], distance[rows] = _nearest(unique, rows, k)
    return index, distance


def _nearest(unique: Points, rows: slice, k: int) -> tuple[Indices, Points]:
    likeness = unique[rows] @ unique.T
    mine = np.arange(rows.start, rows.stop)
    likeness[np.arange(len(mine)), mine] = 2  # itself first, whatever rounding says
    found = np.concatenate(
        [_largest(likeness[i : i + SORTED], k) for i in range(0, len(mine), SORTED)]
    )
    close = np.take_along_axis(likeness, found, axis=1)
    order = np.lexsort((found, -close), axis=1)
    close = np.clip(np.take_along_axis(close, order, axis=1), -1, 1)
    return np.take_along_axis(found, order, axis=1), np.sqrt(2 - 2 * close)


def _largest(likeness: Points, k: int) -> Indices:
    """Return where the k largest of each row (n, u) are, (n, k) in no order."""
    return np.argpartition(likeness, -k, axis=1)[:, -k:].astype(np.int32)


def memberships(distance: Points) -> Points:
    """Return how much each point belongs to its k nearest, (n, k) in [0, 1], to itself 0.

    McInnes, Healy and Melville 2018, algorithms 2 and 3: exp(-(d - rho) / sigma) with rho the
    distance of the nearest and sigma such that the sum is log2(k). distance (n, k) ascends.
    """
    nearest = np.where(distance > 0, distance, np.inf).min(axis=1, initial=np.inf)
    nearest = np.where(np.isfinite(nearest), nearest, 0)
    beyond = np.maximum(distance - nearest[:, None], 0)
    overall = np.where(nearest > 0, distance.mean(axis=1), distance.mean())
    scale = np.maximum(_scales(beyond[:, 1:], np.log2(distance.shape[1])), SMALLEST_SCALE * overall)
    strength = np.exp(-np.divide(beyond, scale[:, None], where=beyond > 0, out=0 * beyond))
    strength[:, 0] = 0
    result: Points = strength.astype(np.float32)
    return result


def _scales(beyond: Points, target: float) -> npt.NDArray[np.float64]:
    """Return sigma (n,) such that the sum of exp(-beyond / sigma) over k is the target."""
    low, high = np.zeros(len(beyond)), np.full(len(beyond), np.inf)
    scale = np.ones(len(beyond))
    for _ in range(HALVINGS):
        large = np.exp(-beyond / scale[:, None]).sum(axis=1) > target
        high, low = np.where(large, scale, high), np.where(large, low, scale)
        scale = np.where(np.isinf(high), 2 * scale, (low + high) / 2)
    return scale
