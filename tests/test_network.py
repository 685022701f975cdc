"""Communities: what they are, what they keep, and what is refused."""

import dataclasses
import random
from unittest.mock import patch

import igraph as ig
import leidenalg
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from graphrag_assets.errors import TableError
from graphrag_assets.network import communities, leiden, reduction
from graphrag_assets.network.communities import (
    COMMUNITIES,
    MEMBERS,
    Communities,
    detect_communities,
)
from graphrag_assets.network.fingerprints import hash_strings
from graphrag_assets.network.graph import (
    Graph,
    degrees,
    modularity,
    partition_modularity,
    positions,
    read_graph,
)
from graphrag_assets.network.history import Previous
from graphrag_assets.network.leiden import ANCHOR, fresh_iterations, partition
from graphrag_assets.network.reduction import batches, reduced

Edges = dict[tuple[str, str], float]
NO_HOMES: list[tuple[str, str]] = []
laws = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


def relationships_of(edges: Edges) -> pl.DataFrame:
    rows = [(a, b, w) for (a, b), w in edges.items()]
    schema = {"source_id": pl.String, "target_id": pl.String, "weight": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def entities_of(edges: Edges, *more: str) -> pl.DataFrame:
    return pl.DataFrame(
        {"id": sorted({e for pair in edges for e in pair} | set(more))}, {"id": pl.String}
    )


def homes_of(homes: list[tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(homes, schema={"entity_id": pl.String, "home_id": pl.String}, orient="row")


def detect(edges: Edges, *more: str, after: Communities | None = None, **options) -> Communities:
    given = {"homes": NO_HOMES, "max_community_size": 10, "seed": 42, "version": 1} | options
    return detect_communities(
        entities_of(edges, *more),
        relationships_of(edges),
        previous=None if after is None else Previous(after.communities, after.members),
        **(given | {"homes": homes_of(given["homes"])}),
    )


def groups(found: Communities, level: int = 0) -> set[str]:
    """The communities of a level, each as its members in one string."""
    at = found.communities.filter(pl.col("level") == level).select(community_id="id")
    joined = found.members.join(at, on="community_id").group_by("community_id")
    return set(joined.agg(pl.col("entity_id").sort().str.join("")).get_column("entity_id"))


def event_of(found: Communities, member: str, level: int = 0) -> str:
    at = found.communities.filter(pl.col("level") == level)
    mine = found.members.filter(pl.col("entity_id") == member).get_column("community_id")
    return at.filter(pl.col("id").is_in(mine.implode())).get_column("event").item()


def clique(names: str, weight: float = 1.0) -> Edges:
    return {(a, b): weight for i, a in enumerate(names) for b in names[i + 1 :]}


def ring_of_cliques(n_cliques: int, size: int) -> Edges:
    """Cliques c00, c01, ... each tied to the next by one relationship."""
    names = [[f"c{c:02}-{i:02}" for i in range(size)] for c in range(n_cliques)]
    edges = {(a, b): 1.0 for c in names for i, a in enumerate(c) for b in c[i + 1 :]}
    for c in range(n_cliques):
        a, b = sorted((names[c][0], names[(c + 1) % n_cliques][1]))
        edges[a, b] = 1.0
    return edges


TRIANGLES = clique("abc") | clique("def") | {("c", "d"): 0.1}


# What a community is


def test_two_triangles_are_two_communities():
    # m = 6.1; each triangle has 3 inside and strength 2 * 3 + .1 = 6.1, half of 2m = 12.2:
    # Q = 2 * (3 / 6.1 - (6.1 / 12.2)²) = 6 / 6.1 - .5 = 0.4836065573770492
    found = detect(TRIANGLES)

    assert {"abc", "def"} == groups(found)
    assert pytest.approx(found.modularity, abs=1e-15) == 0.4836065573770492
    assert found.communities.get_column("n_relationships").to_list() == [3, 3]


def test_one_triangle_is_one_community():
    found = detect(clique("abc"))

    assert {"abc"} == groups(found)
    # All weight inside and all strength in one place: 3 / 3 - (6 / 6)² = 0
    assert pytest.approx(found.modularity) == 0.0


def test_empty_graph_gives_empty_tables():
    found = detect({})

    assert found.communities.schema == COMMUNITIES
    assert found.members.schema == MEMBERS
    assert (
        found.communities.height,
        found.members.height,
        found.modularity,
        found.gone,
    ) == (0, 0, 0.0, [])


def test_everything_can_vanish():
    before = detect(TRIANGLES)

    after = detect({}, after=before)

    assert sorted(before.communities.get_column("id")) == after.gone


def test_a_star_does_not_split():
    found = detect({("a", f"b{i:02}"): 1.0 for i in range(30)})

    assert found.communities.get_column("size").to_list() == [31]


def test_a_large_community_is_split_and_its_parts_know_it():
    found = detect(ring_of_cliques(30, 4), max_community_size=4)
    top = found.communities.filter(pl.col("level") == 0)
    below = found.communities.filter(pl.col("level") == 1)

    assert top.get_column("size").max() > 4
    assert set(below.get_column("parent_id")) <= set(top.get_column("id"))
    assert below.height > 0
    assert top.get_column("parent_id").null_count() == top.height


def test_isolated_entities_are_gathered_by_their_first_home():
    homes = [("x", "t2"), ("x", "t1"), ("y", "t1"), ("z", "t3"), ("a", "t1")]

    found = detect(TRIANGLES, *"uvxyz", homes=homes)

    # x is at home in t1 and t2 and goes by the first; u and v have no home at all
    assert {"abc", "def", "xy", "z", "uv"} == groups(found)


def test_isolated_entities_are_never_split():
    homes = [(f"x{i:02}", "t") for i in range(40)]

    found = detect({}, *(e for e, _ in homes), homes=homes)

    assert found.communities.select("level", "size").rows() == [(0, 40)]


def test_degrees_count_relationships():
    assert degrees(relationships_of(TRIANGLES)).rows() == [
        ("a", 2),
        ("b", 2),
        ("c", 3),
        ("d", 3),
        ("e", 2),
        ("f", 2),
    ]


def test_modularity_of_a_partition_is_igraphs():
    edges = ring_of_cliques(6, 4)
    names = entities_of(edges).get_column("id").to_list()
    membership = pl.DataFrame(
        {"entity_id": names, "community_id": [n[:3] if n < "c03" else "rest" for n in names]}
    )
    rest = [int(n[1:3]) if n < "c03" else 3 for n in names]
    graph = ig.Graph([(names.index(a), names.index(b)) for a, b in edges])

    assert graph.modularity(rest) == pytest.approx(modularity(relationships_of(edges), membership))


# What is refused


@pytest.mark.parametrize(
    ("rows", "culprit"),
    [
        ([("b", "a", 1.0)], r"before target_id.*'b', 'a'"),
        ([("a", "a", 1.0)], r"before target_id.*'a', 'a'"),
        ([("a", "b", 1.0), ("a", "b", 2.0)], r"\('a', 'b'\) stands there more than once"),
        ([("a", "b", 0.0)], r"above 0.*'a', 'b', 0.0"),
        ([("a", "b", -1.0)], "above 0"),
        ([("a", "b", float("nan"))], "finite"),
        ([("a", "b", float("inf"))], "finite"),
        ([("a", None, 1.0)], "NULL"),
        ([("a", "b", None)], "NULL"),
        ([("a", "q", 1.0)], "target_id must be an entity.*`q`"),
    ],
)
def test_relationships_that_are_not_canonical_are_refused(rows, culprit):
    schema = {"source_id": pl.String, "target_id": pl.String, "weight": pl.Float64}
    wrong = pl.DataFrame(rows, schema=schema, orient="row")

    with pytest.raises(TableError, match=culprit):
        read_graph(pl.DataFrame({"id": ["a", "b"]}), wrong)


def test_entities_must_be_unique():
    with pytest.raises(TableError, match=r"unique.*`a`"):
        read_graph(pl.DataFrame({"id": ["a", "a"]}), relationships_of({}))


def test_missing_columns_are_named():
    with pytest.raises(TableError, match="weight"):
        read_graph(pl.DataFrame({"id": ["a"]}), relationships_of({}).drop("weight"))


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValueError, match="max_community_size is 0"):
        detect(TRIANGLES, max_community_size=0)


def test_huge_weights_change_nothing():
    huge = {pair: weight * 2.0**1000 for pair, weight in TRIANGLES.items()}

    assert groups(detect(TRIANGLES)) == groups(detect(huge))
    assert detect(TRIANGLES).modularity == detect(huge).modularity


# What is kept


def test_the_same_graph_again_changes_nothing_but_the_event():
    first = detect(ring_of_cliques(12, 6), max_community_size=6)

    again = detect(ring_of_cliques(12, 6), max_community_size=6, after=first, version=2)

    assert {"new"} == set(first.communities.get_column("event"))
    assert {"kept"} == set(again.communities.get_column("event"))
    assert_frame_equal(first.communities.drop("event"), again.communities.drop("event"))
    assert_frame_equal(first.members, again.members)
    assert again.note == "anchored: the graph is unchanged"


def test_a_community_that_grows_keeps_its_id():
    first = detect(TRIANGLES)

    found = detect(TRIANGLES | {("a", "g"): 1.0, ("b", "g"): 1.0}, after=first, version=2)

    assert {"abcg", "def"} == groups(found)
    assert set(first.communities.get_column("id")) == set(found.communities.get_column("id"))
    assert (event_of(found, "a"), event_of(found, "d")) == ("grown", "kept")
    assert {1} == set(found.communities.get_column("born_in"))


def test_losing_a_member_is_no_growth():
    first = detect(clique("abcg") | clique("def") | {("c", "d"): 0.1})

    assert event_of(detect(TRIANGLES, after=first), "a") == "kept"


def test_communities_that_join_are_merged():
    first = detect(clique("abc") | clique("defg"))

    found = detect(clique("abcdefg"), after=first)

    assert {"abcdefg"} == groups(found)
    assert event_of(found, "a") == "merged"
    assert len(found.gone) == 1


def test_communities_that_part_are_split():
    whole = detect(clique("abcdef") | clique("xyz"))

    found = detect(clique("abc") | clique("def") | clique("xyz"), after=whole, version=2)

    assert tuple(event_of(found, m) for m in "adx") == ("split", "split", "kept")
    assert sorted(found.communities.get_column("born_in")) == [1, 1, 2]


def test_an_id_is_never_given_to_others():
    """Born as abc, grown to abcghij, it stays with ghij when abc leaves: that abc is a new one."""
    first = detect(clique("abc") | clique("xyz"))
    second = detect(clique("abcghij") | clique("xyz"), after=first, version=2)
    third = detect(clique("abc") | clique("ghij") | clique("xyz"), after=second, version=3)

    old = event_members(first)
    new = event_members(third)

    assert set(new) == {"abc", "ghij", "xyz"}
    assert old["abc"] == new["ghij"]  # most of what it was in the second version
    assert new["abc"] not in set(first.communities.get_column("id"))


def event_members(found: Communities) -> dict[str, str]:
    """Members in one string -> community id."""
    joined = found.members.group_by("community_id").agg(pl.col("entity_id").sort().str.join(""))
    return {members: community for community, members in joined.rows()}


def test_other_settings_start_afresh_but_keep_ids():
    edges = ring_of_cliques(12, 6)
    first = detect(edges, max_community_size=6)

    found = detect(edges, max_community_size=20, after=first)
    level = pl.col("level") == 0

    assert found.note.startswith("fresh: no community is unchanged")
    assert_frame_equal(
        first.communities.filter(level).select("id"), found.communities.filter(level).select("id")
    )


def test_much_change_starts_afresh():
    found = detect(clique("abcpqrst"), after=detect(TRIANGLES))

    assert found.note == "fresh: 73% of the entities changed"  # 3 of 11 stay


def test_a_bad_past_is_repaired():
    """All in one community, by decree: anchors hold it there, far below a fresh modularity."""
    edges = ring_of_cliques(12, 6)
    first = detect(edges, max_community_size=100)
    one = first.communities.head(1).with_columns(size=pl.lit(72, pl.Int64))
    intact = first.communities.tail(1)
    members = first.members.with_columns(
        community_id=pl.when(pl.col("community_id") == intact["id"][0])
        .then("community_id")
        .otherwise(pl.lit(one["id"][0]))
    )

    bad = dataclasses.replace(first, communities=pl.concat([one, intact]), members=members)
    found = detect(edges, max_community_size=100, after=bad)

    assert found.note == "repaired: without anchors"
    assert found.modularity >= 0.99 * first.modularity
    assert intact["id"][0] in set(found.communities.get_column("id"))


def test_a_past_that_can_not_be_repaired_gives_way(monkeypatch):
    monkeypatch.setattr(communities, "GUARD", 1.1)  # nothing is that much better than fresh
    first = detect(TRIANGLES)

    found = detect(TRIANGLES | {("a", "g"): 1.0}, after=first)

    assert found.note == "repaired: from scratch"
    assert set(first.communities.get_column("id")) == set(found.communities.get_column("id"))


def test_an_isolated_entity_that_gets_a_relationship_leaves_its_gathering():
    homes = [("x", "t"), ("y", "t"), ("z", "t")]
    first = detect(TRIANGLES, *"xyz", homes=homes)

    found = detect(TRIANGLES | {("a", "x"): 1.0}, *"xyz", homes=homes, after=first)

    assert {"abcx", "def", "yz"} == groups(found)
    assert first.communities.height == found.communities.height
    assert found.gone == []


def test_a_small_change_leaves_distant_communities_alone():
    """One clique of sixty gets a new member: it and its parent change, nothing else."""
    edges = ring_of_cliques(60, 5)
    first = detect(edges, max_community_size=5)

    found = detect(
        edges | {("c30-00", "new"): 1.0, ("c30-02", "new"): 1.0}, max_community_size=5, after=first
    )

    kept = found.communities.filter(pl.col("event") == "kept").height
    assert kept >= found.communities.height - 2
    assert found.note == "anchored"


def test_hysteresis_leaves_a_former_leaf_whole():
    """Two cliques are one community of ten, as modularity sees no detail beside heavy others."""
    names = [f"n{i}" for i in range(10)]
    halves = clique_of(names[:5]) | clique_of(names[5:]) | {("n0", "n5"): 1.0}
    heavy = {(f"z{a}", f"z{b}"): 50.0 for a in range(6) for b in range(a + 1, 6)}
    first = detect(halves | heavy)
    more = {("n0", "new"): 1.0, ("n1", "new"): 1.0}

    found = detect(halves | heavy | more, after=first)
    fresh = detect(halves | heavy | more)

    assert first.communities.get_column("size").to_list().count(10) == 1
    assert found.communities.get_column("level").unique().to_list() == [0]  # 11 <= 1.25 * 10
    assert fresh.communities.get_column("level").max() == 1


def clique_of(names: list[str]) -> Edges:
    return {(a, b): 1.0 for i, a in enumerate(names) for b in names[i + 1 :]}


# Leiden itself


def random_graph(n: int, m: int, seed: int):
    draw = random.Random(seed)
    names = [f"e{i:04}" for i in range(n)]
    edges: Edges = {}
    while len(edges) < m:
        a = draw.randrange(n)
        b = (
            min(n - 1, max(0, a + int(draw.gauss(0, 6))))
            if draw.random() < 0.8
            else draw.randrange(n)
        )
        if a != b:
            edges[names[min(a, b)], names[max(a, b)]] = float(draw.randint(1, 5))
    return edges


def test_level_0_is_as_good_as_leidenalgs():
    edges = random_graph(400, 1200, seed=1)
    names = entities_of(edges).get_column("id").to_list()
    graph = ig.Graph(len(names), [(names.index(a), names.index(b)) for a, b in edges])
    reference = leidenalg.find_partition(
        graph,
        leidenalg.ModularityVertexPartition,
        weights=list(edges.values()),
        seed=1,
        n_iterations=10,
    )

    assert detect(edges).modularity >= 0.99 * reference.modularity


@pytest.mark.parametrize("batch", [1, reduction.BATCH])
def test_one_call_for_many_groups_is_as_good_as_a_call_each(monkeypatch, batch):
    """CPM with node weights k / sqrt(2m) is each group's own modularity (leidenalg agrees)."""
    monkeypatch.setattr(reduction, "BATCH", batch)
    edges = random_graph(300, 900, seed=2)
    graph = read_graph(
        entities_of(edges, *(f"e{i:04}" for i in range(300))), relationships_of(edges)
    )
    group = np.arange(graph.n) // 100

    label = partition(graph, group, former=np.full(graph.n, -1), anchor=ANCHOR, seed=3)

    for g in range(3):
        inner = (group[graph.source] == g) & (group[graph.target] == g)
        ends = np.column_stack([graph.source[inner], graph.target[inner]]) - 100 * g
        own = ig.Graph(100, ends)
        weights = graph.weight[inner].tolist()
        best = leidenalg.find_partition(
            own, leidenalg.ModularityVertexPartition, weights=weights, seed=1, n_iterations=10
        )
        mine = np.unique(label[100 * g : 100 * g + 100], return_inverse=True)[1]
        assert own.modularity(mine.tolist(), weights=weights) >= 0.98 * best.modularity


def test_a_leaf_is_part_of_its_only_neighbour():
    """A star of four leaves and a triangle, joined: e has three relationships, f and g two."""
    edges = dict.fromkeys([*((leaf, "e") for leaf in "abcd"), *("ef", "eg", "fg")], 1.0)
    graph = read_graph(entities_of(edges, "h"), relationships_of(edges))
    group, new = np.array([5] * 7 + [-1]), np.full(8, -1)

    small, vertex = reduced(graph, group, new)

    assert vertex.tolist() == [0, 0, 0, 0, 0, 1, 2, -1]
    assert small.ends.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert small.weight.tolist() == [1.0, 1.0, 1.0]
    assert (small.node * np.sqrt(14)).round(12).tolist() == [10, 2, 2]


def test_a_leaf_from_elsewhere_stays_a_vertex():
    edges = dict.fromkeys(["ac", "bc", "cd", "ce", "de"], 1.0)
    graph = read_graph(entities_of(edges), relationships_of(edges))
    former = np.array([3, 7, 7, 7, -1])  # a comes from another community than c

    small, vertex = reduced(graph, np.zeros(5, dtype=np.int64), former)

    assert vertex.tolist() == [0, 1, 1, 2, 3]
    assert small.home.tolist() == [0, 1, 1, -1]
    assert small.bound.tolist() == [1, 5, 2, 0]


def test_groups_stand_together():
    edges = dict.fromkeys(["ac", "ae", "bd", "bf", "ce", "df"], 1.0)
    graph = read_graph(entities_of(edges), relationships_of(edges))

    small, vertex = reduced(graph, np.array([1, 0, 1, 0, 1, 0]), np.full(6, -1))

    assert vertex.tolist() == [3, 0, 4, 1, 5, 2]
    assert small.ends.tolist() == [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]]


def test_batches_are_whole_groups_that_count_from_nought(monkeypatch):
    """Three triangles of one group each; a fourth edge begins the second batch."""
    monkeypatch.setattr(reduction, "BATCH", 4)
    edges = dict.fromkeys(["ab", "ac", "bc", "de", "df", "ef", "gh", "gi", "hi"], 1.0)
    graph = read_graph(entities_of(edges), relationships_of(edges))
    group, former = np.repeat([0, 1, 2], 3), np.array([4, 4, -1, 4, 5, 5, -1, -1, 2])

    first, second = batches(reduced(graph, group, former)[0])

    assert first.group.tolist() == [0, 0, 0, 1, 1, 1]
    assert second.group.tolist() == [2, 2, 2]
    assert second.ends.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert (first.home.max(), second.home.tolist()) == (2, [0, -1, -1])
    assert (first.n_relationships, second.n_relationships) == (9, 9)


@pytest.mark.parametrize("shared", [False, True])
def test_a_position_is_found_whatever_the_hashes(monkeypatch, shared):
    """All ids may share one hash; none may be taken for another."""
    if shared:
        monkeypatch.setattr(
            pl.Series, "hash", lambda self: pl.Series([7] * len(self), dtype=pl.UInt64)
        )
    ids = pl.Series(["ada", "bo", "cy"])

    assert positions(ids, pl.Series(["cy", "?", "ada", "cy", None])).tolist() == [2, -1, 0, 2, -1]
    assert positions(ids, pl.Series([], dtype=pl.String)).tolist() == []
    assert positions(ids.clear(), pl.Series(["ada"])).tolist() == [-1]


def test_igraph_draws_the_same_under_the_same_seed():
    edges = random_graph(300, 900, seed=4)

    assert_frame_equal(detect(edges).members, detect(edges).members)


def test_other_users_of_random_are_not_disturbed():
    random.seed(1)
    expected = [random.random() for _ in range(3)]
    random.seed(1)
    detect(TRIANGLES)

    assert expected == [random.random() for _ in range(3)]


def test_iterations_are_ten_up_to_what_is_affordable():
    sizes = (0, 70_000, 200_000, 1_000_000, 10**8)

    assert [fresh_iterations(m) for m in sizes] == [10, 10, 3, 1, 1]


def test_string_hashes_are_the_same_on_every_machine():
    """Stored fingerprints outlive the program: splitmix64 over words of eight bytes, for ever."""
    texts = ["", "a", "ä", "deadbeef" * 4]

    assert hash_strings(pl.Series(texts)).tolist() == [slow_hash(t.encode()) for t in texts]
    assert hash_strings(pl.Series(["a"])).tolist() == [slow_hash(b"a")]  # whatever its company


def slow_hash(text: bytes) -> int:
    value = 0
    for i in range(0, len(text), 8):
        value ^= int.from_bytes(text[i : i + 8], "little")
        value = (value + 0x9E3779B97F4A7C15) % 2**64
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB % 2**64
        value ^= value >> 31
    return value


# Laws


@laws
@given(st.data())
def test_no_leaf_does_better_than_with_its_neighbour(data):
    """Why leaves needn't be vertices (Arenas et al. 2007)."""
    pairs = st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda p: p[0] < p[1])
    edges = data.draw(st.dictionaries(pairs, st.integers(1, 9), min_size=1, max_size=12))
    source, target = np.array([*edges, (0, 7)]).T  # 7 is a leaf of 0
    weight = np.array([*edges.values(), data.draw(st.integers(1, 9))], dtype=float)
    label = np.array(data.draw(st.lists(st.integers(0, 7), min_size=8, max_size=8)))
    joined = np.append(label[:7], label[0])

    apart = partition_modularity(source, target, weight, label)

    assert partition_modularity(source, target, weight, joined) >= apart - 1e-12


@st.composite
def networks(draw) -> tuple[Edges, list[str], list[tuple[str, str]]]:
    n = draw(st.integers(2, 40))
    names = [f"e{i:02}" for i in range(n)]
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] < p[1])
    weight = st.sampled_from([0.5, 1.0, 2.0, 7.0])
    edges = draw(st.dictionaries(pair, weight, max_size=90))
    homes = draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from("pqr")), max_size=10))
    return {(names[a], names[b]): w for (a, b), w in edges.items()}, names, homes


@st.composite
def changes(draw) -> tuple[tuple, tuple]:
    """A network, and the same with some relationships and entities gone or added."""
    edges, names, homes = draw(networks())
    other, _, _ = draw(networks())
    leaves = set(draw(st.lists(st.sampled_from(names), max_size=3)))
    dropped = draw(st.sets(st.sampled_from(sorted(edges)), max_size=8)) if edges else set()
    added = dict(list(other.items())[: draw(st.integers(0, 8))])
    after = {p: w for p, w in (edges | added).items() if p not in dropped and not leaves & set(p)}
    there = sorted((set(names) | {e for p in after for e in p}) - leaves)
    return (edges, names, homes), (after, there, homes)


def run(network, after: Communities | None = None, **options) -> Communities:
    edges, names, homes = network
    return detect(edges, *names, after=after, homes=homes, **{"max_community_size": 4} | options)


def check_hierarchy(found: Communities, names: list[str]) -> None:
    communities, members = found.communities, found.members
    level = communities.select("level", "parent_id", community_id="id")
    placed = members.join(level, on="community_id")
    assert sorted(names) == sorted(placed.filter(pl.col("level") == 0).get_column("entity_id"))
    assert not placed.select(pl.struct("level", "entity_id").is_duplicated().any()).item()
    sizes = members.group_by("community_id").agg(size=pl.len().cast(pl.Int64))
    assert_frame_equal(
        sizes.rename({"community_id": "id"}),
        communities.select("id", "size"),
        check_row_order=False,
    )
    children = placed.filter(pl.col("level") > 0)
    above = members.rename({"community_id": "parent_id"})
    assert children.join(above, on=["parent_id", "entity_id"], how="anti").is_empty()
    split = (
        communities.drop_nulls("parent_id")
        .group_by("parent_id")
        .agg(pl.col("size").sum(), pl.len())
    )
    parents = split.join(communities.select(parent_id="id", whole="size"), on="parent_id")
    assert parents.height == split.height
    assert parents.filter((pl.col("size") != pl.col("whole")) | (pl.col("len") < 2)).is_empty()
    assert communities.get_column("id").is_unique().all()


@laws
@given(networks())
def test_every_entity_is_in_one_community_per_level_and_children_fill_their_parent(network):
    check_hierarchy(run(network), network[1])


@laws
@given(networks(), st.randoms(use_true_random=False), st.booleans(), st.sampled_from([1, 50_000]))
def test_partitions_are_connected_and_inside_their_groups(network, draw, update, batch):
    edges, names, _ = network
    graph = read_graph(pl.DataFrame({"id": names}), relationships_of(edges))
    group = np.array([draw.choice([-1, 0, 0, 0, 5]) for _ in names])
    former = np.array([draw.choice([-1, 0, 1, 2]) if update else -1 for _ in names])

    with patch.object(reduction, "BATCH", batch):
        label = partition(graph, group, former=former, anchor=0.2, seed=draw.randrange(100))

    assert ((label < 0) == (group < 0)).all()
    assert set(label[label >= 0].tolist()) == set(range(label.max() + 1))
    inner = (label[graph.source] == label[graph.target]) & (label[graph.source] >= 0)
    ends = np.column_stack([graph.source[inner], graph.target[inner]])
    component = np.array(ig.Graph(graph.n, ends).connected_components().membership)
    placed = set(zip(label.tolist(), group.tolist(), component.tolist(), strict=True))
    assert len({p for p in placed if p[0] >= 0}) == label.max() + 1


@laws
@given(networks(), st.randoms(use_true_random=False))
def test_row_order_does_not_matter(network, draw):
    edges, names, homes = network
    rows = list(edges.items())
    draw.shuffle(rows)
    shuffled = draw.sample(names, len(names))
    found = detect_communities(
        pl.DataFrame({"id": shuffled}),
        relationships_of(dict(rows)),
        homes=homes_of(draw.sample(homes, len(homes))),
        max_community_size=4,
        seed=42,
        previous=None,
        version=1,
    )
    expected = run(network)

    assert_frame_equal(expected.communities, found.communities)
    assert_frame_equal(expected.members, found.members)


@laws
@given(changes())
def test_an_update_obeys_the_same_laws_and_repeats_itself(change):
    before, now = change
    first = run(before)
    update = run(now, after=first, version=2)
    again = run(now, after=update, version=3)

    check_hierarchy(update, now[1])
    scratch = run(now)
    assert update.modularity >= scratch.modularity - 0.01 * abs(scratch.modularity) - 1e-12
    assert sorted(set(first.communities["id"]) - set(update.communities["id"])) == update.gone
    assert_frame_equal(update.communities.drop("event"), again.communities.drop("event"))
    assert_frame_equal(update.members, again.members)
    assert {"kept"} >= set(again.communities.get_column("event"))


@laws
@given(changes())
def test_an_update_does_not_depend_on_the_order_of_the_previous_tables(change):
    before, now = change
    first = run(before)
    turned = dataclasses.replace(
        first, communities=first.communities.reverse(), members=first.members.reverse()
    )

    assert_frame_equal(run(now, after=first).communities, run(now, after=turned).communities)


@pytest.mark.parametrize(("repulsion", "merges"), [(0.0, True), (leiden.REPULSION, False)])
def test_communities_do_not_merge_for_a_small_gain(monkeypatch, repulsion, merges):
    """Two triangles whose bridge is .05 stronger than chance; anchors that repel keep both."""
    monkeypatch.setattr(leiden, "REPULSION", repulsion)
    triangles = np.array([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (6, 7), (6, 8), (7, 8)])
    source, target = np.vstack([triangles, (2, 3)]).T
    graph = Graph(
        ids=pl.Series(list("abcdefghi")),
        source=source,
        target=target,
        weight=np.array([1.0] * 6 + [13.5] * 3 + [0.5]),
    )

    everyone, former = np.zeros(9, dtype=np.int64), np.repeat([0, 1, 2], 3)

    label = partition(graph, everyone, former=former, anchor=0.2, seed=1)

    assert (label[2] == label[3]) == merges
