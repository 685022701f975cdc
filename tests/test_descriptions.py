"""Descriptions of much-mentioned things: when a model summarises them again, and when not."""

import pytest

from graphrag_assets.definitions import PIPELINE
from graphrag_assets.errors import ModelCallError
from graphrag_assets.project import Project
from pipeline import materialise
from small_corpus import SETTINGS, write_project

NAMES = [asset.name for asset in PIPELINE]
STEPS = PIPELINE[: max(map(NAMES.index, ("relationships", "entities"))) + 1]
DEEDS = [
    "met",
    "saw",
    "paid",
    "left",
    "sued",
    "heard",
    "wrote",
    "helped",
    "hired",
    "fired",
    "taught",
    "feared",
    "loved",
    "warned",
]


def deeds(count, start=0):
    """Return documents in which Ada Brook does so many things, one each."""
    return {
        f"{number:02}.txt": f"Ada Brook {DEEDS[number % len(DEEDS)]} Ben Cole in {1900 + number}."
        for number in range(start, start + count)
    }


@pytest.fixture
def hub(tmp_path, script):
    """Return a function that indexes documents, and says how often a summary was asked for."""

    def described(corpus, tolerance=0.1):
        text = SETTINGS + f"[reports]\ntolerance = {tolerance}\n"
        root = write_project(tmp_path, corpus, settings=text)
        for file in (root / "data" / "input").iterdir():
            if file.name not in corpus:
                file.unlink()
        project = Project.open(root)
        before = len(script.history)
        for asset in STEPS:
            materialise(asset, project)
        asked = [ask.prompt for ask in script.history[before:]]
        (ada,) = project.store.read("entities")["entities"].filter(title="Ada Brook").to_dicts()
        project.models.close()
        return asked.count("summarize_description"), ada

    return described


def test_many_pieces_are_summarised_once(hub):
    first, ada = hub(deeds(30))
    again, same = hub(deeds(30))

    assert first > 0
    assert again == 0
    assert ada == same
    assert len(ada["made_from"]) == 31


def test_a_few_new_pieces_leave_the_summary_as_it_is(hub):
    hub(deeds(30))
    asked, ada = hub(deeds(32))

    assert asked == 0
    assert (ada["n_mentions"], len(ada["made_from"])) == (32, 31)


def test_a_tenth_of_new_pieces_writes_it_again(hub):
    hub(deeds(30))
    hub(deeds(32))
    asked, ada = hub(deeds(36))

    assert asked > 0
    assert len(ada["made_from"]) == 37


def test_a_piece_that_is_gone_writes_it_again(hub):
    hub(deeds(30))
    asked, ada = hub(deeds(29, start=1))

    assert asked > 0
    assert len(ada["made_from"]) == 30


def test_without_tolerance_any_change_does(hub):
    hub(deeds(30), tolerance=0)

    assert hub(deeds(31), tolerance=0)[0] > 0


def test_a_summary_that_failed_is_asked_for_again(hub, script):
    for _ in range(2):
        script.enqueue(ModelCallError("no answer"), prompt="summarize_description")
    hub(deeds(30))
    asked, ada = hub(deeds(31))

    assert asked > 0
    assert ada["description"] == "All that was said."


def test_a_short_description_is_its_pieces_and_asks_nobody(hub):
    asked, ada = hub(deeds(2))

    assert asked == 0
    assert ada["description"].count("Ben Cole") == 2
    assert len(ada["made_from"]) == 2
