"""mentions.py: what a model said about texts becomes the rows of a graph."""

import json
import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from graphrag_assets.mentions import (
    assign_entities,
    claim_rows,
    display_names,
    distinct_pieces,
    entity_rows,
    joined,
    locate,
    merge_entities,
    merge_relationships,
    relationship_rows,
)
from graphrag_assets.resolution import Overrides, resolve_aliases
from graphrag_assets.text import content_id, sha256

SAILED = "Ida Holm sailed the Aurora to Tern Harbour. Viktor Hale paid."


def units(texts: dict[str, str]) -> pl.DataFrame:
    """Return text units that begin at character 100 of a document of their own."""
    rows = [
        {
            "id": key,
            "document_id": f"d-{key}",
            "text": text,
            "start_char": 100,
            "sha256": sha256(text),
        }
        for key, text in texts.items()
    ]
    schema = {
        "id": pl.String,
        "document_id": pl.String,
        "text": pl.String,
        "start_char": pl.Int64,
        "sha256": pl.String,
    }
    return pl.DataFrame(rows, schema=schema)


def entity(name, kind="person", description="") -> dict:
    return {"name": name, "type": kind, "description": description}


def link(source, target, weight=5, description="They met.") -> dict:
    return {"source": source, "target": target, "weight": weight, "description": description}


def claim(subject, **fields) -> dict:
    empty = dict.fromkeys(("object", "type", "description", "start_date", "end_date", "quote"), "")
    return {"subject": subject, "status": "TRUE", **empty, **fields}


def replies(said: dict[str, dict | str | None]) -> pl.DataFrame:
    rows = [
        {"text_unit_id": key, "reply": json.dumps(reply) if isinstance(reply, dict) else reply}
        for key, reply in said.items()
    ]
    return pl.DataFrame(rows, schema={"text_unit_id": pl.String, "reply": pl.String})


class Graph:
    """All tables between replies and elements."""

    def __init__(self, said: pl.DataFrame, texts: pl.DataFrame, **overrides) -> None:
        rows = entity_rows(said, texts)
        aliases = resolve_aliases(rows, similar=0.95, overrides=Overrides(**overrides))
        self.mentions = assign_entities(rows, aliases)
        self.links = relationship_rows(said, self.mentions)
        self.claims = claim_rows(said, self.mentions, texts)
        self.relationships = merge_relationships(self.links, texts)
        self.entities = merge_entities(self.mentions, texts, self.relationships)

    @property
    def titles(self) -> dict[str, str]:
        return dict(self.entities.select("id", "title").iter_rows())

    def pairs(self) -> dict[frozenset[str], tuple[float, float, int]]:
        """Return {titles of both ends: (weight, strength, mentions)}."""
        columns = ("source_id", "target_id", "weight", "strength", "n_mentions")
        return {
            frozenset((self.titles[one], self.titles[other])): tuple(counts)
            for one, other, *counts in self.relationships.select(columns).iter_rows()
        }


def named(rows: pl.DataFrame) -> list[tuple]:
    return list(rows.select("text_unit_id", "ordinal", "title", "type", "supported").iter_rows())


def one_text(*entities: dict, links: tuple = (), claims: tuple = (), text: str = SAILED) -> Graph:
    reply = {"entities": list(entities), "relationships": list(links), "claims": list(claims)}
    return Graph(replies({"a": reply}), units({"a": text}))


class TestEntityRows:
    def test_every_item_of_a_reply_is_a_row_in_its_order(self):
        said = replies(
            {
                "a": {
                    "entities": [
                        entity("Ida Holm"),
                        entity("Aurora", "Ship"),
                        entity("Viktor Hale"),
                    ]
                },
                "b": {"entities": [entity("Ida Holm")]},
            }
        )
        rows = entity_rows(said, units({"a": SAILED, "b": SAILED}))

        assert named(rows) == [
            ("a", 0, "Ida Holm", "person", True),
            ("a", 1, "Aurora", "ship", True),
            ("a", 2, "Viktor Hale", "person", True),
            ("b", 0, "Ida Holm", "person", True),
        ]

    def test_a_name_leaked_from_the_prompts_example_is_unsupported(self):
        said = replies({"a": {"entities": [entity("Ana Ruiz"), entity("Ida Holm")]}})
        rows = entity_rows(said, units({"a": SAILED}))

        assert named(rows) == [
            ("a", 0, "Ana Ruiz", "person", False),
            ("a", 1, "Ida Holm", "person", True),
        ]

    def test_a_name_that_another_text_unit_knows_is_supported(self):
        said = replies(
            {
                "a": {"entities": [entity("Ida Holm")]},
                "b": {"entities": [entity("Holm"), entity("IDA HOLM")]},
            }
        )
        rows = entity_rows(said, units({"a": SAILED, "b": "She left."}))

        assert [(row[2], row[4]) for row in named(rows)] == [
            ("Ida Holm", True),
            ("Holm", False),
            ("IDA HOLM", True),
        ]

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("Ida Holm", "Captain IDA\n   HOLM sailed."),
            ("O'Brien", "Then O’Brien left."),
            ("ABC", "Then ＡＢＣ left."),
            ("Saltmarsh-Grid", "The Saltmarsh\u2011Grid failed."),
            ("The Works Board", "A works board met."),
            ("Acme Inc.", "At Acme they knew."),
            ("玛拉·埃利森", "工程师玛拉•埃利森说。"),
            ("埃利森", "工程师玛拉·埃利森说。"),
            ("C++", "It is written in C++."),
            ("Holm (née Pell)", "Holm (née Pell) left."),
            ('Viktor "Rebel" Hale', 'Viktor "Rebel" Hale left.'),
        ],
    )
    def test_a_name_is_found_however_the_text_writes_it(self, name, text):
        rows = entity_rows(replies({"a": {"entities": [entity(name)]}}), units({"a": text}))

        assert rows["supported"].to_list() == [True]

    def test_ends_that_the_reply_forgot_to_list_count_once_if_the_text_has_them(self):
        said = replies(
            {
                "a": {
                    "entities": [entity("Ida Holm")],
                    "relationships": [
                        link("IDA HOLM", "Viktor Hale"),
                        link("viktor hale", "the Aurora"),
                        link("Ana Ruiz", "Ida Holm"),
                    ],
                }
            }
        )
        rows = entity_rows(said, units({"a": SAILED}))

        assert named(rows) == [
            ("a", 0, "Ida Holm", "person", True),
            ("a", 1, "viktor hale", "unknown", True),
            ("a", 2, "the Aurora", "unknown", True),
        ]

    def test_a_listed_name_without_type_is_kept_and_flagged_like_any_other(self):
        said = replies({"a": {"entities": [entity("Ana Ruiz", ""), entity("Ida Holm", None)]}})

        assert named(entity_rows(said, units({"a": SAILED}))) == [
            ("a", 0, "Ana Ruiz", "unknown", False),
            ("a", 1, "Ida Holm", "unknown", True),
        ]

    def test_nulls_and_missing_fields_are_no_names(self):
        nothing = {"name": None, "type": None, "description": None}
        said = replies(
            {
                "a": {"entities": [nothing, None, {}, entity("Ida Holm", description=None)]},
                "b": {
                    "entities": None,
                    "relationships": [{"source": None, "target": "Viktor Hale"}],
                },
                "c": {},
                "d": None,
            }
        )
        rows = entity_rows(said, units(dict.fromkeys("abcd", SAILED)))

        assert [row[2] for row in named(rows)] == ["Ida Holm", "Viktor Hale"]
        assert rows["description"].to_list() == ["", ""]

    @pytest.mark.parametrize(("length", "kept"), [(200, 1), (201, 0)])
    def test_a_name_is_at_most_200_characters_long(self, length, kept):
        name = "H" * length
        rows = entity_rows(replies({"a": {"entities": [entity(name)]}}), units({"a": name}))

        assert rows.height == kept

    def test_outer_quotes_and_line_breaks_are_not_part_of_a_name(self):
        said = replies({"a": {"entities": [entity('  "Ida\n Holm" ', " Person ", " A captain. ")]}})
        row = entity_rows(said, units({"a": SAILED})).row(0, named=True)

        assert (row["title"], row["type"], row["description"]) == (
            "Ida Holm",
            "person",
            "A captain.",
        )


class TestRelationships:
    def test_both_directions_are_one_and_their_sums_add(self):
        holm, hale = entity("Ida Holm"), entity("Viktor Hale")
        said = replies(
            {
                "a": {
                    "entities": [holm, hale],
                    "relationships": [link("Ida Holm", "Viktor Hale", 2)],
                },
                "b": {
                    "entities": [holm, hale],
                    "relationships": [link("Viktor Hale", "Ida Holm", 3)],
                },
            }
        )
        graph = Graph(said, units({"a": SAILED, "b": SAILED + " Again."}))

        assert graph.pairs() == {frozenset({"Ida Holm", "Viktor Hale"}): (2.0, 5.0, 2)}
        assert (graph.relationships["source_id"] < graph.relationships["target_id"]).all()

    def test_a_duplicated_text_counts_once_in_the_weight(self):
        reply = {
            "entities": [entity("Ida Holm"), entity("Viktor Hale")],
            "relationships": [link("Ida Holm", "Viktor Hale"), link("Ida Holm", "Viktor Hale", 1)],
        }
        graph = Graph(
            replies(dict.fromkeys("abc", reply)),
            units({"a": SAILED, "b": SAILED, "c": SAILED + "!"}),
        )

        assert graph.pairs() == {frozenset({"Ida Holm", "Viktor Hale"}): (2.0, 18.0, 6)}

    def test_relations_of_an_entity_with_itself_go_after_resolution(self):
        graph = one_text(
            entity("Ida Holm"),
            entity("Captain Ida Holm"),
            links=(link("Captain Ida Holm", "Ida Holm"), link("Ida Holm", "Viktor Hale")),
            text="Captain Ida Holm sailed. Viktor Hale paid.",
        )

        assert set(graph.pairs()) == {frozenset({"Captain Ida Holm", "Viktor Hale"})}
        columns = ("ordinal", "source_id", "target_id", "relationship_id")
        assert graph.links.select(columns).row(0) == (0, None, None, None)

    def test_an_unsupported_end_makes_no_relationship_but_the_mention_stays(self):
        graph = one_text(
            entity("Ida Holm"), entity("Ana Ruiz"), links=(link("Ida Holm", "Ana Ruiz"),)
        )

        assert graph.pairs() == {}
        assert graph.titles.keys() == set(graph.mentions["entity_id"].drop_nulls())
        row = graph.links.row(0, named=True)
        assert (row["source_title"], row["target_title"]) == ("Ida Holm", "Ana Ruiz")
        assert (row["source_id"], row["target_id"], row["relationship_id"]) == (None, None, None)

    def test_an_end_is_looked_up_in_its_own_text_unit_before_the_corpus(self):
        """Mercury is a planet in two texts and a ship in three; each text means its own."""
        orbit = "Mercury orbits the Sun, a star."
        harbour = "Mercury sailed to Tern Harbour for repairs."
        planet = {
            "entities": [entity("Mercury", "planet", "Innermost world"), entity("Sun", "star")],
            "relationships": [link("Mercury", "Sun")],
        }
        ship = {
            "entities": [
                entity("Mercury", "ship", "Cargo vessel"),
                entity("Tern Harbour", "place"),
            ],
            "relationships": [link("Tern Harbour", "Mercury")],
        }
        graph = Graph(
            replies({"a": planet, "b": planet, "c": ship, "d": ship, "e": ship}),
            units(
                {"a": orbit, "b": orbit + ".", "c": harbour, "d": harbour + ".", "e": harbour + "!"}
            ),
        )
        kinds = dict(graph.entities.select("id", "type").iter_rows())
        ends = {
            frozenset((kinds[one], kinds[other]))
            for one, other in graph.relationships.select("source_id", "target_id").iter_rows()
        }

        assert ends == {frozenset({"planet", "star"}), frozenset({"ship", "place"})}

    def test_an_end_that_only_another_text_unit_lists_is_found_there(self):
        said = replies(
            {
                "a": {"entities": [entity("Ida Holm"), entity("Viktor Hale")]},
                "b": {"entities": [], "relationships": [link("The Viktor Hale", "ida holm")]},
            }
        )
        graph = Graph(said, units({"a": SAILED, "b": "They met at noon."}))

        assert set(graph.pairs()) == {frozenset({"Ida Holm", "Viktor Hale"})}

    def test_the_first_and_last_items_of_every_reply_are_there(self):
        names = [f"Name{number:02}" for number in range(30)]
        links = [link(names[0], other) for other in names[1:]]
        reply = {"entities": [entity(name) for name in names], "relationships": links}
        graph = one_text(*reply["entities"], links=tuple(links), text=" ".join(names))

        assert set(graph.titles.values()) == set(names)
        assert set(graph.pairs()) == {frozenset((names[0], other)) for other in names[1:]}
        assert graph.links["ordinal"].to_list() == list(range(29))

    def test_null_fields_of_a_relationship_do_no_harm(self):
        bare = {"source": "Ida Holm", "target": "Viktor Hale", "weight": None, "description": None}
        none = {"source": None, "target": None, "weight": None, "description": None}
        graph = one_text(entity("Ida Holm"), entity("Viktor Hale"), links=(none, bare, {}))

        assert graph.pairs() == {frozenset({"Ida Holm", "Viktor Hale"}): (1.0, 1.0, 1)}
        assert graph.links["source_title"].to_list() == ["", "Ida Holm", ""]
        assert graph.links["description"].to_list() == ["", "", ""]

    def test_the_combined_degree_is_the_sum_of_both_ends(self):
        graph = one_text(
            *map(entity, ("Ida Holm", "Viktor Hale", "Aurora")),
            links=(link("Ida Holm", "Viktor Hale"), link("Ida Holm", "Aurora")),
        )

        assert graph.relationships["combined_degree"].to_list() == [3, 3]
        degrees = dict(graph.entities.select("title", "degree").iter_rows())
        assert degrees == {"Ida Holm": 2, "Viktor Hale": 1, "Aurora": 1}


class TestEntities:
    def test_names_that_differ_in_case_are_one_entity_with_the_usual_name(self):
        said = replies(
            {
                "a": {"entities": [entity("AURORA", "ship")]},
                "b": {"entities": [entity("Aurora", "ship")]},
                "c": {"entities": [entity("the Aurora", "vessel"), entity("Aurora", "ship")]},
            }
        )
        graph = Graph(said, units(dict.fromkeys("abc", SAILED)))

        row = graph.entities.row(0, named=True)
        assert graph.entities.height == 1
        assert (row["title"], row["type"], row["types"]) == ("Aurora", "ship", ["ship", "vessel"])
        assert (row["n_mentions"], row["n_documents"], row["degree"]) == (4, 3, 0)

    def test_a_known_type_wins_over_unknown(self):
        rows = pl.DataFrame(
            {
                "text_unit_id": ["a", "a", "a"],
                "title": ["Holm"] * 3,
                "type": ["unknown", "unknown", "person"],
                "entity_id": ["1"] * 3,
            }
        )
        none = merge_relationships(relationship_rows(replies({}), assigned({})), units({}))

        assert merge_entities(rows, units({"a": "Holm"}), none)["type"].to_list() == ["person"]

    def test_the_title_is_a_full_name_even_where_the_surname_is_more_frequent(self):
        rows = pl.DataFrame(
            {
                "entity_id": [*"111111", *"22", *"333"],
                "title": [
                    *("Ellison", "Ellison", "Ellison", "Mr Ellison", "Mr Ellison", "Mara Ellison"),
                    *("Hale", "Mr Hale"),
                    *("埃利森", "埃利森", "玛拉·埃利森"),
                ],
            }
        )

        assert dict(display_names(rows).iter_rows()) == {
            "1": "Mara Ellison",
            "2": "Mr Hale",
            "3": "玛拉·埃利森",
        }

    def test_every_entity_of_a_mention_is_an_entity(self):
        graph = one_text(*map(entity, ("Ida Holm", "Viktor Hale", "Ana Ruiz")))

        assert set(graph.mentions["entity_id"].drop_nulls()) == set(graph.entities["id"])
        assert graph.mentions["entity_id"].null_count() == 1


class TestClaims:
    def test_an_exact_quote_has_its_span_in_the_document(self):
        graph = one_text(
            entity("Viktor Hale"), claims=(claim("Viktor Hale", quote="Viktor Hale paid"),)
        )
        row = graph.claims.row(0, named=True)
        start = SAILED.index("Viktor Hale paid")

        assert (row["start_char"], row["end_char"]) == (100 + start, 100 + start + 16)

    @pytest.mark.parametrize("quote", ["", "  ", "…", "It never rained in the whole of May"])
    def test_a_quote_that_is_not_there_is_kept_without_span(self, quote):
        graph = one_text(entity("Viktor Hale"), claims=(claim("Viktor Hale", quote=quote),))
        row = graph.claims.row(0, named=True)

        assert (row["quote"], row["start_char"], row["end_char"]) == (quote, None, None)

    def test_fields_are_as_the_table_wants_them(self):
        said = claim(
            "the viktor hale",
            object="Aurora",
            type="payment",
            status="SUSPECTED",
            start_date="2031",
        )
        graph = one_text(entity("Viktor Hale"), entity("Aurora", "ship"), claims=(said,))
        row = graph.claims.row(0, named=True)

        assert graph.titles[row["subject_id"]] == "Viktor Hale"
        assert graph.titles[row["object_id"]] == "Aurora"
        assert (row["status"], row["start_date"], row["end_date"]) == ("suspected", "2031", None)

    def test_a_claim_about_an_unknown_name_goes_and_an_unknown_object_is_null(self):
        graph = one_text(
            entity("Viktor Hale"),
            entity("Ana Ruiz"),
            claims=(
                claim("Ana Ruiz", description="Lied."),
                claim("Viktor Hale", object="Ana Ruiz", description="Paid."),
                claim(None, description="Rained."),
            ),
        )

        assert graph.claims.select("description", "object_id").rows() == [("Paid.", None)]

    def test_claims_that_differ_in_the_object_or_date_only_are_two(self):
        same = {"description": "Paid.", "quote": "Viktor Hale paid"}
        graph = one_text(
            *map(entity, ("Viktor Hale", "Ida Holm", "Aurora")),
            claims=(
                claim("Viktor Hale", object="Ida Holm", **same),
                claim("Viktor Hale", object="Aurora", **same),
                claim("Viktor Hale", object="Aurora", start_date="2031", **same),
                claim("Viktor Hale", object="Aurora", **same),
            ),
        )

        assert graph.claims["id"].n_unique() == graph.claims.height == 3

    def test_the_same_claim_in_two_texts_is_two(self):
        reply = {"entities": [entity("Viktor Hale")], "claims": [claim("Viktor Hale")]}
        graph = Graph(replies({"a": reply, "b": reply}), units({"a": SAILED, "b": SAILED}))

        assert sorted(graph.claims["text_unit_id"]) == ["a", "b"]


class TestLocate:
    TEXT = (
        "The Works Board met.\nIt fined\n  Viktor Hale 40,000 marks, and he denied it. Ships left."
    )

    @pytest.mark.parametrize(
        ("quote", "found"),
        [
            ("Viktor Hale 40,000 marks", "Viktor Hale 40,000 marks"),
            ("It fined Viktor Hale 40,000 marks", "It fined\n  Viktor Hale 40,000 marks"),
            ("the works board met", "The Works Board met"),
            ("“The Works Board met”", "The Works Board met"),
            ("… he denied it…", "he denied it"),
            ("fined Victor Hale 40,000 marks", "fined\n  Viktor Hale 40,000 marks"),
            (
                "Viktor Hale 40.000 marks and he denied it",
                "Viktor Hale 40,000 marks, and he denied it",
            ),
            ("Viktor Hale paid 90 marks to the crown", None),
            ("x", None),
            ("", None),
            ("\n", None),
            ("...", None),
            (TEXT + " And they never came back to Tern Harbour.", None),
        ],
    )
    def test_a_quote_is_found_exactly_wrapped_or_nearly_so(self, quote, found):
        span = locate(quote, self.TEXT)

        assert (span and self.TEXT[slice(*span)]) == found

    def test_a_near_quote_in_chinese_is_not_widened_to_the_whole_sentence(self):
        text = "委员会昨日决定对维克多·黑尔处以四万马克罚款并没收其船只"
        span = locate("决定对维克多•黑尔处以四万马克罚款", text)

        assert text[slice(*span)] == "决定对维克多·黑尔处以四万马克罚款"

    def test_nothing_is_found_in_an_empty_text(self):
        assert locate("Holm", "") is None

    @given(st.text(alphabet="ab .\n", max_size=40), st.data())
    def test_every_piece_of_a_text_is_found_as_it_stands(self, text, data):
        start = data.draw(st.integers(0, len(text)))
        quote = text[start : data.draw(st.integers(start, len(text)))]
        span = locate(quote, text)

        assert (span and text[slice(*span)]) == (quote if quote.strip() else None)


class TestPieces:
    def test_the_longest_come_first_and_what_another_holds_is_dropped(self):
        rows = pl.DataFrame(
            {
                "entity_id": ["1", "1", "1", "1", "1", "2", None, "3"],
                "description": [
                    "A captain.",
                    "",
                    "A captain of the Aurora.",
                    "A captain of",
                    "Old.",
                    "B",
                    "C",
                    None,
                ],
            }
        )

        assert dict(distinct_pieces(rows, "entity_id").iter_rows()) == {
            "1": ["A captain of the Aurora.", "Old."],
            "2": ["B"],
        }

    @given(st.lists(st.text(alphabet="ab.", max_size=5)))
    def test_every_word_said_is_still_said(self, said):
        rows = pl.DataFrame(
            {"id": ["1"] * len(said), "description": said},
            schema={"id": pl.String, "description": pl.String},
        )
        kept = " ".join(
            piece for _, pieces in distinct_pieces(rows, "id").rows() for piece in pieces
        )

        assert all(one.rstrip(".") in kept for one in said)

    def test_joining_ends_each_piece_with_a_stop(self):
        assert joined(["One", "Two.", "三。", "Four?", ""]) == "One. Two. 三。 Four? "
        assert joined([]) == ""


def assigned(said: dict) -> pl.DataFrame:
    rows = entity_rows(replies(said), units({}))
    return assign_entities(rows, resolve_aliases(rows, similar=0.95, overrides=Overrides()))


class TestNothing:
    def test_no_text_units_give_no_rows_anywhere(self):
        graph = Graph(replies({}), units({}))

        for frame in (graph.mentions, graph.links, graph.claims, graph.relationships):
            assert frame.is_empty()
        assert graph.entities.is_empty()
        assert distinct_pieces(graph.mentions, "entity_id").is_empty()
        assert display_names(graph.mentions).is_empty()
        assert graph.relationships.schema["weight"] == pl.Float64
        assert graph.entities.schema["types"] == pl.List(pl.String)

    def test_empty_replies_give_no_rows_anywhere(self):
        empty = {"entities": [], "relationships": [], "claims": []}
        graph = Graph(
            replies({"a": empty, "b": {}, "c": None}), units(dict.fromkeys("abc", SAILED))
        )

        assert graph.entities.is_empty()
        assert graph.relationships.is_empty()
        assert graph.claims.is_empty()


PEOPLE = [
    "Ida Holm",
    "Holm",
    "Captain Holm",
    "Viktor Hale",
    "Mrs Hale",
    "玛拉·埃利森",
    "埃利森女士",
]
people = st.sampled_from(PEOPLE)
said_of_a_text = st.fixed_dictionaries(
    {
        "entities": st.lists(
            st.builds(entity, people, st.sampled_from(["person", "ship", ""]), people), max_size=4
        ),
        "relationships": st.lists(st.builds(link, people, people, st.integers(1, 9)), max_size=4),
        "claims": st.lists(st.builds(claim, people, object=people, quote=people), max_size=2),
    }
)


@settings(max_examples=25, deadline=None)
@given(st.lists(said_of_a_text, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(said, rng: random.Random):
    keys = [f"t{number}" for number in range(len(said))]
    texts = units({key: " ".join(PEOPLE[number:]) for number, key in enumerate(keys)})
    answers = replies(dict(zip(keys, said, strict=True)))
    order = rng.sample(range(len(keys)), len(keys))
    one, other = Graph(answers, texts), Graph(answers[order], texts[order[::-1]])

    for table in ("mentions", "links", "claims", "relationships", "entities"):
        assert_frame_equal(getattr(one, table), getattr(other, table), check_row_order=False)


@settings(max_examples=25, deadline=None)
@given(st.lists(said_of_a_text, max_size=4))
def test_no_reference_dangles_and_no_relation_is_lost(said):
    keys = [f"t{number}" for number in range(len(said))]
    graph = Graph(
        replies(dict(zip(keys, said, strict=True))), units(dict.fromkeys(keys, " ".join(PEOPLE)))
    )
    known = set(graph.entities["id"])

    assert graph.links.height == sum(len(reply["relationships"]) for reply in said)
    assert graph.relationships["n_mentions"].sum() == graph.links["relationship_id"].count()
    assert set(graph.links["source_id"].drop_nulls()) <= known
    assert set(graph.claims["subject_id"]) | set(graph.claims["object_id"].drop_nulls()) <= known
    ends = graph.relationships.select("source_id", "target_id").rows()
    assert graph.relationships["id"].to_list() == sorted(content_id(*pair) for pair in ends)
