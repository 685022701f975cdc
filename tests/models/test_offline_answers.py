"""The embedded model writes reports, points and answers of cited sentences."""

import re

from graphrag_assets.models.offline import answers, evidence, points, summaries
from graphrag_assets.models.replies import Report

ELEMENTS = """## Entities
[E0000001] Arvo Marine (organization): Arvo Marine is a salvage company in Portree (2030-04-01).
[E0000002] Selkie (object): The Selkie is a research vessel built in 1969.
[E0000003] Nina Falco (person): Nina Falco leads Arvo Marine.

## Relationships
[R0000001] Arvo Marine — Selkie: Arvo Marine bought the Selkie for 4.2 million crowns.
[R0000002] Arvo Marine — Nina Falco: Nina Falco leads Arvo Marine.

## Claims
[C0000001] Arvo Marine: The Trust denied that Arvo asked. (SUSPECTED, 2030-04-02)
"""
PASSAGES = """## Passages
[T0000001] Selkie sold
Date: 2030-04-01

Arvo Marine has bought the Selkie. It paid 4.2 million crowns.
[T0000002] The storm
Storm Bertha closed the port of Portree on 3 March 2030. The Selkie lost her engine.
[T0000003] 航运
海妖号由阿沃海事公司买下。造价4200万克朗。
"""
REPORTS = """## Reports
[P0000001] Arvo Marine and the Selkie
Arvo Marine bought the Selkie for 4.2 million crowns [E0000001, R0000001]. It was fought. [C0000001]
[P0000002] The storm
Storm Bertha closed the port of Portree for three days [E0000009].
"""


def cited(text: str) -> set[str]:
    return set(re.findall(r"[ERCPT]\d{7}", text))


def test_every_statement_of_a_report_is_cited_with_an_id_of_the_context():
    report = summaries.report(ELEMENTS)

    assert report.title == "Arvo Marine, Nina Falco and Selkie"
    assert cited(report.model_dump_json()) <= cited(ELEMENTS)
    for text in (report.summary, *(finding.summary for finding in report.findings)):
        assert cited(text)
    assert 1 <= report.rating <= 10


def test_equal_sentences_are_said_once_and_cited_together():
    text = summaries.report(ELEMENTS).model_dump_json()

    assert 1 <= text.count("Nina Falco leads Arvo Marine") <= 2
    assert "[R0000002, E0000003]" in text


def test_a_child_report_keeps_the_citations_it_carries():
    report = summaries.report(REPORTS)

    assert {"E0000001", "R0000001", "C0000001", "E0000009"} <= cited(report.model_dump_json())


def test_a_report_on_chinese_data_is_chinese():
    context = (
        "## Entities\n[E0000001] 海妖号 (object): 海妖号是科考船。\n"
        "[E0000002] 阿沃海事 (organization): 阿沃海事买下海妖号。\n"
    )
    report = summaries.report(context)

    assert report.title == "海妖号与阿沃海事"
    assert report.summary.endswith("。")


def test_an_empty_context_makes_a_valid_report():
    assert Report.model_validate(summaries.report("").model_dump()).findings == []


def test_points_carry_the_id_of_their_report_alone():
    found = points.map_points(REPORTS, "Who bought the Selkie, and for how much?").points

    assert found[0].answer == "Arvo Marine bought the Selkie for 4.2 million crowns [P0000001]."
    assert all(cited(point.answer) <= {"P0000001", "P0000002"} for point in found)
    assert found[0].score == max(point.score for point in found) > 30


def test_an_unrelated_question_gets_no_points():
    assert points.map_points(REPORTS, "What do bananas cost in Peru?").points == []
    assert points.map_points("", "Who?").points == []


def test_a_broad_question_gets_central_points():
    assert points.map_points(REPORTS, "What are the main themes of the collection?").points


def test_points_are_merged_and_keep_their_citations():
    context = (
        "## Points\n(80) The port closed for three days [P0000002].\n"
        "(60) The port closed for three days [P0000003].\n"
        "(40) Arvo bought a ship [P0000001].\n(0) Nothing [P0000004]."
    )
    text = points.reduce_points(context, "What happened?")

    assert text.count("The port closed") == 1
    assert "[P0000002, P0000003]" in text
    assert "P0000004" not in text


def test_no_points_say_so_in_the_language_of_the_question():
    assert points.reduce_points("", "What happened?") == "The documents don't say."
    assert points.reduce_points("", "发生了什么？") == "文档中没有提到这一点。"


def test_an_answer_quotes_the_passage_and_cites_it():
    text = answers.answer(PASSAGES, "How much did Arvo Marine pay for the Selkie?")

    assert "It paid 4.2 million crowns.” [T0000001]" in text
    assert "(2030-04-01)" in text


def test_an_answer_covers_what_a_question_joins():
    text = answers.answer(PASSAGES, "Which storm closed the port, and who bought the Selkie?")

    assert {"T0000001", "T0000002"} <= cited(text)


def test_a_chinese_question_is_answered_in_chinese():
    text = answers.answer(PASSAGES, "谁买下海妖号？")

    assert "“海妖号由阿沃海事公司买下。” [T0000003]" in text


def test_what_no_passage_touches_is_not_answered():
    assert answers.answer(PASSAGES, "Bananas in Peru?") == "The documents don't say."
    assert answers.answer("", "香蕉？") == "文档中没有提到这一点。"
    assert answers.answer(PASSAGES, "?") == "The documents don't say."


def test_relevance_is_rated_by_what_is_covered():
    on, off = (answers.rate(REPORTS, q) for q in ("Who bought the Selkie?", "Bananas in Peru?"))

    assert on.rating >= 3
    assert off.rating == 0


def test_a_description_keeps_each_sentence_once_within_its_length():
    text = "Ada Kern leads Nord.\nAda Kern leads Nord.\nShe was born in 1970. She moved to Oslo."
    whole = summaries.description("Ada Kern", text, 200).description
    short = summaries.description("Ada Kern", text, 10).description

    assert whole == "Ada Kern leads Nord. She was born in 1970. She moved to Oslo."
    assert 0 < len(short) <= 45


def test_items_end_at_the_next_marker_or_heading():
    found = evidence.items(PASSAGES + "\n## Points\n(3) x")

    assert [item.id for item in found] == ["T0000001", "T0000002", "T0000003"]
    assert "Points" not in found[-1].text


def test_answers_are_the_same_each_time():
    for ask in (answers.answer, points.map_points, answers.rate):
        assert ask(PASSAGES, "Who bought the Selkie?") == ask(PASSAGES, "Who bought the Selkie?")
    assert summaries.report(ELEMENTS) == summaries.report(ELEMENTS)
