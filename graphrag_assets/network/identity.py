"""Which new community is which former one, what happened to it, and ids at birth."""

import hashlib
from dataclasses import dataclass

import numpy as np
import polars as pl

from graphrag_assets.network.graph import SOME, Bools, Ints

EVENTS = ("kept", "grown", "split", "merged", "new")


@dataclass(frozen=True, eq=False)
class Former:
    """The communities of one level before, seen from the entities of today."""

    label: Ints  # (entities,) 0..k-1, -1 where the entity wasn't in one
    ids: list[str]  # (k,)
    size: Ints  # (k,) entities that left the graph count too
    born_in: Ints  # (k,)
    fingerprint: list[str]  # (k,)
    was_split: Bools  # (k,) it had children
    gathered: Bools  # (k,) of entities without relationships

    @property
    def n(self) -> int:
        """Number of communities."""
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class Overlap:
    """Pairs of a former and a new community that share entities."""

    former: Ints
    new: Ints
    shared: Ints  # number of entities


def overlap(former: Former, label: Ints) -> Overlap:
    """Count shared entities; label (entities,) is the new community, -1 if none."""
    both = np.flatnonzero((former.label >= 0) & (label >= 0))
    old, new = former.label[both], label[both]
    _, first, shared = np.unique(_key(old, new), return_index=True, return_counts=True)
    return Overlap(former=old[first], new=new[first], shared=shared)


def _key(old: Ints, new: Ints) -> Ints:
    return old * (int(new.max(initial=0)) + 1) + new


def inherit(former: Former, pairs: Overlap, size: Ints) -> Ints:
    """Match new communities, of these sizes, to former ones: (new,) former community or -1.

    One to one, greedily by the highest Jaccard index against the whole former community, then
    by the larger overlap, then by the former id.
    """
    union = former.size[pairs.former] + size[pairs.new] - pairs.shared
    by_id = np.argsort(np.argsort(np.array(former.ids, dtype=np.str_)))
    order = np.lexsort((by_id[pairs.former], -pairs.shared, -pairs.shared / union))
    match = np.full(len(size), -1)
    free = np.ones(len(former.ids), dtype=bool)
    for old, new in zip(pairs.former[order].tolist(), pairs.new[order].tolist(), strict=True):
        if free[old] and match[new] < 0:
            match[new] = old
            free[old] = False
    return match


def events(former: Former, pairs: Overlap, size: Ints, match: Ints) -> list[str]:
    """Say for each new community what happened to it.

    kept: it has its id, and nobody joined (some may have left). grown: somebody joined.
    merged: it took in most of a community that is gone. split: it gave birth to a community
    that is mostly its own, or is that community. new: none of these.
    """
    heir = np.full(len(former.ids), -1)
    heir[match[match >= 0]] = np.flatnonzero(match >= 0)
    same = match[pairs.new] == pairs.former
    stayed = np.zeros(len(size), dtype=np.int64)
    stayed[pairs.new[same]] = pairs.shared[same]
    swallowed = (heir[pairs.former] < 0) & (2 * pairs.shared > former.size[pairs.former])
    merged = np.zeros(len(size), dtype=bool)
    merged[pairs.new[swallowed]] = True
    torn = (match[pairs.new] < 0) & (2 * pairs.shared > size[pairs.new])
    split = np.zeros(len(size), dtype=bool)
    split[pairs.new[torn]] = True
    parents = heir[pairs.former[torn]]
    split[parents[parents >= 0]] = True
    born = match < 0
    choice = np.select([merged & ~born, split, born, size > stayed], [3, 2, 4, 1], 0)
    return [EVENTS[i] for i in choice.tolist()]


def name(
    ids: pl.Series, label: Ints, match: Ints, former: Former, *, level: int, version: int
) -> list[str]:
    """Give every new community its id: the inherited one, or the hash of level and members.

    If that hash once named a community that has other members now, the version goes in too.
    """
    taken = set(former.ids)
    names = [former.ids[i] if i >= 0 else "" for i in match.tolist()]
    chosen = np.flatnonzero((label >= 0) & (match < 0)[label])
    chosen = chosen[np.argsort(label[chosen], kind="stable")]
    born, first = np.unique(label[chosen], return_index=True)
    members = ids.gather(chosen)
    text = _lines(members)
    begin = np.cumsum(np.append(0, members.str.len_bytes() + 1))
    start, end = begin[first], begin[np.append(first, len(chosen))[1:]] - 1
    for community, a, b in zip(born.tolist(), start.tolist(), end.tolist(), strict=True):
        names[community] = _new_id(b"%d\n%b" % (level, text[a:b]), taken, version)
    return names


def _lines(texts: pl.Series) -> bytes:
    """Join the texts, some at a time: what polars gives back stays in use for a while."""
    parts = texts.to_frame("text").iter_slices(SOME)
    return b"\n".join(part.get_column("text").str.join("\n").item().encode() for part in parts)


def _new_id(text: bytes, taken: set[str], version: int) -> str:
    found = hashlib.sha256(text).hexdigest()[:32]
    while found in taken:
        text = b"%b\n\n%d" % (text, version)
        found = hashlib.sha256(text).hexdigest()[:32]
    return found
