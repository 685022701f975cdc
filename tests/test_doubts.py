"""assets/doubts.py: a model is asked which names are the same, in batches, once."""

import pytest

from graphrag_assets import settings
from graphrag_assets.assets import doubts
from graphrag_assets.assets.doubts import Judge
from graphrag_assets.likeness import Link
from graphrag_assets.models.client import Models
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.offline.tasks import answer
from graphrag_assets.models.replies import SameNames
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.prompts import Prompts
from graphrag_assets.resolution import Doubt


def pairs(count: int) -> list[Doubt]:
    return [
        Doubt(Link(f"a{n}", f"b{n}", "model", 0.9), f"A{n} (person): x", f"B{n} (person): y")
        for n in range(count)
    ]


@pytest.fixture
def judge(tmp_path):
    """Return a judge whose model says what is queued, and its transport."""
    transport = ScriptedTransport()
    models = Models(settings.Models(), memo=Memo.none(), budget_usd=0, transport=transport)
    yield Judge(models, Prompts(tmp_path), lambda _done, _of: None), transport
    models.close()


def test_the_numbers_of_a_reply_are_the_pairs_that_are_the_same(judge, monkeypatch):
    monkeypatch.setattr(doubts, "AT_ONCE", 2)
    asker, transport = judge
    transport.enqueue({"same": [2]})
    transport.enqueue({"same": ["1", 9]})

    assert asker.decide(pairs(3)) == [False, True, True]
    assert "1. A0 (person): x | B0 (person): y" in transport.history[0].messages[-1].content


def test_a_call_that_fails_decides_nothing_and_is_in_the_ledger(judge):
    asker, transport = judge
    transport.enqueue("no")
    transport.enqueue("no")

    assert asker.decide(pairs(1)) == [False]
    assert [call.status for call in asker.models.drain()] == ["failed"]


def test_the_same_pairs_are_asked_about_once(judge):
    asker, transport = judge
    transport.enqueue({"same": [1]})

    assert asker.decide(pairs(1)) == [True]
    assert asker.decide(pairs(1)) == [True]
    assert len(transport.history) == 1


def test_the_built_in_model_leaves_doubtful_names_apart(tmp_path):
    messages = Prompts(tmp_path).render("resolve_entities", pairs="1. A (person): | B (person):")
    conversation = [{"role": one.role, "content": one.content} for one in messages]

    assert SameNames.model_validate_json(answer(conversation, prompt="resolve_entities")).same == []
