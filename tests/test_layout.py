"""The map: every key has a place, and keeps it."""

import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import coo_matrix, csr_matrix

from graphrag_assets.isolated import isolated
from graphrag_assets.layout.fitting import _problem
from graphrag_assets.layout.neighbours import exact_neighbours, memberships
from graphrag_assets.layout.places import Layout, lay_out
from graphrag_assets.layout.umap_learn import _without_init, keep_compiled, nearness, optimised

_without_init()  # else umap warns, at import, that tensorflow is missing
from umap import layouts, umap_  # noqa: E402


def topics(n: int, n_topics: int = 5, d: int = 16) -> np.ndarray:
    """N vectors (n, d) around n_topics directions, in turn."""
    centers = np.random.default_rng(1).normal(size=(n_topics, d))
    noise = np.random.default_rng(2).normal(size=(n, d))
    return (centers[np.arange(n) % n_topics] + 0.2 * noise).astype(np.float32)


def names(n: int) -> list[str]:
    return [f"k{i:04}" for i in range(n)]


def lay(
    keys: list[str], vectors: np.ndarray, previous: pl.DataFrame | None = None, **options
) -> Layout:
    given = {"neighbors": 10, "min_distance": 0.1, "seed": 42} | options
    return lay_out(keys, vectors, previous=previous, **given)


def frame(keys: list[str], layout: Layout) -> pl.DataFrame:
    x, y = layout.positions.T
    return pl.DataFrame({"id": keys, "x": x, "y": y, "fitted": layout.fitted})


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 9, 10, 11, 14, 15, 16, 40])
def test_any_number_of_points_gets_places(n):
    found = lay(names(n), topics(n))

    assert found.positions.shape == (n, 2)
    assert found.positions.dtype == np.float32
    assert np.isfinite(found.positions).all()
    assert found.fitted.all()
    assert len(np.unique(found.positions, axis=0)) == n


def test_three_points_have_fixed_places():
    found = lay(names(3), topics(3))
    again = lay(names(3), topics(3, d=7), seed=1)

    assert np.array_equal(found.positions, again.positions)


def test_the_same_seed_gives_the_same_map():
    assert np.array_equal(
        lay(names(60), topics(60)).positions, lay(names(60), topics(60)).positions
    )


def test_the_order_of_keys_does_not_matter():
    keys, vectors = names(60), topics(60)
    order = np.random.default_rng(3).permutation(60)

    shuffled = lay([keys[i] for i in order], vectors[order])

    assert np.array_equal(lay(keys, vectors).positions[order], shuffled.positions)


def test_a_topic_is_a_place():
    """The nearest neighbour on the map is of the same topic, but for a few."""
    places = lay(names(200), topics(200)).positions
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(distance, np.inf)

    assert (distance.argmin(axis=1) % 5 == np.arange(200) % 5).mean() > 0.95


@pytest.mark.parametrize("n", [2, 10, 40])
def test_equal_vectors_share_a_place(n):
    found = lay(names(n), np.ones((n, 8), dtype=np.float32))

    assert len(np.unique(found.positions, axis=0)) == 1


def test_parallel_vectors_share_a_place():
    vectors = np.outer([1, 2, 4, -1], [1, 1, 0]).astype(np.float32)
    places = lay(names(4), vectors).positions

    assert np.array_equal(places[0], places[2])
    assert not np.array_equal(places[0], places[3])


def test_unusable_vectors_wait_below_the_map():
    vectors = topics(43)
    vectors[40], vectors[41, 3], vectors[42, 0] = 0, np.nan, np.inf

    found = lay(names(43), vectors)

    assert np.isfinite(found.positions).all()
    assert (found.positions[40:, 1] < found.positions[:40, 1].min()).all()
    assert len(np.unique(found.positions[40:], axis=0)) == 3


def test_unusable_vectors_alone_have_places_too():
    found = lay(names(3), np.full((3, 4), np.nan, dtype=np.float32))

    assert len(np.unique(found.positions, axis=0)) == 3


def test_nothing_new_leaves_the_map_alone():
    first = lay(names(60), topics(60))

    found = lay(names(50), topics(50) + 1, frame(names(60), first))  # ten gone, vectors changed

    assert np.array_equal(first.positions[:50], found.positions)
    assert found.note == "kept: 50"


def test_new_points_go_to_their_neighbours_and_old_ones_stay():
    first = lay(names(100), topics(100))

    found = lay(names(115), topics(115), frame(names(100), first))

    assert np.array_equal(first.positions, found.positions[:100])
    assert found.fitted.tolist() == [True] * 100 + [False] * 15
    assert found.note == "placed: 15 of 115"
    middles = np.array([first.positions[t::5].mean(axis=0) for t in range(5)])
    distance = np.linalg.norm(found.positions[100:, None] - middles[None], axis=2)
    assert (distance.argmin(axis=1) == np.arange(15) % 5).all()


def test_a_new_twin_stands_where_the_old_one_does():
    vectors = topics(101)
    vectors[100] = vectors[7]

    found = lay(names(101), vectors, frame(names(100), lay(names(100), vectors[:100])))

    assert np.array_equal(found.positions[7], found.positions[100])


def test_a_fifth_of_placed_points_makes_a_new_fit_close_to_the_old_one():
    """Placed points add up over the runs: 15, then 15 more of 130, is above a fifth."""
    first = lay(names(100), topics(100))
    second = lay(names(115), topics(115), frame(names(100), first))

    third = lay(names(130), topics(130), frame(names(115), second))

    assert third.note == "fitted: 130"
    assert third.fitted.all()
    turned = third.positions[:115] - third.positions[:115].mean(axis=0)
    before = second.positions - second.positions.mean(axis=0)
    # Procrustes: the middles agree, and no further turn would bring the maps closer together:
    # the matrix of what is left is symmetric (the singular value decomposition's optimum)
    assert third.positions[:115].mean(axis=0) == pytest.approx(
        second.positions.mean(axis=0), abs=1e-3
    )
    left = turned.T @ before
    assert left[0, 1] == pytest.approx(left[1, 0], rel=1e-2, abs=0.5)


def test_a_map_without_the_column_fitted_counts_as_fitted():
    first = lay(names(100), topics(100))

    found = lay(names(101), topics(101), frame(names(100), first).drop("fitted"))

    assert found.note == "placed: 1 of 101"


def test_an_island_of_new_points_is_placed_at_the_rim():
    """Twelve new points know only each other, with two neighbours each."""
    vectors = np.zeros((112, 16), dtype=np.float32)
    vectors[:100, :8], vectors[100:, 8:] = topics(100, d=8), topics(12, n_topics=1, d=8)

    found = lay(names(112), vectors, frame(names(100), lay(names(100), vectors[:100])), neighbors=5)

    assert np.isfinite(found.positions).all()
    assert found.note == "placed: 12 of 112"


@pytest.mark.parametrize(
    ("keys", "shape", "neighbors", "problem"),
    [
        (["a", "a"], (2, 4), 5, "Key `a` stands there more than once"),
        (["a", "b"], (3, 4), 5, "2 keys need as many rows"),
        (["a", "b"], (8,), 5, "2 keys need as many rows"),
        (["a", "b"], (2, 4), 1, "neighbors is 1"),
    ],
)
def test_wrong_input_is_refused(keys, shape, neighbors, problem):
    with pytest.raises(ValueError, match=problem):
        lay(keys, np.ones(shape, dtype=np.float32), neighbors=neighbors)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    hnp.arrays(
        np.float32, st.tuples(st.integers(0, 24), st.integers(1, 4)), elements=st.floats(width=32)
    ),
    st.integers(0, 24),
)
def test_any_vectors_have_finite_places_and_old_places_are_kept(vectors, n_old):
    keys = names(len(vectors))
    old = keys[:n_old]
    first = lay(old, vectors[:n_old])
    found = lay(keys, vectors, frame(old, first))

    assert found.positions.shape == (len(keys), 2)
    assert np.isfinite(found.positions).all()
    if not found.note.startswith("fitted"):
        assert np.array_equal(first.positions, found.positions[: len(old)])
    again = lay(keys, vectors, frame(keys, found))
    assert np.array_equal(found.positions, again.positions)


def test_a_new_point_goes_to_the_larger_group_of_its_neighbours_not_between_the_groups():
    """Eight are equally near to it; on the map five stand here and three there."""
    vectors = np.column_stack([np.ones(9), 0.1 * np.eye(9, 8)]).astype(np.float32)
    there = pl.DataFrame(
        {"id": names(8), "x": [0.0] * 5 + [9.0] * 3, "y": [0.1 * i for i in range(8)]}
    )

    x, y = lay(names(9), vectors, there).positions[8]

    assert x == pytest.approx(0, abs=0.1)
    assert -0.1 < y < 0.6


def test_memberships_and_curve_are_those_of_umap_learn():
    """Its functions run as plain Python here, for compiling them takes seconds."""
    unique = topics(80) / np.linalg.norm(topics(80), axis=1, keepdims=True)
    index, distance = exact_neighbours(unique, 80, 10)
    scale, nearest = umap_.smooth_knn_dist.py_func(distance, 10.0)
    strength = umap_.compute_membership_strengths.py_func(index, distance, scale, nearest)[2]

    assert np.allclose(strength.reshape(80, 10), memberships(distance), atol=1e-5)
    assert nearness(0.3) == pytest.approx(umap_.find_ab_params(1.0, 0.3))


def test_the_union_of_neighbourhoods_is_that_of_sparse_matrices():
    unique = topics(80) / np.linalg.norm(topics(80), axis=1, keepdims=True)
    index, distance = exact_neighbours(unique, len(unique), 10)
    mine = np.zeros((len(unique), len(unique)), dtype=np.float32)
    np.put_along_axis(mine, index, memberships(distance), axis=1)
    mine = csr_matrix(mine)
    union = (mine + mine.T - mine.multiply(mine.T)).tocoo()

    problem = _problem(unique, neighbors=10, seed=1)

    assert np.array_equal(union.row, problem.head)
    assert np.array_equal(union.col, problem.tail)
    assert np.array_equal(union.data, problem.weight)


def test_the_optimised_places_are_those_of_umap_learn():
    """The start has few binary digits: what umap does to it first doesn't round."""
    unique = topics(80) / np.linalg.norm(topics(80), axis=1, keepdims=True)
    problem = _problem(unique, neighbors=10, seed=1)
    problem = replace(problem, start=np.round(64 * problem.start) / np.float32(64))
    curve = nearness(0.1)
    theirs, _ = umap_.simplicial_set_embedding(
        data=unique,
        graph=coo_matrix((problem.weight, (problem.head, problem.tail))),
        n_components=2,
        initial_alpha=1.0,
        a=curve[0],
        b=curve[1],
        gamma=1.0,
        negative_sample_rate=5,
        n_epochs=None,
        init=problem.start,
        random_state=np.random.RandomState(1),
        metric="euclidean",
        metric_kwds={},
        densmap=False,
        densmap_kwds={},
        output_dens=False,
    )

    ours = optimised([problem], min_distance=0.1, seed=1)[0]

    assert np.array_equal(theirs, ours)


def test_umap_keeps_its_machine_code_where_it_can():
    program = "import numba; f = numba.njit(lambda x: x + 1)"  # no file: nowhere to keep it
    scope: dict = {}
    exec(program, scope)

    keep_compiled(scope["f"])

    assert scope["f"](1) == 2
    keep_compiled(layouts.clip)
    assert layouts.clip(9.0) == 4


def test_a_map_is_the_same_in_a_process_of_its_own():
    """What is compiled there and then, and what is loaded, give the same places."""
    problem = _problem(topics(40), neighbors=10, seed=1)
    work = partial(optimised, [problem], min_distance=0.1, seed=1)

    assert np.array_equal(isolated(work)[0], work()[0])


def test_umap_is_imported_only_by_the_process_of_its_own():
    """It takes seconds and hundreds of megabytes; placing doesn't need it at all."""
    program = """
import sys, numpy as np, polars as pl
from graphrag_assets.layout.places import lay_out
vectors = np.random.default_rng(1).normal(size=(20, 4)).astype(np.float32)
there = pl.DataFrame({"id": [f"k{i:02}" for i in range(18)], "x": range(18), "y": range(18)})
found = lay_out([f"k{i:02}" for i in range(20)], vectors, neighbors=5, min_distance=.1, seed=1,
                previous=there)
assert found.note == "placed: 2 of 20", found.note
fitted = lay_out([f"k{i:02}" for i in range(20)], vectors, neighbors=5, min_distance=.1, seed=1,
                 previous=None)
assert fitted.note == "fitted: 20", fitted.note
sys.exit("umap" in sys.modules or "numba" in sys.modules)
"""

    subprocess.run([sys.executable, "-c", program], check=True)


def test_umap_is_imported_without_what_a_small_map_does_not_need():
    program = """
import sys
from graphrag_assets.layout.fitting import _problem
from graphrag_assets.layout.umap_learn import optimised
import numpy as np
problem = _problem(np.eye(8, dtype=np.float32), neighbors=5, seed=1)
optimised([problem], min_distance=.1, seed=1)
sys.exit("pynndescent" in sys.modules)
"""

    subprocess.run([sys.executable, "-c", program], check=True)
