"""The communities of the last run, read back from their tables."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from graphrag_assets.network.fingerprints import INNER, NO_CROSSING
from graphrag_assets.network.graph import Bools, Ints, positions
from graphrag_assets.network.identity import Former

MOST_CHANGED = 0.3  # share of entities that came or went, beyond which the past is no guide


@dataclass(frozen=True, eq=False)
class Previous:
    """The tables `communities` and `community_members` as the last run left them."""

    communities: pl.DataFrame
    members: pl.DataFrame


def read_history(previous: Previous | None, ids: pl.Series) -> list[Former]:
    """Return the former communities level by level, from 0 on, over today's entities (ids)."""
    if previous is None or previous.communities.is_empty():
        return []
    communities = previous.communities.sort("id")
    parents = communities.get_column("parent_id").drop_nulls().unique()
    communities = communities.with_columns(was_split=pl.col("id").is_in(parents.implode()))
    level = communities.get_column("level").to_numpy()
    entity = positions(ids, previous.members.get_column("entity_id"))
    runs = previous.members.get_column("community_id").rle().struct
    community = positions(communities.get_column("id"), runs.field("value")).repeat(
        runs.field("len")
    )
    entity, community = entity[community >= 0], community[community >= 0]
    return [
        _former(communities, level == depth, community, entity, len(ids))
        for depth in range(int(level.max()) + 1)
    ]


def _former(
    communities: pl.DataFrame, here: Bools, community: Ints, entity: Ints, n: int
) -> Former:
    """Return the level whose communities are `here`, in the order of their ids.

    community and entity (members,) are of all levels; entity is -1 if it is gone today.
    """
    level = communities.filter(pl.Series(here))
    number = np.where(here, np.cumsum(here) - 1, -1)[community]
    label = np.full(n, -1)
    there = (number >= 0) & (entity >= 0)
    label[entity[there]] = number[there]
    alone = pl.col("fingerprint").str.slice(INNER) == NO_CROSSING
    return Former(
        label=label,
        ids=level.get_column("id").to_list(),
        size=np.bincount(number[number >= 0], minlength=level.height),
        born_in=level.get_column("born_in").cast(pl.Int64).to_numpy(),
        fingerprint=level.get_column("fingerprint").to_list(),
        was_split=level.get_column("was_split").to_numpy(),
        gathered=level.select(alone & (pl.col("n_relationships") == 0)).to_series().to_numpy(),
    )


def nothing_before(n: int) -> Former:
    """No former community at this level, for n entities."""
    none = np.zeros(0, dtype=np.int64)
    return Former(
        label=np.full(n, -1),
        ids=[],
        size=none,
        born_in=none,
        fingerprint=[],
        was_split=none.astype(bool),
        gathered=none.astype(bool),
    )


def share_changed(former: Former) -> float:
    """Share of entities, of those before and now, that came or went; former is level 0."""
    stayed = int((former.label >= 0).sum())
    return 1 - stayed / (int(former.size.sum()) + len(former.label) - stayed)


def anchors(former: Former) -> Ints:
    """Return (entities,) the former community to stay in; -1 for who had no relationship."""
    return np.where(np.append(former.gathered, True)[former.label], -1, former.label)
