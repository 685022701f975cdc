"""Records with marks between the fields are read as the JSON that was asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.models.parsing import read
from graphrag_assets.models.replies import Extraction, Report
from graphrag_assets.models.tolerance import NOTHING

MARKS = ["<|>", "<||>", "< | >", "<|#|>", "<\\|>", "<#>"]
WORDS = st.text(st.characters(categories=["L", "N"], include_characters=" -"), min_size=1).filter(
    lambda word: word == word.strip(" -") and word and word.lower() not in NOTHING
)


def extraction(text):
    reading = read(text, Extraction)
    assert reading.reply is not None
    return reading


@pytest.mark.parametrize("mark", MARKS)
def test_marks_drift(mark):
    text = (
        f'("entity"{mark}Aurora{mark}object{mark}A ferry (old).)##\n'
        f'("entity"{mark}"Ida Holm"{mark}person{mark}Captain.)\n'
        f'("relationship"{mark}Ida Holm{mark}Aurora{mark}captain of{mark}9)\n<|COMPLETE|>'
    )
    reading = extraction(text)

    assert [(one.name, one.type, one.description) for one in reading.reply.entities] == [
        ("Aurora", "object", "A ferry (old)."),
        ("Ida Holm", "person", "Captain."),
    ]
    (one,) = reading.reply.relationships
    assert (one.source, one.target, one.description) == ("Ida Holm", "Aurora", "captain of")
    assert one.weight == 9
    assert not reading.cut


def test_rounds_that_were_joined_lose_no_record():
    text = (
        '("entity"<|>Aurora<|>object<|>A ferry.)##\n<|COMPLETE|>'
        '("entity"<|>Ida Holm<|>person<|>Captain.)##\n<|COMPLETE|>'
    )
    assert [one.name for one in extraction(text).reply.entities] == ["Aurora", "Ida Holm"]


def test_lines_without_parentheses():
    text = "entity<|#|>Aurora<|#|>object<|#|>A ferry.\nrelation<|#|>Ida Holm<|#|>Aurora<|#|>sails\n"
    reply = extraction(text).reply

    assert [one.name for one in reply.entities] == ["Aurora"]
    assert [(one.description, one.weight) for one in reply.relationships] == [("sails", 1)]


def test_a_record_that_lacks_what_it_needs_is_counted():
    reading = extraction('("entity"<|>Aurora<|>object<|>A ferry.)("relationship"<|>Ida Holm)')

    assert reading.reply.relationships == []
    assert reading.notes == ("1 unusable relationships left out",)


def test_a_record_that_broke_off_is_left_out():
    reading = extraction('("entity"<|>Aurora<|>object<|>A ferry.)##("entity"<|>Ida Ho')

    assert [one.name for one in reading.reply.entities] == ["Aurora"]
    assert reading.cut


def test_other_replies_have_no_records():
    assert read('("entity"<|>Aurora<|>object<|>A ferry.)', Report).reply is None


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=5, unique_by=lambda x: x[0]))
def test_what_was_written_is_read(rows):
    text = "##".join('("entity"<|>' + "<|>".join(row) + ")" for row in rows)
    found = extraction(text).reply.entities

    assert [one.name for one in found] == [" ".join(row[0].split()) for row in rows]
