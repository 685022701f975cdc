"""assets/extraction: the conversation about one text."""

import json
from pathlib import Path

import pytest

from graphrag_assets import settings
from graphrag_assets.assets.extraction import Reader, Reading
from graphrag_assets.models.client import Models
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.models.transport import Answer
from graphrag_assets.prompts import Prompts
from graphrag_assets.settings import ExtractionSettings

TEXT = "Ida Holm sailed the Aurora to Tern Harbour."


def entities(*names: str) -> dict:
    return {"entities": [{"name": name, "type": "person"} for name in names], "relationships": []}


def cut_off(*names: str) -> Answer:
    whole = json.dumps(entities(*names, "lost"))
    return Answer(whole[: whole.index('"lost"') + 3], finish="length")


@pytest.fixture
def script():
    return ScriptedTransport()


@pytest.fixture
def read(script):
    """Return a function that reads TEXT with some settings."""
    models = Models(settings.Models(), memo=Memo.none(), budget_usd=0, transport=script)

    def read_it(**values) -> Reading:
        reader = Reader(models, Prompts(Path()), ExtractionSettings(**values), "auto")
        return models.run(reader.read(TEXT, "", "unit"))

    yield read_it
    models.close()


def names(reading: Reading) -> list[str]:
    return [entity.name for entity in reading.extraction.entities]


def test_every_round_is_read_alone_and_all_are_kept(script, read):
    for reply in (
        entities("Ida Holm"),
        entities("Aurora"),
        "Y",
        entities("Tern Harbour", "Aurora"),
    ):
        script.enqueue(reply)
    reading = read(gleanings=2)

    assert names(reading) == ["Ida Holm", "Aurora", "Tern Harbour"]
    assert reading.gleanings == 2
    assert [ask.prompt for ask in script.history] == [
        "extract_graph",
        "continue_extraction",
        "check_extraction",
        "continue_extraction",
    ]


@pytest.mark.parametrize("said", ["N", "no", "I am not sure.", "否"])
def test_what_is_not_a_yes_ends_the_rounds(script, read, said):
    for reply in (entities("Ida Holm"), entities("Aurora"), said):
        script.enqueue(reply)

    assert names(read(gleanings=5)) == ["Ida Holm", "Aurora"]


def test_a_round_of_relationships_alone_counts(script, read):
    link = {"source": "Ida Holm", "target": "Aurora", "description": "sailed her", "weight": 9}
    script.enqueue(entities("Ida Holm", "Aurora"))
    script.enqueue({"entities": [], "relationships": [link]})

    assert [one.target for one in read(gleanings=1).extraction.relationships] == ["Aurora"]


def test_a_reply_that_was_cut_off_is_continued_and_then_whole(script, read):
    script.enqueue(cut_off("Ida Holm"))
    script.enqueue(entities("Aurora"))
    reading = read(gleanings=0)

    assert (reading.status, reading.reason) == ("ok", "cut off, then continued")
    assert names(reading) == ["Ida Holm", "Aurora"]


def test_a_reply_that_stays_cut_off_says_so_and_keeps_what_is_whole(script, read):
    script.enqueue(cut_off("Ida Holm"))
    script.enqueue(cut_off("Aurora"))
    reading = read(gleanings=0)

    assert reading.status == "truncated"
    assert names(reading) == ["Ida Holm", "Aurora"]


def test_a_text_that_names_nothing_is_empty_not_failed(script, read):
    script.enqueue(entities())
    script.enqueue(entities())

    assert read(gleanings=1).status == "empty"


def test_claims_that_fail_are_the_units_failure(script, read):
    script.enqueue(entities("Ida Holm"))
    script.enqueue("I can't help with that.", prompt="extract_claims")
    script.enqueue("I can't help with that.", prompt="extract_claims")
    reading = read(gleanings=0, claims=True)

    assert reading.status == "refused"
    assert reading.reason.startswith("claims: ")
    assert names(reading) == ["Ida Holm"]
