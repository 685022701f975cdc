"""The embedded model finds names, in English and Chinese, and knows which forms are one name."""

import pytest

from graphrag_assets.models.offline import names

PRESS = """# Arvo Marine buys the Selkie

Date: 2030-04-01
Kind: News report, The Portree Herald

Arvo Marine, a salvage company based in Portree, has bought the research vessel Selkie. "She is old
and honest," said Nina Falco, chief executive of Arvo Marine. Ms Falco worked in Oslo until 2025.

The Harbour Trust of Portree objects. Its chair, Colin Mackay, wants the Selkie kept in the Sound.
The Trust meets on Tuesday, and licence HT-2030-4 runs out in May. Storm Bertha closed the port on
3 March 2030.

Reporting by Ewan Falco.
"""
NEWS = """# 阿沃海事买下海妖号

日期：2030-04-01
类型：《波特里先驱报》报道

由尼娜·法尔科领导的阿沃海事公司在波特里镇买下科考船“海妖号”。法尔科女士2025年前在奥斯陆工作。

港湾信托委员会反对。委员会主席科林·麦凯说，“海妖号”应留在斯凯海峡。许可HT-2030-4五月到期。
"""


def found(text: str) -> dict[str, str]:
    return {name.text: name.kind for name in names.find(text)}


def test_people_organisations_places_ships_events_and_documents_are_found():
    kinds = found(PRESS)

    assert {
        "Arvo Marine": "organization",
        "Nina Falco": "person",
        "Colin Mackay": "person",
        "Portree": "place",
        "Selkie": "vessel",
        "Storm Bertha": "event",
        "licence HT-2030-4": "document",
    }.items() <= kinds.items()


def test_weekdays_months_labels_and_sentence_beginnings_are_no_names():
    noise = {"Tuesday", "May", "March", "Date", "Kind", "She", "Its", "The", "Reporting", "Ms"}

    assert not noise & set(found(PRESS))


def test_a_surname_with_a_title_stands_for_the_one_full_name():
    text = "Mara Lind founded the firm. Ms Lind worked at sea. Lind said no."

    assert [(name.text, len(name.spans)) for name in names.find(text)] == [("Mara Lind", 3)]


def test_two_people_of_one_surname_are_never_joined_by_it():
    text = "Tom Reid met Ann Reid in Leith. Reid said that it rained."

    assert {"Tom Reid", "Ann Reid"} <= set(found(text))
    assert all(len(name.spans) == 1 for name in names.find(text) if "Reid" in name.text)


def test_a_bare_head_noun_stands_for_the_full_name_or_for_nothing():
    one = "The Coastal Energy Board met. The members of the Board voted."
    two = "The Coastal Energy Board and the Fisheries Board met. Then the Board voted."

    assert len(next(n for n in names.find(one) if n.text == "Coastal Energy Board").spans) == 2
    assert "Board" not in found(two)


def test_married_names_stay_people_of_their_own():
    text = "Bob Cratchit came home late. Mrs. Cratchit wore a ribbon, and Bob was glad."

    assert {"Bob Cratchit", "Mrs. Cratchit"} <= set(found(text))


def test_shouted_speakers_are_written_as_names():
    text = "# Talk\n\nANNA BERG: Hello.\nLEO STRAND: Hello, Anna Berg.\nANNA BERG: Well?\n"

    assert found(text) == {"Anna Berg": "person", "Leo Strand": "person"}


def test_chinese_names_are_found_with_their_kinds():
    kinds = found(NEWS)

    assert {
        "尼娜·法尔科": "person",
        "科林·麦凯": "person",
        "阿沃海事公司": "organization",
        "波特里先驱报": "organization",
        "波特里镇": "place",
        "斯凯海峡": "place",
        "海妖号": "vessel",
        "许可HT-2030-4": "document",
    }.items() <= kinds.items()


def test_words_that_touch_a_chinese_name_stay_outside():
    text = "为托马斯·雷诺感谢保罗·杜兰。案卷由安娜·贝克保管，属于维拉·柯尔。"

    assert {"托马斯·雷诺", "保罗·杜兰", "安娜·贝克", "维拉·柯尔"} == set(found(text))


def test_a_chinese_surname_and_a_bare_kind_stand_for_the_full_name():
    text = "北海渔民合作社开会。合作社社长乌娜·布朗同意。布朗女士签字。"
    spans = {name.text: len(name.spans) for name in names.find(text)}

    assert {"北海渔民合作社": 2, "乌娜·布朗": 2}.items() <= spans.items()


def test_a_chinese_surname_of_two_people_stands_for_neither():
    text = "彼得·隆德与索菲·隆德到场。隆德说下雨了。"

    assert {n.text: len(n.spans) for n in names.find(text)} == {"彼得·隆德": 1, "索菲·隆德": 1}


def test_classical_chinese_people_are_found_without_their_verbs():
    text = "孔明曰：“曹操拥众百万。”周瑜大喜，与孔明议事。孔明笑曰：“善。”"

    assert {"孔明", "曹操", "周瑜"} == set(found(text))


def test_mixed_text_gives_the_names_of_both_languages():
    text = "王小明 joined Acme Robotics in Berlin last year, said Clara Weiss. 他在北京大学任教。"

    assert {"Acme Robotics", "Berlin", "Clara Weiss", "北京大学"} <= set(found(text))


@pytest.mark.parametrize("text", ["", "   \n\n", "🎉🎉🎉", "12345 67 %", "```\n\n```", "——……！！"])
def test_text_without_names_has_none(text):
    assert names.find(text) == []


def test_spans_point_at_the_names():
    for name in names.find(PRESS) + names.find(NEWS):
        for start, end in name.spans:
            assert start < end <= max(len(PRESS), len(NEWS))
    assert all(
        PRESS[a:b].replace("\n", " ")
        for name in names.find(PRESS)
        for a, b in name.spans
        if name.text == PRESS[a:b]
    )


def test_finding_twice_gives_the_same():
    assert names.find(PRESS) == names.find(PRESS)
    assert names.find(NEWS) == names.find(NEWS)


@pytest.mark.parametrize(
    ("kind", "types", "expected"),
    [
        ("vessel", ["person", "organization", "place", "event", "object"], "object"),
        ("vessel", ["person", "organization", "place", "event"], "place"),
        ("person", ["Character", "Location"], "Character"),
        ("place", ["PERSON", "GPE"], "GPE"),
        ("person", ["人物", "地点"], "人物"),
        ("document", ["person", "event"], "event"),
    ],
)
def test_a_kind_takes_the_nearest_listed_type(kind, types, expected):
    assert expected == names.listed(kind, types)
