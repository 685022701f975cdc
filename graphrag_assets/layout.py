"""Vectors -> places on a two-dimensional map that stays where it was.

UMAP (McInnes, Healy and Melville 2018) over the nearest neighbours by cosine. What has a place
keeps it; what is new goes to the middle of its neighbours and is moved by UMAP's own gradient
while everything else is pinned. Only when more than a fifth was placed that way is the map fitted
again, and then turned onto the old one.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Points: TypeAlias = npt.NDArray[np.float32]
Bools: TypeAlias = npt.NDArray[np.bool_]

REFIT_ABOVE = 0.2  # share of points that were placed, not fitted, since the last fit
RANDOM_BELOW = 15  # points: too few for eigenvectors
PCA_ABOVE = 20_000  # points: eigenvectors of 100,000 take minutes
EXACT_UP_TO = 60_000  # points: beyond, approximate neighbours (and their minute of compiling) pay
PLACING_EPOCHS = 50
TINY: dict[int, list[tuple[float, float]]] = {
    0: [],
    1: [(0.0, 0.0)],
    2: [(-1.0, 0.0), (1.0, 0.0)],
    3: [(-1.0, -0.5), (1.0, -0.5), (0.0, 1.0)],
}


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
    previous: pl.DataFrame  # id, x, y, fitted: the map as it was


def is_kept(drawn: Map) -> bool:
    """Return whether all that a map shows is in its place already."""
    return set(drawn.keys) <= set(drawn.previous["id"])


def lay_out_all(
    maps: Sequence[Map], *, neighbors: int, min_distance: float, seed: int
) -> list[Layout]:
    """Lay out several maps."""
    return [
        lay_out(
            drawn.keys,
            drawn.vectors,
            neighbors=neighbors,
            min_distance=min_distance,
            seed=seed,
            previous=drawn.previous,
        )
        for drawn in maps
    ]


def lay_out(
    keys: list[str],
    vectors: npt.NDArray[np.float32],
    *,
    neighbors: int,
    min_distance: float,
    seed: int,
    previous: pl.DataFrame | None,
) -> Layout:
    """Give each key (n,) with its vector (n, d) a place, deterministic under the seed.

    previous: id, x, y and, if there, fitted, as the last call left them. Equal vectors share a
    place. A vector of NaN, infinity or zeros only is nobody's neighbour: it waits below the map.

    Raises:
        ValueError: keys twice, as many vectors as keys missing, or fewer than 2 neighbours.
    """
    _check(keys, vectors, neighbors)
    order = np.argsort(np.array(keys, dtype=np.str_))
    old, fitted = _known([keys[i] for i in order], previous)
    rows, usable = _directions(vectors[order])
    vague = ~usable & np.isnan(old.sum(axis=1))
    unique, twin = _distinct(rows[usable])
    settings = _Settings(neighbors=neighbors, min_distance=min_distance, seed=seed)
    places, placed, note = _places(unique, twin, old[usable], fitted[usable], settings)
    positions = old.copy()
    positions[usable] = places
    positions[vague] = _below(positions[~vague], int(vague.sum()))
    result = np.empty_like(positions)
    result[order] = positions
    was_fitted = np.ones(len(keys), dtype=bool)
    was_fitted[order[usable]] = ~placed
    return Layout(positions=result, fitted=was_fitted, note=note)


@dataclass(frozen=True)
class _Settings:
    neighbors: int
    min_distance: float
    seed: int


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
    """Scale rows (n, d) to length 1, for the order of cosine; and which can be."""
    rows = vectors.astype(np.float32) + np.float32(0)  # no -0, which would make equal rows differ
    finite = np.isfinite(rows).all(axis=1)
    rows[~finite] = 0
    largest = np.abs(rows).max(axis=1, initial=0, keepdims=True)
    rows = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return rows, finite & (length[:, 0] > 0)


def _distinct(rows: Points) -> tuple[Points, npt.NDArray[np.intp]]:
    """Return the distinct rows (u, d) in order of appearance, and which one each row is (n,)."""
    _, first, twin = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return rows[np.sort(first)], np.argsort(np.argsort(first))[twin.ravel()]


def _places(
    unique: Points, twin: npt.NDArray[np.intp], old: Points, fitted: Bools, settings: _Settings
) -> tuple[Points, Bools, str]:
    """Return places (n, 2), which of them were placed into the map (n,), and a note.

    unique (u, d) are the distinct vectors; twin (n,) says which one a point has.
    """
    known = ~np.isnan(old.sum(axis=1))
    placed = ~(known & fitted)
    new = int((~known).sum())
    if not new and len(old):
        return old, placed, f"kept: {len(old)}"
    if len(unique) in TINY or placed.sum() > REFIT_ABOVE * len(old):
        places = _turned_onto(_fit(unique, settings)[twin], old, known)
        return places, np.zeros(len(old), dtype=bool), f"fitted: {len(old)}"
    start = np.full((len(unique), 2), np.nan, dtype=np.float32)
    start[twin[known][::-1]] = old[known][::-1]  # the first of several twins is the one that stays
    places = np.where(known[:, None], old, _place(unique, start, settings)[twin])
    return places, placed, f"placed: {new} of {len(old)}"


@contextmanager
def _quiet() -> Iterator[None]:
    """UMAP and numba warn about what is meant here: few points, several components, a seed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _fit(unique: Points, settings: _Settings) -> Points:
    """Lay out distinct vectors (u, d) from nothing."""
    if len(unique) in TINY:
        return np.array(TINY[len(unique)], dtype=np.float32).reshape(-1, 2)
    with _quiet():
        from umap.umap_ import find_ab_params, simplicial_set_embedding

        random = np.random.RandomState(settings.seed)
        curve = find_ab_params(1.0, settings.min_distance)
        places, _ = simplicial_set_embedding(
            data=unique,
            graph=_fuzzy_graph(unique, settings),
            n_components=2,
            initial_alpha=1.0,
            a=curve[0],
            b=curve[1],
            gamma=1.0,
            negative_sample_rate=5,
            n_epochs=None,
            init=_start(unique),
            random_state=random,
            metric="euclidean",
            metric_kwds={},
            densmap=False,
            densmap_kwds={},
            output_dens=False,
        )
    return np.asarray(places - places.mean(axis=0), dtype=np.float32)


def _start(unique: Points) -> str:
    if len(unique) < RANDOM_BELOW:
        return "random"
    return "pca" if len(unique) > PCA_ABOVE else "spectral"


def _fuzzy_graph(unique: Points, settings: _Settings) -> "csr_matrix":
    """Return UMAP's fuzzy neighbourhood graph, scipy sparse (u, u)."""
    from umap.umap_ import fuzzy_simplicial_set

    k = min(settings.neighbors, len(unique))
    random = np.random.RandomState(settings.seed)
    index, distance = _neighbours(unique, k, random)
    graph, _, _ = fuzzy_simplicial_set(
        unique, k, random, "euclidean", knn_indices=index, knn_dists=distance
    )
    return graph.tocsr()


def _neighbours(
    unique: Points, k: int, random: np.random.RandomState
) -> tuple[npt.NDArray[np.int32], Points]:
    """Return the k nearest of each unit vector, itself first: indices and distances (u, k)."""
    if len(unique) > EXACT_UP_TO:
        from umap.umap_ import nearest_neighbors

        index, distance, _ = nearest_neighbors(unique, k, "euclidean", {}, False, random)  # noqa: FBT003
        return index, distance
    return _exact_neighbours(unique, len(unique), k)


def _exact_neighbours(unique: Points, n: int, k: int) -> tuple[npt.NDArray[np.int32], Points]:
    """Return the k nearest of the first n unit vectors among all, itself first: (n, k) each."""
    index = np.empty((n, k), dtype=np.int32)
    distance = np.empty((n, k), dtype=np.float32)
    step = max(1, 16_000_000 // len(unique))  # 64 MB of similarities at a time
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        index[rows], distance[rows] = _nearest(unique, rows, k)
    return index, distance


def _nearest(unique: Points, rows: slice, k: int) -> tuple[npt.NDArray[np.int32], Points]:
    likeness = unique[rows] @ unique.T
    mine = np.arange(rows.start, rows.stop)
    likeness[np.arange(len(mine)), mine] = 2  # itself first, whatever rounding says
    found = np.argpartition(likeness, -k, axis=1)[:, -k:]
    close = np.take_along_axis(likeness, found, axis=1)
    order = np.lexsort((found, -close), axis=1)
    close = np.clip(np.take_along_axis(close, order, axis=1), -1, 1)
    return np.take_along_axis(found, order, axis=1).astype(np.int32), np.sqrt(2 - 2 * close)


def _place(unique: Points, start: Points, settings: _Settings) -> Points:
    """Return start (u, 2) with its NaN rows placed: pinned points don't move."""
    new = np.isnan(start.sum(axis=1))
    if not new.any():
        return start
    order = np.argsort(~new, kind="stable")  # new points first
    places = np.empty_like(start)
    with _quiet():
        graph = _fuzzy_rows(unique[order], int(new.sum()), settings)
        places[order] = _moved(
            graph, _among_neighbours(graph, start[order], settings.seed), settings
        )
    return places


def _fuzzy_rows(unique: Points, n: int, settings: _Settings) -> "csr_matrix":
    """Return how much each of the first n points belongs to its neighbours, sparse (n, u).

    One-sided, as UMAP's transform has it: what is pinned needs no neighbours.
    """
    from scipy.sparse import coo_matrix
    from umap.umap_ import compute_membership_strengths, smooth_knn_dist

    k = min(settings.neighbors, len(unique))
    index, distance = _exact_neighbours(unique, n, k)
    sigmas, rhos = smooth_knn_dist(distance, float(k), local_connectivity=1.0)
    rows, columns, values, _ = compute_membership_strengths(index, distance, sigmas, rhos)
    graph = coo_matrix((values, (rows, columns)), shape=(n, len(unique))).tocsr()
    graph.eliminate_zeros()
    return graph


def _moved(graph: "csr_matrix", places: Points, settings: _Settings) -> Points:
    """Let UMAP's gradient move the first n of u places, all others pinned; graph is (n, u)."""
    from umap.layouts import optimize_layout_euclidean
    from umap.umap_ import find_ab_params, make_epochs_per_sample

    edges = graph.tocoo()
    strong = edges.data >= edges.data.max() / PLACING_EPOCHS
    random = np.random.RandomState(settings.seed)
    curve = find_ab_params(1.0, settings.min_distance)
    moved: Points = optimize_layout_euclidean(
        places,
        places,
        edges.row[strong].astype(np.int32),
        edges.col[strong].astype(np.int32),
        PLACING_EPOCHS,
        len(places),
        make_epochs_per_sample(edges.data[strong], PLACING_EPOCHS),
        curve[0],
        curve[1],
        random.randint(-(2**31) + 1, 2**31 - 1, 3).astype(np.int64),
        move_other=False,
    )
    return moved


def _among_neighbours(graph: "csr_matrix", start: Points, seed: int) -> Points:
    """Put each NaN row at the mean of its placed neighbours, in rounds; others at the rim.

    graph (n, u) has the neighbours of the first n points of start (u, 2), which are the NaN rows.
    """
    places = np.array(start, dtype=np.float32, order="C")
    links, n = (graph > 0).astype(np.float32), graph.shape[0]
    while True:
        placed = ~np.isnan(places.sum(axis=1))
        count = links @ placed.astype(np.float32)
        ready = np.flatnonzero(~placed[:n] & (count > 0))
        if not len(ready):
            break
        total = links @ np.where(placed[:, None], places, 0).astype(np.float32)
        places[ready] = total[ready] / count[ready, None]
    lost = np.flatnonzero(~placed)
    middle = places[placed].mean(axis=0)
    radius = 1 + np.linalg.norm(places[placed] - middle, axis=1).max()
    angle = np.random.RandomState(seed).uniform(0, 2 * np.pi, len(lost))
    places[lost] = middle + radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return places


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
