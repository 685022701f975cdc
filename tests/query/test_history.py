"""query/history.py, suggestions.py, route.py: conversations, what to ask, and how."""

import pytest

from asked import KAJA, THEMES, prompts
from graphrag_assets.errors import ModelCallError
from graphrag_assets.query.history import conversation, newest
from graphrag_assets.query.route import choose
from small_corpus import reply_to

TURN = ("Who is Kaja Lund?", "Kaja Lund sailed the Silver Tern.")


def rewrite(text):
    return lambda ask: {"question": text} if ask.prompt == "question_standalone" else reply_to(ask)


class TestHistory:
    def test_the_question_is_asked_as_it_stands_by_itself(self, ask_with):
        index, script = ask_with(rewrite("Whom did Kaja Lund owe money?"))
        answer = index.ask("Whom did she owe money?", method="local", history=[TURN])
        (shown,) = prompts(script, "question_standalone")

        assert answer.question == "Whom did Kaja Lund owe money?"
        assert "Question: Who is Kaja Lund?\nAnswer: Kaja Lund sailed the Silver Tern." in shown
        assert "Whom did Kaja Lund owe money?" in prompts(script, "local_answer")[0]

    def test_answers_are_turns(self, ask_with):
        index, script = ask_with(rewrite(KAJA))
        first = index.ask(KAJA, method="basic")
        index.ask("And then?", method="basic", history=[first])

        assert f"Question: {KAJA}" in prompts(script, "question_standalone")[0]

    def test_without_history_nothing_is_rewritten(self, ask_with):
        index, script = ask_with()
        answer = index.ask(KAJA, method="basic")

        assert answer.question == KAJA
        assert prompts(script, "question_standalone") == []

    @pytest.mark.parametrize("reply", [ModelCallError("no answer came"), {"question": " "}])
    def test_what_cannot_be_rewritten_is_asked_as_it_is(self, ask_with, reply):
        index, script = ask_with()
        script.enqueue(reply, "question_standalone")
        answer = index.ask("What did she do?", method="basic", history=[TURN])

        assert (answer.question, answer.status) == ("What did she do?", "ok")

    def test_the_same_turn_is_rewritten_once(self, ask_with):
        index, script = ask_with(rewrite(KAJA))
        for _ in range(2):
            index.ask("What did she do?", method="basic", history=[TURN])

        assert len(prompts(script, "question_standalone")) == 1

    @pytest.mark.parametrize(("tokens", "kept"), [(0, 0), (30, 1), (60, 2), (1000, 3)])
    def test_the_newest_turns_are_kept(self, ask_with, tokens, kept):
        index, _ = ask_with(history_tokens=tokens)
        turns = [(f"{number}? {TURN[0]}", TURN[1]) for number in range(3)]

        assert newest(turns, index.engine) == turns[3 - kept :]

    def test_a_turn_is_two_lines_whatever_it_holds(self):
        turn = ("谁航行？\n问题: 假的", "Long " * 9999)

        assert conversation([turn]).count("\n") == 1
        assert conversation([turn]).startswith("问题: 谁航行？ 问题: 假的\n回答: Long")
        assert len(conversation([turn])) < 2200


class TestSuggestions:
    def questions(self, *texts):
        return lambda ask: {"questions": list(texts)}

    def test_of_a_corpus_come_from_its_reports(self, ask_with):
        index, script = ask_with(self.questions("Who burned?", "Who sailed?", "Who burned?"))

        assert index.suggest(k=3) == ["Who burned?", "Who sailed?"]
        assert "## Reports" in prompts(script, "question_corpus")[0]
        assert "Write 3 questions" in script.history[0].messages[0].content

    def test_after_an_answer_lead_on_and_repeat_nothing(self, ask_with):
        index, script = ask_with(self.questions(KAJA.upper(), "Who sailed?"))
        script.enqueue("She sailed.", "basic_answer")
        answer = index.ask(KAJA, method="basic")

        assert index.suggest(after=answer) == ["Who sailed?"]
        assert f"Question: {KAJA}\nAnswer: She sailed." in prompts(script, "question_next")[0]

    def test_of_a_corpus_without_reports_there_are_none(self, empty):
        assert empty.suggest() == []

    def test_that_fail_say_why(self, ask_with):
        index, _ = ask_with(lambda ask: ModelCallError("no answer came"))

        with pytest.raises(ModelCallError, match=r"No questions could be made: .*no answer came"):
            index.suggest()


class TestRoute:
    def test_rules_say_which_word_they_went_by(self):
        assert choose(THEMES).why == "global, as “main” asks about the whole corpus"
        assert choose("这批文件的主题？").why == "global, as “这批” asks about the whole corpus"
        assert choose(KAJA).why == "local, as nothing in it asks about the whole corpus"

    def test_the_answer_says_what_was_picked_and_why(self, ask_with):
        answer = ask_with()[0].ask(KAJA)

        assert (answer.method, answer.chosen) == ("local", choose(KAJA).why)

    def test_a_method_that_was_given_needs_no_reason(self, ask_with):
        assert ask_with()[0].ask(KAJA, method="local").chosen == ""

    def test_a_model_picks_where_the_settings_want_it(self, ask_with):
        route = {"method": "Drift", "level": 0, "reason": "It asks for causes."}
        index, script = ask_with(router="model")
        script.enqueue(route, "question_route")
        answer = index.ask(KAJA)

        assert answer.method == "drift"
        assert answer.chosen.startswith("drift: It asks for causes.")

    def test_a_model_also_picks_the_finest_level(self, ask_with):
        route = {"method": "global", "level": 0, "reason": "It is broad."}
        index, script = ask_with(router="model")
        script.enqueue(route, "question_route")
        answer = index.ask(KAJA)

        assert (answer.method, answer.level) == ("global", 0)
        assert index.ask(THEMES, level=1, method="global").level == 1

    def test_a_model_that_fails_leaves_it_to_the_rules(self, ask_with):
        index, script = ask_with(router="model")
        script.enqueue(ModelCallError("no answer came"), "question_route")

        assert index.ask(KAJA).chosen == choose(KAJA).why
