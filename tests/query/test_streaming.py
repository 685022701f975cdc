"""Streamed answers are those that are asked for at once; async is as sync."""

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asked import KAJA
from graphrag_assets.context import keep_known
from graphrag_assets.errors import ModelCallError
from graphrag_assets.query import Answer
from graphrag_assets.query.streaming import Checked

KNOWN = ["T12ab34cd", "E56cd78ef"]
TEXTS = st.lists(
    st.sampled_from(
        [*"ab [],;\n", " [", "] ", "[T12ab34cd]", " [E0000000", "0]", "T12ab34cd, E56cd78ef", "A"]
    )
).map("".join)
METHODS = ["global", "local", "drift", "basic", "source", "lazy"]


@given(TEXTS, st.lists(st.integers(0, 60)))
def test_the_pieces_are_the_text_without_unknown_citations(text, cuts):
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    shown = Checked(KNOWN)
    pieces = [shown.add(text[a:b]) for a, b in pairwise(places)]

    assert "".join([*pieces, shown.end()]) == keep_known(text.strip(), KNOWN)[0]


def test_text_is_given_as_soon_as_it_is_certain():
    shown = Checked(KNOWN)

    assert [shown.add(piece) for piece in ("It bur", "ned [T12", "ab34cd]", " twice.")] == [
        "It bur",
        "ned",
        " [T12ab34cd]",
        " twice.",
    ]


class TestStream:
    @pytest.mark.parametrize("method", METHODS)
    def test_gives_the_text_of_the_answer_and_then_the_answer(self, ask_with, method):
        asked = ask_with()[0].ask(KAJA, method=method)
        *pieces, answer = ask_with()[0].stream(KAJA, method=method)

        assert len(pieces) > 1
        assert "".join(pieces) == answer.text == asked.text
        assert answer == asked

    def test_async_is_as_sync(self, ask_with):
        async def both():
            index, _ = ask_with()
            answer = await index.ask_async(KAJA, method="local")
            index, _ = ask_with()
            return answer, [piece async for piece in index.stream_async(KAJA, method="local")]

        answer, pieces = asyncio.run(both())

        assert answer == ask_with()[0].ask(KAJA, method="local") == pieces[-1]
        assert "".join(pieces[:-1]) == answer.text

    def test_without_evidence_says_so_in_one_piece(self, ask_with):
        index, _ = ask_with(lambda ask: {"points": []})
        pieces = list(index.stream("What are the main themes?", method="global"))

        assert [type(piece) for piece in pieces] == [str, Answer]
        assert pieces[1].status == "no_evidence"
        assert pieces[0] == pieces[1].text

    def test_that_fails_ends_in_an_answer_that_says_why(self, ask_with):
        index, _ = ask_with(lambda ask: ModelCallError("no answer came"))
        *pieces, answer = index.stream(KAJA, method="basic")

        assert (pieces, answer.status) == ([], "failed")
        assert "no answer came" in answer.reason

    def test_unknown_citations_are_in_no_piece(self, ask_with):
        index, script = ask_with()
        script.enqueue("It rained [T00000000] all day. [T11111111]", "basic_answer")
        *pieces, answer = index.stream(KAJA, method="basic")

        assert "".join(pieces) == "It rained all day." == answer.text
        assert answer.dropped_citations == 2

    def test_may_be_left_before_its_end(self, ask_with):
        index, _ = ask_with()
        pieces = index.stream(KAJA, method="basic")
        next(pieces)
        pieces.close()

        assert index.ask(KAJA, method="basic").status == "ok"
