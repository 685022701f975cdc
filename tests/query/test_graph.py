"""query/graph.py: where a walk over entities and text units ends up."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.query import graph as module
from graphrag_assets.query.graph import DAMPING, Graph, Weights, graph_arrays

ENTITIES = ["e0", "e1", "e2", "e3"]
UNITS = ["u0", "u1", "u2"]


def graph(*edges: tuple[int, int, float, bool]) -> Graph:
    rows = pl.DataFrame(
        list(edges),
        schema={
            "one": pl.Int32,
            "other": pl.Int32,
            "weight": pl.Float32,
            "contains": pl.Boolean,
        },
        orient="row",
    )
    return Graph.of(graph_arrays(rows, pl.Series(ENTITIES), pl.Series(UNITS)))


def dense(weights: Weights) -> np.ndarray:
    """Return the weight of every place."""
    return np.bincount(weights.places, weights.values, 7)


EDGES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 6), st.floats(0.5, 9), st.just(False)).filter(
        lambda edge: edge[0] != edge[1]
    ),
    max_size=12,
)
RESTARTS = st.lists(st.floats(0, 1), min_size=7, max_size=7)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(edges=EDGES, restart=RESTARTS)
def test_it_is_personalised_page_rank(edges, restart):
    """(1 - d) (1 - d T)^-1 r, for the chances T of a step, solved densely."""
    adjacency = np.zeros((7, 7))
    for one, other, weight, _ in edges:
        adjacency[one, other] += weight
        adjacency[other, one] += weight
    chances = adjacency / np.maximum(adjacency.sum(axis=0), 1e-9)
    start = np.array(restart) / (sum(restart) or 1)
    wanted = (1 - DAMPING) * np.linalg.solve(np.eye(7) - DAMPING * chances, start)

    found = graph(*edges).page_rank(Weights(np.arange(7), np.array(restart)))

    assert np.allclose(dense(found), wanted, atol=1e-3)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(edges=EDGES, restart=RESTARTS)
def test_a_step_from_nearly_everywhere_is_the_same_to_the_last_digit(edges, restart):
    start = Weights(np.arange(7), np.array(restart))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SPARSE", 0)  # the entries of each place are looked up
        one_by_one = graph(*edges).page_rank(start)

    assert dense(graph(*edges).page_rank(start)).tolist() == dense(one_by_one).tolist()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(edges=EDGES, restart=RESTARTS)
def test_a_large_graph_is_walked_as_a_small_one(edges, restart):
    made, start = graph(*edges), Weights(np.arange(7), np.array(restart))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SPARSE", 0)  # every graph is a large one
        found = made.page_rank(start)

    assert np.allclose(dense(found), dense(made.page_rank(start)))


def test_only_the_likeliest_places_are_followed(monkeypatch):
    made = graph((0, 4, 1, True), (1, 5, 1, True))
    start = Weights(np.array([0, 1]), np.array([0.6, 0.4]))
    monkeypatch.setattr(module, "MOST", 1)
    units, _ = made.best(made.page_rank(start), 10)

    assert [ref for ref, _ in units] == ["u0"]


def test_entities_weigh_less_the_more_texts_mention_them():
    made = graph((0, 4, 1, True), (0, 5, 1, True), (1, 4, 1, True))
    weights = made.entity_weights({"e0": 1.0, "e1": 1.0, "gone": 1.0})

    assert dense(weights).tolist() == pytest.approx([1 / 3, 2 / 3, 0, 0, 0, 0, 0])


def test_text_units_that_are_connected_rank_first_and_the_others_not_at_all():
    made = graph((0, 4, 1, True), (0, 1, 1, False), (1, 5, 1, True))
    units, entities = made.best(made.page_rank(made.entity_weights({"e0": 1.0})), 10)

    assert [ref for ref, _ in units] == ["u0", "u1"]
    assert [ref for ref, _ in entities] == ["e0", "e1"]


def test_nothing_to_start_from_is_nothing_found():
    made = graph((0, 4, 1, True))

    assert made.best(made.page_rank(made.text_unit_weights({})), 5) == ([], [])


def test_it_knows_where_entities_are_mentioned():
    made = graph((0, 4, 1, True), (0, 1, 1, False), (1, 5, 1, True), (0, 5, 1, True))
    found = made.mentions(["e1", "e0", "gone", "e3"])

    assert list(zip(found["mentioned"], found["units"], strict=True)) == [
        ("e0", "u0"),
        ("e0", "u1"),
        ("e1", "u1"),
    ]
