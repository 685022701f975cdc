"""Entities and text units as one graph, and a walk over it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from graphrag_assets.query.arrays import Arrays, places_of, smallest

DAMPING = 0.5
STEPS = 12  # what walks on after them is 1/4096
TOO_LITTLE = 1e-7  # chance that isn't followed further
MOST = 5_000  # places that are followed at a step, the likeliest
SPARSE = 2  # places there are for one that is touched: above it, sorting those is quicker
PLACES = ("entities", "text_units")  # in this order
Ranked = list[tuple[str, float]]
Mentions = dict[str, list[str]]  # mentioned: entities; units: a text unit for each


@dataclass(frozen=True)
class Weights:
    """How much weighs at some of a graph's places: each once, in ascending order."""

    places: np.ndarray
    values: np.ndarray

    def __rmul__(self, factor: float) -> "Weights":
        """Return all weights times a factor."""
        return Weights(self.places, factor * self.values)

    def at(self, place: int) -> float:
        """Return the weight of a place."""
        found = int(np.searchsorted(self.places, place))
        there = found < len(self.places) and self.places[found] == place
        return float(self.values[found]) if there else 0.0

    def shares(self) -> "Weights":
        """Return weights that add up to one."""
        total = self.values.sum()
        return Weights(self.places, self.values / total) if total > 0 else self


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

    def entity_weights(self, weights: Mapping[str, float]) -> Weights:
        """Return weights of entities as a restart, each over the texts that mention it."""
        places, values = _places(self.entities, weights)
        return Weights(places, values / np.maximum(self.n_text_units[places], 1)).shares()

    def text_unit_weights(self, weights: Mapping[str, float]) -> Weights:
        """Return weights of text units as a restart."""
        places, values = _places(self.text_units, weights)
        return Weights(places + len(self.entities), values).shares()

    def place_of(self, text_unit: str) -> int:
        """Return where a text unit stands in a restart."""
        return len(self.entities) + int(np.searchsorted(self.text_units, text_unit.encode()))

    def together(self, *weights: Weights) -> Weights:
        """Return the sum of weights."""
        places = np.concatenate([one.places for one in weights])
        return self._summed(places, np.concatenate([one.values for one in weights]))

    def mentions(self, entities: Iterable[str]) -> Mentions:
        """Return the text units that mention these entities."""
        places, known = places_of(self.entities, np.array(sorted(set(entities)), "S"))
        places = places[known]
        entries, counts = self._entries(places)
        ends = self.ends[entries]
        units = ends >= len(self.entities)
        one = self.entities[np.repeat(places, counts)[units]]
        other = self.text_units[ends[units] - len(self.entities)]
        return {"mentioned": one.astype(str).tolist(), "units": other.astype(str).tolist()}

    def page_rank(self, restart: Weights) -> Weights:
        """Return personalised PageRank: where a walk is that starts anew every second step.

        Only what it reaches with some chance is touched, so that it takes as long in a large graph.
        """
        steps = [(1 - DAMPING) * restart.shares()]
        for _ in range(STEPS):
            steps.append(self._next(steps[-1]))
        return self.together(*steps)

    def best(self, scores: Weights, k: int) -> tuple[Ranked, Ranked]:
        """Return the k text units and the k entities that score highest."""
        n = len(self.entities)
        units = int(np.searchsorted(scores.places, n))
        return (
            _best(self.text_units, scores.places[units:] - n, scores.values[units:], k),
            _best(self.entities, scores.places[:units], scores.values[:units], k),
        )

    def _next(self, step: Weights) -> Weights:
        here = np.flatnonzero(step.values > TOO_LITTLE)
        if len(here) > MOST:
            here = here[np.sort(smallest(-step.values[here], MOST))]
        places, values = step.places[here], DAMPING * step.values[here]
        if len(here) * SPARSE > len(self.starts):  # nearly everywhere: all entries as they lie
            everywhere = np.zeros(len(self.starts) - 1)
            everywhere[places] = values
            return self._summed(
                self.ends, np.repeat(everywhere, np.diff(self.starts)) * self.chances
            )
        entries, counts = self._entries(places)
        return self._summed(self.ends[entries], np.repeat(values, counts) * self.chances[entries])

    def _entries(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return where the entries of some columns are, and how many each column has."""
        first = self.starts[columns]
        counts = self.starts[columns + 1] - first
        offsets = np.repeat(first - np.cumsum(counts) + counts, counts)
        return offsets + np.arange(counts.sum()), counts

    def _summed(self, places: np.ndarray, values: np.ndarray) -> Weights:
        """Return each place once, with the sum of its values."""
        if len(places) * SPARSE > (size := len(self.starts)):
            total = np.bincount(places, values, size)
            found = np.flatnonzero(total > 0)
            return Weights(found, total[found])
        found, which = np.unique(places, return_inverse=True)
        return Weights(found, np.bincount(which, values, len(found)))


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


def _best(ids: np.ndarray, places: np.ndarray, scores: np.ndarray, k: int) -> Ranked:
    found = np.flatnonzero(scores > 0)
    found = found[smallest(-scores[found], k)]
    found = found[np.lexsort((places[found], -scores[found]))]
    return [(ids[places[i]].decode(), float(scores[i])) for i in found]
