"""query/relations.py: relationships by their ends."""

import numpy as np
import polars as pl
import pytest

from graphrag_assets.query.reader import Reader
from graphrag_assets.query.relations import Relations, relation_arrays

ENTITIES = np.array(["e0", "e1", "e2", "e3"], "S")

SCHEMA = {
    "id": pl.String,
    "source": pl.Int64,
    "target": pl.Int64,
    "weight": pl.Float64,
    "combined_degree": pl.Int64,
}


def relations(*rows: tuple[str, int, int, float, int]) -> Relations:
    frame = pl.DataFrame(sorted(rows), schema=SCHEMA, orient="row")
    return Relations(entities=ENTITIES, **relation_arrays(frame, len(ENTITIES)))


MADE = relations(
    ("ra", 2, 3, 1.0, 4), ("rb", 0, 1, 2.0, 3), ("rc", 1, 2, 2.0, 5), ("rd", 3, 0, 9.0, 2)
)


def test_each_has_its_two_ends():
    assert MADE.ends(["rd", "rb", "gone"]) == {"rb": ["e0", "e1"], "rd": ["e3", "e0"]}


def test_those_among_some_entities_come_the_strongest_first():
    assert MADE.between(["e0", "e1", "e2", "e3"], 3) == ["rd", "rc", "rb"]
    assert MADE.between(["e3", "e0", "gone"], 3) == ["rd"]


def test_two_that_connect_the_same_are_both_found():
    made = relations(("ra", 0, 1, 1.0, 4), ("rb", 0, 1, 2.0, 4))

    assert made.between(["e1", "e0"], 9) == ["rb", "ra"]


@pytest.mark.parametrize("made", [MADE, relations()])
def test_nothing_is_among_none(made):
    assert (made.between([], 9), made.ends([])) == ([], {})


def test_it_tells_what_the_tables_tell(small_index):
    reader = Reader(small_index.store.published())
    rows = reader.rows("SELECT id, source_id, target_id FROM relationships")
    found = reader.relations.ends(rows["id"])
    entities = reader.rows("SELECT id FROM entities")["id"]
    every = reader.relations.between(entities, rows.height)
    reader.close()

    assert found == {ref: [one, other] for ref, one, other in rows.iter_rows()}
    assert set(every) == set(rows["id"])
