"""Things by their likeness to a vector, among those that may be read."""

from collections.abc import Collection

from graphrag_assets.query.ranking import Ranked
from graphrag_assets.query.reader import Vector, Vectors


def likest(vectors: Vectors, vector: Vector, among: Collection[str]) -> Ranked:
    """Return these ids by falling cosine; those without a vector are left out."""
    wanted = set(among)
    return [one for one in vectors.nearest(vector, len(vectors.ids)) if one[0] in wanted]
