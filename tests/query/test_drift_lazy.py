"""query/drift_search.py and lazy_search.py: what they ask, under which budget."""

import pytest

from asked import KAJA, assert_resolves, prompts
from graphrag_assets.errors import ModelCallError
from graphrag_assets.models.replies import FollowUp
from graphrag_assets.query.drift_search import best_first
from graphrag_assets.query.lazy_search import Search
from small_corpus import ROW, reply_to


def follow(*questions: tuple[str, int], answer="It burned."):
    """Return a model whose primer raises these questions, and whose steps answer with a row."""

    def reply(ask):
        text = ask.messages[-1].content
        marker = ROW.findall(text)[0][0] if ROW.findall(text) else "T00000000"
        step = {"answer": f"{answer} [{marker}]", "score": 60, "follow_ups": []}
        if ask.prompt == "drift_primer":
            asked = [{"question": q, "score": s} for q, s in questions]
            return step | {"follow_ups": asked}
        return step if ask.prompt == "drift_follow_up" else reply_to(ask)

    return reply


def rate(relevant: str):
    """Return a model that finds passages relevant which hold these words."""

    def reply(ask):
        if ask.prompt == "question_split":
            return {"questions": ["Who sailed?", "What sank?", "Who owed money?"]}
        if ask.prompt == "rate_relevance":
            context = ask.messages[-1].content.split("<question>")[0]
            return {"rating": 5 if relevant in context else 0}
        return reply_to(ask)

    return reply


def asked_next(script) -> list[str]:
    texts = prompts(script, "drift_follow_up")
    return [text.split("<question>\n")[1].split("\n</question>")[0] for text in texts]


class TestDrift:
    def test_asks_the_best_follow_ups_and_merges_what_they_answer(self, ask_with):
        questions = [("Weak?", 10), ("Best?", 90), ("Good?", 70), ("Fair?", 50)]
        index, script = ask_with(follow(*questions))
        answer = index.ask(KAJA, method="drift")
        (merged,) = prompts(script, "global_reduce")

        assert set(asked_next(script)[:3]) == {"Best?", "Good?", "Fair?"}
        assert asked_next(script)[3:] == ["Weak?"]
        assert merged.count("(60) It burned.") == 5
        assert answer.status == "ok"
        assert_resolves(index, answer)

    @pytest.mark.parametrize("calls", [3, 4, 6])
    def test_keeps_to_its_budget_of_calls(self, ask_with, calls):
        questions = [(f"Question {n}?", 90 - n) for n in range(9)]
        index, script = ask_with(follow(*questions), max_calls=calls)
        index.ask(KAJA, method="drift")

        assert len(script.history) <= calls

    def test_a_primer_without_follow_ups_is_followed_by_the_question_itself(self, ask_with):
        index, script = ask_with(follow())
        index.ask(KAJA, method="drift")

        assert asked_next(script) == [KAJA]

    def test_failed_steps_are_said_and_all_failed_is_a_failure(self, ask_with):
        index, script = ask_with(follow(("Best?", 90)))
        script.enqueue(ModelCallError("no answer came"), "drift_follow_up")
        some = index.ask(KAJA, method="drift")
        index, _ = ask_with(lambda ask: ModelCallError("no answer came"))
        every = index.ask(KAJA, method="drift")

        assert (some.status, every.status) == ("ok", "failed")
        assert some.reason.startswith("1 of 2 steps failed")

    def test_nothing_said_is_no_evidence(self, ask_with):
        index, script = ask_with(lambda ask: {"answer": "", "score": 0})
        answer = index.ask(KAJA, method="drift")

        assert answer.status == "no_evidence"
        assert prompts(script, "global_reduce") == []

    def test_follow_ups_come_by_score_each_once(self):
        raised = [FollowUp(question=q, score=s) for q, s in (("A?", 5), ("a?", 9), ("B?", 7))]

        assert best_first(raised, ["c?"]) == ["a?", "B?"]
        assert best_first(raised, ["b?"]) == ["a?"]


class TestLazy:
    def test_tells_what_a_rater_finds_and_nothing_else(self, ask_with):
        index, script = ask_with(rate("Kaja Lund"))
        answer = index.ask(KAJA, method="lazy")
        told = "\n".join(prompts(script, "global_map")).split("<question>")[0]
        units = dict(index.sql("SELECT left(id, 8), text FROM text_units").iter_rows())
        shown = {marker[1:] for marker, _ in ROW.findall(told)}

        assert shown
        assert all("Kaja Lund" in units[short] for short in shown)
        assert "passages tested are relevant" in answer.chosen
        assert_resolves(index, answer)

    def test_takes_communities_in_order_and_what_lies_in_several_once(self):
        search = Search(left=4, untested=["u1"])
        ranked = [("a", ["u1", "u2"]), ("b", ["u2"]), ("c", ["u2", "u3", "u4"]), ("d", ["u5"])]

        assert search.next_of(ranked, 2) == [("a", ["u2"]), ("c", ["u3", "u4"])]
        assert search.next_of(ranked, 2) == [("d", ["u5"])]
        assert search.next_of(ranked, 2) == []

    def test_takes_no_more_than_may_be_tested(self):
        ranked = [("a", ["u1", "u2"]), ("b", ["u3", "u4"]), ("c", ["u5"])]

        assert Search(left=3).next_of(ranked, 3) == [("a", ["u1", "u2"]), ("b", ["u3"])]

    def test_reads_no_report(self, ask_with):
        index, script = ask_with(rate("Kaja Lund"))
        index.ask(KAJA, method="lazy")

        assert not any("## Reports" in ask.messages[-1].content for ask in script.history)

    @pytest.mark.parametrize("calls", [6, 8, 12])
    def test_keeps_to_its_budget_of_calls_and_tests_nothing_twice(self, ask_with, calls):
        index, script = ask_with(rate("a"), max_calls=calls)
        index.ask(KAJA, method="lazy")
        tests = prompts(script, "rate_relevance")

        assert len(script.history) <= calls
        assert len(set(tests)) == len(tests) > 0

    def test_gives_up_after_communities_without_a_hit(self, ask_with):
        index, script = ask_with(rate("nowhere"), max_calls=100)
        answer = index.ask(KAJA, method="lazy")

        assert answer.status == "no_evidence"
        assert answer.chosen.startswith("0 of ")
        assert prompts(script, "global_map") == []

    def test_a_split_that_fails_leaves_the_question_whole(self, ask_with):
        index, script = ask_with(rate("Kaja Lund"))
        script.enqueue(ModelCallError("no answer came"), "question_split")

        assert index.ask(KAJA, method="lazy").status == "ok"

    def test_tests_that_fail_are_no_ratings(self, ask_with):
        index, _ = ask_with(lambda ask: ModelCallError("no answer came"))
        answer = index.ask(KAJA, method="lazy")

        assert answer.status == "failed"
        assert "relevance tests failed" in answer.reason
