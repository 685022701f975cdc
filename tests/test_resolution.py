"""resolution.py: names that are one entity merge, names that aren't never do."""

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from graphrag_assets.errors import SettingsError
from graphrag_assets.names import name_key
from graphrag_assets.resolution import Overrides, load_overrides, part_homonyms, resolve_aliases

PERSON, ORGANIZATION, PLACE, UNKNOWN = "person", "organization", "place", "unknown"
SCHEMA = {
    "text_unit_id": pl.String,
    "title": pl.String,
    "type": pl.String,
    "description": pl.String,
    "key": pl.String,
    "supported": pl.Boolean,
}


def rows(*mentions: tuple[str, ...]) -> pl.DataFrame:
    """Return mentions of (text unit, title, type, description, which may be left out)."""
    made = [
        (unit, title, kind, said[0] if said else "", name_key(title), True)
        for unit, title, kind, *said in mentions
    ]
    return pl.DataFrame(made, schema=SCHEMA, orient="row")


def resolve(mentions: pl.DataFrame, similar: float = 0.95, **overrides) -> pl.DataFrame:
    return resolve_aliases(mentions, similar=similar, overrides=Overrides(**overrides))


def groups(aliases: pl.DataFrame) -> set[frozenset[str]]:
    return {frozenset(titles) for _, titles in aliases.group_by("entity_id").agg("title").rows()}


def together(*titles: str, kind: str = PERSON, similar: float = 0.95, **overrides) -> set:
    """Return the groups of names that stand in one text unit."""
    return groups(resolve(rows(*(("a", title, kind) for title in titles)), similar, **overrides))


def apart(*titles: str, kind: str = PERSON) -> set:
    """Return the groups of names that stand in a text unit each."""
    return groups(resolve(rows(*((title, title, kind) for title in titles))))


class TestMerges:
    @pytest.mark.parametrize(
        ("titles", "kind"),
        [
            (["Aurora", "the AURORA", "“Aurora”"], "ship"),
            (["Acme", "Acme Inc.", "Acme Co., Ltd."], ORGANIZATION),
            (["Lin Wei", "Dr Lin Wei"], PERSON),
            (["Lin Wei", "Prof. Dr. Lin Wei"], PERSON),
            (["Dr Lin Wei", "Prof Lin Wei"], PERSON),
            (["Hale", "Mr Hale", "Captain Hale"], PERSON),
            (["埃利森", "埃利森女士"], PERSON),
            (["Meridian Wind Cooperative", "Meridian Wind Co-operative"], ORGANIZATION),
        ],
    )
    def test_ways_of_writing_one_name_are_one_wherever_they_stand(self, titles, kind):
        assert apart(*titles, kind=kind) == {frozenset(titles)}

    @pytest.mark.parametrize(
        ("titles", "kind"),
        [
            (["Mara Ellison", "Ellison"], PERSON),
            (["Mara Ellison", "Ellison", "Ms Ellison", "Dr Mara Ellison"], PERSON),
            (["Mara Ellison", "Mara"], PERSON),
            (["Mara Ellison", "Captain Ellison"], PERSON),
            (["Dr Mara Ellison", "Prof Mara Ellison", "Ellison"], PERSON),
            (["玛拉·埃利森", "埃利森", "埃利森女士"], PERSON),
            (["Saltmarsh Grid", "Saltmarsh"], ORGANIZATION),
        ],
    )
    def test_a_short_form_is_the_only_longer_name_of_its_text_unit(self, titles, kind):
        assert together(*titles, kind=kind) == {frozenset(titles)}

    @pytest.mark.parametrize(
        ("titles", "kind"),
        [
            (["Mara Ellison", "Ellison"], PERSON),
            (["玛拉·埃利森", "埃利森"], PERSON),
            (["Mara Ellison", "M. Ellison"], PERSON),
            (["Nordvik Turbines", "Nordvik"], ORGANIZATION),
            (["Kestrel Point Fishers' Cooperative", "Fishers' Cooperative"], ORGANIZATION),
            (["诺德维克涡轮机公司", "诺德维克"], ORGANIZATION),
            (["隼角渔民合作社", "渔民合作社"], ORGANIZATION),
        ],
    )
    def test_a_short_form_in_another_text_unit_is_the_only_longer_name(self, titles, kind):
        assert apart(*titles, kind=kind) == {frozenset(titles)}

    @pytest.mark.parametrize(
        ("titles", "kind"),
        [
            (["Mara Ellison", "Mara"], PERSON),  # a given name, once, somewhere else
            (["Mara Ellison", "Mona Ellison", "M. Ellison"], PERSON),
            (["Mara Ellison", "J. Ellison"], PERSON),
            (["盐沼研究所", "盐沼电网", "盐沼"], ORGANIZATION),
            (["Union Maritime Bank", "Bank"], ORGANIZATION),
        ],
    )
    def test_what_may_mean_another_stays_alone(self, titles, kind):
        assert apart(*titles, kind=kind) == {frozenset({title}) for title in titles}

    def test_a_part_that_is_used_more_than_the_whole_is_a_name_of_its_own(self):
        often = [(f"u{n}", "Apple", ORGANIZATION) for n in range(3)]
        found = resolve(rows(*often, ("x", "Apple Records", ORGANIZATION)))

        assert groups(found) == {frozenset({"Apple"}), frozenset({"Apple Records"})}

    def test_a_short_form_without_a_type_is_one_too(self):
        found = resolve(rows(("a", "Mara Ellison", PERSON), ("a", "Ellison", UNKNOWN)))

        assert groups(found) == {frozenset({"Mara Ellison", "Ellison"})}

    def test_a_misspelt_full_name_merges_although_its_surname_stands_alone_too(self):
        found = together("Mara Ellison", "Mara Elison", "Ellison", similar=0.9)

        assert found == {frozenset({"Mara Ellison", "Mara Elison", "Ellison"})}

    def test_the_same_name_with_different_types_is_one_entity(self):
        found = resolve(rows(("a", "Aurora", "ship"), ("a", "Aurora", "vessel")))

        assert found["entity_id"].n_unique() == 1
        assert found.select("title", "type").rows() == [("Aurora", "ship"), ("Aurora", "vessel")]


class TestNeverMerges:
    @pytest.mark.parametrize(
        ("titles", "kind"),
        [
            (["Isaac Corrigan", "Abel Corrigan"], PERSON),
            (["Isaac Corrigan", "Abel Corrigan", "Corrigan"], PERSON),
            (["Isaac Corrigan", "Abel Corrigan", "Judge Corrigan", "Captain Corrigan"], PERSON),
            (["Mr Hale", "Mrs Hale"], PERSON),
            (["Mr Corrigan", "Mrs Corrigan"], PERSON),
            (["Mr Montgomery-Smith", "Mrs Montgomery-Smith"], PERSON),
            (["Macbeth", "Lady Macbeth"], PERSON),
            (["Dr Lin", "Prof Lin"], PERSON),
            (["Saltmarsh Grid", "Saltmarsh Institute"], ORGANIZATION),
            (["Saltmarsh Grid", "Saltmarsh Institute", "Saltmarsh"], ORGANIZATION),
            (["Turbine 4", "Turbine 7"], "object"),
            (["Saltmarsh Turbine 14", "Saltmarsh Turbine 41"], "object"),
            (["Saltmarsh Substation A", "Saltmarsh Substation B"], "object"),
            (["Working Group II", "Working Group III"], ORGANIZATION),
            (["Directive 2031/17/EC", "Directive 2031/18/EC"], "law"),
            (["Evil Spirit", "Spirit"], "event"),
            (["C", "C++", "C#"], "language"),
            (["An Wang", "Wang"], PLACE),
            (["北方电网", "北方电信"], ORGANIZATION),
        ],
    )
    def test_names_that_are_alike_but_not_the_same(self, titles, kind):
        assert together(*titles, kind=kind) == {frozenset({title}) for title in titles}

    def test_a_surname_is_not_an_organisation_or_a_place(self):
        found = resolve(
            rows(
                ("a", "Mara Ellison", PERSON), ("a", "Ellison", ORGANIZATION), ("a", "Mara", PLACE)
            )
        )

        assert found["entity_id"].n_unique() == 3

    def test_near_names_of_different_types(self):
        found = resolve(
            rows(("a", "Meridian Wind Park", PLACE), ("a", "Meridian Wind Parks", "event"))
        )

        assert found["entity_id"].n_unique() == 2

    def test_the_man_is_told_from_his_wife_where_both_share_the_surname(self):
        found = together("Viktor Hale", "Hale", "Mr Hale", "Mrs Hale")

        assert found == {frozenset({"Viktor Hale", "Hale", "Mr Hale"}), frozenset({"Mrs Hale"})}

    def test_a_chain_of_small_differences_joins_no_names_that_are_far_apart(self):
        """Each is near the next; complete link looks at every pair of the group."""
        chain = ["aaaaaaaa", "aaaaaabb", "aaaabbbb", "aabbbbbb", "bbbbbbbb"]
        found = together(*chain, kind="code", similar=0.75)

        assert len(found) > 1
        assert not any({"aaaaaaaa", "bbbbbbbb"} <= group for group in found)

    def test_unsupported_names_have_no_alias(self):
        mentions = rows(("a", "Ana Ruiz", PERSON), ("a", "Ida Holm", PERSON))
        found = resolve(mentions.with_columns(supported=pl.col("title") != "Ana Ruiz"))

        assert found["title"].to_list() == ["Ida Holm"]


class TestHow:
    def test_every_alias_says_how_and_how_surely_it_was_decided(self):
        found = resolve(
            rows(
                ("a", "Mara Ellison", PERSON),
                ("a", "Dr Mara Ellison", PERSON),
                ("a", "Ellison", PERSON),
                ("a", "Mara Elisson", PERSON),
                ("a", "Tern Harbour", PLACE),
                ("a", "Port Vale", PLACE),
            ),
            similar=0.9,
            same=(("Tern Harbour", "Port Vale"),),
        )
        how = {
            title: (method, round(score, 2))
            for title, method, score in found[["title", "method", "score"]].rows()
        }

        assert how == {
            "Mara Ellison": ("exact", 1.0),
            "Dr Mara Ellison": ("normalised", 1.0),
            "Ellison": ("short_form", 0.58),
            "Mara Elisson": ("similar", 0.92),
            "Tern Harbour": ("exact", 1.0),
            "Port Vale": ("override", 1.0),
        }

    def test_no_names_have_no_aliases(self):
        found = resolve(rows())

        assert found.is_empty()
        assert found.schema == {
            "title": pl.String,
            "type": pl.String,
            "entity_id": pl.String,
            "method": pl.String,
            "score": pl.Float64,
        }


class TestOverrides:
    def test_what_a_person_calls_the_same_is(self):
        found = together(
            "Port Vale", "Tern Harbour", "Aurora", same=(("tern harbour", "Port Vale"),)
        )

        assert found == {frozenset({"Port Vale", "Tern Harbour"}), frozenset({"Aurora"})}

    def test_what_a_person_calls_different_is_not_even_joined_through_others(self):
        found = together("Viktor Hale", "Hale", "Mr Hale", different=(("Mr Hale", "Viktor Hale"),))

        assert found == {frozenset({"Viktor Hale"}), frozenset({"Hale", "Mr Hale"})}

    def test_different_wins_over_same(self):
        found = together("Isaac", "Abel", same=(("Isaac", "Abel"),), different=(("Abel", "Isaac"),))

        assert len(found) == 2

    def test_names_that_the_corpus_lacks_do_no_harm(self):
        found = together("Isaac", same=(("Abel", "Isaac"), ("Kain",)), different=(("Abel", "Eve"),))

        assert found == {frozenset({"Isaac"})}

    def test_a_file_says_same_and_different(self, tmp_path):
        path = tmp_path / "aliases.toml"
        path.write_text('same = [["Ida Holm", "I. Holm"]]\ndifferent = [["Mr X", "Mrs X"]]\n')

        assert load_overrides(path) == Overrides((("Ida Holm", "I. Holm"),), (("Mr X", "Mrs X"),))

    def test_no_file_says_nothing(self, tmp_path):
        assert load_overrides(tmp_path / "aliases.toml") == Overrides()

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            (b"same = [[", "aliases.toml: "),
            (b"\xff\xfe", "aliases.toml: "),
            (b"sane = []", "unknown key `sane`, not same or different"),
            (b'same = ["Ida Holm", "Holm"]', "`same` must be a list of groups of names"),
            (b'same = "Ida Holm"', "`same` must be a list of groups of names"),
            (b"different = [[1, 2]]", "`different` must be a list of groups of names"),
            (b"different = 3", "`different` must be a list of groups of names"),
        ],
    )
    def test_a_malformed_file_is_named(self, tmp_path, text, problem):
        path = tmp_path / "aliases.toml"
        path.write_bytes(text)

        with pytest.raises(SettingsError) as caught:
            load_overrides(path)
        assert problem in str(caught.value)


class TestHomonyms:
    PLANET = ("Innermost world of the solar system", "planet")
    SHIP = ("Cargo vessel under repair", "ship")

    def mentions(self, *uses: tuple[str, tuple[str, str], str]) -> pl.DataFrame:
        made = []
        for unit, (said, kind), beside in uses:
            made += [(unit, "Mercury", kind, said), (unit, beside, PLACE, "")]
        return rows(*made)

    def test_a_name_that_means_two_things_is_two_entities(self):
        found = resolve(
            self.mentions(
                ("a", self.PLANET, "Sun"),
                ("b", self.PLANET, "Sun"),
                ("c", self.SHIP, "Tern"),
                ("d", self.SHIP, "Tern"),
            )
        ).filter(title="Mercury")

        assert found["entity_id"].n_unique() == 2
        assert found["type"].to_list() == ["planet", "ship"]

    @pytest.mark.parametrize(
        "uses",
        [
            [("a", PLANET, "Sun"), ("b", PLANET, "Sun"), ("c", SHIP, "Tern")],
            [("a", PLANET, "Sun"), ("b", PLANET, "Sun"), ("c", SHIP, "Tern"), ("d", SHIP, "Sun")],
            [
                ("a", PLANET, "Sun"),
                ("b", PLANET, "Sun"),
                ("c", (PLANET[0], "world"), "Tern"),
                ("d", (PLANET[0], "world"), "Tern"),
            ],
        ],
        ids=["seen once", "beside a common name", "described alike"],
    )
    def test_it_stays_one_without_good_reason(self, uses):
        found = resolve(self.mentions(*uses)).filter(title="Mercury")

        assert found["entity_id"].n_unique() == 1

    def test_mentions_without_type_stay_one(self):
        mentions = rows(*((unit, "Mercury", UNKNOWN, said) for unit, said in ("ax", "by", "cz")))

        assert_frame_equal(part_homonyms(mentions), mentions)


def many_names(n: int) -> pl.DataFrame:
    rng = random.Random(7)
    syllables = ["ka", "lo", "mi", "ten", "ras", "vu", "shi", "bor", "gal", "ne"]
    words = ["".join(rng.choices(syllables, k=rng.randint(2, 4))).title() for _ in range(n)]
    return rows(
        *(
            (f"u{number % 700}", f"{words[number]} {words[-number]} {number % 50}", PERSON, "")
            for number in range(n)
        )
    )


def test_five_thousand_names_are_compared_in_blocks_not_all_with_all():
    mentions = many_names(5000)
    found = resolve(mentions)

    assert found.height == mentions.select("title", "type").n_unique()
    assert found["entity_id"].n_unique() > 4000


NAMES = [
    *("Ida Holm", "Holm", "Captain Holm", "Mrs Holm", "Ada Holm", "Ida Holmes", "Ida"),
    *("Saltmarsh Grid", "Saltmarsh", "Saltmarsh Institute", "玛拉·埃利森", "埃利森", "埃利森女士"),
]
mentioned = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.sampled_from(NAMES),
        st.sampled_from([PERSON, ORGANIZATION, UNKNOWN]),
        st.sampled_from(["", "Sailed.", "Paid a fine."]),
    ),
    max_size=25,
)
overridden = st.lists(st.lists(st.sampled_from(NAMES), max_size=3), max_size=2)


@settings(max_examples=60, deadline=None)
@given(mentioned, overridden, overridden, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_of_names_in_a_group_does_not_matter(said, same, different, rng):
    shuffled = rng.sample(said, len(said))
    one = resolve(rows(*said), 0.85, same=same, different=different)
    other = resolve(rows(*shuffled), 0.85, same=same, different=different[::-1])

    assert_frame_equal(one, other)


@settings(max_examples=60, deadline=None)
@given(mentioned, overridden)
def test_every_name_is_one_entity_and_forbidden_pairs_are_two(said, different):
    found = resolve(rows(*said), 0.85, different=different)
    entity = dict(found.select("title", "entity_id").rows())

    assert set(found.select("title", "type").rows()) == {
        (title, kind) for _, title, kind, _ in said
    }
    for group in different:
        for one in group:
            for other in group:
                if one != other and {one, other} <= entity.keys():
                    assert entity[one] != entity[other]


@settings(max_examples=60, deadline=None)
@given(mentioned)
def test_saying_everything_twice_changes_nothing(said):
    mentions = rows(*said)
    first = resolve(mentions, 0.85)
    again = resolve(pl.concat([mentions, mentions]), 0.85)

    assert_frame_equal(first, again)


class TestDoubts:
    """Pairs that are nearly similar, and what is decided about them."""

    ROWS = rows(
        ("a", "Halvorsen Shipyard", ORGANIZATION, "Builds ferries."),
        ("b", "Halvorson Shipyards", ORGANIZATION, "Built the <Aurora>."),
        ("c", "Halvorsen School", ORGANIZATION),
        ("d", "Pier 4", PLACE),
        ("e", "Pier 7", PLACE),
    )

    def decided(self, answer, *, mentions=ROWS, **overrides):
        asked = []

        def decide(doubts):
            asked.extend(doubts)
            return [answer(doubt) for doubt in doubts]

        found = resolve_aliases(
            mentions, similar=0.95, overrides=Overrides(**overrides), decide=decide
        )
        return found, asked

    def test_a_pair_in_doubt_merges_if_it_is_said_to_be_the_same(self):
        found, asked = self.decided(lambda _: True)
        methods = dict(found.select("title", "method").iter_rows())

        assert {("Halvorsen Shipyard", "Halvorson Shipyards")} == {
            tuple(sorted(line.partition(" (")[0] for line in (doubt.one, doubt.other)))
            for doubt in asked
        }
        assert frozenset({"Halvorsen Shipyard", "Halvorson Shipyards"}) in groups(found)
        assert "model" in methods.values()

    def test_what_is_not_the_same_stays_apart(self):
        found, _ = self.decided(lambda _: False)

        assert found.equals(resolve(self.ROWS))

    def test_a_line_tells_type_and_descriptions_and_cant_end_the_block(self):
        _, (doubt,) = self.decided(lambda _: False)

        assert {
            "Halvorsen Shipyard (organization): Builds ferries.",
            "Halvorson Shipyards (organization): Built the ‹Aurora›.",
        } == {doubt.one, doubt.other}

    def test_nobody_is_asked_about_what_a_person_decided(self):
        different = (("Halvorsen Shipyard", "Halvorson Shipyards"),)
        _, asked = self.decided(lambda _: True, different=different)

        assert asked == []

    def test_the_most_similar_are_asked_about_up_to_a_limit(self, monkeypatch):
        monkeypatch.setattr("graphrag_assets.resolution.MOST_DOUBTS", 2)
        names = [
            f"Nordvik {word} Fisheries" for word in ("Harbor", "Harbour", "Harboure", "Harbro")
        ]
        mentions = rows(*((name, name, ORGANIZATION) for name in names))
        _, asked = self.decided(lambda _: False, mentions=mentions)

        assert len(asked) <= 2
        assert asked == sorted(asked, key=lambda doubt: -doubt.link.score)
