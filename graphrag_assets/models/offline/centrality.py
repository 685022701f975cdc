"""Which sentences of a collection are central, and a choice of them that repeats nothing.

Sentences are compared by the cosine of their TF-IDF vectors; centrality is PageRank over those
likenesses (TextRank); the choice is by maximal marginal relevance.
"""

import math
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graphrag_assets.models.offline.prose import terms

Floats = NDArray[np.float64]
DAMPING = 0.85
ROUNDS = 40
ALIKE = 0.05


class Space:
    """Texts as TF-IDF vectors of length 1."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Count the terms of the texts."""
        self.bags = [Counter(terms(text)) for text in texts]
        seen: Counter[str] = Counter(term for bag in self.bags for term in bag)
        self.columns = {term: at for at, term in enumerate(sorted(seen))}
        self._seen = seen

    def idf(self, term: str) -> float:
        """Return how rare a term is here; a term that is nowhere is the rarest."""
        return math.log(1 + (len(self.bags) + 0.5) / (self._seen.get(term, 0) + 0.5))

    @cached_property
    def likeness(self) -> Floats:
        """Cosine of each text with each."""
        from scipy.sparse import csr_matrix

        rows, columns, values = [], [], []
        for row, bag in enumerate(self.bags):
            for term, count in sorted(bag.items()):
                rows.append(row)
                columns.append(self.columns[term])
                values.append((1 + math.log(count)) * self.idf(term))
        shape = (len(self.bags), max(len(self.columns), 1))
        matrix = csr_matrix((values, (rows, columns)), shape=shape, dtype=np.float64)
        lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
        dense: Floats = (matrix @ matrix.T).toarray()
        lengths[lengths == 0] = 1
        return np.asarray(dense / lengths[:, None] / lengths[None, :], dtype=np.float64)

    @cached_property
    def centrality(self) -> Floats:
        """PageRank of each text over the likenesses, the highest is 1."""
        count = len(self.bags)
        if count == 0:
            return np.zeros(0)
        links = self.likeness * (self.likeness >= ALIKE)
        np.fill_diagonal(links, 0)
        sums = links.sum(axis=1)
        flow = links / np.where(sums == 0, 1, sums)[:, None]
        rank = np.full(count, 1 / count)
        for _ in range(ROUNDS):
            lost = rank[sums == 0].sum() / count
            rank = (1 - DAMPING) / count + DAMPING * (flow.T @ rank + lost)
        return np.asarray(rank / rank.max(), dtype=np.float64)

    def overlap(self, query: Counter[str]) -> Floats:
        """Return the share of the query's weight that each text holds."""
        whole = sum(self.idf(term) for term in query) or 1.0
        return np.array([sum(self.idf(t) for t in query if t in bag) / whole for bag in self.bags])

    def choose(self, scores: Floats, count: int, *, diversity: float = 0.5) -> list[int]:
        """Return the indexes of the best texts that differ from each other, the best first."""
        chosen: list[int] = []
        value = scores.astype(np.float64).copy()
        likest = np.zeros(len(value))
        while len(chosen) < min(count, len(value)):
            gain = value * (1 - diversity) - diversity * likest * value.max(initial=0)
            gain[chosen] = -np.inf
            best = int(np.argmax(gain))
            chosen.append(best)
            likest = np.maximum(likest, self.likeness[best])
        return chosen
