"""Things by their likeness to a vector, among those that may be read."""

from collections.abc import Collection

import numpy as np

from graphrag_assets.query.arrays import places_of
from graphrag_assets.query.graph import Ranked
from graphrag_assets.query.vectors import Vector, Vectors


def likest(vectors: Vectors, vector: Vector, among: Collection[str]) -> Ranked:
    """Return these ids by falling cosine; those without a vector are left out."""
    wanted = np.unique(np.array(sorted(among), dtype="S"))
    places, known = places_of(vectors.ids, wanted)
    places = places[known]
    if not len(places):
        return []
    scores = vectors.at(places) @ vector
    order = np.lexsort((vectors.ids[places], -scores))
    return [(vectors.ids[places[i]].decode(), float(scores[i])) for i in order]
