"""check.py: one tiny call per model tells whether a run can work, and how to mend it."""

import pytest

from graphrag_assets.check import check
from graphrag_assets.errors import ModelStoppedError
from graphrag_assets.models.transport import Answer, Vectors
from graphrag_assets.project import Project
from small_corpus import SETTINGS, write_project

GONE = ModelStoppedError("scripted/reader", "", "the key is wrong")


def verdicts(project: Project) -> dict[str, tuple[bool, str]]:
    return {verdict.what: (verdict.ok, verdict.said) for verdict in check(project)}


def test_each_distinct_model_is_asked_once(project, script):
    found = check(project)

    assert [(verdict.what, len(verdict.used_for), verdict.ok) for verdict in found] == [
        ("prompts and domain pack", 0, True),
        ("scripted/reader", 7, True),
        ("scripted/words", 1, True),
    ]
    assert (len(script.history), len(script.embedded)) == (1, 1)
    assert all(verdict.seconds is not None for verdict in found[1:])
    assert [verdict.said for verdict in found[1:]] == [
        "takes a JSON schema with bounds",
        "64 dimensions",
    ]


def test_nothing_is_written_down(project):
    check(project)

    assert not (project.store.folder / "memo.sqlite").exists()


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (GONE, "the key is wrong. Check"),
        (Answer("I can't help with that.", refusal="no"), "no. The model declines"),
        (Answer("", finish="content_filter"), "content filter"),
        (Answer("fog"), "try another model"),
    ],
)
def test_a_model_that_fails_is_named_with_the_reason_and_the_way_out(
    project, script, reply, reason
):
    for _ in range(3):
        script.enqueue(reply)
    ok, said = verdicts(project)["scripted/reader"]

    assert not ok
    assert reason in said


def test_the_other_models_are_still_looked_at(project, script):
    script.enqueue(GONE)

    assert verdicts(project)["scripted/words"] == (True, "64 dimensions")


def test_an_embedding_model_that_gives_nothing_fails(project, script):
    for _ in range(4):
        script.enqueue("nothing", "embedding")
    script.embed = _nothing

    assert not verdicts(project)["scripted/words"][0]


async def _nothing(ask):
    return Vectors(((0, [0.0, 0.0]),))


def test_vectors_are_compared_with_those_of_the_index(indexed):
    assert verdicts(indexed)["scripted/words"] == (True, "64 dimensions, as in the index")


def test_other_dimensions_of_the_same_model_fail(indexed, script):
    script.embed = _short

    ok, said = verdicts(indexed)["scripted/words"]
    assert not ok
    assert said.startswith("2 dimensions, but the index has 64 of the same model")


async def _short(ask):
    return Vectors(((0, [1.0, 0.0]),))


def test_another_embedding_model_is_no_mistake(indexed):
    other = SETTINGS.replace("scripted/words", "scripted/other")
    (indexed.root / "settings.toml").write_text(other)

    ok, said = verdicts(Project.open(indexed.root))["scripted/other"]
    assert ok
    assert "vectors of scripted/words: all will be made anew" in said


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("prompts/global_map.md", "no variable", "`global_map` must mention"),
        ("prompts/domains/general.toml", "[examples", "general.toml"),
    ],
)
def test_a_prompt_that_cannot_be_used_is_named(tmp_path, script, path, content, reason):
    root = write_project(tmp_path)
    (root / path).parent.mkdir(parents=True)
    (root / path).write_text(content)
    ok, said = verdicts(Project.open(root))["prompts and domain pack"]

    assert not ok
    assert reason in said


def test_models_with_an_address_are_named_with_it(tmp_path, script):
    at = SETTINGS.replace('"scripted/reader"', '"scripted/reader"\napi_base = "http://127.0.0.1:9"')

    assert "scripted/reader at http://127.0.0.1:9" in verdicts(
        Project.open(write_project(tmp_path, settings=at))
    )
