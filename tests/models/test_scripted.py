"""The scripted model answers what a test told it to."""

import pytest

from graphrag_assets import settings
from graphrag_assets.errors import ModelCallError, ModelStoppedError
from graphrag_assets.models.client import Models, Request
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.replies import ExtractedEntity, Extraction
from graphrag_assets.models.scripted import DIMENSION, ScriptedTransport, bag_of_words
from graphrag_assets.prompts import Message


def models_with(script: ScriptedTransport) -> Models:
    return Models(settings.Models(), memo=Memo.none(), budget_usd=0, transport=script)


def ask(models: Models, prompt: str, text: str = "Hello"):
    request = Request("extraction", prompt, (Message("user", text),), Extraction)
    return models.run(models.chat(request))


def names(outcome) -> list[str]:
    return [entity.name for entity in outcome.reply.entities]


def test_replies_are_given_in_turn_those_of_a_prompt_first():
    script = ScriptedTransport()
    script.enqueue(Extraction(entities=[ExtractedEntity(name="any")]))
    script.enqueue({"entities": [{"name": "first"}]}, prompt="extract_graph")
    script.enqueue('{"entities": [{"name": "second"}]}', prompt="extract_graph")
    models = models_with(script)
    found = [names(ask(models, "extract_graph", text)) for text in "abc"]

    assert found == [["first"], ["second"], ["any"]]
    assert [asked.prompt for asked in script.history] == ["extract_graph"] * 3
    assert script.history[0].messages == (Message("user", "a"),)


def test_a_default_answers_what_nothing_is_queued_for():
    script = ScriptedTransport(lambda asked: {"entities": [{"name": asked.messages[0].content}]})

    assert names(ask(models_with(script), "extract_graph", "Aurora")) == ["Aurora"]


def test_without_any_reply_the_test_is_told():
    with pytest.raises(LookupError, match="extract_graph"):
        ask(models_with(ScriptedTransport()), "extract_graph")


def test_an_exception_is_met_as_a_real_one_would_be():
    script = ScriptedTransport()
    script.enqueue(ModelStoppedError("m", "", "no key"))
    script.enqueue(ModelCallError("broken"))
    models = models_with(script)
    with pytest.raises(ModelStoppedError):
        ask(models, "extract_graph")

    assert ask(models, "extract_graph").status == "failed"


def test_vectors_are_the_same_in_every_run_and_near_for_like_texts():
    models = models_with(ScriptedTransport())
    first, second, other = models.run(
        models.embed(["the ferry left", "the ferry left early", "quarterly profits rose"])
    )

    assert first is not None
    assert second is not None
    assert other is not None
    assert first.shape == (DIMENSION,)
    assert first @ second > first @ other
    assert [round(value, 3) for value in bag_of_words("ferry") if value] == [-1.0]


def test_a_stream_is_the_reply_in_pieces():
    script = ScriptedTransport()
    script.enqueue("The captain is  Ida Holm.")
    models = models_with(script)

    async def pieces() -> list[str]:
        request = Request[str]("query", "local_answer", (Message("user", "Who?"),), None)
        return [piece async for piece in models.stream(request)]

    found = models.run(pieces())

    assert "".join(found) == "The captain is  Ida Holm."
    assert len(found) > 1
