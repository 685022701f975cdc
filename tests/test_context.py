"""context.py: rows packed into a budget, and the short ids by which a text cites them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.context import (
    Child,
    Community,
    Item,
    Markers,
    cited,
    elements,
    keep_known,
    marker,
    pack,
    pack_community,
    render,
)

HOLM = Item("entity", "12ab34cd" * 4, "Ida Holm (person): A captain.", 10)
HALE = Item("entity", "56cd78ef" * 4, "Viktor Hale (person): He paid.", 10)
MET = Item("relationship", "90ab12cd" * 4, "Ida Holm — Viktor Hale: They met.", 10)
PAID = Item("claim", "aabbccdd" * 4, "Viktor Hale: He paid a fine. (true)", 10)


def item(number: int, n_tokens: int, kind: str = "entity") -> Item:
    return Item(kind, f"{number:032x}", f"{kind} {number}", n_tokens)


class TestMarkers:
    def test_a_marker_is_a_letter_for_the_kind_and_the_first_digits_of_the_id(self):
        kinds = ("entity", "relationship", "claim", "report", "text_unit")

        assert [marker(kind, "12ab34cd" * 4) for kind in kinds] == [
            "E12ab34cd",
            "R12ab34cd",
            "C12ab34cd",
            "P12ab34cd",
            "T12ab34cd",
        ]

    def test_rows_are_told_by_kind_whatever_their_order(self):
        assert render([PAID, MET, HALE, HOLM]) == (
            "## Entities\n"
            "[E56cd78ef] Viktor Hale (person): He paid.\n"
            "[E12ab34cd] Ida Holm (person): A captain.\n\n"
            "## Relationships\n"
            "[R90ab12cd] Ida Holm — Viktor Hale: They met.\n\n"
            "## Claims\n"
            "[Caabbccdd] Viktor Hale: He paid a fine. (true)"
        )
        assert render([]) == ""

    def test_a_row_keeps_its_marker_when_others_come_and_go(self):
        for others in ([], [HALE], [HALE, MET, PAID]):
            assert "[E12ab34cd] Ida Holm" in render([*others, HOLM])


class TestDistinct:
    NEAR = Item("entity", "12ab34cd" + "0" * 24, "Ida Holm the younger (person).", 10)

    def test_a_thing_that_shares_its_first_digits_gets_more_of_them(self):
        found = Markers().distinct([HOLM, self.NEAR, HALE])

        assert [one.marker for one in found] == ["E12ab34cd", "E12ab34cd00000000", "E56cd78ef"]
        assert cited(" ".join(f"[{one.marker}]" for one in found)) == [o.marker for o in found]

    def test_a_thing_keeps_its_marker_in_all_prompts_of_a_question(self):
        markers = Markers()
        first, second = markers.distinct([HOLM, self.NEAR]), markers.distinct([self.NEAR, HOLM])

        assert first == second[::-1]

    @given(st.lists(st.text("01", min_size=32, max_size=32), unique=True))
    def test_no_two_things_share_a_marker(self, ids):
        items = [Item(kind, ref, "", 1) for ref in ids for kind in ("entity", "claim")]
        found = Markers().distinct([*items, *items])

        assert len({one.marker for one in found}) == len(items)
        assert all(one.id.startswith(one.marker[1:]) for one in found)


class TestCitations:
    @pytest.mark.parametrize(
        ("text", "markers"),
        [
            ("She sailed [E12ab34cd].", ["E12ab34cd"]),
            ("She sailed [E12ab34cd, R90ab12cd].", ["E12ab34cd", "R90ab12cd"]),
            (
                "She sailed [E12ab34cd; R90ab12cd][T00000000].",
                ["E12ab34cd", "R90ab12cd", "T00000000"],
            ),
            ("She sailed [ E12ab34cd R90ab12cd ].", ["E12ab34cd", "R90ab12cd"]),
            ("One [E12ab34cd] and again [E12ab34cd].", ["E12ab34cd"]),
            ("In [2031] and [123456] and [12345678].", []),
            ("[note], [E], [E12], [Ella], [e12ab34cd], [E12AB34CD]", []),
            ("E12ab34cd without brackets", []),
            ("[E12ab34cd, see 2031]", []),
            ("[E12ab34cd](https://example.org)", ["E12ab34cd"]),
            ("", []),
        ],
    )
    def test_only_short_ids_in_square_brackets_are_citations(self, text, markers):
        assert cited(text) == markers

    @pytest.mark.parametrize(
        ("text", "kept", "removed"),
        [
            ("Sailed [E12ab34cd].", "Sailed [E12ab34cd].", 0),
            ("Sailed [E00000000].", "Sailed.", 1),
            ("Sailed [E12ab34cd; X00000000, E00000000].", "Sailed [E12ab34cd].", 2),
            ("In [2031], [123456] and [12345678].", "In [2031], [123456] and [12345678].", 0),
            (
                "[E12ab34cd] sailed.\n\n[E12ab34cd] left.",
                "[E12ab34cd] sailed.\n\n[E12ab34cd] left.",
                0,
            ),
            ("- one\n- [E00000000]", "- one\n-", 1),
            ("", "", 0),
        ],
    )
    def test_unknown_ids_are_removed_and_counted_the_rest_stays_as_it_is(self, text, kept, removed):
        assert keep_known(text, ["E12ab34cd"]) == (kept, removed)

    def test_a_long_list_that_was_cut_off_takes_no_time(self):
        """Each gap once had two readings: 2 ** 200 ways to see that no bracket closes."""
        text = "[" + "E12ab34cd " * 200

        assert cited(text) == []
        assert keep_known(text, []) == (text, 0)

    @given(st.lists(st.sampled_from([HOLM, HALE, MET, PAID]), unique=True))
    def test_what_is_rendered_can_be_cited(self, items):
        assert set(cited(render(items))) == {one.marker for one in items}


class TestPack:
    def test_what_is_too_long_is_skipped_and_not_the_rest(self):
        assert pack([item(1, 5), item(2, 50), item(3, 5)], 10) == [item(1, 5), item(3, 5)]

    @given(st.lists(st.integers(0, 30)), st.integers(-5, 100))
    def test_packing_never_exceeds_its_budget_and_keeps_the_order(self, sizes, budget):
        items = [item(number, size) for number, size in enumerate(sizes)]
        packed = pack(items, budget)
        left = [one for one in items if one not in packed]
        room = budget - sum(one.n_tokens for one in packed)

        assert sum(one.n_tokens for one in packed) <= max(budget, 0)
        assert packed == [one for one in items if one in packed]
        assert all(one.n_tokens > room for one in left)


def community(children: tuple[Child, ...] = (), lone: tuple[Item, ...] = ()) -> Community:
    return Community(
        id="c",
        relationships=[MET],
        around={MET.id: [HOLM, HALE, PAID]},
        lone=[HOLM, *lone],
        children=children,
    )


def child(number: int, *covered: Item, report_tokens: int = 5) -> Child:
    return Child(
        report=item(number, report_tokens, "report"),
        element_ids=frozenset(one.id for one in covered),
        included_ids=frozenset(one.id for one in covered),
        n_tokens=sum(one.n_tokens for one in covered),
    )


class TestPackCommunity:
    def test_a_relationship_comes_after_its_ends_and_their_claims_each_once(self):
        assert elements(community(lone=(item(1, 5),))) == [HOLM, HALE, PAID, MET, item(1, 5)]

    def test_if_everything_fits_everything_is_there(self):
        packed = pack_community(community((child(9, HOLM),)), 40)

        assert packed.items == (HOLM, HALE, PAID, MET)
        assert (packed.replaced, packed.cut) == ((), ())

    def test_without_children_the_end_is_cut(self):
        packed = pack_community(community(), 35)

        assert (packed.items, packed.cut) == ((HOLM, HALE, PAID), (MET,))

    def test_the_biggest_child_is_replaced_by_its_report_first(self):
        small, big = child(8, HOLM), child(9, HALE, PAID)
        packed = pack_community(community((small, big)), 30)

        assert packed.items == (big.report, HOLM, MET)
        assert (packed.replaced, packed.cut) == ((big,), ())

    def test_then_the_next_until_it_fits(self):
        small, big = child(8, HOLM), child(9, HALE, PAID)
        packed = pack_community(community((small, big)), 20)

        assert packed.items == (big.report, small.report, MET)
        assert (packed.replaced, packed.cut) == ((big, small), ())

    def test_children_of_one_size_are_replaced_in_the_order_of_their_ids(self):
        one, other = child(8, HOLM), child(9, HALE)

        assert pack_community(community((other, one)), 35).replaced == (one,)

    def test_a_report_longer_than_its_elements_replaces_nothing(self):
        packed = pack_community(community((child(9, HOLM, report_tokens=10),)), 30)

        assert (packed.replaced, packed.cut) == ((), (MET,))

    def test_a_report_that_does_not_fit_itself_leaves_its_elements_there(self):
        packed = pack_community(community((child(9, HOLM, HALE, report_tokens=19),)), 15)

        assert packed.items == (HOLM,)
        assert (packed.replaced, packed.cut) == ((), (HALE, PAID, MET))

    def test_nothing_fits_a_budget_of_nothing(self):
        packed = pack_community(community((child(9, HOLM),)), 0)

        assert packed.items == ()
        assert packed.cut == (HOLM, HALE, PAID, MET)

    @given(
        st.lists(st.integers(1, 30), min_size=1, max_size=12),
        st.lists(st.integers(1, 40), max_size=4),
        st.integers(0, 200),
    )
    def test_every_element_is_packed_replaced_or_cut_within_the_budget(
        self, sizes, reports, budget
    ):
        items = [item(number, size) for number, size in enumerate(sizes)]
        children = [
            child(100 + number, *items[number :: len(reports) + 1], report_tokens=size)
            for number, size in enumerate(reports)
        ]
        everything = Community("c", [], {}, lone=items, children=children)
        packed = pack_community(everything, budget)
        there = [one.id for one in packed.items]
        cut = {one.id for one in packed.cut}
        told = frozenset().union(*(one.element_ids for one in packed.replaced))

        assert sum(one.n_tokens for one in packed.items) <= budget
        assert len(there) == len(set(there))
        assert sorted([*(set(there) & {one.id for one in items}), *cut, *told]) == sorted(
            one.id for one in items
        )
        assert {one.report.id for one in packed.replaced} == set(there) - {one.id for one in items}
        if sum(sizes) <= budget:
            assert packed.items == tuple(items)
