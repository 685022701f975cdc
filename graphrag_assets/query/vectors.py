"""The embeddings of one kind of thing, and which of them are nearest to a vector."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from graphrag_assets.query.arrays import Arrays, smallest

Vector = np.ndarray
MANY = 50_000  # above it, a pass over signs of coordinates chooses what is compared exactly
SHORT_LIST = 2_000
ROWS = 100_000  # at a time


@dataclass(frozen=True)
class Vectors:
    """Unit vectors as rows, by id in ascending order.

    Of many, `signs` holds one bit a coordinate (above or below `mean`), 32 times smaller: those
    with the most signs in common with the question's are compared exactly.
    """

    ids: np.ndarray  # bytes
    matrix: np.ndarray  # float32; of many float16
    signs: np.ndarray | None = None  # uint8, eight coordinates each, a multiple of 64
    mean: np.ndarray | None = None
    rows: np.ndarray | None = None  # of the matrix, where it holds others too

    @classmethod
    def of(cls, arrays: Arrays) -> "Vectors":
        """Return the vectors that these arrays hold."""
        return cls(**arrays)

    def only(self, ids: pl.Series) -> "Vectors":
        """Return the vectors of some of these ids; many are not copied."""
        rows = np.sort(np.searchsorted(self.ids, ids.to_numpy().astype("S")))
        if self.signs is None:
            return Vectors(self.ids[rows], self.matrix[rows])
        return Vectors(self.ids[rows], self.matrix, self.signs[rows], self.mean, rows)

    def at(self, places: np.ndarray) -> np.ndarray:
        """Return the vectors at some places, float32."""
        rows = places if self.rows is None else self.rows[places]
        vectors: np.ndarray = self.matrix[rows].astype(np.float32, copy=False)
        return vectors

    def nearest(self, vector: Vector, k: int) -> list[tuple[str, float]]:
        """Return the k nearest ids with their cosines, best first."""
        if not len(self.ids):
            return []
        ids, matrix = self.ids, self.matrix
        if self.signs is not None:
            chosen = np.sort(smallest(self._unlike(vector), max(SHORT_LIST, 4 * k)))
            ids, matrix = ids[chosen], self.at(chosen)
        scores = matrix @ vector
        best = smallest(-scores, k)
        best = best[np.lexsort((ids[best], -scores[best]))]
        return [(ids[i].decode(), float(scores[i])) for i in best]

    def _unlike(self, vector: Vector) -> np.ndarray:
        """Return how many signs of each row differ from the vector's."""
        assert self.signs is not None
        wanted = _signs(vector[None, :], self.mean).view(np.uint64)
        rows = self.signs.view(np.uint64)
        return np.concatenate(
            [
                np.bitwise_count(rows[at : at + ROWS] ^ wanted).sum(axis=1, dtype=np.uint16)
                for at in range(0, len(rows), ROWS)
            ]
        )


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
            "signs": np.concatenate([_signs(part, mean) for part in _slices(matrix)]),
        }
    return arrays


def _slices(matrix: np.ndarray) -> Iterator[np.ndarray]:
    return (matrix[at : at + ROWS] for at in range(0, len(matrix), ROWS))


def _unit(matrix: np.ndarray) -> np.ndarray:
    norms = np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    unit: np.ndarray = matrix / norms
    return unit


def _signs(matrix: np.ndarray, mean: np.ndarray | None) -> np.ndarray:
    bits = np.packbits(matrix > mean, axis=1)
    return np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
