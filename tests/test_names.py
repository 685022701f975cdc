"""names.py: which ways of writing a name are the same name."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.names import (
    clean_name,
    fold,
    name_key,
    name_parts,
    other_person,
    person_key,
    with_key,
)

NAMES = st.text(alphabet="aAbB éŁ王·'’\"“.,-‑ßＡ①\n\t", max_size=12)


class TestCleanName:
    @pytest.mark.parametrize(
        ("written", "clean"),
        [
            ("  Ida\n  Holm ", "Ida Holm"),
            ('"Aurora"', "Aurora"),
            ("“Aurora”", "Aurora"),
            ("《极光号》", "极光号"),
            ('"Aurora', "Aurora"),
            ("O'Brien", "O'Brien"),
            ('"Q" Branch', '"Q" Branch'),
            ("'Rebel' Holm", "'Rebel' Holm"),
            ("《甲》和《乙》", "《甲》和《乙》"),
            ('""', ""),
            ("", ""),
        ],
    )
    def test_outer_quotes_and_white_space_go_but_quoted_parts_stay(self, written, clean):
        assert clean_name(written) == clean

    @given(NAMES)
    def test_cleaning_twice_is_cleaning_once(self, name):
        assert clean_name(clean_name(name)) == clean_name(name)


class TestNameKey:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("The Works Board", "works board"),
            ("ACME", "Acme"),
            ("Ａｃｍｅ", "Acme"),
            ("Acme Inc.", "Acme"),
            ("Acme, Inc.", "Acme"),
            ("Acme Co., Ltd.", "Acme"),
            ("Acme GmbH", "Acme"),
            ("Acme S.A.", "Acme"),
            ("德尔塔铁路有限公司", "德尔塔铁路"),
            ("O’Brien", "O'Brien"),
            ("Ida Holm's", "Ida Holm"),
            ("Ida Holm’s", "Ida Holm"),
            ("Saltmarsh\u2011Grid", "Saltmarsh-Grid"),
            ("玛拉•埃利森", "玛拉·埃利森"),
            ("玛拉・埃利森", "玛拉·埃利森"),
            ("«Aurora»", "aurora"),
            ("Ida\nHolm", "Ida Holm"),
            ("Straße", "STRASSE"),
        ],
    )
    def test_ways_of_writing_one_name_have_one_key(self, one, other):
        assert name_key(one) == name_key(other)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("C++", "C"),
            ("C#", "C++"),
            (".NET", "Net"),
            ("AT&T", "ATT"),
            ("An Wang", "Wang"),
            ("Mrs Hale", "Hale"),
            ("Turbine 4", "Turbine 7"),
            ("有限公司", "公司"),
        ],
    )
    def test_what_distinguishes_stays(self, one, other):
        assert name_key(one) != name_key(other)

    @pytest.mark.parametrize("name", ["The", "Inc", "...", '"', "'s"])
    def test_a_name_of_nothing_but_signs_still_has_a_key(self, name):
        assert name_key(name)

    @given(NAMES)
    def test_the_key_of_a_written_name_stands_in_the_folded_name(self, name):
        assert name_key(name) in fold(name)

    @given(NAMES)
    def test_case_and_outer_space_never_matter(self, name):
        assert name_key(f" {name.casefold()}  ") == name_key(name)


class TestPersonKey:
    @pytest.mark.parametrize(
        ("name", "key"),
        [
            ("Dr Lin Wei", "lin wei"),
            ("Prof. Dr. Lin Wei", "lin wei"),
            ("Mr. Hale", "hale"),
            ("埃利森女士", "埃利森"),
            ("Mrs Hale", "mrs hale"),
            ("Lady Hale", "lady hale"),
            ("Doctor", "doctor"),
            ("Captain", "captain"),
            ("博士", "博士"),
        ],
    )
    def test_titles_that_do_not_distinguish_people_go(self, name, key):
        assert person_key(name) == key

    def test_mrs_and_lady_say_that_it_may_be_somebody_else(self):
        found = {key: other_person(key) for key in ("mrs hale", "lady hale", "hale", "mrs")}

        assert found == {"mrs hale": True, "lady hale": True, "hale": False, "mrs": False}


def test_parts_are_words_or_what_stands_between_dots():
    assert name_parts("ida holm") == ("ida", "holm")
    assert name_parts("玛拉·埃利森") == ("玛拉", "埃利森")
    assert name_parts("") == ()


def test_keys_are_added_in_the_order_of_the_rows():
    names = ["Zed", "The Aurora", None, "Holm", "The Aurora"]
    keyed = with_key(pl.DataFrame({"title": names}), "title", "key")

    assert keyed["title"].to_list() == names
    assert keyed["key"].to_list() == ["zed", "aurora", None, "holm", "aurora"]


def test_no_rows_have_no_keys():
    keyed = with_key(pl.DataFrame(schema={"title": pl.String}), "title", "key")

    assert keyed.schema == {"title": pl.String, "key": pl.String}
