"""A map from nothing: UMAP (McInnes, Healy and Melville 2018).

Neighbours, memberships and the start are numpy's work, here; the optimiser is umap-learn's.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from graphrag_assets.isolated import isolated
from graphrag_assets.layout.neighbours import Points, memberships, neighbours
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
    from scipy.sparse import csr_matrix

    k = min(neighbors, len(unique))
    index, distance = neighbours(unique, k, seed=seed)
    ends = np.arange(0, index.size + 1, k)
    shape = (len(unique), len(unique))
    mine = csr_matrix((memberships(distance).ravel(), index.ravel(), ends), shape=shape)
    mine.eliminate_zeros()
    union = (mine + mine.T - mine.multiply(mine.T)).tocoo()
    union.sum_duplicates()
    return Problem(start=_start(unique, seed), head=union.row, tail=union.col, weight=union.data)


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
