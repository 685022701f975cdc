"""A map from nothing: UMAP (McInnes, Healy and Melville 2018).

Neighbours, memberships and the start are numpy's work, here; the optimiser is umap-learn's.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from graphrag_assets.isolated import isolated
from graphrag_assets.layout.neighbours import Indices, Points, memberships, neighbours
from graphrag_assets.layout.umap_learn import Problem, optimised

WIDTH = 10.0  # of the map before UMAP moves it
NOISE = 1e-4  # no two start at one place
PROBES, ROUNDS = 10, 4  # of the search for the principal components
TINY: dict[int, list[tuple[float, float]]] = {
    0: [],
    1: [(0.0, 0.0)],
    2: [(-1.0, 0.0), (1.0, 0.0)],
    3: [(-1.0, -0.5), (1.0, -0.5), (0.0, 1.0)],
}


def fit_all(
    maps: Sequence[Points], *, neighbors: int, min_distance: float, seed: int
) -> list[Points]:
    """Lay out the distinct unit vectors (u, d) of each map; one process for all of them."""
    problems = [
        _problem(unique, neighbors=neighbors, seed=seed)
        for unique in maps
        if len(unique) not in TINY
    ]
    work = partial(optimised, problems, min_distance=min_distance, seed=seed)
    solved = iter(isolated(work) if problems else [])
    return [
        np.array(TINY[len(unique)], dtype=np.float32).reshape(-1, 2)
        if len(unique) in TINY
        else _centred(next(solved))
        for unique in maps
    ]


def _centred(places: Points) -> Points:
    centred: Points = places - places.mean(axis=0)
    return centred


def _problem(unique: Points, *, neighbors: int, seed: int) -> Problem:
    """Say what UMAP is to optimise: the fuzzy union of all neighbourhoods, and the start."""
    index, distance = neighbours(unique, min(neighbors, len(unique)), seed=seed)
    head, tail, weight = _union(index, memberships(distance))
    return Problem(start=_start(unique, seed), head=head, tail=tail, weight=weight)


def _union(index: Indices, strength: Points) -> tuple[Indices, Indices, Points]:
    """Return the edges (m,) of the fuzzy union of all neighbourhoods (n, k), by head and tail.

    An edge of a one way and b the other is a + b - ab, McInnes, Healy and Melville 2018, algorithm
    1. scipy.sparse says it in a line, and takes 10 MB and a third of a second to import.
    """
    n, k = index.shape
    head, tail, weight = (
        np.repeat(np.arange(n), k),
        index.ravel().astype(np.int64),
        strength.ravel(),
    )
    edge, back = head * n + tail, tail * n + head
    order = np.argsort(edge)
    order = order[weight[order] > 0]
    edge, back, weight = edge[order], back[order], weight[order]
    place = np.minimum(np.searchsorted(edge, back), len(edge) - 1)
    mutual = edge[place] == back
    other = np.where(mutual, weight[place], 0)
    edges = np.concatenate([edge, back[~mutual]])
    weights = np.concatenate([weight + other - weight * other, weight[~mutual]])
    order = np.argsort(edges)
    head, tail = np.divmod(edges[order], n)
    return head.astype(np.int32), tail.astype(np.int32), weights[order]


def _start(unique: Points, seed: int) -> Points:
    """Return the two principal components (u, 2), between 0 and 10.

    As good a start as eigenvectors of the neighbourhood graph (Kobak and Linderman 2021), and
    cheap at any size: subspace iteration (Halko, Martinsson and Tropp 2011).
    """
    random = np.random.RandomState(seed)
    centred = unique - unique.mean(axis=0)
    basis = random.normal(size=(unique.shape[1], min(PROBES, unique.shape[1])))
    for _ in range(ROUNDS):
        basis, _ = np.linalg.qr(centred.T @ (centred @ basis.astype(np.float32)))
    left, size, _ = np.linalg.svd(centred @ basis.astype(np.float32), full_matrices=False)
    start = np.zeros((len(unique), 2))
    start[:, : len(size[:2])] = left[:, :2] * size[:2]
    start *= WIDTH / (np.abs(start).max() or 1)
    start += random.normal(scale=NOISE, size=start.shape)
    start -= start.min(axis=0)
    scaled: Points = (WIDTH * start / start.max(axis=0)).astype(np.float32)
    return scaled
