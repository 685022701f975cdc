"""Leiden: one igraph call for many communities of a level, anchored to what they were before.

Traag, Waltman and van Eck 2019. Measurements behind the constants: FACTS section 5.
"""

import random
from dataclasses import dataclass
from threading import Lock

import igraph as ig
import numpy as np

from graphrag_assets.network.graph import Floats, Graph, Ints
from graphrag_assets.network.reduction import Reduced, batches, paired, reduced

FRESH_ITERATIONS = 10  # at most; igraph's "until stable" may never end
FRESH_WORK = 700_000  # relationships x iterations: at 1M one finds .9993 of what ten would
UPDATE_ITERATIONS = 2
ANCHOR = 0.02  # level 0: reward for staying, as a share of an entity's strength; .1 loses quality
ANCHOR_BELOW = 0.2  # deeper levels, where many divisions are nearly as good
REPULSION = 0.3  # of two anchors, as a share of what holds the weaker community together
_igraph_generator = Lock()  # igraph draws from one generator per process


@dataclass(frozen=True, eq=False)
class _Run:
    """What igraph is called with."""

    n: int  # vertices that stand for entities; anchors come after them
    network: ig.GraphBase
    weight: Floats
    node: Floats
    start: Ints | None
    iterations: int


def partition(graph: Graph, group: Ints, *, former: Ints, anchor: float, seed: int) -> Ints:
    """Partition every group by its own modularity; return labels (entities,) 0, 1, ....

    group (entities,) is -1 where nothing is to be partitioned, and so is the label. former
    (entities,) is the community an entity comes from, -1 if none. Without any, this is a fresh
    run. Otherwise Leiden starts from the former communities, each with a vertex of weight 0 that
    holds its members by `anchor` times their strength; the vertices of neighbours repel each other.
    Labels respect the groups; communities come out connected.
    """
    small, vertex = reduced(graph, group, former)
    parts = batches(small)
    del small  # each part is let go when igraph has copied it: tens of MB
    found = [_leiden(_run(parts.pop(0), anchor), seed) for _ in range(len(parts))]
    part, label = vertex >= 0, np.full(graph.n, -1)
    label[part] = paired(group[part], np.concatenate(found)[vertex[part]])
    if (former[part] >= 0).any():
        label[part] = paired(label[part], _components(graph, label)[part])
    return label


def _run(small: Reduced, anchor: float) -> _Run:
    return _anchored(small, anchor) if (small.home >= 0).any() else _fresh(small)


def _fresh(small: Reduced) -> _Run:
    return _Run(
        n=len(small.node),
        network=ig.GraphBase(len(small.node), small.ends),  # Graph: half a second more
        weight=small.weight,
        node=small.node,
        start=None,
        iterations=fresh_iterations(small.n_relationships),
    )


def fresh_iterations(n_relationships: int) -> int:
    """Ten for a graph of up to 70,000 relationships, fewer beyond, so that cost stays linear."""
    return max(1, min(FRESH_ITERATIONS, FRESH_WORK // max(1, n_relationships)))


def _anchored(small: Reduced, anchor: float) -> _Run:
    """One more vertex per former community; without its edges if anchor is 0."""
    n, old = len(small.node), np.flatnonzero(small.home >= 0)
    home = small.home[old]
    n_homes = int(home.max()) + 1
    start = np.arange(n + n_homes) + n_homes
    start[old] = home
    start[n:] = np.arange(n_homes)
    pull = anchor * small.bound[old]
    held = pull > 0  # igraph would take an edge of weight 0 for a connection
    pairs, push = _repelled(small.ends, start[:n], np.bincount(home, pull).astype(float))
    anchors = np.column_stack([old[held], n + home[held]])
    return _Run(
        n=n,
        network=ig.GraphBase(n + n_homes, np.concatenate([small.ends, anchors, n + pairs])),
        weight=np.concatenate([small.weight, pull[held], -push]),
        node=np.concatenate([small.node, np.zeros(n_homes)]),
        start=np.unique(start, return_inverse=True)[1],
        iterations=UPDATE_ITERATIONS,
    )


def _repelled(ends: Ints, home: Ints, hold: Floats) -> tuple[Ints, Floats]:
    """Return pairs (p, 2) of neighbouring former communities and how much their anchors repel.

    Else two communities could merge, anchors and all, for free, and only a division would cost.
    home (v,) is the former community, from len(hold) on: none; hold is how strongly its anchor
    holds each.
    """
    a, b = home[ends].T
    across = (a != b) & (a < len(hold)) & (b < len(hold))
    a, b = a[across], b[across]
    pairs = np.unique(np.minimum(a, b) * len(hold) + np.maximum(a, b))
    pairs = np.column_stack(np.divmod(pairs, len(hold)))
    push = REPULSION * hold[pairs].min(axis=1)
    return pairs[push > 0], push[push > 0]


def _leiden(run: _Run, seed: int) -> Ints:
    """Return (n,) labels."""
    with _igraph_generator:
        ig.set_random_number_generator(random.Random(seed))  # noqa: S311 - not for secrets
        try:
            found = run.network.community_leiden(
                edge_weights=run.weight,
                node_weights=run.node,
                resolution=1.0,  # of CPM
                normalize_resolution=False,
                initial_membership=run.start,
                n_iterations=run.iterations,
            )
        finally:
            ig.set_random_number_generator(random)
    return np.asarray(found[0], dtype=np.int64)[: run.n]


def _components(graph: Graph, label: Ints) -> Ints:
    """Return (entities,) the connected component inside its label; an anchor may bridge a gap.

    Every root hooks onto the lowest one it has a relationship with, until none has.
    """
    root = np.arange(graph.n)
    inner = label[graph.source] == label[graph.target]
    inner &= label[graph.source] >= 0
    one, other = graph.source[inner], graph.target[inner]
    while len(one):
        np.minimum.at(root, np.maximum(one, other), np.minimum(one, other))
        while (root[root] != root).any():
            root = root[root]
        one, other = root[one], root[other]
        apart = one != other
        one, other = one[apart], other[apart]
    return root
