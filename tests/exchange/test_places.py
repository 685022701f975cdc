"""places: where a text unit stands in its document."""

from hypothesis import assume, given
from hypothesis import strategies as st

from graphrag_assets.exchange.microsoft.places import place

DOCUMENT = (
    "The Pilot Office is led by Ben Cole. Ben Cole hired Cora Dean in 1931. "
    "Cora Dean studied with Ada Brook. The Tar Works belongs to Emil Frost. "
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(TEXTS, TEXTS, TEXTS)
def test_what_stands_there_verbatim_is_found_verbatim(before, piece, after):
    assume(piece.strip("\ufffd").strip())
    document = before + piece + after
    found = place(piece, document, 0)

    assert found is not None
    assert found.exact
    assert document[found.start : found.end] == piece.strip("\ufffd")


def test_the_same_text_twice_is_found_behind_the_one_before():
    found = place("Ben Cole", DOCUMENT, DOCUMENT.index("Ben Cole") + 1)

    assert found is not None
    assert found.start == DOCUMENT.rindex("Ben Cole")


def test_half_characters_at_the_ends_are_cut_off():
    found = place("\ufffdCora Dean studied\ufffd", DOCUMENT, 0)

    assert found is not None
    assert DOCUMENT[found.start : found.end] == "Cora Dean studied"


def test_what_was_put_before_a_text_is_left_out():
    found = place("file: pilots.txt.\nBen Cole hired Cora Dean in 1931.", DOCUMENT, 0)

    assert found is not None
    assert not found.exact
    assert DOCUMENT[found.start : found.end] == "Ben Cole hired Cora Dean in 1931."


def test_close_words_are_found_near_the_unit_before():
    found = place("ben cole  hired CORA DEAN in 1931.", DOCUMENT, 30)

    assert found is not None
    assert DOCUMENT[found.start : found.end] == "Ben Cole hired Cora Dean in 1931"


def test_other_words_and_no_words_stand_nowhere():
    assert place("Something else entirely.", DOCUMENT, 0) is None
    assert place(" \ufffd", DOCUMENT, 0) is None
