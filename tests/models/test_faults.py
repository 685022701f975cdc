"""What providers do wrong, through the real HTTP path: litellm against a loopback server."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from graphrag_assets import settings
from graphrag_assets.errors import ModelCallError, ModelStoppedError
from graphrag_assets.models.client import Models, Outcome, Request
from graphrag_assets.models.faults import ProviderError, Symptom, sort_error, sort_symptom, wait_of
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.replies import Extraction, Report
from graphrag_assets.prompts import Message
from models.loopback import GOOD, Reply, refused, said, streamed

UNIT = (Message("system", "Extract."), Message("user", "<text>\nThe ferry Aurora …\n</text>"))
REPORT = {
    "title": "Aurora",
    "summary": "A ferry.",
    "rating": 3.5,
    "rating_explanation": "Low.",
    "findings": [{"summary": "The voyage", "explanation": "Ida Holm sails."}],
}


def ask(
    models: Models, schema: Any = Extraction, messages: tuple[Message, ...] = UNIT
) -> Outcome[Any]:
    return models.run(models.chat(Request("extraction", "extract_graph", messages, schema, "u1")))


def counts(outcome: Outcome[Any]) -> tuple[str, int, int]:
    reply = outcome.reply
    return outcome.status, len(reply.entities), len(reply.relationships)


GOOD_JSON = json.dumps(GOOD)
READABLE = {
    "good": said(GOOD),
    "fence": said(f"```json\n{GOOD_JSON}\n```"),
    "prose around": said(f"Here it is:```{GOOD_JSON}```\nLet me know!"),
    "trailing commas": said(GOOD_JSON.replace("}]", "},]")),
    "bad escapes": said(GOOD_JSON.replace("A ferry.", "path C:\\_new, it\\'s a\nferry")),
    "thought": said(f'<think>\n{{"draft": true}}\n</think>\n\n{GOOD_JSON}'),
    "thought in a field": said(GOOD, message={"reasoning_content": '{"entities": []}'}),
    "wrapped": said({"result": GOOD}),
    "two objects": said(
        f"{json.dumps({'entities': GOOD['entities']})}\n"
        f"{json.dumps({'relationships': GOOD['relationships']})}"
    ),
    "top-level array": said([*GOOD["entities"], *GOOD["relationships"]]),
    "no usage": said(GOOD, usage=False),
    "tool call": said(
        None,
        finish="tool_calls",
        message={
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "extract", "arguments": GOOD_JSON},
                }
            ]
        },
    ),
    "function call": said(
        None,
        finish="function_call",
        message={"function_call": {"name": "extract", "arguments": GOOD_JSON}},
    ),
}


@pytest.mark.parametrize("reply", READABLE.values(), ids=READABLE)
def test_a_readable_answer_needs_one_call(start, reply):
    models, server = start(reply)

    assert counts(ask(models)) == ("ok", 2, 1)
    assert len(server.asked) == 1


def test_missing_usage_is_estimated_and_marked(start):
    models, _ = start(said(GOOD, usage=False))
    ask(models)
    (call,) = models.drain()

    assert call.estimated
    assert call.prompt_tokens > 0
    assert call.completion_tokens > 0


def test_an_unreadable_answer_is_asked_for_once_more_with_its_error(start):
    models, server = start(said("Sure! The main entities are Ida Holm and the Aurora."), said(GOOD))

    assert counts(ask(models)) == ("ok", 2, 1)
    assert [turn["role"] for turn in server.asked[1]["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert "could not be used" in server.asked[1]["messages"][-1]["content"]


def test_an_answer_that_stays_unreadable_is_failed_not_empty(start):
    models, server = start(said("Sure! The main entities are Ida Holm and the Aurora."))
    outcome = ask(models)

    assert (outcome.status, outcome.reply) == ("failed", None)
    assert "can't be read" in (outcome.reason or "")
    assert len(server.asked) == 2


@pytest.mark.parametrize("content", ["", "\r\n", None], ids=["empty", "newline", "null"])
def test_an_empty_answer_is_asked_for_again_then_failed(start, content):
    models, server = start(said(content))
    outcome = ask(models)

    assert (outcome.status, outcome.reason) == ("failed", "the answer is empty")
    assert len(server.asked) == 2
    assert all(turn["content"] for turn in server.asked[1]["messages"])


def test_an_answer_without_choices_is_tried_again(start):
    models, server = start(Reply({"id": "x", "choices": [], "usage": None}), said(GOOD))

    assert ask(models).status == "ok"
    assert len(server.asked) == 2


def test_a_truncated_answer_keeps_its_complete_items(start):
    cut = (
        '{"entities": [{"name": "Aurora", "type": "object"}, {"name": "Tern Harbour"}, {"name": "Id'
    )
    models, server = start(said(cut, finish="length"))
    outcome = ask(models)

    assert outcome.status == "truncated"
    assert [entity.name for entity in outcome.reply.entities] == ["Aurora", "Tern Harbour"]
    assert len(server.asked) == 1


def test_an_answer_cut_by_our_own_limit_gets_more_room(start):
    full = said('{"entities": [{"name": "Aurora"}, {"na', finish="length")
    full.body["usage"]["completion_tokens"] = 4096
    models, server = start(full, said(GOOD))

    assert counts(ask(models)) == ("ok", 2, 1)
    assert [request["max_tokens"] for request in server.asked] == [4096, 16384]


def test_thoughts_alone_are_no_answer(start):
    thinking = said("", finish="length", message={"reasoning_content": "I should list …"})
    models, _ = start(thinking)

    assert ask(models).status == "failed"


def test_a_runaway_answer_is_folded_and_noted(start):
    models, _ = start(said({"entities": [{"name": "Aurora"}] * 400, "relationships": []}))
    outcome = ask(models)

    assert counts(outcome) == ("ok", 1, 0)
    assert outcome.reason == "399 identical entities folded"


def test_more_items_than_a_unit_can_hold_are_cut_and_noted(start):
    models, _ = start(said({"entities": [{"name": f"Name {n}"} for n in range(130)]}))
    outcome = ask(models)

    assert counts(outcome) == ("ok", 100, 0)
    assert outcome.reason == "30 entities beyond the first 100 left out"


def test_nulls_become_defaults(start):
    models, _ = start(
        said(
            {
                "entities": [
                    {"name": "Ida", "type": None, "description": None},
                    {"name": "Aurora"},
                ],
                "relationships": [
                    {"source": "Ida", "target": "Aurora", "description": None, "weight": None}
                ],
            }
        )
    )
    reply = ask(models).reply

    assert [(e.type, e.description) for e in reply.entities] == [("unknown", ""), ("unknown", "")]
    assert reply.relationships[0].weight == 1


def test_weights_that_make_no_sense_are_1(start):
    weights = ["strong", -3, 1e9, "NaN", "7", "8/10"]
    names = "ABCDEF"
    models, _ = start(
        said(
            {
                "entities": [],
                "relationships": [
                    {"source": name, "target": "Z", "weight": weight}
                    for name, weight in zip(names, weights, strict=True)
                ],
            }
        )
    )

    assert [one.weight for one in ask(models).reply.relationships] == [1, 1, 1, 1, 7, 8]


def test_wrong_types_in_a_report_are_read_as_they_were_meant(start):
    findings = ["Ida Holm sails.", {"summary": 7, "explanation": ["a", "b"]}]
    models, _ = start(said(REPORT | {"rating": "8/10", "findings": findings}))
    reply = ask(models, Report).reply

    assert reply.rating == 8
    assert [(finding.summary, finding.explanation) for finding in reply.findings] == [
        ("Ida Holm sails.", ""),
        ("7", "a b"),
    ]


def test_a_refusal_is_asked_for_once_more_and_then_called_one(start):
    models, server = start(said("I'm sorry, but I can't help with that."))
    outcome = ask(models)

    assert (outcome.status, outcome.reason) == ("refused", "I'm sorry, but I can't help with that.")
    assert len(server.asked) == 2


def test_a_refusal_in_its_own_field_is_one(start):
    models, _ = start(said(None, message={"refusal": "I can't do this."}))

    assert ask(models).status == "refused"


def test_a_filtered_answer_is_not_asked_for_again(start):
    models, server = start(said('{"entities":[{"na', finish="content_filter"))

    assert ask(models).status == "filtered"
    assert len(server.asked) == 1


def test_a_filtered_prompt_is_not_asked_for_again(start):
    words = "The response was filtered due to the prompt triggering content management policy."
    models, server = start(refused(400, words, code="content_filter"))

    assert ask(models).status == "filtered"
    assert len(server.asked) == 1


WAITS = {
    "retry-after": refused(429, "Rate limit reached", headers={"retry-after": "0.05"}),
    "retry-after-ms": refused(429, "Rate limit reached", headers={"retry-after-ms": "20"}),
    "in words": refused(429, "Rate limit is exceeded. Please try again in 30ms."),
    "no word of it": refused(429, "Rate limit is exceeded."),
}


@pytest.mark.parametrize("reply", WAITS.values(), ids=WAITS)
def test_a_rate_limit_is_waited_for(start, reply):
    models, server = start(reply, reply, said(GOOD))

    assert ask(models).status == "ok"
    assert len(server.asked) == 3


def test_waiting_for_a_rate_limit_is_no_failure_whatever_the_deadline(start):
    limited = refused(429, "Rate limit reached", headers={"retry-after": "0.4"})
    models, _ = start(limited, limited, said(GOOD), deadline_seconds=0.6)

    assert ask(models).status == "ok"


def test_all_workers_of_a_model_wait(start):
    limited = refused(429, "Rate limit reached", headers={"retry-after": "0.3"})
    models, server = start(limited, said(GOOD), concurrency=1)
    jobs = [
        lambda name=name: models.chat(
            Request("extraction", "extract_graph", (Message("user", name),), Extraction)
        )
        for name in "abc"
    ]

    assert [outcome.status for outcome in models.map(jobs, progress=None)] == ["ok"] * 3
    assert len(server.asked) == 4


STOPS = {
    "quota": refused(429, "You exceeded your current quota.", code="insufficient_quota"),
    "no credit": refused(400, "Your credit balance is too low to access the API."),
    "payment": refused(402, "Payment required."),
    "a day's limit": refused(429, "Slow down", headers={"retry-after": "86400"}),
    "key": refused(401, "Incorrect API key provided: sk-abcd1234."),
    "access": refused(403, "Your project has no access to this model."),
    "model": refused(404, "The model `no-such` does not exist.", code="model_not_found"),
    "model with 400": refused(400, "no-such is not a valid model ID"),
    "path": Reply("404 page not found", 404),
}


@pytest.mark.parametrize("reply", STOPS.values(), ids=STOPS)
def test_what_every_call_would_meet_stops_after_the_first(start, reply):
    models, server = start(reply)
    with pytest.raises(ModelStoppedError, match=r"openai/test-model.*127") as caught:
        ask(models)

    assert len(server.asked) == 1
    assert "sk-abcd1234" not in str(caught.value)


def test_a_stop_ends_all_conversations(start):
    models, server = start(refused(401, "Incorrect API key"), concurrency=2)
    jobs = [
        lambda n=n: models.chat(
            Request("extraction", "extract_graph", (Message("user", str(n)),), Extraction)
        )
        for n in range(200)
    ]
    with pytest.raises(ModelStoppedError):
        models.map(jobs, progress=None)

    assert len(server.asked) <= 2


def test_an_unknown_provider_stops_before_anything_is_sent(start):
    models, server = start(said(GOOD), model="openay/gpt")
    with pytest.raises(ModelStoppedError, match=r"openay/gpt.*provider"):
        ask(models)

    assert server.asked == []


def test_a_missing_key_stops_at_once(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    chosen = settings.Models(default={"model": "openai/gpt-4o-mini"})
    models = Models(chosen, memo=Memo.none(), budget_usd=0)
    with pytest.raises(ModelStoppedError, match=r"gpt-4o-mini.*OPENAI_API_KEY"):
        ask(models)
    models.close()


def test_an_endpoint_of_ones_own_needs_no_key(start, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    models, _ = start(said(GOOD))

    assert ask(models).status == "ok"
    assert [call.tries for call in models.drain()] == [1]


def test_a_prompt_that_is_too_long_is_shortened_to_what_fits(start):
    words = (
        "This model's maximum context length is 2000 tokens. However, you requested 9000 tokens in "
        "the messages."
    )
    models, server = start(refused(400, words, code="context_length_exceeded"), said(REPORT))
    lines = "\n".join(f"{n}. A statement about the ferry Aurora." for n in range(600))
    prompt = (
        Message("system", "Report."),
        Message("user", f"<context>\n{lines}\n</context>\nEnd."),
    )
    outcome = ask(models, Report, prompt)
    shorter = server.asked[1]["messages"][1]["content"]

    assert outcome.status == "ok"
    assert "0. A statement" in shorter
    assert "599. A statement" not in shorter
    assert shorter.endswith("</context>\nEnd.")
    assert len(shorter) / 4 + server.asked[1]["max_tokens"] <= 0.9 * 2000
    assert models.context_tokens("report")


def test_a_text_that_is_too_long_is_never_cut_nor_sent_unchanged(start):
    words = "This model's maximum context length is 100 tokens. You requested 900 tokens."
    models, server = start(refused(400, words, code="context_length_exceeded"))
    outcome = ask(models, Extraction, (Message("user", f"<text>{'word ' * 700}</text>"),))

    assert outcome.status == "failed"
    assert "maximum context length" in (outcome.reason or "")
    assert 1 == len({json.dumps(request) for request in server.asked}) == len(server.asked)


PARAMETERS = {
    "temperature": refused(
        400,
        "Unsupported value: 'temperature' does not support 0 with this model.",
        param="temperature",
        code="unsupported_value",
    ),
    "max_tokens": refused(400, "Unrecognized request argument supplied: max_tokens"),
    "extra": Reply({"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs"}]}, 422),
}


@pytest.mark.parametrize("reply", PARAMETERS.values(), ids=PARAMETERS)
def test_an_unsupported_parameter_is_dropped_and_remembered(start, reply):
    models, server = start(reply, said(GOOD))
    first = ask(models)
    second = ask(models, Extraction, (Message("user", "another"),))
    dropped = set(server.asked[0]) - set(server.asked[1])

    assert "ok" == first.status == second.status
    assert len(server.asked) == 3
    assert len(dropped) == 1
    assert not dropped & set(server.asked[2])


def test_a_renamed_parameter_is_renamed(start):
    words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    models, server = start(refused(400, words, param="max_tokens"), said(GOOD))

    assert ask(models).status == "ok"
    assert server.asked[1]["max_completion_tokens"] == 4096
    assert "max_tokens" not in server.asked[1]


def test_a_smaller_limit_of_the_answer_is_kept_to(start):
    words = "max_tokens is too large: 4096. This model supports at most 2048 completion tokens."
    models, server = start(refused(400, words, param="max_tokens"), said(GOOD))

    assert ask(models).status == "ok"
    assert server.asked[1]["max_tokens"] == 2048


def test_logit_bias_is_sent_where_it_means_something_and_dropped_where_it_is_refused(start):
    words = "Unsupported parameter: 'logit_bias' is not supported with this model."
    models, server = start(
        refused(400, words, param="logit_bias"), said("Yes."), model="openai/gpt-4o-mini"
    )
    request = Request[str]("extraction", "check_extraction", UNIT, None)

    assert models.run(models.chat(request)).reply == "Yes."
    assert server.asked[0]["logit_bias"] == {"45": 100, "56": 100}
    assert "logit_bias" not in server.asked[1]


def test_the_form_of_the_answer_goes_down_a_ladder_and_is_remembered(start):
    unavailable = refused(400, "This response_format type is unavailable now")
    models, server = start(unavailable, unavailable, said(REPORT))
    first = ask(models, Report)
    second = ask(models, Report, (Message("user", "another"),))
    forms = [request.get("response_format", {}).get("type") for request in server.asked]

    assert "ok" == first.status == second.status
    assert forms == ["json_schema", "json_object", None, None]
    assert '"rating_explanation"' in server.asked[2]["messages"][-1]["content"]


def test_a_schema_is_sent_without_bounds_where_bounds_are_refused(start):
    words = "Invalid schema for response_format 'Extraction': 'maxLength' is not permitted."
    models, server = start(refused(400, words, param="response_format"), said(GOOD))
    ask(models)
    schemas = [json.dumps(request["response_format"]) for request in server.asked]

    assert "maxLength" in schemas[0]
    assert "maxLength" not in schemas[1]


@pytest.mark.parametrize("status", [405, 500])
def test_other_statuses_that_speak_of_the_form_count_too(start, status):
    models, server = start(refused(status, "json_schema is not supported here"), said(REPORT))

    assert ask(models, Report).status == "ok"
    assert len(server.asked) == 2


def test_a_refusal_without_a_reason_leads_to_a_simpler_request(start):
    bare = Reply({"error": "Bad Request"}, 400)
    models, server = start(bare, bare, bare, bare, said(GOOD))

    assert ask(models).status == "ok"
    assert {"messages", "model"} == set(server.asked[-1])


BROKEN = {
    "500": refused(500, "Internal error"),
    "503": refused(503, "The engine is currently overloaded"),
    "529": Reply({"type": "error", "error": {"type": "overloaded_error"}}, 529),
    "502 with a page": Reply("<html>Bad gateway</html>", 502),
    "reset": Reply(transport="reset"),
    "reset in the middle": Reply(said(GOOD).body, transport="reset in the middle"),
    "no JSON": Reply("<html>hello</html>", 200, {"content-type": "text/html"}),
}


@pytest.mark.parametrize("reply", BROKEN.values(), ids=BROKEN)
def test_what_passes_is_tried_again(start, reply):
    models, server = start(reply, reply, said(GOOD))

    assert counts(ask(models)) == ("ok", 2, 1)
    assert len(server.asked) == 3


def test_a_server_that_stays_broken_fails_the_call_within_its_tries(start):
    models, server = start(refused(500, "Internal error"))
    outcome = ask(models)

    assert (outcome.status, outcome.reason) == ("failed", "Internal error (8 tries)")
    assert len(server.asked) == 8


@pytest.mark.parametrize("transport", ["hang", "drip"])
def test_a_call_that_hangs_is_cut_and_asked_elsewhere(start, transport):
    models, server = start(
        Reply(said(GOOD).body, transport=transport), said(GOOD), deadline_seconds=1
    )

    assert ask(models).status == "ok"
    assert len(server.asked) == 2


def test_the_deadline_ends_a_call_that_always_hangs(start):
    models, server = start(Reply(transport="hang"), deadline_seconds=0.4)
    outcome = ask(models)

    assert outcome.status == "failed"
    assert "no answer within" in (outcome.reason or "")
    assert len(server.asked) <= 2


def test_an_address_where_nobody_listens_stops(start):
    models, server = start(said(GOOD))
    server.close()
    with pytest.raises(ModelStoppedError, match="can't be reached"):
        ask(models)


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


def test_a_yes_or_no_is_whole_after_one_token(start):
    models, _ = start(said("Y", finish="length"), model="openai/gpt-4o-mini")
    request = Request[str]("extraction", "check_extraction", UNIT, None)

    assert models.run(models.chat(request)) == Outcome("ok", "Y", None)


def test_http_dates_and_durations_are_understood():
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)

    assert wait_of({"retry-after": "2"}, "") == 2
    assert 95 < (wait_of({"retry-after": later}, "") or 0) <= 100
    assert wait_of({}, "Please try again in 1m12.5s.") == 72.5
    assert wait_of({}, "Please retry after 52 seconds.") == 52
    assert wait_of({}, '"retryDelay": "39s"') == 39
    assert (
        wait_of({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, "")
        == 360
    )
    assert wait_of({}, "Rate limit is exceeded.") is None


def test_a_minute_limit_in_the_words_of_a_quota_is_waited_for():
    gemini = "You exceeded your current quota, please check your plan. Please retry in 21.5s."

    assert _meaning(Symptom(429, gemini)) == ("wait", 21.5)
    assert sort_symptom(Symptom(429, gemini + ' "quotaId": "…PerDay…"')).kind == "stop"


def _meaning(symptom: Symptom) -> tuple[str, float | None]:
    fault = sort_symptom(symptom)
    return fault.kind, fault.wait


def test_an_error_without_a_status_is_told_by_its_cause():
    outer = RuntimeError("Connection error.")
    outer.__cause__ = ConnectionRefusedError(111, "refused")

    assert sort_error(outer).kind == "unreachable"
    assert sort_error(ConnectionResetError()).kind == "broken"
    assert sort_error(KeyError("x")).kind == "bad"
    fault = ProviderError("wait", "slowly")
    assert fault is sort_error(fault)
