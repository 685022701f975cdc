"""The embeddings of one kind of thing, and which of them are nearest to a vector."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count

import numpy as np
import polars as pl

from graphrag_assets.query.arrays import Arrays, forgotten, smallest

Vector = np.ndarray
MANY = 50_000  # above it, a pass over signs of coordinates chooses what is compared exactly
SHORT_LIST = 2_000
ROWS = 100_000  # at a time
READS = 4  # of a mapped matrix, before what they brought along is let go


@dataclass(frozen=True)
class Vectors:
    """Unit vectors as rows, by id in ascending order.

    Of many, `signs` holds one bit a coordinate (above or below `mean`), 32 times smaller: those
    with the most signs in common with the question's are compared exactly. The first 64 signs of
    all vectors lie together, then the next, so that a pass over them is a few additions.
    """

    ids: np.ndarray  # bytes
    matrix: np.ndarray  # float32; of many float16
    signs: np.ndarray | None = None  # uint64, a row for each 64 coordinates
    mean: np.ndarray | None = None
    rows: np.ndarray | None = None  # of the matrix, where it holds others too
    reads: Iterator[int] = field(default_factory=partial(count, 1), init=False)

    @classmethod
    def of(cls, arrays: Arrays) -> "Vectors":
        """Return the vectors that these arrays hold."""
        return cls(**arrays)

    def only(self, ids: pl.Series) -> "Vectors":
        """Return the vectors of some of these ids; many are not copied."""
        rows = np.sort(np.searchsorted(self.ids, ids.to_numpy().astype("S")))
        if self.signs is None:
            return Vectors(self.ids[rows], self.matrix[rows])
        return Vectors(self.ids[rows], self.matrix, self.signs[:, rows], self.mean, rows)

    def at(self, places: np.ndarray) -> np.ndarray:
        """Return the vectors at some places, float32."""
        rows = places if self.rows is None else self.rows[places]
        vectors: np.ndarray = self.matrix[rows].astype(np.float32, copy=False)
        if next(self.reads) % READS == 0:
            forgotten(self.matrix)
        return vectors

    def nearest(self, vector: Vector, k: int) -> list[tuple[str, float]]:
        """Return the k nearest ids with their cosines, best first."""
        if not len(self.ids):
            return []
        ids, matrix = self.ids, self.matrix
        if self.signs is not None:
            chosen = _least(self._unlike(vector), max(SHORT_LIST, 4 * k))
            ids, matrix = ids[chosen], self.at(chosen)
        scores = np.einsum("ij,j->i", matrix, vector)  # BLAS would wake threads that spin
        best = smallest(-scores, k)
        best = best[np.lexsort((ids[best], -scores[best]))]
        return [(ids[i].decode(), float(scores[i])) for i in best]

    def _unlike(self, vector: Vector) -> np.ndarray:
        """Return how many signs of each vector differ from this one's."""
        assert self.signs is not None
        unlike = np.zeros(self.signs.shape[1], np.uint16)
        wanted = _signs(vector[None, :], self.mean)[:, 0]
        for at in range(0, len(unlike), ROWS):
            part = unlike[at : at + ROWS]
            for signs, own in zip(self.signs[:, at : at + ROWS], wanted, strict=True):
                part += np.bitwise_count(signs ^ own)
        return unlike


def vector_arrays(ids: pl.Series, pieces: Iterable[pl.DataFrame]) -> Arrays:
    """Return the arrays of `Vectors` for ids whose vectors come in pieces, in the same order."""
    ids, rows, n = ids.sort(), ids.arg_sort().arg_sort().to_numpy(), len(ids)
    matrix, at = np.zeros((0, 1), np.float32), 0
    for frame in pieces:
        part = frame["vector"].to_numpy()
        if not at:  # filled piece by piece: millions of rows stand in memory once
            matrix = np.empty((n, part.shape[1]), np.float16 if n > MANY else np.float32)
        matrix[rows[at : at + len(part)]] = _unit(part)
        at += len(part)
    arrays = {"ids": ids.to_numpy().astype("S"), "matrix": matrix}
    if n > MANY:
        mean = np.mean([part.mean(axis=0, dtype=np.float32) for part in _slices(matrix)], axis=0)
        arrays |= {
            "mean": mean,
            "signs": np.concatenate([_signs(part, mean) for part in _slices(matrix)], axis=1),
        }
    return arrays


def _slices(matrix: np.ndarray) -> Iterator[np.ndarray]:
    return (matrix[at : at + ROWS] for at in range(0, len(matrix), ROWS))


def _unit(matrix: np.ndarray) -> np.ndarray:
    norms = np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    unit: np.ndarray = matrix / norms
    return unit


def _signs(matrix: np.ndarray, mean: np.ndarray | None) -> np.ndarray:
    """Return one bit a coordinate: a row for each 64 of them, a column for each vector."""
    bits = np.packbits(matrix > mean, axis=1)
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    return np.ascontiguousarray(padded.view(np.uint64).T)


def _least(counts: np.ndarray, k: int) -> np.ndarray:
    """Return the places of the k smallest of some small counts, in ascending order.

    Of those that are equally small the first.
    """
    upto = np.cumsum(np.bincount(counts))
    most = int(np.searchsorted(upto, k))
    below = np.flatnonzero(counts < most)
    equal = np.flatnonzero(counts == most)[: k - len(below)]
    return np.sort(np.concatenate([below, equal]))
