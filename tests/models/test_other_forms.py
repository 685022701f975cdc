"""The same answer in the many forms that models give it, and the same refusal in many words."""

import json

import pytest

from graphrag_assets.models.faults import Symptom, sort_symptom
from graphrag_assets.models.parsing import read
from graphrag_assets.models.replies import Description, Extraction, Report
from models.loopback import GOOD, REPORT, Reply, ask, counts, said

TEXT = json.dumps(GOOD)
ENTITIES, RELATIONSHIPS = GOOD["entities"], GOOD["relationships"]
SCHEMA = json.dumps(Extraction.model_json_schema())
FORMS = {
    "line comments": TEXT.replace('"relationships"', '// the links\n "relationships"'),
    "block comments": TEXT.replace('"relationships"', '/* links */ "relationships"'),
    "python": repr(GOOD),
    "bare keys": TEXT.replace('"entities"', "entities").replace('"name"', "name"),
    "typographic quotes": TEXT.replace('"', "“"),
    "escaped for HTML": TEXT.replace('"', "&quot;"),
    "a string": json.dumps(TEXT),
    "no numbers": TEXT.replace("9", "NaN"),
    "wrapped twice": json.dumps({"response": {"data": GOOD}}),
    "wrapped as text": json.dumps({"result": TEXT}),
    "wrapped in a list": json.dumps({"output": [GOOD]}),
    "arguments": json.dumps({"name": "extract", "arguments": GOOD}),
    "arguments as text": json.dumps({"name": "extract", "arguments": TEXT}),
    "a tool call in words": f'[TOOL_CALLS] [{{"name": "extract", "arguments": {TEXT}}}]',
    "behind the schema": f"{SCHEMA}\n\n{TEXT}",
    "inside the schema": json.dumps({"type": "object", "properties": GOOD}),
    "by name": json.dumps(
        {
            **GOOD,
            "entities": {entity.pop("name"): entity for entity in json.loads(TEXT)["entities"]},
        }
    ),
    "camel case": TEXT.replace('"name"', '"entityName"').replace('"source"', '"sourceEntity"'),
    "prefixed": TEXT.replace('"weight"', '"relationship_strength"'),
    "doubled keys": TEXT.replace('{"entities"', '{"entities": [], "entities"'),
    "keys in Chinese": json.dumps(
        {
            "实体列表": [{"实体名称": e["name"], "描述": e["description"]} for e in ENTITIES],
            "关系": [
                {"源实体": r["source"], "目标实体": r["target"], "权重": 9} for r in RELATIONSHIPS
            ],
        },
        ensure_ascii=False,
    ),
    "keys in German": json.dumps(
        {
            "Entitäten": [{"Name": e["name"], "Typ": e["type"]} for e in ENTITIES],
            "Beziehungen": [{"Quelle": "Ida Holm", "Ziel": "Aurora", "Gewicht": 9}],
        },
        ensure_ascii=False,
    ),
    "signs of Chinese writing": TEXT.replace('": ', '"：').replace('", "', '"，"'),
    "singular keys": json.dumps({"entity": ENTITIES, "relationship": RELATIONSHIPS}),
    "head and tail": TEXT.replace('"source"', '"head"').replace('"target"', '"tail"'),
    "numbered ends": TEXT.replace('"source"', '"entity1"').replace('"target"', '"entity2"'),
    "a list of another name": TEXT.replace('"relationships"', '"ties"'),
    "links inside entities": json.dumps(
        {
            "entities": [
                {**e, "links": [r for r in RELATIONSHIPS if r["source"] == e["name"]]}
                for e in ENTITIES
            ]
        }
    ),
    "by type": json.dumps(
        {
            "entities": {"object": [ENTITIES[0]], "person": ["Ida Holm"]},
            "relationships": RELATIONSHIPS,
        }
    ),
    "descriptions by name": json.dumps(
        {
            "entities": {e["name"]: e["description"] for e in ENTITIES},
            "relationships": RELATIONSHIPS,
        }
    ),
    "an object around each item": json.dumps(
        {"entities": [{"entity": e} for e in ENTITIES], "relationships": RELATIONSHIPS}
    ),
    "lists as strings": json.dumps(
        {"entities": json.dumps(ENTITIES), "relationships": json.dumps(RELATIONSHIPS)}
    ),
    "items as strings": json.dumps(
        {
            "entities": [*map(json.dumps, ENTITIES)],
            "relationships": [*map(json.dumps, RELATIONSHIPS)],
        }
    ),
    "a string in a string": json.dumps(json.dumps(TEXT)),
    "escaped twice": TEXT.replace('"', "&amp;quot;"),
    "nothing, then all": '{"entities": [], "relationships": []}\n\n' + TEXT,
    "a draft, then all": f"{json.dumps({'entities': ENTITIES[:1]})}\nFinal:\n{TEXT}",
    "a half each": f"{json.dumps({'entities': ENTITIES[:1]})}\n"
    + json.dumps({"entities": ENTITIES[1:], "relationships": RELATIONSHIPS}),
    "a list of parts": json.dumps([{"entities": ENTITIES}, {"relationships": RELATIONSHIPS}]),
    "doubled keys, the last empty": TEXT[:-1] + ', "entities": []}',
    "an envelope in the answer": json.dumps({"choices": [{"message": {"content": TEXT}}]}),
    "an ellipsis": TEXT.replace('}], "rel', '}, ...], "rel'),
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_an_answer_is_read_whatever_its_form(text):
    reply = read(text, Extraction).reply

    assert reply is not None
    assert [entity.name for entity in reply.entities] == ["Aurora", "Ida Holm"]
    assert [(r.source, r.target) for r in reply.relationships] == [("Ida Holm", "Aurora")]
    if "NaN" not in text:
        assert reply.relationships[0].weight == 9


ENDLESS = {
    "prose with brackets": "blah {blah} [x] " * 100_000,
    "open brackets": "[" * 500_000,
    "open objects": "{" * 100_000,
    "deep lists": '{"entities": ' + "[" * 20_000 + "]" * 20_000 + "}",
    "deep objects": '{"a":' * 20_000 + "1" + "}" * 20_000,
    "an open string": '{"entities": [{"name": "' + "a" * 2_000_000,
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_reading_ends_whatever_the_text(text):
    assert read(text, Extraction).reply is None


@pytest.mark.parametrize(
    "relationships",
    [[{"x": "Ida Holm", "y": "Aurora"}], ["Ida Holm -> Aurora"]],
    ids=["unknown keys", "arrows"],
)
def test_a_list_that_is_lost_is_asked_for_again(start, relationships):
    """What can't be read is no answer of nothing; of two such answers the first is kept, noted."""
    lost = {"entities": ENTITIES, "relationships": relationships}
    models, server = start(said(lost), said(GOOD))
    again, _ = start(said(lost))

    assert counts(ask(models)) == ("ok", 2, 1)
    assert len(server.asked) == 2
    assert counts(kept := ask(again)) == ("ok", 2, 0)
    assert kept.reason == "1 unusable relationships left out"


@pytest.mark.parametrize("name", [None, "", "...", "N/A", "null", "none", "—"])
def test_a_name_that_says_nothing_is_none(name):
    reading = read(json.dumps({"entities": [*ENTITIES, {"name": name}]}), Extraction)

    assert [entity.name for entity in reading.reply.entities] == ["Aurora", "Ida Holm"]
    assert reading.notes == ("1 unusable entities left out",)


@pytest.mark.parametrize("empty", ["title", "summary"])
def test_a_report_that_says_nothing_is_asked_for_again(start, empty):
    models, server = start(said(REPORT | {empty: " "}), said(REPORT))

    assert ask(models, Report).reply == Report.model_validate(REPORT)
    assert len(server.asked) == 2


def test_the_schema_given_back_is_no_answer(start):
    models, server = start(said(SCHEMA), said(GOOD))

    assert read(SCHEMA, Extraction).reply is None
    assert counts(ask(models)) == ("ok", 2, 1)
    assert len(server.asked) == 2


def test_what_a_reply_is_made_of_is_not_taken_for_the_reply():
    """A description of something else, deep in an answer to another question, is none."""
    assert read(json.dumps({"result": {"people": [{"n": 1}, {"n": 2}]}}), Description).reply is None


WORDS = {
    # context
    "prompt is too long: 210000 tokens > 200000 maximum": ("context", 200000),
    "input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000": (
        "context",
        200000,
    ),
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).": (
        "context",
        1048576,
    ),
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096.": (
        "context",
        4096,
    ),
    "max_tokens must be at least 1, got -904.": ("context", None),
    "`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000": ("context", 8193),
    "`inputs` must have less than 4095 tokens. Given: 5000": ("context", 4095),
    "Requested 320000 tokens, max 300000 tokens per request": ("context", 300000),
    "The max allowed tokens per submitted batch is 120000. Your batch has 150000": (
        "context",
        120000,
    ),
    "the request exceeds the available context size. try increasing the context size": (
        "context",
        None,
    ),
    "expected maxLength: 50000, actual: 60000, please reformat your input": ("context", None),
    # output
    "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]": ("output", 8192),
    "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less"
    " than the `context_window` for this model": ("output", 8192),
    # stop
    "API key not valid. Please pass a valid API key.": ("stop", None),
    "API key expired. Please renew the API key.": ("stop", None),
    "Your account is not active, please check your billing details.": ("stop", None),
    # filtered
    "Content Exists Risk": ("filtered", None),
    "Input data may contain inappropriate content.": ("filtered", None),
    "系统检测到输入或生成内容可能包含不安全或敏感内容": ("filtered", None),
    "The prompt was blocked: PROHIBITED_CONTENT": ("filtered", None),
    # parameter, format
    "`temperature` is deprecated for this model.": ("parameter", None),
    "encoding_format 'base64' not allowed": ("parameter", None),
    "The specified schema produces a constraint that has too many states.": ("format", None),
}


@pytest.mark.parametrize(("words", "meaning"), WORDS.items(), ids=[w[:40] for w in WORDS])
def test_a_refusal_is_understood_whoever_words_it(words, meaning):
    fault = sort_symptom(Symptom(400, words))

    assert meaning[0] == fault.kind
    if meaning[1]:
        assert meaning[1] == fault.limit


STATUSES = {
    (408, "Request timeout"): "broken",
    (409, "Conflict"): "broken",
    (410, "This model was retired"): "stop",
    (413, "<html><h1>413 Request Entity Too Large</h1></html>"): "context",
    (429, "Request too large for m: Limit 30000, Requested 45000."): "context",
    (429, "余额不足或无可用资源包,请充值。"): "stop",
    (498, "Flex tier capacity exceeded"): "busy",
    (524, "A timeout occurred"): "broken",
    (529, "Overloaded"): "busy",
}


@pytest.mark.parametrize(
    ("said", "kind"), STATUSES.items(), ids=[f"{s} {w[:20]}" for s, w in STATUSES]
)
def test_a_status_has_its_meaning(said, kind):
    fault = sort_symptom(Symptom(*said))

    assert kind == fault.kind
    assert fault.limit in {None, 30000}


GARBLED = {
    "says gzip, is not": Reply(said(GOOD).body, headers={"content-encoding": "gzip"}),
    "half an object": Reply('{"choices": [{"mess'),
    "nothing": Reply(""),
    "null": Reply("null"),
    "a list": Reply("[]"),
    "no choices": Reply({"choices": []}),
    "null choice": Reply({"choices": [None]}),
    "an error with 200": Reply({"error": {"message": "upstream failed", "code": 502}}),
    "408": Reply({"error": {"message": "Request timeout"}}, 408),
}


@pytest.mark.parametrize("reply", GARBLED.values(), ids=GARBLED)
def test_a_garbled_answer_is_asked_for_again(start, reply):
    models, server = start(reply, said(GOOD))

    assert counts(ask(models)) == ("ok", 2, 1)
    assert len(server.asked) == 2


EMPTY = {
    "thoughts alone": said("<think>Let me see, a ferry"),
    "reasoning alone": said(None, message={"reasoning_content": "A ferry …"}),
    "spaces": said(" \n "),
    "empty parts": said(None, message={"content": [{"type": "text", "text": ""}]}),
}


@pytest.mark.parametrize("reply", EMPTY.values(), ids=EMPTY)
def test_an_empty_answer_is_asked_for_again(start, reply):
    models, server = start(reply, said(GOOD))

    assert counts(ask(models)) == ("ok", 2, 1)
    assert len(server.asked) == 2


@pytest.mark.parametrize("name", ["00000000]", "a}", "b}]"])
def test_an_answer_cut_inside_a_name_that_ends_like_a_list_has_no_half_name(name):
    whole = json.dumps({"entities": [{"name": name, "description": ""}]})
    cut = whole[: whole.index(name) + len(name)]
    reply = read(cut, Extraction).reply

    assert reply is None or reply.entities == []
