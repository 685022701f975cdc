"""What stands on the map: places, homes, colours, lines."""

import pytest

from graphrag_assets.atlas.points import NOWHERE, read_points
from graphrag_assets.errors import NoMapError
from published_map import island, publish, ref


@pytest.fixture
def points(store):
    return read_points(publish(store, **island()), "entity")


def test_the_best_connected_come_first_and_what_has_no_place_is_counted(points):
    assert points.frame["id"].to_list() == [ref("e", i) for i in range(5)]
    assert points.unplaced == 1


def test_at_every_level_each_thing_is_at_home_in_its_community(points):
    names = [*points.communities["id"], None]
    homes = [[names[min(home, 3)] for home in level] for level in points.homes]
    north, south, inner = (ref("k", i) for i in range(3))

    assert homes == [
        [north, north, north, north, south],
        [inner, inner, north, north, south],  # what wasn't split is carried down
    ]


def test_a_community_stands_in_the_middle_of_its_members(points):
    middle = points.communities.filter(id=ref("k", 0)).row(0, named=True)

    assert (middle["x"], middle["y"]) == (1.5, 0.0)


def test_a_part_names_its_whole(points):
    assert points.communities["parent"].to_list() == [NOWHERE, NOWHERE, 0]


def test_a_community_without_a_report_has_a_name(points):
    assert points.communities["title"].to_list()[0] == "The north"
    assert points.communities["title"].to_list()[1] == "Community b0000001"


def test_lines_end_where_things_stand(points):
    ends = points.lines.select("source", "target").rows()

    assert ends == [(0, 1), (0, 3)]  # the third goes to what has no place
    assert points.n_lines == 3


def test_documents_are_at_home_where_most_of_their_mentions_are(store):
    found = read_points(publish(store, **island()), "document")

    assert found.frame["id"].to_list() == [ref("d", 0)]
    assert found.communities["id"][int(found.homes[0, 0])] == ref("k", 0)
    assert found.lines.is_empty()


def test_an_index_without_places_is_an_error_that_counts(store):
    reader = publish(store, **island() | {"layout": []})

    with pytest.raises(NoMapError, match="None of the 6 things of kind `entity`"):
        read_points(reader, "entity")


def test_an_index_without_communities_has_a_map_without_them(store):
    rows = island() | {"communities": [], "community_members": [], "community_reports": []}
    found = read_points(publish(store, **rows), "entity")

    assert found.communities.is_empty()
    assert found.homes.tolist() == [[NOWHERE] * 5]
