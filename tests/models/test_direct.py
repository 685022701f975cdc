"""direct.py: OpenAI's protocol over plain HTTP; test_faults.py shows it every fault."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graphrag_assets import settings
from graphrag_assets.models import background
from graphrag_assets.models.client import Models
from graphrag_assets.models.direct import DirectTransport
from graphrag_assets.models.faults import ProviderError
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.models.transport import Ask, EmbedAsk
from graphrag_assets.prompts import Message
from models.loopback import GOOD, Loopback, Reply, ask, embedded, said, streamed

TESTS = Path(__file__).parent.parent
USER = (Message("user", "Say \ud800 something."),)


@pytest.fixture
def other() -> ScriptedTransport:
    return ScriptedTransport(lambda asked: "by the other way", price=(1.0, 1.0))


@pytest.fixture
def serve():
    """Return a function that starts a server with replies."""
    servers: list[Loopback] = []

    def open_one(*replies: Reply) -> Loopback:
        servers.append(Loopback(replies))
        return servers[-1]

    yield open_one
    for server in servers:
        server.close()


async def asked(other, model, base, parameters=None):
    transport = DirectTransport(other)
    try:
        return await transport.chat(
            Ask(model, base, "report", "prompt", USER, parameters or {}, timeout=5)
        )
    finally:
        await transport.close()


def run(coroutine):
    return background.run(coroutine)


@pytest.mark.parametrize("model", ["openai/org/name", "hosted_vllm/org/name"])
def test_an_endpoint_of_ones_own_is_asked_as_it_expects(serve, other, model, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", "secret")
    server = serve(said("Yes."))
    answer = run(asked(other, model, server.url + "/", {"temperature": 0, "max_tokens": 7}))

    assert (answer.text, answer.finish) == ("Yes.", "stop")
    assert (answer.prompt_tokens, answer.completion_tokens) == (412, 96)
    assert server.asked == [
        {
            "model": "org/name",
            "messages": [{"role": "user", "content": "Say \ufffd something."}],
            "temperature": 0,
            "max_tokens": 7,
        }
    ]
    assert server.keys == ["Bearer secret"]
    assert other.history == []


@pytest.mark.parametrize(
    ("model", "base"),
    [("openai/gpt", ""), ("ollama_chat/qwen3", "http://127.0.0.1:9"), ("offline/nlp", "")],
)
def test_all_other_models_go_by_the_other_way(other, model, base):
    assert run(asked(other, model, base)).text == "by the other way"


def test_a_key_is_sent_only_if_there_is_one(serve, other, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server = serve(said("Yes."))
    run(asked(other, "openai/m", server.url))
    run(asked(other, "openai/m", server.url, {"api_key": "none"}))

    assert server.keys == [None, "Bearer none"]
    assert all("api_key" not in request for request in server.asked)


def message(**fields) -> Reply:
    body = {"choices": [{"message": fields, "finish_reason": None}]}
    return Reply(body)


@pytest.mark.parametrize(
    ("reply", "text", "refusal"),
    [
        (message(content=[{"type": "text", "text": "In "}, {"text": "parts."}]), "In parts.", ""),
        (message(content=None, tool_calls=[{"function": {"arguments": "{}"}}]), "{}", ""),
        (message(content="", function_call={"arguments": '{"a": 1}'}), '{"a": 1}', ""),
        (message(content=None, refusal="I won't."), "", "I won't."),
        (message(), "", ""),
        (message(content=["In ", "parts."]), "In parts.", ""),
        (message(content=[{"type": "thinking", "text": "{}"}, {"text": "Yes."}]), "Yes.", ""),
        (message(content=[{"type": "text", "text": {"value": "Yes."}}]), "Yes.", ""),
        (message(content={"a": 1}), '{"a": 1}', ""),
        (message(content=None, tool_calls=[{"function": {"arguments": {"a": 1}}}]), '{"a": 1}', ""),
        (message(tool_calls=["x", {"function": "y"}], function_call="z", refusal=False), "", ""),
        (Reply({"choices": [{"message": "Yes."}]}), "Yes.", ""),
        (Reply({"choices": [{"text": "Yes."}]}), "Yes.", ""),
        (Reply("\ufeff\n" + json.dumps(message(content="Yes.").body)), "Yes.", ""),
        (streamed("In ", "pieces."), "In pieces.", ""),
    ],
)
def test_an_answer_comes_in_many_forms(serve, other, reply, text, refusal):
    answer = run(asked(other, "openai/m", serve(reply).url))

    assert (answer.text, answer.refusal, answer.finish) == (text, refusal, "stop")
    assert answer.prompt_tokens == 0


@pytest.mark.parametrize(
    ("said_so", "finish"),
    [("MAX_TOKENS", "length"), ("SAFETY", "content_filter"), (None, "stop"), (3, "3")],
)
def test_how_an_answer_ended_is_said_in_one_way(serve, other, said_so, finish):
    assert run(asked(other, "openai/m", serve(said("Yes.", finish=said_so)).url)).finish == finish


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": "412"}, 412),
        ({"prompt_tokens": "many"}, 0),
        ({"prompt_tokens": [1]}, 0),
        ({"prompt_tokens": float("nan")}, 0),
        ({"prompt_tokens": -5}, 0),
        ({"prompt_tokens": 10**400}, 0),
        ([412], 0),
    ],
)
def test_tokens_that_are_no_number_are_unknown(serve, other, usage, tokens):
    reply = Reply(said("Yes.").body | {"usage": usage})

    assert run(asked(other, "openai/m", serve(reply).url)).prompt_tokens == tokens


def test_an_address_that_leads_elsewhere_is_told(serve, other):
    there = serve(said("Yes."))
    moved = serve(Reply("", 301, {"location": f"{there.url}/chat/completions"}))
    kept = serve(Reply("", 307, {"location": f"{there.url}/chat/completions"}))

    assert run(asked(other, "openai/m", kept.url)).text == "Yes."
    with pytest.raises(ProviderError, match="set api_base to where that belongs"):
        run(asked(other, "openai/m", moved.url))


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply("[" * 100_000), "broken"),
        (Reply({"error": {"message": "slow", "code": "429"}}), "wait"),
        (Reply({"error": {"message": "no", "code": "invalid_api_key"}}), "stop"),
        (Reply("<html>busy</html>"), "broken"),
        (Reply("[1]"), "broken"),
        (Reply({"choices": []}), "broken"),
        (Reply({"choices": None}), "broken"),
        (Reply({"error": {"message": "Rate limit", "code": 429}}), "wait"),
        (Reply({"error": "no memory"}), "broken"),
        (Reply("", 502), "busy"),
        (Reply({"error": {"message": "no", "param": "temperature"}}, 400), "parameter"),
        (Reply("plain words", 401), "stop"),
        (Reply(transport="reset"), "broken"),
        (Reply(said("x").body, transport="reset in the middle"), "broken"),
    ],
)
def test_what_is_no_answer_is_sorted(serve, other, reply, kind):
    with pytest.raises(ProviderError) as caught:
        run(asked(other, "openai/m", serve(reply).url))

    assert caught.value.kind == kind


def test_nobody_at_the_address_is_unreachable(other):
    with pytest.raises(ProviderError, match="unreachable"):
        run(asked(other, "openai/m", "http://127.0.0.1:9/v1"))


def test_vectors_keep_the_place_they_name(serve, other):
    server = serve(
        embedded([1.0, 0.0], [0.0, 1.0], indexes=[1, 0]), embedded([2.0], indexes=[None])
    )

    async def embed():
        transport = DirectTransport(other)
        request = EmbedAsk("openai/m", server.url, ("a", "b"), {"encoding_format": "base64"}, 5)
        both = await transport.embed(request), await transport.embed(request)
        elsewhere = await transport.embed(EmbedAsk("cohere/m", "", ("a",), {}, 5))
        await transport.close()
        return *both, elsewhere

    placed, unplaced, elsewhere = run(embed())
    assert placed.rows == ((1, [1.0, 0.0]), (0, [0.0, 1.0]))
    assert unplaced.rows == ((0, [2.0]),)
    assert placed.prompt_tokens == 5
    assert server.asked[0] == {"model": "m", "input": ["a", "b"], "encoding_format": "base64"}
    assert len(np.asarray(elsewhere.rows[0][1])) == 64


def test_prices_are_those_of_litellms_list(other):
    transport = DirectTransport(other)

    assert transport.cost("openai/gpt-4o-mini", 1_000_000, 0) == pytest.approx(0.15)
    assert transport.cost("openai/gpt-4o-mini", 0, 1_000_000) == pytest.approx(0.60)
    assert transport.cost("openai/text-embedding-3-small", 1_000_000, 0) == pytest.approx(0.02)
    assert transport.cost("openai/stand-in", 1, 1) is None
    assert transport.cost("anthropic/claude", 1, 1) == 2.0


CALL = """
import json, sys
from graphrag_assets import settings
from graphrag_assets.models.client import Models
from graphrag_assets.models.memo import Memo
from models.loopback import GOOD, Loopback, ask, embedded, said

server = Loopback([said(GOOD), embedded([1.0])])
model = {"model": "openai/m", "api_base": server.url}
models = Models(
    settings.Models(default=model, embedding=model), memo=Memo.none(), budget_usd=0
)
found = ask(models).status, len(models.run(models.embed(["a"])))
print(json.dumps([*found, "litellm" in sys.modules]))
"""


def test_litellm_is_not_imported_for_it():
    done = subprocess.run(
        [sys.executable, "-c", CALL], cwd=TESTS, capture_output=True, text=True, check=True
    )

    assert json.loads(done.stdout) == ["ok", 1, False]


def test_it_is_the_way_of_every_project(serve):
    model = {"model": "openai/m", "api_base": serve(said(GOOD)).url}
    models = Models(settings.Models(default=model), memo=Memo.none(), budget_usd=0)

    assert ask(models).status == "ok"
    assert isinstance(models._transport, DirectTransport)
    models.close()


def test_who_does_not_close_leaves_quietly(serve):
    server = serve(said("Yes."))
    code = (
        "from graphrag_assets.models import background\n"
        "from graphrag_assets.models.direct import DirectTransport\n"
        "from graphrag_assets.models.scripted import ScriptedTransport\n"
        "from graphrag_assets.models.transport import Ask\n"
        "from graphrag_assets.prompts import Message\n"
        "transport = DirectTransport(ScriptedTransport(lambda asked: ''))\n"
        "said = (Message('user', 'hi'),)\n"
        f"ask = Ask('openai/x', {server.url!r}, 'report', 'p', said, {{}}, 5)\n"
        "print(background.run(transport.chat(ask)).text)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "Yes.\n"
    assert done.stderr == ""
