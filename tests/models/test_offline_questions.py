"""The embedded model's questions: made of what the data names, in its language."""

import pytest

from graphrag_assets.models.offline import points, questions
from models.test_offline_answers import ELEMENTS, PASSAGES, REPORTS

ZH_REPORTS = """## Reports
[P0000001] 海蓝航运与费尔科
海蓝航运于2031年买下"海豹号"。费尔科反对这项交易 [E0000001]。
[P0000002] 港务局
港务局关闭了港口三天 [E0000002]。"""
EN_REPORTS = """## Reports
[P0000001] Arvo Marine and Nina Falco
Arvo Marine bought the Selkie in 2031. Nina Falco opposed the sale [E0000001].
[P0000002] Portree and the Harbour Board
The Harbour Board closed the port of Portree for three days [E0000002]."""


def asked(reply) -> list[str]:
    return [one.question for one in reply.questions]


class TestCorpus:
    def test_asks_about_what_the_reports_are_about(self):
        assert asked(questions.corpus_questions(EN_REPORTS, 3)) == [
            "What do the documents say about Arvo Marine?",
            "How are Arvo Marine and Nina Falco connected?",
            "What do the documents say about Portree?",
        ]

    def test_asks_in_the_language_of_the_reports(self):
        found = asked(questions.corpus_questions(ZH_REPORTS, 2))

        assert found == ["文档中关于海蓝航运说了什么？", "海蓝航运与费尔科之间有什么关系？"]

    def test_nothing_to_ask_about_gives_no_question(self):
        assert asked(questions.corpus_questions("", 5)) == []


class TestNext:
    def test_repeats_nothing_that_was_asked(self):
        talk = "Question: What do the documents say about Arvo Marine?\nAnswer: It buys ships."
        found = asked(questions.next_questions(EN_REPORTS, talk, 5))

        assert "What do the documents say about Arvo Marine?" not in found
        assert "What do the documents say about Portree?" in found


class TestSplit:
    def test_takes_clauses_and_names_apart(self):
        question = "Who bought the Selkie and why did Nina Falco oppose the sale?"
        found = asked(questions.split(question))

        assert found[:2] == ["Who bought the Selkie?", "why did Nina Falco oppose the sale?"]
        assert 3 <= len(found) <= 5
        assert any("Nina Falco" in one for one in found[2:])

    @pytest.mark.parametrize("question", ["Who?", "谁买下了海豹号？", "What happened in Portree?"])
    def test_gives_three_to_five_questions_each_once(self, question):
        found = asked(questions.split(question))

        assert 3 <= len(found) == len(set(found)) <= 5


class TestStandalone:
    @pytest.mark.parametrize(
        ("question", "alone"),
        [
            ("What did she oppose?", "What did Nina Falco oppose?"),
            ("Who knows her brother?", "Who knows Nina Falco's brother?"),
            ("What did Arvo Marine buy, and did she know it?", None),
            ("What burned?", None),
        ],
    )
    def test_a_pronoun_is_the_name_last_asked_about(self, question, alone):
        talk = (
            "Question: Who leads Arvo Marine?\nAnswer: Nina Falco leads Arvo Marine.\n"
            "Question: Who is Nina Falco?\nAnswer: She leads Arvo Marine."
        )

        assert questions.standalone(talk, question).question == (alone or question)

    def test_chinese_pronouns_too(self):
        talk = "问题: 林晓月是谁？\n回答: 林晓月是记者。"

        assert questions.standalone(talk, "她写了什么？").question == "林晓月写了什么？"

    def test_a_conversation_about_nothing_leaves_the_question(self):
        assert questions.standalone("", "What did she do?").question == "What did she do?"


class TestRouteAndRate:
    @pytest.mark.parametrize(
        ("question", "method"),
        [
            ("What are the main themes?", "global"),
            ("主要主题是什么？", "global"),
            ("Who bought the Selkie?", "local"),
        ],
    )
    def test_broad_questions_go_to_global(self, question, method):
        assert questions.route(question).method == method

    def test_every_report_helps_with_a_question_about_the_whole(self):
        assert points.rate(REPORTS, "What are the main themes?").rating >= 3
        assert points.rate(REPORTS, "Who baked the cake?").rating == 0


class TestDrift:
    def test_the_primer_quotes_reports_and_asks_what_they_leave_open(self):
        step = questions.primer(EN_REPORTS, "Who bought the Selkie?")

        assert "Arvo Marine bought the Selkie in 2031 [P0000001]." in step.answer
        assert step.score > 0
        assert any("Nina Falco" in one.question for one in step.follow_ups)
        assert [one.score for one in step.follow_ups] == sorted(
            (one.score for one in step.follow_ups), reverse=True
        )

    def test_a_follow_up_quotes_what_answers_it(self):
        step = questions.follow_up(PASSAGES, "Who bought the Selkie?", "What of the Selkie?")

        assert "Selkie" in step.answer
        assert "[T" in step.answer
        assert step.score > 0

    def test_nothing_said_is_an_empty_step(self):
        step = questions.follow_up(ELEMENTS, "Who baked the cake?", "Which cake?")

        assert (step.answer, step.score, step.follow_ups) == ("", 0, [])
