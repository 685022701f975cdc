"""Answers in pieces, through the real HTTP path: litellm against a loopback server."""

import pytest

from graphrag_assets.errors import ModelCallError
from graphrag_assets.models.client import Models, Request
from models.loopback import UNIT, Reply, refused, streamed


def stream(models: Models) -> list[str]:
    async def collect() -> list[str]:
        request = Request[str]("query", "local_answer", UNIT, None)
        return [piece async for piece in models.stream(request)]

    return models.run(collect())


def test_a_stream_comes_in_pieces_without_thoughts(start):
    models, server = start(streamed("<think>", "hm</think>", "\n\nIda", " Holm."))

    assert "".join(stream(models)) == "Ida Holm."
    assert server.asked[0]["stream"] is True
    assert [call.status for call in models.drain()] == ["ok"]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(transport="reset"),
        refused(503, "overloaded"),
        refused(429, "slow down", headers={"retry-after": "0.01"}),
        refused(400, "Unknown parameter: 'stream_options'", param="stream_options"),
    ],
    ids=["reset", "503", "429", "parameter"],
)
def test_a_stream_that_fails_before_its_first_piece_is_begun_again(start, reply):
    models, server = start(reply, streamed("Ida", " Holm."))

    assert "".join(stream(models)) == "Ida Holm."
    assert len(server.asked) == 2


def test_a_stream_that_breaks_off_is_no_answer(start):
    whole = streamed(*["The captain is "] * 50)
    models, _ = start(Reply(whole.body, headers=whole.headers, transport="reset in the middle"))
    with pytest.raises(ModelCallError):
        stream(models)

    assert [call.status for call in models.drain()] == ["failed"]


def test_a_stream_that_hangs_is_begun_again(start):
    models, _ = start(Reply(transport="hang"), streamed("Ida Holm."), deadline_seconds=1)

    assert "".join(stream(models)) == "Ida Holm."
