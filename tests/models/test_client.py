"""Models: memo, ledger, budget, many conversations at once."""

import asyncio
import os
import subprocess
import sys

import pytest

from graphrag_assets import settings
from graphrag_assets.errors import BudgetExceededError, ModelCallError, ModelStoppedError
from graphrag_assets.models.client import Models, Outcome, Request
from graphrag_assets.models.faults import ProviderError
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.replies import Extraction, Rating
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.models.transport import Answer, Ask
from graphrag_assets.prompts import Message

AURORA = {"entities": [{"name": "Aurora"}]}
FREE = (0.0, 0.0)


def request(text: str = "Hello", prompt: str = "extract_graph") -> Request[Extraction]:
    return Request("extraction", prompt, (Message("user", text),), Extraction, subject="u1")


def question(text: str = "Who?") -> Request[str]:
    return Request("query", "local_answer", (Message("user", text),), None)


def open_models(script: ScriptedTransport, memo: Memo | None = None, budget: float = 0, **model):
    chosen = settings.Models(default={"model": "openai/gpt", **model})
    return Models(chosen, memo=memo or Memo.none(), budget_usd=budget, transport=script)


def always(reply) -> ScriptedTransport:
    return ScriptedTransport(lambda asked: reply)


async def collect(pieces) -> list[str]:
    return [piece async for piece in pieces]


def test_a_reply_is_paid_for_once_also_by_other_models_with_its_memo():
    memo, script = Memo.none(), always(AURORA)
    first, second = open_models(script, memo), open_models(script, memo)
    outcomes = [models.run(models.chat(request())) for models in (first, first, second)]

    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert outcomes[0].status == "ok"
    assert len(script.history) == 1
    assert [call.from_memo for call in first.drain() + second.drain()] == [False, True, True]


@pytest.mark.parametrize(
    "reply",
    [
        "no JSON at all",
        "",
        "I'm sorry, but I can't help with that.",
        Answer('{"entities": [{"name": "A"}, {"na', finish="length"),
        Answer("{}", finish="content_filter"),
        ProviderError("bad", "no"),
    ],
)
def test_what_isnt_whole_is_asked_for_again_by_the_next_run(reply):
    memo = Memo.none()
    before, after = open_models(always(reply), memo), open_models(always(AURORA), memo)

    assert before.run(before.chat(request())).status != "ok"
    assert after.run(after.chat(request())).status == "ok"


def test_a_memo_entry_that_cant_be_read_is_asked_for_again():
    memo, script = Memo.none(), always(AURORA)
    models = open_models(script, memo)
    _, key = models._draft(request())
    memo.put_many({key: b"garbage"})

    assert models.run(models.chat(request())).status == "ok"


def test_equal_calls_at_the_same_time_are_one():
    script = always(AURORA)
    models = open_models(script)
    outcomes = models.map([lambda: models.chat(request())] * 20, progress=None)

    assert {outcome.status for outcome in outcomes} == {"ok"}
    assert len(script.history) == 1
    assert sorted(call.from_memo for call in models.drain()) == [False] + [True] * 19


def test_notes_on_a_reply_come_back_from_the_memo():
    models = open_models(always({"entities": [{"name": "A"}, {"name": None}]}))
    first = models.run(models.chat(request()))

    assert first.reason == "1 unusable entities left out"
    assert models.run(models.chat(request())) == first


def test_plain_text_comes_without_thoughts():
    models = open_models(always("<think>hm</think>\nYes."))

    assert models.run(models.chat(question())) == Outcome("ok", "Yes.", None)


def test_the_ledger_tells_what_a_call_took():
    script = always(Answer('{"entities": []}', prompt_tokens=100, completion_tokens=10))
    script._price = (0.001, 0.01)
    models = open_models(script)
    models.run(models.chat(request()))
    (call,) = models.drain()

    assert (call.task, call.prompt, call.subject) == ("extraction", "extract_graph", "u1")
    assert (call.model, call.status, call.tries) == ("openai/gpt", "ok", 1)
    assert (call.prompt_tokens, call.completion_tokens) == (100, 10)
    assert call.cost_usd == pytest.approx(0.2)
    assert not call.estimated
    assert call.created_at.tzinfo is not None
    assert models.drain() == []


def test_every_row_of_the_ledger_has_an_id_of_its_own():
    models = open_models(always(AURORA))
    models.map([lambda n=n: models.chat(request(str(n % 3))) for n in range(9)], progress=None)

    assert len({call.id for call in models.drain()}) == 9


def test_an_unknown_price_stays_unknown():
    models = open_models(ScriptedTransport(lambda asked: AURORA, price=None), budget=1.0)
    models.run(models.chat(request()))

    assert [call.cost_usd for call in models.drain()] == [None]


def test_both_answers_of_a_repair_are_paid_for():
    script = ScriptedTransport()
    script.enqueue(Answer("nonsense", prompt_tokens=10, completion_tokens=1))
    script.enqueue(Answer('{"entities": []}', prompt_tokens=20, completion_tokens=2))
    models = open_models(script)
    models.run(models.chat(request()))
    (call,) = models.drain()

    assert (call.prompt_tokens, call.completion_tokens, call.tries) == (30, 3, 2)


def test_a_budget_stops_before_it_is_crossed():
    answer = Answer('{"entities": []}', prompt_tokens=10, completion_tokens=10)
    script = ScriptedTransport(lambda asked: answer, price=(0.01, 0.01))
    models = open_models(script, budget=1.05, concurrency=4)
    models._callers["extraction"].budget.saw("openai/gpt", "extract_graph", 10)
    jobs = [lambda n=n: models.chat(request(f"number {n}")) for n in range(50)]
    with pytest.raises(BudgetExceededError, match=r"budget of \$1.05"):
        models.map(jobs, progress=None)
    spent = sum(call.cost_usd or 0 for call in models.drain())

    assert 0.6 < spent <= 1.05


def test_what_was_answered_before_the_budget_ended_isnt_paid_for_again():
    memo, answer = Memo.none(), Answer('{"entities": []}', prompt_tokens=10, completion_tokens=10)
    script = ScriptedTransport(lambda asked: answer, price=(0.01, 0.01))
    jobs = [f"number {n}" for n in range(8)]
    poor = open_models(script, memo, budget=0.9, concurrency=1)
    poor._callers["extraction"].budget.saw("openai/gpt", "extract_graph", 10)
    with pytest.raises(ModelStoppedError):
        poor.map([lambda n=n: poor.chat(request(n)) for n in jobs], progress=None)
    rich = open_models(script, memo)
    rich.map([lambda n=n: rich.chat(request(n)) for n in jobs], progress=None)

    assert len(script.history) == len(jobs)


def test_results_come_in_order_and_progress_counts_up():
    models = open_models(
        ScriptedTransport(lambda asked: {"rating": int(asked.messages[0].content)})
    )
    seen: list[int] = []

    async def rate(n: int) -> int:
        await asyncio.sleep((5 - n % 5) / 1000)
        rating = Request("rater", "rate_relevance", (Message("user", str(n % 6)),), Rating)
        outcome = await models.chat(rating)
        assert outcome.reply is not None
        return outcome.reply.rating

    found = models.map([lambda n=n: rate(n) for n in range(40)], progress=seen.append)

    assert found == [n % 6 for n in range(40)]
    assert seen == list(range(1, 41))
    assert models.map([], progress=None) == []


def test_no_more_calls_are_in_flight_than_allowed():
    flying, most = 0, 0

    class Slow(ScriptedTransport):
        async def chat(self, ask: Ask) -> Answer:
            nonlocal flying, most
            flying += 1
            most = max(most, flying)
            await asyncio.sleep(0.002)
            flying -= 1
            return await super().chat(ask)

    models = open_models(Slow(lambda asked: AURORA), concurrency=3)
    models.map([lambda n=n: models.chat(request(str(n))) for n in range(30)], progress=None)

    assert most == 3
    assert models.flying() == (0, 0.0)


def test_the_first_error_ends_all_conversations():
    started: list[int] = []
    models = open_models(always(AURORA))

    async def job(n: int) -> None:
        started.append(n)
        await asyncio.sleep(0)
        if n == 5:
            message = "five"
            raise KeyError(message)
        await asyncio.sleep(30)

    with pytest.raises(KeyError, match="five"):
        models.map([lambda n=n: job(n) for n in range(5000)], progress=None)

    assert len(started) < 5000


def test_a_cancelled_call_leaves_the_others_their_answer():
    script = always(AURORA)

    class Slow(ScriptedTransport):
        async def chat(self, ask: Ask) -> Answer:
            await asyncio.sleep(0.01)
            return await script.chat(ask)

    models = open_models(Slow())

    async def both() -> Outcome[Extraction]:
        first = asyncio.ensure_future(models.chat(request()))
        second = asyncio.ensure_future(models.chat(request()))
        await asyncio.sleep(0.002)
        first.cancel()
        return await second

    assert models.run(both()).status == "ok"


def test_calls_may_be_awaited_from_any_loop():
    models = open_models(always(AURORA))

    assert asyncio.run(models.chat(request())).status == "ok"
    assert len(asyncio.run(models.embed(["a"]))) == 1
    streamed = open_models(always("Ida Holm."))
    assert "".join(asyncio.run(collect(streamed.stream(question())))) == "Ida Holm."


def test_waiting_for_oneself_is_an_error_not_a_standstill():
    models = open_models(always(AURORA))

    async def wrong() -> None:
        models.run(models.chat(request()))

    with pytest.raises(RuntimeError, match="await"):
        models.run(wrong())


def test_a_streamed_answer_is_found_again_as_one_piece():
    script = always("<think>Who was it?</think>\n\nThe captain is Ida Holm.")
    models = open_models(script)
    first = models.run(collect(models.stream(question())))
    second = models.run(collect(models.stream(question())))
    asked = models.run(models.chat(question()))

    assert "".join(first) == "The captain is Ida Holm."
    assert len(first) > 1
    assert second == ["The captain is Ida Holm."]
    assert asked.reply == "The captain is Ida Holm."
    assert [call.from_memo for call in models.drain()] == [False, True, True]
    assert len(script.history) == 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("", "empty"),
        ("<think>for ever", "empty"),
        (Answer("The captain", finish="length"), "breaks off"),
        (Answer("The captain", finish="content_filter"), "filter"),
        (ProviderError("bad", "wrong"), "wrong"),
    ],
)
def test_a_stream_that_isnt_whole_says_so_and_isnt_kept(reply, words):
    memo = Memo.none()
    models = open_models(always(reply), memo)
    with pytest.raises(ModelCallError, match=words):
        models.run(collect(models.stream(question())))
    after = open_models(always("Ida Holm."), memo)

    assert [call.status for call in models.drain()] == ["failed"]
    assert "".join(after.run(collect(after.stream(question())))) == "Ida Holm."


def test_a_reader_who_leaves_a_stream_ends_the_call():
    models = open_models(always("one two three four"))

    async def first_piece() -> str:
        pieces = models.stream(question())
        async for piece in pieces:
            await pieces.aclose()
            return piece
        return ""

    assert models.run(first_piece()) == "one"
    assert models.flying() == (0, 0.0)


def test_a_recipe_changes_with_the_model_and_nothing_else():
    def recipe(**model) -> str:
        return open_models(ScriptedTransport(), **model).recipe("extraction")

    assert recipe() == recipe(concurrency=2, rpm=5, api_base="http://x", deadline_seconds=9)
    assert recipe() != recipe(model="openai/other")
    assert recipe(model="offline/nlp") != recipe()


def test_what_the_memo_can_answer_is_known_before_asking():
    models = open_models(always(AURORA))
    models.run(models.chat(request("asked")))
    models.run(models.embed(["asked"]))

    assert models.known([request("asked"), request("new")]) == [True, False]
    assert models.known_texts(["new", "asked"]) == [False, True]


def test_a_price_is_told_where_there_is_one():
    assert open_models(ScriptedTransport(price=(1, 2))).price("report", 3, 4) == 11
    assert open_models(ScriptedTransport(price=None)).price("report", 3, 4) is None


def test_each_task_has_its_model_and_equal_ones_share_their_limits():
    models = Models(
        settings.Models(default={"model": "a", "concurrency": 2}, report={"concurrency": 5}),
        memo=Memo.none(),
        budget_usd=0,
        transport=ScriptedTransport(),
    )

    assert models.model("report") == "a"
    assert models.model("embedding") == "offline/use-m3"
    assert models._callers["report"].gate is models._callers["query"].gate
    assert models._callers["report"].gate.slots.most == 5
    models.close()


LAZY = """
import sys
from graphrag_assets import settings
from graphrag_assets.models.client import Models, Request
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.prompts import Message

memo = Memo.none()
request = Request("query", "local_answer", (Message("user", "Who?"),), None)
script = ScriptedTransport(lambda asked: "Ida Holm.")
for transport in (script, None):
    models = Models(settings.Models(), memo=memo, budget_usd=0, transport=transport)
    assert models.run(models.chat(request)).reply == "Ida Holm."
    models.close()
print("litellm" in sys.modules)
"""


def test_what_the_memo_holds_needs_no_litellm():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", LAZY], capture_output=True, text=True, check=True, env=environment
    )

    assert done.stdout == "False\n"
