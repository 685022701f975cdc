"""New points on a map that stands: each goes where its neighbours stand closest together."""

import numpy as np
import numpy.typing as npt

from graphrag_assets.layout.neighbours import Indices, Points, exact_neighbours, memberships

ASIDE = 0.25  # of the minimum distance: how far from its spot a point stands, to cover none
FAINTEST = 1e-12  # a neighbour counts, however weak
PAIRS = 4_000_000  # of neighbours, held at a time


def place(
    unique: Points, start: Points, *, neighbors: int, min_distance: float, seed: int
) -> Points:
    """Return start (u, 2) with its NaN rows placed; all others stay. unique (u, d) unit vectors.

    In rounds: who has a neighbour with a place goes to the densest spot of these; islands that
    have none go to the rim.
    """
    new = np.flatnonzero(np.isnan(start).any(axis=1))
    if not len(new):
        return start
    order = np.concatenate([new, np.setdiff1d(np.arange(len(start)), new)])
    index, distance = exact_neighbours(unique[order], len(new), min(neighbors, len(unique)))
    weight = np.maximum(memberships(distance), FAINTEST)
    random = np.random.RandomState(seed)
    places = _in_rounds(start[order], index[:, 1:], weight[:, 1:])
    lost = np.isnan(places).any(axis=1)
    places[lost] = _rim(places[~lost], int(lost.sum()), random)
    places[: len(new)] += ASIDE * min_distance * _directions(len(new), random)
    result = np.empty_like(start)
    result[order] = places
    return result


def _in_rounds(start: Points, index: Indices, weight: Points) -> Points:
    """Place the first n rows of start (u, 2); index, weight (n, k) are their neighbours."""
    places = start.copy()
    while True:
        placed = ~np.isnan(places.sum(axis=1))
        ready = np.flatnonzero(~placed[: len(index)] & placed[index].any(axis=1))
        if not len(ready):
            return places
        step = max(1, PAIRS // index.shape[1] ** 2)
        parts = [ready[i : i + step] for i in range(0, len(ready), step)]
        spots = [_densest(places[index[part]], weight[part]) for part in parts]
        places[ready] = np.concatenate(spots)


def _densest(spots: Points, weight: Points) -> Points:
    """Return (n, 2) the densest spot of k places (n, k, 2), NaN where there is none.

    The neighbour around which most of the weight (n, k) stands, then one step of mean shift
    (Fukunaga and Hostetler 1975): the mean of all would be an empty middle where they stand in
    several groups.
    """
    there = ~np.isnan(spots.sum(axis=2))
    spots, weight = np.where(there[:, :, None], spots, 0), np.where(there, weight, 0)
    apart = np.square(spots[:, :, None] - spots[:, None]).sum(axis=3)
    pull = np.exp(-apart) * weight[:, None]
    best = np.where(there, pull.sum(axis=2), -1).argmax(axis=1)
    pull = pull[np.arange(len(spots)), best]
    middle: Points = (pull[:, :, None] * spots).sum(axis=1) / pull.sum(axis=1)[:, None]
    return middle


def _rim(places: Points, n: int, random: np.random.RandomState) -> Points:
    """Return n places around all others."""
    middle = places.mean(axis=0)
    radius = 1 + np.linalg.norm(places - middle, axis=1).max()
    rim: Points = middle + radius * _directions(n, random)
    return rim


def _directions(n: int, random: np.random.RandomState) -> npt.NDArray[np.float64]:
    angle = random.uniform(0, 2 * np.pi, n)
    return np.column_stack([np.cos(angle), np.sin(angle)])
