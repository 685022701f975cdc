"""assets/reports.py: each report is written once those of its sub-communities are there."""

import polars as pl
import pytest

from graphrag_assets import settings
from graphrag_assets.assets.reports import community_reports, fitting
from graphrag_assets.errors import ModelStoppedError
from graphrag_assets.models.client import Models
from graphrag_assets.models.faults import ProviderError
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.prompts import Prompts
from graphrag_assets.settings import ReportSettings
from graphrag_assets.tables import TABLES
from table_rows import rows_of

TREE = {"root": ["left", "right"], "left": ["leaf"], "right": [], "leaf": []}
LEVELS = {"root": 0, "left": 1, "right": 1, "leaf": 2}
MEMBERS = {"root": "abc", "left": "ab", "right": "c", "leaf": "ab"}


def write(transport: ScriptedTransport, root, *, context_tokens: int = 8000):
    parents = {child: parent for parent, children in TREE.items() for child in children}
    communities = [
        {"id": name, "level": level, "parent_id": parents.get(name), "size": len(MEMBERS[name])}
        for name, level in LEVELS.items()
    ]
    members = [
        {"community_id": name, "entity_id": letter * 8}
        for name, letters in MEMBERS.items()
        for letter in letters
    ]
    entities = [
        {"id": letter * 8, "title": letter, "type": "ship", "description": f"{letter} " * 90}
        for letter in "abc"
    ]
    models = Models(settings.Models(), memo=Memo.none(), budget_usd=0, transport=transport)
    try:
        return community_reports(
            communities=rows_of("communities", *communities),
            community_members=rows_of("community_members", *members),
            entities=rows_of("entities", *entities),
            relationships=TABLES["relationships"].create_empty(),
            claims=TABLES["claims"].create_empty(),
            settings=ReportSettings(context_tokens=context_tokens),
            encoding="o200k_base",
            output_language="en",
            models=models,
            prompts=Prompts(root),
            previous_community_reports=TABLES["community_reports"].create_empty(),
            previous_report_evidence=TABLES["report_evidence"].create_empty(),
            version=1,
            progress=lambda _done, _of: None,
        )
    finally:
        models.close()


def told(ask) -> str:
    return ask.messages[-1].content


def test_a_parent_reads_its_childrens_reports(tmp_path):
    def reply(ask):
        letters = [letter for letter in "abc" if f"] {letter} (ship)" in told(ask)]
        return {"title": f"On {''.join(letters)}", "summary": "Said."}

    transport = ScriptedTransport(reply)
    found = write(transport, tmp_path, context_tokens=250)
    rows = {row["community_id"]: row for row in found["community_reports"].to_dicts()}
    (last,) = [told(ask) for ask in transport.history if "## Reports" in told(ask)][-1:]

    assert rows.keys() == LEVELS.keys()
    assert {row["status"] for row in rows.values()} == {"ok"}
    assert len(transport.history) == 3  # `left` and `leaf` are told the same
    assert "On ab" in last or "On c" in last


def test_every_community_has_its_evidence(tmp_path):
    found = write(ScriptedTransport(lambda _: {"title": "T", "summary": "S"}), tmp_path)
    covered = found["report_evidence"].group_by("community_id").agg(pl.col("ref_id").n_unique())

    assert dict(covered.iter_rows()) == {name: len(set(who)) for name, who in MEMBERS.items()}


def test_a_model_that_stops_ends_the_parents_that_wait_too(tmp_path):
    transport = ScriptedTransport(lambda _: ProviderError("stop", "the key was withdrawn"))

    with pytest.raises(ModelStoppedError, match="the key was withdrawn"):
        write(transport, tmp_path)


def test_the_budget_leaves_room_in_a_small_model():
    models = settings.Models(default=settings.ModelSettings(model="openai/gpt-4"))
    small = Models(models, memo=Memo.none(), budget_usd=0, transport=ScriptedTransport())

    assert small.context_tokens("report") == 8192
    assert fitting(8000, small.context_tokens("report"), around=300) < 8192 - 300 - 1000
    assert fitting(8000, None, around=300) == 8000
    assert fitting(8000, 128_000, around=300) == 8000
