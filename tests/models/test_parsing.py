"""A model's words -> the reply they hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.models.json_text import completed
from graphrag_assets.models.parsing import is_refusal, read, without_thoughts
from graphrag_assets.models.replies import (
    ExtractedClaims,
    Extraction,
    Points,
    Rating,
    Report,
)
from graphrag_assets.models.tolerance import NOTHING

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=30
).filter(
    lambda name: (
        any(map(str.isalnum, name))
        and name.strip().strip("\"'`*“”‘’«»「」『』") == name.strip()
        and "&" not in name
        and name.strip().lower() not in NOTHING
    )
)
ITEMS = st.lists(
    st.fixed_dictionaries({"name": NAMES, "description": st.text(max_size=40)}),
    max_size=8,
    unique_by=lambda item: item["name"],
)


def names(text: str) -> list[str] | None:
    reply = read(text, Extraction).reply
    return None if reply is None else [entity.name for entity in reply.entities]


@given(ITEMS)
def test_what_was_written_is_read(items):
    written = json.dumps({"entities": items}, ensure_ascii=False)

    assert names(written) == [" ".join(item["name"].split()) for item in items]
    assert names(f"```json\n{written}\n```\nDone.") == names(written)


@given(ITEMS, st.data())
def test_a_text_that_breaks_off_anywhere_keeps_a_prefix_of_its_items(items, data):
    written = json.dumps({"entities": items}, ensure_ascii=False)
    cut = written[: data.draw(st.integers(0, len(written)))]
    found = names(cut)

    assert found is None or found == (names(written) or [])[: len(found)]


@pytest.mark.parametrize("said", ["\f", "a\r\fb", "1/2", "\b", "😀", "\\f", 'a "b"\n', "C:\\frame"])
def test_an_item_is_not_read_a_second_time_with_other_escapes(said):
    """A text that breaks off is closed, and mended: both read the same."""
    items = [{"name": "Mara", "description": said}, {"name": "Dunn", "description": ""}]
    written = json.dumps({"entities": items}).replace("/", "\\/")
    cut = read(written[: written.index("}") + 1], Extraction).reply
    whole = read(written, Extraction).reply

    assert cut.entities == whole.entities[:1]


@given(st.text(max_size=300))
def test_any_text_is_read_or_said_to_be_unreadable(text):
    reading = read(text, Report)

    assert (reading.reply is None) == (reading.error is not None)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["title", "summary", "rating", "findings", "entities", "name", "x"]
                ),
                inner,
                max_size=3,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read_or_said_to_be_unreadable(value):
    for schema in (Report, Extraction, ExtractedClaims, Points, Rating):
        reading = read(json.dumps(value), schema)

        assert (reading.reply is None) == (reading.error is not None)


CUT = {
    '{"entities": [{"name": "A"}, {"name": "B"': ('{"entities": [{"name": "A"}]}', True),
    '{"entities": [{"name": "A"}], "relati': ('{"entities": [{"name": "A"}]}', True),
    '{"entities": [{"name": "A"}]': ('{"entities": [{"name": "A"}]}', False),
    '[{"name": "A"}, {"na': ('[{"name": "A"}]', True),
    '{"title": "T", "summary": "S", "findings": [{"summary": "a, b"}, {"s': (
        '{"title": "T", "summary": "S", "findings": [{"summary": "a, b"}]}',
        True,
    ),
    '{"entities": [{"name": "A", "tags": ["x", "y"': None,
    '{"title": "half a sen': None,
}


@pytest.mark.parametrize(("text", "expected"), CUT.items())
def test_only_complete_items_survive_a_cut(text, expected):
    assert completed(text) == expected


def test_thoughts_are_left_out_whether_they_end_or_not():
    assert without_thoughts('<think>{"a": 1}</think> {"b": 2}') == '{"b": 2}'
    assert without_thoughts('no opening {"a"}</think>\n{"b": 2}') == '{"b": 2}'
    assert without_thoughts("<think>for ever and ever") == ""
    assert without_thoughts("analysis<|channel|>final<|message|>Yes") == "Yes"
    assert without_thoughts('{"a": "</think> <think>"}') == '{"a": "</think> <think>"}'
    assert without_thoughts("a < b and <b>bold</b>") == "a < b and <b>bold</b>"


def test_a_long_text_is_looked_through_in_one_pass():
    text = '{"entities": [' + '{"name": "<Aurora>", "description": "x"},' * 20_000

    assert names(text) == ["<Aurora>"]


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot assist with this request.",
        "Sorry, I am unable to process this content.",
        "As an AI language model, I have no opinion.",
        "抱歉，我无法协助处理这个请求。",
    ],
)
def test_a_refusal_is_recognised(text):
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "The documents don't say who the captain is.",
        "Ida Holm could not help the crew.",
        "The bank was sorry for the delay.",
        "Yes, there are more.",
        "",
    ],
)
def test_an_answer_is_no_refusal(text):
    assert not is_refusal(text)


def test_the_first_object_that_fits_counts():
    text = 'First {"draft": true}, then {"entities": [{"name": "A"}]} and {"entities": []}'

    assert names(text) == ["A"]


def test_objects_of_one_item_each_are_read_as_the_list():
    assert names('{"name": "A"}\n{"name": "B", "type": "person"}') == ["A", "B"]


def test_a_list_of_something_else_is_not_taken_for_entities():
    assert names('["Aurora", "Pell"]') is None
    assert names('[{"foo": 1}]') is None


def test_an_empty_list_means_that_there_is_nothing():
    assert names("[]") == []
    assert names('{"entities": []}') == []


def test_an_empty_object_is_no_answer():
    assert names("{}") is None


def test_a_description_with_quotes_in_it_is_mended():
    text = '{"entities": [{"name": "Aurora", "description": "called "the ferry" by all"}]}'

    assert names(text) == ["Aurora"]


def test_an_unreadable_answer_names_the_field():
    assert read('{"title": "T"}', Report).error == "summary: Field required"


def test_other_names_and_cases_of_fields_are_understood():
    text = '{"Entities": [{"entity_name": "A", "Entity-Type": "person"}], "edges": []}'
    reply = read(text, Extraction).reply

    assert reply is not None
    assert [(e.name, e.type) for e in reply.entities] == [("A", "person")]


def test_items_written_as_lists_are_read_by_position():
    reply = read('{"relationships": [["A", "B", "knows", 7]]}', Extraction).reply

    assert reply is not None
    assert reply.relationships[0].model_dump() == {
        "source": "A",
        "target": "B",
        "description": "knows",
        "weight": 7,
    }


def test_odd_names_are_cleaned_and_impossible_ones_left_out():
    odd = [
        '"Ida Holm"',
        "Ida\nHolm",
        "=HYPERLINK()",
        "<b>x</b>",
        "x" * 300,
        "",
        None,
        "a\x00\ud800b",
    ]
    reading = read(json.dumps({"entities": [{"name": name} for name in odd]}), Extraction)

    assert reading.reply is not None
    assert [e.name for e in reading.reply.entities] == [
        "Ida Holm",
        "=HYPERLINK()",
        "<b>x</b>",
        "a\ufffdb",
    ]
    assert reading.notes == ("1 identical entities folded", "3 unusable entities left out")


def test_long_texts_are_cut_and_numbers_moved_into_their_bounds():
    text = json.dumps({"title": "t" * 500, "summary": "s" * 9000, "rating": 12, "findings": None})
    reading = read(text, Report)

    assert reading.reply is not None
    assert (len(reading.reply.title), len(reading.reply.summary)) == (200, 6000)
    assert (reading.reply.rating, reading.reply.findings) == (10, [])
    assert reading.notes == ("rating 12 lies outside 0-10",)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("4/5", 4), (3.6, 4), ("80%", 4), ("Rating: 2", 2), ("high", 0), (True, 0), ([5], 5), (-1, 0)],
)
def test_ratings_are_whole_numbers_in_their_bounds(value, expected):
    reply = read(json.dumps({"rating": value}), Rating).reply

    assert reply is not None
    assert reply.rating == expected


def test_claims_keep_their_status_whatever_its_case():
    said = ("true", True, "Falsch", None)
    claims = [{"subject": f"A{i}", "status": status} for i, status in enumerate(said)]
    reply = read(json.dumps({"claims": claims}), ExtractedClaims).reply

    assert reply is not None
    assert [c.status for c in reply.claims] == ["TRUE", "TRUE", "SUSPECTED", "SUSPECTED"]


def test_the_schema_keeps_every_bound():
    def lists_and_strings(node):
        if isinstance(node, dict):
            if node.get("type") in ("array", "string") and "enum" not in node:
                yield node
            for value in node.values():
                yield from lists_and_strings(value)

    for schema in (Extraction, ExtractedClaims, Report, Points, Rating):
        for node in lists_and_strings(schema.model_json_schema()):
            assert {"maxItems", "maxLength"} & node.keys()
