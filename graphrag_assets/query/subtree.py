"""Communities to look into: the one that a question is limited to, those worth opening next."""

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain
from typing import Final

from graphrag_assets.context import cited
from graphrag_assets.errors import QuestionError
from graphrag_assets.query.answer import Draft, NextCommunity
from graphrag_assets.query.graph import Ranked
from graphrag_assets.query.likest import likest
from graphrag_assets.query.reader import Reader
from graphrag_assets.query.vectors import Vector

N_NEXT: Final = 5


@dataclass(frozen=True)
class Subtree:
    """What a question may read; a subtree of nothing in particular holds everything."""

    ids: frozenset[str] | None = None  # of entities and text units

    @classmethod
    def of(cls, reader: Reader, community: str | None) -> "Subtree":
        """Return what a community holds: its entities and the text units that mention them."""
        if community is None:
            return cls()
        return cls(frozenset(reader.ask("community_elements", id=community)["id"]))

    def kept(self, ranked: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
        """Return those that may be read, in their order."""
        return [one for one in ranked if self.ids is None or one[0] in self.ids]


def community_named(reader: Reader, ref: str) -> str:
    """Return the id of a community, from it, its first digits or its report's short id.

    Raises QuestionError if there is none, or several.
    """
    digits = ref.strip().strip("[]").removeprefix("P")
    found = reader.ask("communities_named", id=digits)["id"].to_list() if digits else []
    if not found:
        raise QuestionError(f"No community has the id `{ref}`.")
    if len(found) > 1:
        several = ", ".join(found[:5])
        raise QuestionError(f"Several communities begin with `{ref}`: {several}. Give more digits.")
    return str(found[0])


def level_of(reader: Reader, community: str | None) -> int:
    """Return the level of a community; above all is -1."""
    if community is None:
        return -1
    return int(reader.ask("community_subtree", id=community)["level"][0])


def worth_opening(reader: Reader, draft: Draft, community: str | None) -> tuple[NextCommunity, ...]:
    """Return the communities below the reports that an answer cites, by the reports' rating.

    Where it cites none: those that hold most of what it cites.
    """
    used = [draft.known[marker] for marker in cited(draft.text)] if draft.status == "ok" else []
    reports = [ref for kind, ref, _ in used if kind == "report"]
    if not used:
        return ()
    if reports:
        return _below(reader, reports)
    level = level_of(reader, community) + 1
    refs = [ref for _, ref, _ in used]
    refs += chain.from_iterable(reader.relations.ends(refs).values())
    rows = reader.records("communities_about", ids=refs, level=level, k=N_NEXT)
    return tuple(NextCommunity(*row[:4]) for row in rows)


def _below(reader: Reader, communities: Iterable[str]) -> tuple[NextCommunity, ...]:
    """Return the best-rated of the communities right below these, the largest of equal ones."""
    rows = (row[1:] for row in reader.look_up("child_communities", communities))
    best = nsmallest(N_NEXT, rows, key=lambda row: (-row[3], -row[4], row[0]))
    return tuple(NextCommunity(*row[:4]) for row in best)


def nearest_reports(reader: Reader, vector: Vector, community: str | None, k: int) -> list[str]:
    """Return the k reports that are nearest to a vector, in a community if one is given."""
    vectors = reader.vectors("report")
    if community is None:
        return [ref for ref, _ in vectors.nearest(vector, k)]
    inside = reader.ask("community_subtree", id=community)["id"].to_list()
    return [ref for ref, _ in likest(vectors, vector, inside)[:k]]


def nearest_units(reader: Reader, vector: Vector, community: str | None, k: int) -> Ranked:
    """Return the k text units that are nearest to a vector, in a community if one is given."""
    subtree, vectors = Subtree.of(reader, community), reader.vectors("text_unit")
    if subtree.ids is None:
        return vectors.nearest(vector, k)
    return likest(vectors, vector, subtree.ids)[:k]
