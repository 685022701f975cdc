"""reuse: what is kept although a little changed, and what never is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.evidence import Source
from graphrag_assets.reuse import HUBS, digest, lost, same_hubs, share_changed, summary_holds

pieces = st.frozensets(st.sampled_from("abcdefghijklmnopqrstuvwxyz"))


def source(ref, *, said="", tokens=10, made_from=("a",)):
    return Source("entity", ref, digest(said), tokens, made_from)


def sources(*refs, **told):
    return {ref: source(ref, **told) for ref in refs}


class TestSummaries:
    @given(pieces, pieces, st.floats(0, 1))
    def test_never_hold_when_a_piece_is_gone(self, then, now, tolerance):
        if then - now:
            assert not summary_holds(then, now, tolerance)

    @given(pieces)
    def test_of_the_same_pieces_hold(self, made_from):
        assert summary_holds(made_from, made_from, 0)

    @pytest.mark.parametrize(("n", "holds"), [(19, True), (18, True), (17, False)])
    def test_hold_while_a_tenth_of_the_pieces_is_new(self, n, holds):
        then = frozenset(range(n))

        assert summary_holds(then, then | {98, 99}, 0.1) is holds


class TestEvidence:
    def test_is_lost_with_the_element(self):
        assert lost([source("x")], sources("y"))
        assert not lost([source("x")], sources("x", "y"))

    def test_is_lost_with_a_piece_of_the_element(self):
        now = {"x": source("x", said="other", made_from=("b", "c"))}

        assert lost([source("x", made_from=("a", "b"))], now)
        assert not lost([source("x", made_from=("b",))], now)

    def test_is_not_lost_where_the_rest_says_all_that_a_piece_said(self):
        now = {"x": source("x", made_from=("b", "c"))}

        assert not lost([source("x", made_from=("a", "b"))], now)

    def test_of_an_unknown_origin_counts_as_lost(self):
        assert lost([source("x", made_from=None)], sources("x"))
        assert lost([source("x")], {"x": source("x", made_from=None)})

    def test_changes_by_tokens(self):
        then = sources("a", "b", tokens=40) | sources("c")
        moved = sources("a", "b", tokens=40) | sources("d")
        told = then | {"c": source("c", said="other", tokens=20)}

        assert share_changed(then, then) == 0
        assert share_changed(then, moved) == pytest.approx(20 / 100)
        assert share_changed(then, told) == pytest.approx(20 / 100)
        assert share_changed({}, {}) == 0
        assert share_changed({}, then) == 1

    @given(pieces.filter(bool), pieces)
    def test_changes_as_much_as_its_pieces(self, before, came):
        after = before | came
        then = {"x": source("x", said="few", made_from=tuple(before))}
        now = {"x": source("x", said="more", made_from=tuple(after))}
        grown = len(after - before) / len(after) or 1  # other words, and nothing says why

        assert share_changed(then, now) == pytest.approx(grown)
        assert share_changed(then, then) == 0

    @given(pieces, pieces)
    def test_changes_by_the_same_share_both_ways(self, one, other):
        then, now = sources(*one), sources(*other)

        assert share_changed(then, now) == share_changed(now, then)
        assert 0 <= share_changed(then, now) <= 1

    def test_is_another_when_a_hub_came_or_went(self):
        degrees = {ref: 10 - place for place, ref in enumerate("abcdefg")}
        small, large = set("abcdef"), set("abcdefg")

        assert same_hubs(small, large, degrees)
        assert same_hubs(small, large | {"x"}, degrees)
        assert not same_hubs(small, large - {"b"}, degrees)
        assert not same_hubs(small, large | {"x"}, degrees | {"x": 7})
        assert len(small) > HUBS


def test_a_hash_is_that_of_the_text():
    assert digest("text") == digest("text") != digest("Text")
    assert digest("\ud800")
    assert replace(source("x"), id="y").sha256 == source("y").sha256
