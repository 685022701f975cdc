"""Entities and relationships -> hierarchical communities that keep their identity.

Level 0 is the partition of best modularity; a community above the limit is split again by the
modularity of its own subgraph. An update starts from the former partition and is held to it by
weak anchors, so that a small change moves little; where nothing changed, nothing moves.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

from graphrag_assets.network.fingerprints import INNER, GraphHashes, fingerprints, hash_graph
from graphrag_assets.network.graph import Bools, Graph, Ints, partition_modularity, read_graph
from graphrag_assets.network.history import (
    MOST_CHANGED,
    Previous,
    anchors,
    nothing_before,
    read_history,
    share_changed,
)
from graphrag_assets.network.identity import Former, events, inherit, name, overlap
from graphrag_assets.network.leiden import ANCHOR, ANCHOR_BELOW, partition

COMMUNITIES = pl.Schema(
    {
        "id": pl.String(),
        "level": pl.Int64(),
        "parent_id": pl.String(),
        "size": pl.Int64(),
        "n_relationships": pl.Int64(),
        "born_in": pl.Int64(),
        "event": pl.String(),
        "fingerprint": pl.String(),
    }
)
MEMBERS = pl.Schema({"community_id": pl.String(), "entity_id": pl.String()})

GUARD = 0.99  # an update below this share of a fresh partition's modularity is repaired
SPLIT_ABOVE = 1.25  # times the limit, for a community that was whole before
SPLIT_DOWN_TO = 0.8  # times the limit, for one that was split before


@dataclass(frozen=True, eq=False)
class Communities:
    """The two tables and what there is to say about them."""

    communities: pl.DataFrame  # COMMUNITIES, by level and id
    members: pl.DataFrame  # MEMBERS, by level, community and entity
    modularity: float  # of level 0
    gone: list[str]  # ids of the last run that aren't there any more
    note: str  # the path taken: fresh, anchored or repaired, and why


@dataclass(frozen=True, eq=False)
class _Work:
    graph: Graph
    hashes: GraphHashes
    history: list[Former]
    max_community_size: int
    seed: int
    version: int

    def former(self, depth: int) -> Former:
        known = depth < len(self.history)
        return self.history[depth] if known else nothing_before(self.graph.n)


@dataclass(frozen=True, eq=False)
class _Top:
    """Level 0 of the entities that have a relationship."""

    label: Ints  # (entities,) -1 without one
    note: str
    anchored: bool  # deeper levels hold on to the past too


@dataclass(frozen=True, eq=False)
class _Level:
    label: Ints  # (entities,) 0..k-1, -1 where nothing was split down to here
    parent: Ints  # (k,) community of the level above
    match: Ints  # (k,) community of the same level before, -1 if new
    ids: list[str]
    size: Ints
    n_relationships: Ints
    fingerprint: list[str]
    event: list[str]
    born_in: Ints


def detect_communities(
    entities: pl.DataFrame,
    relationships: pl.DataFrame,
    *,
    homes: pl.DataFrame,
    max_community_size: int,
    seed: int,
    previous: Previous | None,
    version: int,
) -> Communities:
    """Put every entity into one community of level 0, and of deeper levels where it was split.

    entities: id. relationships: source_id < target_id, once each, weight > 0. homes: entity_id,
    home_id, read for entities without relationships: those of one home (the first, by id) make
    one community, those without a home another; they are never split. `version` is noted as the
    birth of new communities. The result depends on the seed and `previous`, not on row order.

    Raises:
        TableError: entities or relationships that `read_graph` refuses.
        ValueError: max_community_size below 1.
    """
    if max_community_size < 1:
        raise ValueError(f"max_community_size is {max_community_size}; it must be 1 or more.")
    graph = read_graph(entities, relationships)
    work = _Work(
        graph=graph,
        hashes=hash_graph(graph, max_community_size=max_community_size, seed=seed),
        history=read_history(previous, graph.ids),
        max_community_size=max_community_size,
        seed=seed,
        version=version,
    )
    connected = np.zeros(graph.n, dtype=bool)
    connected[graph.source] = connected[graph.target] = True
    top = _top(work, connected)
    label = _with_isolated(graph, connected, top.label, homes)
    levels = _levels(work, label, anchored=top.anchored)
    communities = _communities_table(levels)
    before = [] if previous is None else previous.communities.get_column("id").to_list()
    return Communities(
        communities=communities,
        members=_members_table(graph, levels),
        modularity=partition_modularity(graph.source, graph.target, graph.weight, label),
        gone=sorted(set(before) - set(communities.get_column("id"))),
        note=top.note,
    )


def _top(work: _Work, connected: Bools) -> _Top:
    """Partition the entities that have a relationship, as close to the past as quality allows."""
    former = work.former(0)
    stay = np.where(connected, anchors(former), -1)
    if _unchanged(work, stay, connected):
        return _Top(label=stay, note="anchored: the graph is unchanged", anchored=True)
    graph, group = work.graph, np.where(connected, 0, -1)
    nowhere = np.broadcast_to(-1, graph.n)
    fresh = partition(graph, group, former=nowhere, anchor=0.0, seed=work.seed)
    reason = _why_fresh(work, stay)
    if reason:
        return _Top(label=fresh, note=f"fresh: {reason}", anchored=False)
    best = partition_modularity(graph.source, graph.target, graph.weight, fresh)
    for anchor, note in ((ANCHOR, "anchored"), (0.0, "repaired: without anchors")):
        label = partition(graph, group, former=stay, anchor=anchor, seed=work.seed)
        found = partition_modularity(graph.source, graph.target, graph.weight, label)
        if found >= best - (1 - GUARD) * abs(best):
            return _Top(label=label, note=note, anchored=True)
    return _Top(label=fresh, note="repaired: from scratch", anchored=False)


def _unchanged(work: _Work, stay: Ints, connected: Bools) -> bool:
    """Every relationship is what it was: no run, or a fixed point could be missed by chance."""
    former = work.former(0)
    if not former.n or bool((stay[connected] < 0).any()):
        return False
    now = fingerprints(work.graph, work.hashes, stay, former.n, crossing=True)
    pairs = zip(now, former.fingerprint, former.gathered.tolist(), strict=True)
    return all(gathered or a == b for a, b, gathered in pairs)


def _why_fresh(work: _Work, stay: Ints) -> str:
    """Say why the past is no guide; nothing if it is one."""
    if not (stay >= 0).any():
        return "no communities before"
    changed = share_changed(work.former(0))
    if changed > MOST_CHANGED:
        return f"{changed:.0%} of the entities changed"
    if not any(_any_intact(work, former) for former in reversed(work.history)):
        return "no community is unchanged (other settings or weights?)"
    return ""


def _any_intact(work: _Work, former: Former) -> bool:
    now = fingerprints(work.graph, work.hashes, former.label, former.n, crossing=False)
    pairs = zip(now, former.fingerprint, former.gathered.tolist(), strict=True)
    return any(not gathered and a == b[:INNER] for a, b, gathered in pairs)


def _with_isolated(graph: Graph, connected: Bools, label: Ints, homes: pl.DataFrame) -> Ints:
    """Return (entities,) level-0 labels, entities without relationships gathered by home."""
    known = homes.select("entity_id", "home_id").drop_nulls()
    first = known.group_by("entity_id").agg(pl.col("home_id").min())
    isolated = pl.DataFrame({"entity_id": graph.ids.filter(pl.Series(~connected))})
    home = isolated.join(first, on="entity_id", how="left", maintain_order="left").get_column(
        "home_id"
    )
    number = home.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
    everyone = label.copy()
    everyone[~connected] = number + label.max(initial=-1) + 1
    return np.unique(everyone, return_inverse=True)[1]


def _levels(work: _Work, label: Ints, *, anchored: bool) -> list[_Level]:
    levels: list[_Level] = []
    while (label >= 0).any():
        above = levels[-1].label if levels else np.zeros_like(label)
        levels.append(_describe(work, len(levels), label, above))
        label = _children(work, len(levels), levels[-1], anchored=anchored)
    return levels


def _describe(work: _Work, depth: int, label: Ints, above: Ints) -> _Level:
    """Give the communities of one level their identity and measures."""
    graph, former = work.graph, work.former(depth)
    known = label >= 0
    size = np.bincount(label[known])
    pairs = overlap(former, label)
    match = inherit(former, pairs, size)
    inner = label[graph.source][label[graph.source] == label[graph.target]]
    parent = np.zeros(len(size), dtype=np.int64)
    parent[label[known]] = above[known]
    return _Level(
        label=label,
        parent=parent,
        match=match,
        ids=name(graph.ids, label, match, former, level=depth, version=work.version),
        size=size,
        n_relationships=np.bincount(inner[inner >= 0], minlength=len(size)),
        fingerprint=fingerprints(graph, work.hashes, label, len(size), crossing=depth == 0),
        event=events(former, pairs, size, match),
        born_in=np.append(former.born_in, work.version)[match],
    )


def _children(work: _Work, depth: int, above: _Level, *, anchored: bool) -> Ints:
    """Split what is too large above; return labels (entities,) of this depth, -1 elsewhere.

    A community whose subgraph is unchanged has the children it had, or none.
    """
    verbatim, divided = _plan(work, depth - 1, above, anchored=anchored)
    former = work.former(depth).label
    copy = np.append(verbatim, False)[above.label]
    cut = np.append(divided, False)[above.label]
    label = np.full(work.graph.n, -1)
    label[copy] = np.unique(former[copy], return_inverse=True)[1]
    if cut.any():
        group = np.where(cut, above.label, -1)
        before = former if anchored else np.full_like(former, -1)
        new = partition(work.graph, group, former=before, anchor=ANCHOR_BELOW, seed=work.seed)
        label[cut] = new[cut] + label.max() + 1
    return _without_only_children(label, above.label)


def _plan(work: _Work, depth: int, level: _Level, *, anchored: bool) -> tuple[Bools, Bools]:
    """Which communities keep their former children verbatim, and which are to be split."""
    former = work.former(depth)
    before = [former.fingerprint[i][:INNER] if i >= 0 else "" for i in level.match.tolist()]
    pairs = zip(level.fingerprint, before, strict=True)
    same = np.array([now[:INNER] == then for now, then in pairs])
    was_split = np.append(former.was_split, False)[level.match]
    limit = np.full(len(level.size), float(work.max_community_size))
    if anchored:
        limit *= np.where(was_split, SPLIT_DOWN_TO, np.where(level.match >= 0, SPLIT_ABOVE, 1.0))
    return same & was_split, ~same & (level.size > limit) & (level.n_relationships > 0)


def _without_only_children(label: Ints, above: Ints) -> Ints:
    """Take back labels of communities that are all of their parent; number the others anew."""
    known = label >= 0
    parent = np.zeros(int(label.max(initial=-1)) + 1, dtype=np.int64)
    parent[label[known]] = above[known]
    alone = np.bincount(parent, minlength=1)[parent] == 1
    label = np.where(np.append(alone, True)[label], -1, label)
    number = np.cumsum(np.bincount(label[label >= 0], minlength=len(parent)) > 0) - 1
    return np.append(number, -1)[label]


def _communities_table(levels: list[_Level]) -> pl.DataFrame:
    above = [[], *[level.ids for level in levels]]
    frames = [
        pl.DataFrame(
            {
                "id": level.ids,
                "level": np.full(len(level.ids), depth),
                "parent_id": [above[depth][i] if depth else None for i in level.parent.tolist()],
                "size": level.size,
                "n_relationships": level.n_relationships,
                "born_in": level.born_in,
                "event": level.event,
                "fingerprint": level.fingerprint,
            },
            schema=COMMUNITIES,
        ).sort("id")
        for depth, level in enumerate(levels)
    ]
    return pl.concat([COMMUNITIES.to_frame(), *frames])


def _members_table(graph: Graph, levels: list[_Level]) -> pl.DataFrame:
    frames = [_members_of(graph, level) for level in levels]
    return pl.concat([MEMBERS.to_frame(), *frames])


def _members_of(graph: Graph, level: _Level) -> pl.DataFrame:
    ids = pl.Series(level.ids)
    rank = ids.rank("ordinal").to_numpy()
    known = np.flatnonzero(level.label >= 0)
    known = known[np.lexsort((known, rank[level.label[known]]))]
    columns = {"community_id": ids.gather(level.label[known]), "entity_id": graph.ids.gather(known)}
    return pl.DataFrame(columns, schema=MEMBERS)
