"""Entities and text units as one graph, and a walk over it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from graphrag_assets.query.arrays import Arrays, places_of, smallest

DAMPING = 0.5
STEPS = 12  # what walks on after them is 1/4096
TOO_LITTLE = 1e-7  # chance that isn't followed further
PLACES = ("entities", "text_units")  # in this order
Ranked = list[tuple[str, float]]


@dataclass(frozen=True)
class Graph:
    """Who is related to whom and what stands in which text, as chances of a step.

    Column c of the matrix has its entries at starts[c]:starts[c + 1]: `ends` and their `chances`.
    Entities come first, then text units, each by id in ascending order.
    """

    entities: np.ndarray  # bytes
    text_units: np.ndarray  # bytes
    starts: np.ndarray
    ends: np.ndarray
    chances: np.ndarray
    n_text_units: np.ndarray  # in how many text units each entity stands

    @classmethod
    def of(cls, arrays: Arrays) -> "Graph":
        """Return the graph that these arrays hold."""
        return cls(**arrays)

    def entity_weights(self, weights: Mapping[str, float]) -> np.ndarray:
        """Return weights of entities as a restart, each over the texts that mention it."""
        restart = self._blank()
        places, values = _places(self.entities, weights)
        restart[places] = values / np.maximum(self.n_text_units[places], 1)
        return _shares(restart)

    def text_unit_weights(self, weights: Mapping[str, float]) -> np.ndarray:
        """Return weights of text units as a restart."""
        restart = self._blank()
        places, values = _places(self.text_units, weights)
        restart[places + len(self.entities)] = values
        return _shares(restart)

    def place_of(self, text_unit: str) -> int:
        """Return where a text unit stands in a restart."""
        return len(self.entities) + int(np.searchsorted(self.text_units, text_unit.encode()))

    def page_rank(self, restart: np.ndarray) -> np.ndarray:
        """Return personalised PageRank: where a walk is that starts anew every second step.

        Only what it reaches with some chance is touched.
        """
        step = (1 - DAMPING) * _shares(restart)
        scores = step.copy()
        for _ in range(STEPS):
            step = self._next(step)
            scores += step
        return scores

    def best(self, scores: np.ndarray, k: int) -> tuple[Ranked, Ranked]:
        """Return the k text units and the k entities that score highest."""
        n = len(self.entities)
        return _best(self.text_units, scores[n:], k), _best(self.entities, scores[:n], k)

    def _next(self, step: np.ndarray) -> np.ndarray:
        here = np.flatnonzero(step > TOO_LITTLE)
        counts = self.starts[here + 1] - self.starts[here]
        offsets = np.repeat(self.starts[here] - np.cumsum(counts) + counts, counts)
        entries = offsets + np.arange(counts.sum())
        chance = np.repeat(step[here], counts) * self.chances[entries]
        return DAMPING * np.bincount(self.ends[entries], weights=chance, minlength=len(step))

    def _blank(self) -> np.ndarray:
        return np.zeros(len(self.entities) + len(self.text_units))


def graph_arrays(edges: pl.DataFrame, entities: pl.Series, text_units: pl.Series) -> Arrays:
    """Return the arrays of `Graph` for edges (one, other: places; weight; contains)."""
    size = len(entities) + len(text_units)
    one, other = edges["one"].to_numpy(), edges["other"].to_numpy()
    weights = np.tile(edges["weight"].to_numpy().astype(np.float32), 2)
    # both ways, entries of one column together, in the order of their ends
    entry = np.concatenate([one, other]) * np.int64(size) + np.concatenate([other, one])
    order = np.argsort(entry, kind="stable")
    entry, weights = entry[order], weights[order]
    first = np.flatnonzero(np.diff(entry, prepend=-1))
    weights = np.add.reduceat(weights, first) if len(first) else weights
    columns, ends = np.divmod(entry[first], max(size, 1))
    total = np.bincount(columns, weights, minlength=size)
    contains = edges.filter("contains")["one"].to_numpy()
    return {
        "entities": entities.to_numpy().astype("S"),
        "text_units": text_units.to_numpy().astype("S"),
        "starts": np.searchsorted(columns, np.arange(size + 1)),
        "ends": ends.astype(np.int32),
        "chances": (weights / np.maximum(total, 1e-9)[columns]).astype(np.float32),
        "n_text_units": np.bincount(contains, minlength=len(entities)).astype(np.int32),
    }


def _places(ids: np.ndarray, weights: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return where these ids stand, with their weights; without those that stand nowhere."""
    wanted, values = _sorted_arrays(weights.items())
    places, known = places_of(ids, wanted)
    return places[known], values[known]


def _sorted_arrays(items: Iterable[tuple[str, float]]) -> tuple[np.ndarray, np.ndarray]:
    pairs = sorted(items)
    return np.array([ref for ref, _ in pairs], "S"), np.array([value for _, value in pairs], float)


def _shares(weights: np.ndarray) -> np.ndarray:
    total = weights.sum()
    return weights / total if total > 0 else weights


def _best(ids: np.ndarray, scores: np.ndarray, k: int) -> Ranked:
    found = np.flatnonzero(scores > 0)
    found = found[smallest(-scores[found], k)]
    found = found[np.lexsort((ids[found], -scores[found]))]
    return [(ids[i].decode(), float(scores[i])) for i in found]
