"""vectors: a document's vector is the mean of what its text units say, each part once."""

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.assets.vectors import document_embeddings

spans = st.lists(st.tuples(st.integers(1, 50), st.integers(0, 30)), min_size=1, max_size=5)


def tables(documents, seed=0):
    """Return text units and their embeddings: documents are lists of (own, shared) characters."""
    rows = []
    for number, units in enumerate(documents):
        start = 0
        for ordinal, (own, shared) in enumerate(units):
            last = ordinal == len(units) - 1
            end = start + own + (0 if last else shared)
            rows.append((f"{number}-{ordinal}", f"d{number}", ordinal, start, end))
            start += own
    names = ["id", "document_id", "ordinal", "start_char", "end_char"]
    units = pl.DataFrame(rows, schema=names, orient="row")
    vectors = np.random.default_rng(seed).normal(size=(len(rows), 3)).astype(np.float32)
    embedded = pl.DataFrame(
        {"id": units["id"], "vector": vectors, "model": ["m"] * len(rows)},
        schema={"id": pl.String, "vector": pl.Array(pl.Float32, 3), "model": pl.String},
    )
    return units, embedded


@settings(deadline=None)
@given(st.lists(spans, min_size=1, max_size=4), st.randoms())
def test_weighs_each_text_unit_by_what_the_next_one_has_not(documents, chance):
    units, embedded = tables(documents)
    found = document_embeddings(
        units.sample(fraction=1, shuffle=True, seed=chance.randint(0, 9)), embedded
    )
    vectors = dict(embedded.select("id", "vector").iter_rows())

    assert found["id"].to_list() == [f"d{number}" for number in range(len(documents))]
    for number, said in enumerate(documents):
        mean = sum(own * np.array(vectors[f"{number}-{i}"]) for i, (own, _) in enumerate(said))
        expected = mean / np.linalg.norm(mean)
        assert np.allclose(found["vector"][number], expected, atol=1e-4)


def test_one_whose_text_units_have_no_vector_is_missing():
    units, embedded = tables([[(5, 0)], [(5, 0)]])

    assert document_embeddings(units, embedded.filter(id="1-0"))["id"].to_list() == ["d1"]
    assert document_embeddings(units, embedded.clear()).is_empty()
