"""estimate.py: what a run would take, held against what it then took."""

from datetime import UTC, datetime

import polars as pl
import pytest

from graphrag_assets.estimate import Estimate, Growth, Span, Stage, Work, estimate, minutes
from graphrag_assets.models import client
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.project import Project
from graphrag_assets.settings import ModelSettings
from graphrag_assets.store import append
from small_corpus import SETTINGS, write_project


def stages(project: Project) -> dict[str, Stage]:
    return {stage.name: stage for stage in estimate(project).stages}


def calls(project: Project) -> dict[str, int]:
    rows = project.store.read("model_calls")["model_calls"].filter(~pl.col("from_memo"))
    return dict(rows.group_by("task").len().iter_rows())


def test_a_first_run_is_estimated_without_a_call(project, script):
    found = estimate(project)

    assert (script.history, script.embedded) == ([], [])
    assert found.documents == 6
    assert found.new == found.text_units > 6
    assert not (project.store.folder / "memo.sqlite").exists()
    assert project.store.read("files")["files"].is_empty()


def test_what_a_first_run_takes_lies_in_the_range(project, small_index):
    expected, taken = stages(project), calls(small_index)

    for task in ("extraction", "claims", "report", "embedding"):
        assert expected[task].calls.low <= taken[task] <= expected[task].calls.high * 1.5 + 5, task
    assert expected["extraction"].calls == Span(taken["extraction"], taken["extraction"])


def test_an_indexed_corpus_takes_nothing(indexed, script):
    found = estimate(indexed)

    assert found.new == 0
    assert found.total.calls == found.total.tokens_in == Span(0, 0)
    assert found.total.cost_usd == Span(0, 0)
    assert script.history == []


def test_what_the_memo_answers_is_subtracted(indexed, script):
    """Another setting makes the stage stale, not its answers."""
    changed = SETTINGS.replace("claims = true", "claims = true\nmax_failed = 0.5")
    (indexed.root / "settings.toml").write_text(changed)
    found = stages(Project.open(indexed.root))["extraction"]

    assert found.calls == Span(0, 0)
    assert found.known > 6
    assert script.history == []


def test_a_new_document_is_all_that_extraction_asks_for(indexed):
    (indexed.root / "data/input/07-new.txt").write_text("Kaja Lund married Ben Cole in 1940.")
    found = estimate(Project.open(indexed.root))
    by_name = {stage.name: stage for stage in found.stages}

    assert found.new == 1
    assert by_name["extraction"].calls == Span(2, 2)  # and one round of gleaning
    assert by_name["claims"].calls == Span(1, 1)
    assert 0 < by_name["report"].calls.high < 12
    assert by_name["embedding"].calls.high >= 1


def test_another_embedding_model_embeds_all_and_asks_nothing_else(indexed):
    other = SETTINGS.replace("scripted/words", "scripted/other")
    (indexed.root / "settings.toml").write_text(other)
    found = stages(Project.open(indexed.root))

    assert found["embedding"].calls.low >= 1
    assert found["extraction"].calls == found["report"].calls == Span(0, 0)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, (100 * 2 / 60 / 32, 200 * 4 / 60 / 32)),
        ({"concurrency": 1}, (100 * 2 / 60, 200 * 4 / 60)),
        ({"rpm": 10}, (10, 20)),
        ({"tpm": 1000}, (60, 120)),
        ({"rpm": 10, "tpm": 1000, "concurrency": 1}, (60, 120)),
    ],
)
def test_the_tightest_limit_counts(limits, expected):
    work = Work(Span(100, 200), Span(50_000, 100_000), Span(10_000, 20_000))
    found = minutes(work, Span(2, 4), ModelSettings(**limits))

    assert (found.low, found.high) == pytest.approx(expected)


def ledger(count: int, **columns) -> pl.DataFrame:
    """Return so many answered calls of extract_graph."""
    row = {
        "asset": "extractions",
        "task": "extraction",
        "prompt": "extract_graph",
        "subject": "",
        "model": "scripted/reader",
        "prompt_tokens": 700,
        "completion_tokens": 77,
        "cost_usd": None,
        "seconds": 8.0,
        "tries": 1,
        "status": "ok",
        "from_memo": False,
        "estimated": False,
        "reason": None,
        "run_id": "run",
        "created_at": datetime(2031, 5, 4, tzinfo=UTC),
    }
    return pl.DataFrame([{**row, **columns, "id": str(number)} for number in range(count)])


@pytest.mark.parametrize(
    ("count", "columns", "own"),
    [
        (20, {}, True),
        (19, {}, False),
        (20, {"model": "another/model"}, False),
        (20, {"from_memo": True}, False),
        (20, {"status": "failed"}, False),
    ],
)
def test_twenty_calls_of_ones_own_are_the_rule(project, count, columns, own):
    with project.store.transaction() as connection:
        append(connection, "model_calls", ledger(count, **columns))
    found = estimate(project)
    extraction = found.stages[0]
    minutes_of_one = extraction.minutes.high / extraction.calls.high

    assert (extraction.tokens_out.low == pytest.approx(77 * found.new, rel=0.2)) is own
    assert (minutes_of_one == pytest.approx(8 / 60 / 32)) is own


def test_no_gleanings_and_no_claims_at_a_known_price(tmp_path, monkeypatch):
    dear = ScriptedTransport(price=(0.001, 0.002))
    monkeypatch.setattr(client, "LitellmTransport", lambda: dear)
    plain = SETTINGS.replace("claims = true", "claims = false\ngleanings = 0")
    found = estimate(Project.open(write_project(tmp_path, settings=plain)))
    extraction, claims = found.stages[:2]
    cost = round(extraction.tokens_in.low) * 0.001 + round(extraction.tokens_out.low) * 0.002

    assert extraction.calls == Span(found.new, found.new)
    assert claims.calls == Span(0, 0)
    assert extraction.cost_usd is not None
    assert extraction.cost_usd.low == pytest.approx(cost)


def test_further_rounds_may_end_early_and_an_unknown_price_stays_unknown(tmp_path, monkeypatch):
    monkeypatch.setattr(client, "LitellmTransport", lambda: ScriptedTransport(price=None))
    thorough = SETTINGS.replace("claims = true", "gleanings = 3")
    found = estimate(Project.open(write_project(tmp_path, settings=thorough)))

    assert found.stages[0].calls == Span(2 * found.new, (1 + 3 + 2) * found.new)
    assert found.total.cost_usd is None


def test_growth_is_bounded_by_what_is_there():
    sizes = {"communities": 100, "entities": 300, "relationships": 500}
    growth = Growth(new=10, distinct=1000, sizes=sizes, largest=10)

    assert growth.reports.high <= 100 + growth.each(100, Span()).high * 10
    assert growth.share == 0.01
    assert Growth(0, 0, sizes, 10).reports == Span(0, 0)


def test_a_total_is_unknown_if_a_stage_is():
    known = Stage("a", "m", Span(1, 1), 0, Span(1, 1), Span(1, 1), Span(1, 2), Span(1, 1))
    unknown = Stage("b", "m", Span(1, 1), 2, Span(1, 1), Span(1, 1), None, Span(1, 1))
    idle = Stage("c", "m", Span(), 0, Span(), Span(), None, Span())

    assert Estimate(1, 1, 1, (known, unknown)).total.cost_usd is None
    assert Estimate(1, 1, 1, (known, idle)).total.cost_usd == Span(1, 2)
    assert Estimate(1, 1, 1, (known, unknown)).total.known == 2
