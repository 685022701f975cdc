"""citations: what a short id in an answer stands for, and where that is said."""

import pytest

from graphrag_assets.query.answer import Draft
from graphrag_assets.query.citations import resolved
from graphrag_assets.query.reader import Reader


@pytest.fixture
def small(small_index):
    """Return the version of the six documents."""
    reader = Reader(small_index.store.published())
    yield reader
    reader.close()


def cited(reader: Reader, marker: str, kind: str, ref: str):
    """Return the citation of something that an answer knows by its id alone."""
    draft = Draft(f"Something is said [{marker}].", {marker: (kind, ref, "")})
    (citation,) = resolved(reader, draft)
    return citation


def test_an_entity_that_is_known_by_its_id_alone_gets_its_title(small):
    ref, title = small.rows("SELECT id, title FROM entities ORDER BY id LIMIT 1").row(0)

    assert cited(small, "E12345678", "entity", ref).title == title


def test_a_relationship_is_called_by_its_two_ends(small):
    ref, one, other = small.rows(
        "SELECT r.id, s.title, t.title AS other FROM relationships r"
        " JOIN entities s ON s.id = source_id JOIN entities t ON t.id = target_id LIMIT 1"
    ).row(0)

    assert cited(small, "R12345678", "relationship", ref).title == f"{one} — {other}"


def test_a_claim_is_called_by_what_it_says(small):
    ref, said = small.rows("SELECT id, description FROM claims ORDER BY id LIMIT 1").row(0)

    assert cited(small, "C12345678", "claim", ref).title == said


def test_what_has_no_title_is_called_by_its_kind(small):
    assert cited(small, "E12345678", "entity", "nothing-has-this-id").title == "entity"
