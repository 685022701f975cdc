"""What providers do wrong, through the real HTTP path: litellm against a loopback server."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from graphrag_assets import settings
from graphrag_assets.errors import ModelStoppedError
from graphrag_assets.models.client import Models, Request
from graphrag_assets.models.faults import (
    ProviderError,
    Symptom,
    public,
    reason_of,
    sort_error,
    sort_symptom,
    wait_of,
)
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.replies import Extraction, Report
from graphrag_assets.prompts import Message
from models.loopback import (
    GOOD,
    REPORT,
    UNIT,
    Reply,
    ask,
    counts,
    refused,
    said,
)

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


def test_neither_keys_nor_passwords_are_told():
    told = reason_of("Error: Bearer abc123def api_key=topsecret sk-proj-12345 AIzaSyABCDEFGHIJ")

    assert told.count("***") == 4
    assert not any(word in told for word in ("abc123def", "topsecret", "12345", "SyABC"))
    assert public("http://me:secret@host/v1") == "http://***@host/v1"


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


def test_the_room_for_an_answer_shrinks_where_the_prompt_leaves_less(start):
    words = (
        "'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens and "
        "your request has 812 input tokens (4096 > 4096 - 812)."
    )
    models, server = start(refused(400, words), said(GOOD))
    text = f"<text>{'word ' * 640}</text>"

    assert ask(models, Extraction, (Message("user", text),)).status == "ok"
    assert server.asked[1]["messages"] == server.asked[0]["messages"]
    assert 1000 < server.asked[1]["max_tokens"] < 4096 - 812


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


def test_prices_come_from_the_price_list_and_are_unknown_elsewhere(start):
    models, _ = start(said(GOOD), model="openai/gpt-4o-mini")
    made_up, _ = start(said(GOOD), model="openai/gpt-9")
    ours, _ = start(said(GOOD))
    for each in (models, made_up, ours):
        ask(each)
    costs = [each.drain()[0].cost_usd for each in (models, made_up, ours)]

    assert costs == [pytest.approx(412 * 0.15e-6 + 96 * 0.6e-6), None, None]


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


@pytest.mark.parametrize("asked", ["2", "2.0", "2s", "2 seconds", "2,", "00:00:02", "٢"])
def test_a_wait_is_understood_however_it_is_written(asked):
    assert wait_of({"retry-after": asked}, "") == 2


@pytest.mark.parametrize("asked", ["", "soon", "nan", "inf", "1e400"])
def test_a_wait_that_is_none_is_not_taken_for_one(asked):
    assert wait_of({"retry-after": asked}, "") is None


def test_a_wait_may_be_a_time():
    when = datetime.now(UTC) + timedelta(seconds=100)

    assert 95 < (wait_of({"retry-after": when.isoformat()}, "") or 0) <= 100
    assert 95 < (wait_of({"retry-after": f"{when.timestamp():.0f}"}, "") or 0) <= 101


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
