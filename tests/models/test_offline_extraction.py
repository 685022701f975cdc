"""The embedded model reads a text unit: entities, relationships, claims, dates."""

import pytest

from graphrag_assets.models.offline import claims, dates, extraction
from graphrag_assets.models.replies import ExtractedClaims, Extraction
from models.test_offline_names import NEWS, PRESS

TYPES = ["person", "organization", "place", "event", "object"]
INQUIRY = """# Inquiry

Date: 2033-04-02

1. Karl Moss showed Vera Holt the draft of permit AB-2031-17 on 27 October 2031. He has admitted it.
2. There is no evidence that Mara Lind knew.
3. Vera Holt denied that she was told. Her public denial was untrue.
4. The Harbour Board may have lost the file, Karl Moss claims that it did.
5. Vera Holt is fined 3.1 million crowns.
"""


def pairs(text: str) -> dict[frozenset[str], float]:
    found = extraction.extract(text, TYPES).relationships
    return {frozenset((link.source, link.target)): link.weight for link in found}


def test_every_end_of_a_relationship_is_a_listed_entity():
    for text in (PRESS, NEWS, INQUIRY):
        reply = extraction.extract(text, TYPES)
        listed = {entity.name for entity in reply.entities}

        assert {end for link in reply.relationships for end in (link.source, link.target)} <= listed
        assert all(link.source != link.target for link in reply.relationships)


def test_every_name_stands_in_the_text():
    for text in (PRESS, NEWS, INQUIRY):
        flat = " ".join(text.split()).casefold()

        assert all(e.name.casefold() in flat for e in extraction.extract(text, TYPES).entities)


def test_a_description_is_made_of_sentences_of_the_text_with_the_documents_date():
    entities = {e.name: e for e in extraction.extract(PRESS, TYPES).entities}

    assert "Arvo Marine, a salvage company based in Portree" in entities["Arvo Marine"].description
    assert "(2030-04-01)" in entities["Arvo Marine"].description
    assert "3 March 2030." in entities["Storm Bertha"].description


def test_what_shares_a_sentence_is_related_more_strongly_than_neighbours():
    links = pairs(PRESS)

    assert links[frozenset(("Nina Falco", "Arvo Marine"))] >= 5
    assert links[frozenset(("Selkie", "Arvo Marine"))] >= 5
    assert all(1 <= weight <= 10 for weight in links.values())


def test_a_pronoun_relates_a_sentence_to_the_person_before_it():
    text = "Vera Holt dined at the Anchor Hotel. Her guest was Karl Moss of the Harbour Board."

    assert frozenset(("Vera Holt", "Karl Moss")) in pairs(text)


def test_who_signed_is_related_to_who_published():
    assert frozenset(("Ewan Falco", "Portree Herald")) in pairs(PRESS)


def test_the_rows_of_a_list_are_related_to_what_leads_it_in():
    text = (
        "Northern Mutual has received these claims:\n\n"
        "| who | sum |\n|---|---|\n| Lake Museum | 5 |\n"
    )

    assert frozenset(("Northern Mutual", "Lake Museum")) in pairs(text)


def test_relationships_are_bounded_per_unit():
    people = [f"{first} {last}" for first in ("Anna", "Boris", "Clara", "Dario", "Erik", "Freya")
              for last in ("Stone", "Wolf", "Lamb", "Fox")]  # fmt: skip
    reply = extraction.extract("Present: " + ", ".join(people) + ".", TYPES)

    assert 20 <= len(reply.entities) <= 24
    assert len(reply.relationships) <= 3 * len(reply.entities)


def test_claims_have_a_status_by_the_words_around_the_verb():
    found = claims.extract(INQUIRY, "Karl Moss\nVera Holt\nMara Lind\nHarbour Board").claims
    status = {(claim.subject, claim.type): claim.status for claim in found}

    assert status["Mara Lind", "finding"] == "FALSE"
    assert status["Vera Holt", "penalty"] == "TRUE"
    assert status["Karl Moss", "finding"] == "TRUE"
    assert {"SUSPECTED", "FALSE"} == {c.status for c in found if c.type == "denial"}


def test_claims_quote_the_text_and_carry_dates():
    found = claims.extract(INQUIRY, "Karl Moss\nVera Holt").claims

    assert all(claim.quote in INQUIRY for claim in found)
    assert found[0].start_date == "2031-10-27"
    assert found[-1].start_date == "2033-04-02"


def test_claims_are_only_about_listed_names():
    assert {"Mara Lind"} == {
        c.subject for c in claims.extract(INQUIRY, "- Mara Lind (person)").claims
    }


def test_chinese_claims_have_status_and_quote():
    text = (
        "日期：2033-04-02\n\n维克托·霍尔昨天否认得到消息。"
        "没有证据表明玛拉·林德知情。霍尔罚款310万克朗。"
    )
    found = claims.extract(text, "维克托·霍尔\n玛拉·林德").claims

    assert [(claim.type, claim.status) for claim in found] == [
        ("denial", "SUSPECTED"),
        ("finding", "FALSE"),
        ("penalty", "TRUE"),
    ]
    assert all(claim.quote in text for claim in found)


@pytest.mark.parametrize(
    ("text", "default", "expected"),
    [
        ("On 27 October 2031 it rained.", "", ["2031-10-27"]),
        ("October 27th, 2031 and 2032-01-05", "", ["2031-10-27", "2032-01-05"]),
        ("by March 2034", "", ["2034-03"]),
        ("since 1998", "", ["1998"]),
        ("on 5 May", "2031-06-01", ["2031-05-05"]),
        ("on 5 May", "", []),
        ("2031年10月28日，1月15日", "2032-02-01", ["2031-10-28", "2032-01-15"]),
        ("1887年十一月的大风", "", ["1887-11"]),
        ("The 45 members of room 2031", "", []),
    ],
)
def test_dates_are_normalised(text, default, expected):
    assert expected == list(dates.all_in(text, default))


@pytest.mark.parametrize(
    "text", ["", " ", "🎉", "No names at all here.", "没有名字。", "\x00\ufffd"]
)
def test_a_text_without_names_gives_an_empty_reply(text):
    assert Extraction() == extraction.extract(text, TYPES)
    assert ExtractedClaims() == claims.extract(text, "")


def test_a_very_long_text_stays_within_the_bounds_of_the_schema():
    long = "\n\n".join(
        f"Person{chr(65 + i % 26)} Name{i} met Other{i} Corp in Town{i}." for i in range(400)
    )
    endless = "Anna Berg " + "talked on and on " * 3000 + "with Leo Strand."

    for text in (long, endless, "字" * 30000, "A" * 30000):
        Extraction.model_validate_json(extraction.extract(text, TYPES).model_dump_json())
        ExtractedClaims.model_validate_json(claims.extract(text, "").model_dump_json())
