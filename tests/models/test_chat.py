"""What models answer, through the real HTTP path: litellm against a loopback server."""

import json
from types import SimpleNamespace

import pytest

from graphrag_assets.models.client import Outcome, Request
from graphrag_assets.models.replies import Report
from graphrag_assets.models.transport import Answer
from graphrag_assets.models.wire import answer_of
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


def test_a_yes_or_no_is_whole_after_one_token(start):
    models, _ = start(said("Y", finish="length"), model="openai/gpt-4o-mini")
    request = Request[str]("extraction", "check_extraction", UNIT, None)

    assert models.run(models.chat(request)) == Outcome("ok", "Y", None)


def test_content_in_parts_is_joined():
    parts = [{"type": "text", "text": "Ida "}, {"type": "text", "text": "Holm"}]
    message = SimpleNamespace(content=parts)
    choice = SimpleNamespace(message=message, finish_reason=None)

    assert answer_of(SimpleNamespace(choices=[choice])) == Answer("Ida Holm")
