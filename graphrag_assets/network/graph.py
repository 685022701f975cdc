"""The weighted undirected graph of entities: checked, indexed, measured."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from graphrag_assets.errors import TableError

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Hashes: TypeAlias = npt.NDArray[np.uint64]
Bools: TypeAlias = npt.NDArray[np.bool_]

SOME = 100_000  # strings that are looked up at a time
LARGEST_WEIGHT = 1e12  # beyond this igraph's sums lose the differences that Leiden decides by


@dataclass(frozen=True, eq=False)
class Graph:
    """n entities in the order of their ids, m relationships in the order of their endpoints.

    Entity order decides what Leiden does, so it follows the ids, never the order of rows.
    """

    ids: pl.Series  # (n,) str, ascending
    source: Ints  # (m,) position in ids, below target
    target: Ints  # (m,)
    weight: Floats  # (m,) > 0, as the caller gave it

    @property
    def n(self) -> int:
        """Number of entities."""
        return len(self.ids)


def read_graph(entities: pl.DataFrame, relationships: pl.DataFrame) -> Graph:
    """Index the relationships by entity position.

    Raises:
        TableError: an id twice, an endpoint that is no entity, a relationship that isn't
            canonical (source_id < target_id, once) or whose weight isn't finite and positive.
    """
    _require("entities", entities, ["id"])
    _require("relationships", relationships, ["source_id", "target_id", "weight"])
    ids = _sorted_ids(entities)
    _check_relationships(relationships)
    source, target = (_endpoints(ids, relationships, c) for c in ("source_id", "target_id"))
    order = np.argsort(source * len(ids) + target, kind="stable")  # at once if in order already
    source, target = source[order], target[order]
    twice = np.flatnonzero((source[1:] == source[:-1]) & (target[1:] == target[:-1]))
    if len(twice):
        pair = (ids[int(source[twice[0]])], ids[int(target[twice[0]])])
        raise TableError(
            "relationships", f"{pair} stands there more than once; sum the weights first."
        )
    weight = relationships.get_column("weight").cast(pl.Float64).to_numpy()[order]
    return Graph(ids=ids, source=source, target=target, weight=weight)


def _require(table: str, frame: pl.DataFrame, columns: list[str]) -> None:
    missing = [c for c in columns if c not in frame.columns]
    if missing:
        raise TableError(table, f"column(s) {missing} are missing; it has {frame.columns}.")


def _reject(table: str, frame: pl.DataFrame, bad: pl.Expr, rule: str) -> None:
    culprits = frame.filter(bad)
    if culprits.height:
        raise TableError(
            table, f"{rule}; {culprits.height} row(s) don't fit, such as {culprits.row(0)}."
        )


def _check_relationships(relationships: pl.DataFrame) -> None:
    weight, source, target = pl.col("weight"), pl.col("source_id"), pl.col("target_id")
    missing = source.is_null() | target.is_null() | weight.is_null()
    _reject("relationships", relationships, missing, "endpoints and weight can't be NULL")
    _reject(
        "relationships", relationships, source >= target, "source_id must come before target_id"
    )
    good = weight.cast(pl.Float64).is_finite() & (weight > 0)
    _reject("relationships", relationships, ~good, "weights must be finite and above 0")


def _sorted_ids(entities: pl.DataFrame) -> pl.Series:
    ids = entities.get_column("id").cast(pl.String).sort()
    again = ids.filter(ids.is_null() | (ids == ids.shift()))
    if len(again):
        raise TableError("entities", f"ids must be unique and not NULL; `{again[0]}` isn't.")
    return ids


def _endpoints(ids: pl.Series, relationships: pl.DataFrame, column: str) -> Ints:
    found = positions(ids, relationships.get_column(column))
    strangers = relationships.filter(pl.Series(found < 0)).get_column(column)
    if len(strangers):
        problem = f"{column} must be an entity; {len(strangers)} aren't, such as `{strangers[0]}`."
        raise TableError("relationships", problem)
    return found


def positions(ids: pl.Series, values: pl.Series) -> Ints:
    """Return where each value stands in distinct ids, -1 if it doesn't.

    Found by hash, some at a time: a join of all takes a hundred bytes a row.
    """
    if ids.is_empty():
        return np.full(len(values), -1)
    hashes = ids.hash().to_numpy()
    by_hash = np.argsort(hashes)
    hashes = hashes[by_hash]
    parts = values.to_frame("id").iter_slices(SOME)
    found = [_by_hash(ids, part.get_column("id"), hashes, by_hash) for part in parts]
    position = np.concatenate([np.zeros(0, dtype=np.int64), *found])
    strangers = np.flatnonzero(position < 0)  # or ids that share their hash with another
    if len(strangers):
        position[strangers] = _joined(ids, values.gather(strangers))
    return position


def _by_hash(ids: pl.Series, values: pl.Series, hashes: Hashes, by_hash: Ints) -> Ints:
    sought = values.hash().to_numpy()
    order = np.argsort(sought)  # to look them up in order takes half the time
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.searchsorted(hashes, sought[order])
    position = by_hash[np.minimum(place, len(hashes) - 1)]
    return np.where(ids.gather(position).eq_missing(values), position, -1)


def _joined(ids: pl.Series, values: pl.Series) -> Ints:
    known = pl.DataFrame({"id": ids}).with_row_index("position")
    found = pl.DataFrame({"id": values}).join(known, on="id", how="left", maintain_order="left")
    return found.get_column("position").cast(pl.Int64).fill_null(-1).to_numpy()


def rescaled(weight: Floats) -> Floats:
    """Bring weights above 1e12 down by a power of two: exact, so Leiden sees the same graph."""
    largest = float(weight.max(initial=0.0))
    if largest <= LARGEST_WEIGHT:
        return weight
    return np.maximum(np.ldexp(weight, -int(np.frexp(largest)[1])), np.finfo(np.float64).tiny)


def strengths(n: int, source: Ints, target: Ints, weight: Floats) -> Floats:
    """Return (n,) the weighted degree of each entity."""
    total: Floats = np.bincount(source, weight, n).astype(np.float64)
    return total + np.bincount(target, weight, n)


def partition_modularity(source: Ints, target: Ints, weight: Floats, label: Ints) -> float:
    """Modularity of labels (n,), -1 without relationships; 0 for a graph that has none.

    Newman and Girvan 2004, weighted: sum over communities of w_in / m - (k / 2m)².
    """
    if not len(weight):
        return 0.0
    weight = rescaled(weight)
    total = float(weight.sum())
    inner = float(weight[label[source] == label[target]].sum())
    strength = np.bincount(label + 1, strengths(len(label), source, target, weight))
    return inner / total - float(np.square(strength / (2 * total)).sum())


def modularity(relationships: pl.DataFrame, membership: pl.DataFrame) -> float:
    """Modularity of a partition: membership has entity_id, community_id, each entity once.

    Raises:
        TableError: as `read_graph`; an endpoint without a community counts as no entity.
    """
    _require("community_members", membership, ["entity_id", "community_id"])
    graph = read_graph(membership.select(id="entity_id"), relationships)
    community = membership.sort("entity_id").get_column("community_id")
    label = community.rank("dense").cast(pl.Int64).to_numpy() - 1
    return partition_modularity(graph.source, graph.target, graph.weight, label)


def degrees(relationships: pl.DataFrame) -> pl.DataFrame:
    """Return id, degree (number of relationships) of every entity that has one, by id."""
    ends = pl.concat([relationships.select(id="source_id"), relationships.select(id="target_id")])
    return ends.group_by("id").agg(degree=pl.len().cast(pl.Int64)).sort("id")
