"""Embeddings through the real HTTP path: each vector stands with its text, or its text has none."""

import base64
import struct
from collections.abc import Sequence

import pytest

from graphrag_assets.errors import ModelStoppedError
from graphrag_assets.models.client import Models
from graphrag_assets.models.embedding import batches, split_in_two
from graphrag_assets.models.memo import Memo, dimension_key
from models.loopback import Reply, embedded, refused


def vectors(models: Models, texts: Sequence[str]) -> list[list[float] | None]:
    rows = models.run(models.embed(texts))
    return [None if row is None else [round(float(x), 3) for x in row] for row in rows]


def test_embeddings_are_read_as_numbers_and_as_base64(start):
    packed = base64.b64encode(struct.pack("<4f", 0.1, 0.2, 0.3, 0.4)).decode()
    models, server = start(embedded([0.4, 0.3, 0.2, 0.1], packed, indexes=[1, 0]))

    assert vectors(models, ["a", "b"]) == [[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]]
    assert server.asked[0]["encoding_format"] == "base64"


@pytest.mark.parametrize(
    "form",
    [[["0.1", "0.2"]], [["a", "b"]], [[[0.1, 0.2]]], ["zczMPc3MTD4"]],
    ids=["texts", "words", "a list around it", "no padding"],
)
def test_other_forms_of_a_vector(start, form):
    models, _ = start(embedded(*form))

    assert vectors(models, ["a"]) == [None if form == [["a", "b"]] else [0.1, 0.2]]


@pytest.mark.parametrize("place", ["a", [0], float("nan")])
def test_a_place_that_is_none_fails_its_text(start, place):
    models, _ = start(embedded([0.1], indexes=[place]))

    assert vectors(models, ["a"]) == [None]


def test_a_dimension_that_changed_stops_naming_both(start):
    memo = Memo.none()
    before, _ = start(embedded([0.1, 0.2, 0.3, 0.4]), memo=memo)
    vectors(before, ["a"])
    after, _ = start(embedded([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), memo=memo)
    with pytest.raises(ModelStoppedError, match="6 dimensions where it gave 4"):
        vectors(after, ["b"])


def test_the_dimension_is_read_once_for_all_questions(start):
    memo = Memo.none()
    models, _ = start(*[embedded([0.1, 0.2])] * 3, memo=memo)
    looked_up = []
    get_many = memo.get_many
    memo.get_many = lambda keys: looked_up.extend(keys) or get_many(keys)
    for text in ("a", "b", "c"):
        vectors(models.apart(), [text])

    assert looked_up.count(dimension_key(models.model("embedding"))) == 1


@pytest.mark.parametrize(
    "bad", [[0.1, float("nan")], [0.0, 0.0], [0.1, float("inf")], [0.1, 1e300], "%%%", None]
)
def test_a_vector_that_says_nothing_fails_its_text_alone(start, bad):
    models, _ = start(embedded([1.0, 2.0], bad), embedded(bad))

    assert vectors(models, ["good", "bad"]) == [[1.0, 2.0], None]


def test_one_bad_text_is_found_in_a_batch_that_breaks_the_server(start):
    broken = Reply('{"error":"failed to encode response: json: unsupported value: NaN"}', 500)
    models, server = start(broken, broken, embedded([1.0, 2.0]), broken, broken)

    assert vectors(models, ["good", "bad"]) == [[1.0, 2.0], None]
    assert [len(request["input"]) for request in server.asked] == [2, 2, 1, 1, 1]


def test_a_text_that_is_too_long_is_the_mean_of_its_parts(start):
    words = "This model's maximum context length is 8192 tokens, however you requested 9120 tokens."
    long = refused(400, words, param="input", code="context_length_exceeded")
    models, server = start(long, embedded([1.0, 0.0]), embedded([0.0, 1.0]))
    ((x, y),) = vectors(models, ["word " * 100])

    assert x == pytest.approx(0.5, abs=0.01)
    assert y == pytest.approx(0.5, abs=0.01)
    assert len(server.asked) == 3


def test_too_few_vectors_are_never_given_to_the_wrong_texts(start):
    models, server = start(
        embedded([9.0, 9.0]), embedded([1.0, 0.0]), embedded([2.0, 0.0], [3.0, 0.0])
    )

    assert vectors(models, ["a", "b", "c"]) == [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]
    assert len(server.asked) == 3


def test_vectors_without_places_of_their_own_are_asked_for_singly(start):
    models, _ = start(embedded([9.0], [8.0], indexes=[0, 0]), embedded([1.0]), embedded([2.0]))

    assert vectors(models, ["a", "b"]) == [[1.0], [2.0]]


def test_an_encoding_that_isnt_taken_is_dropped(start):
    words = "Unknown parameter: 'encoding_format'"
    models, server = start(refused(400, words, param="encoding_format"), embedded([1.0]))

    assert vectors(models, ["a"]) == [[1.0]]
    assert len(server.asked) == 2


def test_equal_texts_are_asked_once_and_found_again(start):
    memo = Memo.none()
    models, server = start(embedded([1.0], [2.0]), memo=memo)

    assert vectors(models, ["a", "b", "a"]) == [[1.0], [2.0], [1.0]]
    assert vectors(models, ["b"]) == [[2.0]]
    assert [request["input"] for request in server.asked] == [["a", "b"]]
    assert [call.from_memo for call in models.drain()] == [False, True]


def test_an_empty_text_has_no_vector_and_costs_nothing(start):
    models, server = start(embedded([1.0]))

    assert vectors(models, ["", " \n"]) == [None, None]
    assert server.asked == []


def test_batches_are_bounded_in_texts_and_tokens():
    assert [len(batch) for batch in batches(["x"] * 70, 32)] == [32, 32, 6]
    assert [len(batch) for batch in batches(["word " * 30_000] * 3, 32)] == [1, 1, 1]
    assert list(batches([], 32)) == []


def test_a_text_is_split_between_words():
    left, right = split_in_two("one two three four five six")

    assert (left, right) == ("one two three", "four five six")
