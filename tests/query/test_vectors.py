"""query/vectors.py: the nearest of few are exact, those of many almost always."""

import shutil
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from graphrag_assets.query import vectors
from graphrag_assets.query.arrays import kept
from graphrag_assets.query.likest import likest
from graphrag_assets.query.vectors import Vectors, vector_arrays


def made(n: int, dimension: int = 70) -> pl.DataFrame:
    """Return n vectors in clusters, by id."""
    random = np.random.default_rng(5)
    centres = random.normal(size=(20, dimension))
    matrix = centres[random.integers(20, size=n)] + random.normal(size=(n, dimension))
    return pl.DataFrame(
        {"id": [f"{i:06}" for i in range(n)], "vector": matrix.astype(np.float32)},
        schema={"id": pl.String, "vector": pl.Array(pl.Float32, dimension)},
    )


def exact(frame: pl.DataFrame, vector: np.ndarray, k: int) -> list[str]:
    matrix = frame["vector"].to_numpy()
    scores = matrix @ vector / np.linalg.norm(matrix, axis=1)
    return frame["id"].gather(np.argsort(-scores, kind="stable")[:k]).to_list()


def question_near(row: np.ndarray) -> np.ndarray:
    vector = row + np.random.default_rng(1).normal(size=row.shape).astype(np.float32)
    return vector / np.linalg.norm(vector)


def question(n: int, dimension: int = 70) -> np.ndarray:
    vector = np.random.default_rng(n).normal(size=dimension).astype(np.float32)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("k", [1, 10, 300, 1000])
def test_the_nearest_of_few_are_the_exact_ones(k):
    frame = made(300)
    found = Vectors.of(vector_arrays(frame["id"], [frame])).nearest(question(1), k)

    assert [ref for ref, _ in found] == exact(frame, question(1), k)
    assert all(one >= other for (_, one), (_, other) in pairwise(found))


def test_of_many_signs_choose_what_is_compared(monkeypatch):
    monkeypatch.setattr(vectors, "MANY", 100)
    monkeypatch.setattr(vectors, "SHORT_LIST", 400)
    frame = made(4000, 256)
    matrix = frame["vector"].to_numpy()
    asked = [question_near(matrix[n * 100]) for n in range(30)]
    found = Vectors.of(vector_arrays(frame["id"], frame.iter_slices(999)))
    shared = [
        len(set(exact(frame, q, 10)) & {ref for ref, _ in found.nearest(q, 10)}) for q in asked
    ]

    assert found.signs is not None
    assert found.signs.nbytes * 8 < found.matrix.nbytes
    assert sum(shared) >= 0.97 * 300


@pytest.mark.parametrize("many", [100, 10_000])
def test_some_of_the_vectors_are_searched_as_if_there_were_no_others(monkeypatch, many):
    monkeypatch.setattr(vectors, "MANY", many)
    frame = made(1000).sample(fraction=1.0, shuffle=True, seed=2)
    some = frame.filter(pl.col("id").hash(7) % 3 == 0)
    found = Vectors.of(vector_arrays(frame["id"], frame.iter_slices(99))).only(some["id"])
    best = found.nearest(question(1), 10)

    assert [ref for ref, _ in best] == exact(some, question(1), 10)
    assert [ref for ref, _ in likest(found, question(1), [ref for ref, _ in best])] == [
        ref for ref, _ in best
    ]


def test_none_is_nearest_where_there_are_none():
    assert (
        Vectors.of(vector_arrays(pl.Series("id", [], pl.String), [])).nearest(question(1), 5) == []
    )


def test_equal_vectors_come_in_the_order_of_their_ids():
    frame = pl.DataFrame(
        {"id": ["a", "b", "c"], "vector": [[1.0, 0.0]] * 3},
        schema={"id": pl.String, "vector": pl.Array(pl.Float32, 2)},
    )
    found = Vectors.of(vector_arrays(frame["id"], [frame])).nearest(np.array([1, 0], np.float32), 3)

    assert [ref for ref, _ in found] == ["a", "b", "c"]


class TestKept:
    def test_large_arrays_are_made_once_and_mapped_after(self, tmp_path, monkeypatch):
        monkeypatch.setattr("graphrag_assets.query.arrays.LARGE", 10)
        first = kept(tmp_path / "1.arrays", "a", lambda: {"one": np.arange(100)})
        again = kept(tmp_path / "1.arrays", "a", lambda: pytest.fail("made twice"))

        assert first["one"].tolist() == again["one"].tolist() == list(range(100))
        assert isinstance(again["one"], np.memmap)
        assert [path.name for path in (tmp_path / "1.arrays").iterdir()] == ["a"]

    def test_that_go_while_they_are_mapped_are_made_anew(self, tmp_path, monkeypatch):
        monkeypatch.setattr("graphrag_assets.query.arrays.LARGE", 10)
        folder = tmp_path / "1.arrays"
        kept(folder, "a", lambda: {"one": np.arange(100)})
        load = np.load

        def overtaken(path, **options):
            shutil.rmtree(folder, ignore_errors=True)
            return load(path, **options)

        monkeypatch.setattr(np, "load", overtaken)
        assert kept(folder, "a", lambda: {"one": np.arange(100)})["one"].sum() == 4950

    def test_small_ones_leave_no_file(self, tmp_path):
        kept(tmp_path / "1.arrays", "a", lambda: {"one": np.arange(100)})

        assert list(tmp_path.iterdir()) == []

    def test_where_nothing_can_be_written_they_stay_in_memory(self, tmp_path, monkeypatch):
        monkeypatch.setattr("graphrag_assets.query.arrays.LARGE", 10)
        (tmp_path / "file").write_text("not a folder")

        assert kept(tmp_path / "file", "a", lambda: {"one": np.arange(9)})["one"].sum() == 36
