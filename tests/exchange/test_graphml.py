"""graphml: other programs read the graph as it is."""

import igraph
import networkx
import pytest

from graphrag_assets.exchange.export import export
from graphrag_assets.query.reader import Reader

REPLACED = str.maketrans(dict.fromkeys("\x00\x07\x1b\ufffe\uffff", "\ufffd"))


@pytest.fixture
def written(tmp_path):
    """Return the file that a version was written to."""

    def write(reader):
        export(reader, "graphml", tmp_path / "graph.graphml", force=False)
        return tmp_path / "graph.graphml"

    return write


def test_igraph_and_networkx_read_the_graph_with_its_attributes(small, written):
    path = written(small)
    drawn, graph = igraph.Graph.Read_GraphML(str(path)), networkx.read_graphml(path)
    entities = {row["id"]: row for row in small.rows("FROM entities").to_dicts()}
    relationships = small.rows("FROM relationships")

    assert set(graph.nodes) == set(drawn.vs["id"]) == set(entities)
    assert graph.number_of_edges() == drawn.ecount() == relationships.height
    assert not graph.is_directed()
    for ref, data in graph.nodes(data=True):
        assert data["label"] == data["title"] == entities[ref]["title"]
        assert data["type"] == entities[ref]["type"]
        assert data["description"] == entities[ref]["description"]
        assert data["degree"] == entities[ref]["degree"] == graph.degree(ref)
        assert isinstance(data["x"], float)
    for row in relationships.to_dicts():
        data = graph.edges[row["source_id"], row["target_id"]]
        assert (data["weight"], data["description"]) == (row["weight"], row["description"])


def test_every_level_of_communities_is_an_attribute(small, written):
    graph = networkx.read_graphml(written(small))
    levels = small.rows("SELECT level, entity_id, community_id FROM community_levels")

    assert levels["level"].n_unique() > 1
    for level, entity, community in levels.iter_rows():
        assert graph.nodes[entity][f"community_{level}"] == community


def test_hostile_texts_come_back_but_for_what_xml_cannot_say(hostile, written):
    graph = networkx.read_graphml(written(hostile))
    titles = hostile.rows("SELECT title FROM entities ORDER BY id")["title"].to_list()

    assert [graph.nodes[ref]["title"] for ref in sorted(graph.nodes)] == [
        title.translate(REPLACED) for title in titles
    ]


def test_an_empty_graph_is_a_valid_file(store, written):
    reader = Reader(store.publish(1))
    graph = networkx.read_graphml(written(reader))
    reader.close()

    assert graph.number_of_nodes() == 0
