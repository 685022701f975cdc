"""Leiden: one igraph call for all communities of a level, anchored to what they were before.

Traag, Waltman and van Eck 2019. Measurements behind the constants: FACTS section 5.
"""

import random
from dataclasses import dataclass
from threading import Lock

import igraph as ig
import numpy as np

from graphrag_assets.network.graph import Bools, Floats, Graph, Ints, rescaled, strengths

FRESH_ITERATIONS = 10  # at most; igraph's "until stable" may never end
FRESH_WORK = 700_000  # relationships x iterations: at 1M one finds .9993 of what ten would
UPDATE_ITERATIONS = 2
ANCHOR = 0.02  # level 0: reward for staying, as a share of an entity's strength; .1 loses quality
ANCHOR_BELOW = 0.2  # deeper levels, where many divisions are nearly as good
REPULSION = 0.3  # of two anchors, as a share of what holds the weaker community together
_igraph_generator = Lock()  # igraph draws from one generator per process


@dataclass(frozen=True, eq=False)
class Task:
    """Some entities in groups: each group is to be partitioned by its own modularity."""

    group: Ints  # (k,) 0, 1, ...
    source: Ints  # (e,) only relationships inside a group
    target: Ints  # (e,)
    weight: Floats  # (e,)


def task_of(graph: Graph, chosen: Bools, group: Ints) -> Task:
    """The chosen entities (n,) with the relationships inside their groups (n,)."""
    inner = chosen[graph.source] & chosen[graph.target]
    inner &= group[graph.source] == group[graph.target]
    position = np.cumsum(chosen) - 1
    return Task(
        group=np.unique(group[chosen], return_inverse=True)[1],
        source=position[graph.source[inner]],
        target=position[graph.target[inner]],
        weight=rescaled(graph.weight[inner]),
    )


def paired(first: Ints, second: Ints) -> Ints:
    """Number the distinct pairs of two columns of labels >= 0, in their order: 0, 1, ..."""
    key = first * (int(second.max(initial=0)) + 1) + second
    numbers: Ints = np.unique(key, return_inverse=True)[1]
    return numbers


def partition(task: Task, *, former: Ints, anchor: float, seed: int) -> Ints:
    """Partition every group at once; return labels (k,) 0, 1, ... that respect the groups.

    former (k,) is the community an entity comes from, -1 if none. Without any, this is a fresh
    run. Otherwise Leiden starts from the former communities, each with a vertex of weight 0 that
    holds its members by `anchor` times their strength; the vertices of neighbours repel each other.
    Communities come out connected.
    """
    label = _anchored(task, former, anchor, seed) if (former >= 0).any() else _fresh(task, seed)
    return paired(paired(task.group, label), _components(task, label))


def _fresh(task: Task, seed: int) -> Ints:
    return _leiden(
        source=task.source,
        target=task.target,
        weight=task.weight,
        node=_node_weights(task),
        start=None,
        iterations=fresh_iterations(len(task.weight)),
        seed=seed,
    )


def fresh_iterations(n_relationships: int) -> int:
    """Ten for a graph of up to 70,000 relationships, fewer beyond, so that cost stays linear."""
    return max(1, min(FRESH_ITERATIONS, FRESH_WORK // max(1, n_relationships)))


def _anchored(task: Task, former: Ints, anchor: float, seed: int) -> Ints:
    """Leiden with one more vertex per former community; without these if anchor is 0."""
    n, old = len(former), np.flatnonzero(former >= 0)
    home = paired(task.group[old], former[old])
    n_homes = int(home.max()) + 1
    start = np.arange(n + n_homes) + n_homes
    start[old] = home
    start[n:] = np.arange(n_homes)
    pull = anchor * strengths(n, task.source, task.target, task.weight)[old]
    held = pull > 0  # igraph would take an edge of weight 0 for a connection
    one, other, push = _repelled(task, start[:n], np.bincount(home, pull).astype(float))
    label = _leiden(
        source=np.concatenate([task.source, old[held], n + one]),
        target=np.concatenate([task.target, n + home[held], n + other]),
        weight=np.concatenate([task.weight, pull[held], -push]),
        node=np.concatenate([_node_weights(task), np.zeros(n_homes)]),
        start=np.unique(start, return_inverse=True)[1],
        iterations=UPDATE_ITERATIONS,
        seed=seed,
    )
    return label[:n]


def _repelled(task: Task, home: Ints, hold: Floats) -> tuple[Ints, Ints, Floats]:
    """Return pairs of neighbouring former communities and how much their anchors repel.

    Else two communities could merge, anchors and all, for free, and only a division would cost.
    home (k,) is the former community, from len(hold) on: none; hold is how strongly its anchor
    holds each.
    """
    a, b = home[task.source], home[task.target]
    across = (a != b) & (a < len(hold)) & (b < len(hold))
    a, b = a[across], b[across]
    pairs = np.unique(np.minimum(a, b) * len(hold) + np.maximum(a, b))
    one, other = pairs // len(hold), pairs % len(hold)
    push = REPULSION * np.minimum(hold[one], hold[other])
    return one[push > 0], other[push > 0], push[push > 0]


def _node_weights(task: Task) -> Floats:
    """Return (k,) node weights that turn CPM at resolution 1 into each group's own modularity.

    With n_i = k_i / sqrt(2 m), m the group's weight, CPM's penalty n_i n_j is k_i k_j / 2m.
    """
    strength = strengths(len(task.group), task.source, task.target, task.weight)
    twice = np.bincount(task.group, strength)[task.group]
    return np.divide(strength, np.sqrt(twice), out=np.zeros_like(strength), where=twice > 0)


def _leiden(
    *,
    source: Ints,
    target: Ints,
    weight: Floats,
    node: Floats,
    start: Ints | None,
    iterations: int,
    seed: int,
) -> Ints:
    graph = ig.GraphBase(len(node), np.column_stack([source, target]))  # Graph: half a second more
    with _igraph_generator:
        ig.set_random_number_generator(random.Random(seed))  # noqa: S311 - not for secrets
        try:
            found = graph.community_leiden(
                edge_weights=weight,
                node_weights=node,
                resolution=1.0,  # of CPM
                normalize_resolution=False,
                initial_membership=start,
                n_iterations=iterations,
            )
        finally:
            ig.set_random_number_generator(random)
    return np.asarray(found[0], dtype=np.int64)


def _components(task: Task, label: Ints) -> Ints:
    """Return (k,) the connected component inside its community; an anchor may bridge a gap."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    inner = label[task.source] == label[task.target]
    ends = (task.source[inner], task.target[inner])
    links = coo_matrix((np.ones(int(inner.sum()), dtype=np.int8), ends), shape=(len(label),) * 2)
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)
