"""Relationships by their ends: a table has them by id, and would have to be searched as a whole."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from graphrag_assets.query.arrays import Arrays, places_of

SIDES: Final = ("left", "right")


@dataclass(frozen=True)
class Relations:
    """The relationships of a version, by id and by their two ends.

    A pair is both ends as one number, source * entities + target. Relationship i of the ids has
    pair ranks[i] of the pairs; pair j is that of relationship places[j].
    """

    entities: np.ndarray  # bytes, in ascending order, as the ids are
    ids: np.ndarray
    pairs: np.ndarray  # int64, in ascending order
    ranks: np.ndarray
    places: np.ndarray
    weights: np.ndarray  # by id, as the degrees are
    degrees: np.ndarray  # of both ends

    def ends(self, ids: Iterable[str]) -> dict[str, list[str]]:
        """Return the two entities that each of these relationships connects."""
        wanted = np.array(sorted(ids), "S")
        places, known = places_of(self.ids, wanted)
        pairs = self.pairs[self.ranks[places[known]]]
        both = self.entities[np.stack(np.divmod(pairs, len(self.entities)), axis=1)]
        named = zip(wanted[known], both, strict=True)
        return {ref.decode(): [end.decode() for end in ends] for ref, ends in named}

    def between(self, entities: Iterable[str], k: int) -> list[str]:
        """Return the relationships among some entities, the strongest first, at most k."""
        places, known = places_of(self.entities, np.array(sorted(entities), "S"))
        inside = places[known]
        asked = (inside[:, None] * len(self.entities) + inside).ravel()
        first, end = (np.searchsorted(self.pairs, asked, side) for side in SIDES)
        some = first < end  # few of all pairs
        there = [self.places[a:b] for a, b in zip(first[some], end[some], strict=True)]
        found = np.concatenate([np.zeros(0, np.int32), *there])
        order = np.lexsort((self.ids[found], -self.degrees[found], -self.weights[found]))
        return [ref.decode() for ref in self.ids[found[order[:k]]]]


def relation_arrays(rows: pl.DataFrame, n_entities: int) -> Arrays:
    """Return the arrays of `Relations` for rows of sql/relationship_ends.sql."""
    pairs = rows["source"].to_numpy() * np.int64(n_entities) + rows["target"].to_numpy()
    places = np.argsort(pairs, kind="stable")
    ranks = np.empty_like(places)
    ranks[places] = np.arange(len(places))
    return {
        "ids": rows["id"].to_numpy().astype("S"),
        "pairs": pairs[places],
        "ranks": ranks.astype(np.int32),
        "places": places.astype(np.int32),
        "weights": rows["weight"].to_numpy(),
        "degrees": rows["combined_degree"].to_numpy(),
    }
