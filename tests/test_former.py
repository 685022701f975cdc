"""former: which reports of the last run still hold, and what they rest on from then on."""

import polars as pl
import pytest

from graphrag_assets.evidence import EVIDENCE, evidence_rows
from graphrag_assets.former import LOST_BELOW, Former
from table_rows import rows_of
from test_evidence import PLENTY, TWO, Corpus, bottom_up, graph, name, report

PAIRS = ["ab", "ac", "ad", "ae", "af"]
ONE = {"root": ("abcdef", None)}


def corpus(*, claims=(), letters="abcdef", pairs=PAIRS, words=30):
    return Corpus(letters, pairs, list(claims), words=words)


def written(whole, community="root", budget=PLENTY, **changed):
    """Return the tables of a run that wrote a report on all it saw."""
    evidence = bottom_up(whole, budget)
    rows = [
        {
            "community_id": one,
            "status": "ok",
            "recipe": "r1",
            "evidence": found.fingerprint,
            "refreshed_in": 3,
            **changed,
        }
        for one, found in evidence.items()
    ]
    table = pl.DataFrame(list(evidence_rows(evidence)), schema=EVIDENCE, orient="row")
    return rows_of("community_reports", *rows), table


def kept(before, now, *, communities=ONE, tolerance=0.1, recipe="r1", community="root"):
    """Return the report that holds, of a community of today, and what it rests on."""
    whole = graph(now, communities)
    former = Former(*before, whole.rows, frozenset(whole.levels), recipe, tolerance)
    return former.kept(bottom_up(whole, PLENTY)[community])


def first(**changed):
    return written(graph(corpus(), ONE), **changed)


def said_more(of, found):
    """Return a corpus in which an element's description has one more piece."""
    added = pl.when(pl.col("id") == name(of))
    found.entities = found.entities.with_columns(
        description=added.then(pl.col("description") + " more").otherwise("description"),
        made_from=added.then(pl.concat_list("made_from", pl.lit("more"))).otherwise("made_from"),
    )
    return found


def test_one_with_the_same_evidence_is_kept_as_it_is():
    report, rests_on = kept(first(), corpus())

    assert (report["status"], report["reason"], report["refreshed_in"]) == ("ok", None, 3)
    assert rests_on.rests_on.keys() == {name(ref) for ref in (*"abcdef", *PAIRS)}


def test_a_little_that_changed_makes_it_stale_and_says_how_much():
    report, rests_on = kept(first(), said_more("f", corpus()))

    assert report["status"] == "stale"
    assert report["reason"] == "3.1% of its evidence changed since version 3"
    assert (
        rests_on.rests_on[name("f")].made_from
        == kept(first(), corpus())[1].rests_on[name("f")].made_from
    )


def test_a_little_that_came_makes_it_stale_and_is_no_part_of_what_it_rests_on():
    report, rests_on = kept(first(), corpus(claims="b", words=30))

    assert report["status"] == "stale"
    assert name("b0") not in rests_on.rests_on


def test_one_that_was_stale_is_not_any_more_when_the_evidence_is_what_it_was():
    report, _ = kept(first(status="stale", reason="5.0% …"), corpus())

    assert (report["status"], report["reason"]) == ("ok", None)


@pytest.mark.parametrize(
    "now",
    [
        corpus(claims="bc", words=90),  # too much came
        corpus(letters="abcdefx", pairs=[*PAIRS, "ax", "bx", "cx", "dx"], words=3),  # a hub came
    ],
)
def test_more_than_that_is_written_again(now):
    assert kept(first(), now) is None


def test_an_element_that_is_gone_is_written_again_however_little_it_was():
    with_claim = written(graph(corpus(claims="b", words=30), ONE))

    assert kept(with_claim, corpus()) is None


def test_a_piece_that_is_gone_is_written_again_however_little_it_was():
    more = written(graph(said_more("f", corpus()), ONE))

    assert kept(more, corpus(), tolerance=1) is None


def test_an_element_that_only_moved_to_another_community_is_a_change_like_any_other():
    letters = "abcdefg"
    apart = {"root": ("abcdef", None), "other": ("g", None)}
    together = written(graph(corpus(letters=letters), {"root": (letters, None)}))
    moved = kept(together, corpus(letters=letters), communities=apart)
    then = kept(together, corpus(letters="abcdef"), communities=ONE)

    assert moved[0]["status"] == "stale"
    assert name("g") in moved[1].rests_on
    assert then is None


def test_without_tolerance_only_the_same_holds():
    assert kept(first(), said_more("f", corpus()), tolerance=0) is None
    assert kept(first(), corpus(), tolerance=0)


@pytest.mark.parametrize("status", ["failed", "refused", "truncated", "filtered"])
def test_one_that_is_missing_is_asked_again(status):
    assert kept(first(status=status), corpus()) is None


def test_another_recipe_writes_all_again():
    assert kept(first(), corpus(), recipe="r2") is None


def test_a_report_of_older_code_whose_evidence_is_not_known_is_written_again():
    reports, evidence = first()
    unknown = evidence.with_columns(pl.lit(None, pl.List(pl.String)).alias("made_from"))

    assert kept((reports, unknown), said_more("f", corpus())) is None
    assert kept((reports, unknown), corpus())


def test_a_parent_rests_on_what_its_childs_report_rests_on():
    """A fact that left the child's community is still in the child's report, and so in its own."""
    whole = graph(Corpus("abcd", ["ab", "bc", "cd"], [], words=30), TWO)
    reports = {one: {"full_content": "# Short\n\nreport", "n_tokens": 4} for one in TWO}
    below = bottom_up(whole, PLENTY)
    moved = below["left"].rests_on[name("a")]
    old = dict(below["left"].rests_on) | {"gone": type(moved)("entity", "gone", "", 5, ("x",))}
    left = type(below["left"])(**{**vars(below["left"]), "rests_on": old})
    root = whole.evidence("root", reports, {**below, "left": left}, 270)

    assert "left" in root.rests_on
    assert root.rests_on["gone"].made_from == ("x",)
    assert root.rests_on[name("a")].kind == "entity"


def parent(text):
    """Return the verdict on a parent whose child lost a piece and now has a report that says this.

    Before, each report said "# Short", a blank line, and "report".
    """
    letters, pairs, small = "abcd", ["ab", "bc", "cd"], 270
    before = graph(said_more("a", Corpus(letters, pairs, [], words=30)), TWO)
    now = graph(Corpus(letters, pairs, [], words=30), TWO)
    former = Former(*written(before, budget=small), now.rows, frozenset(TWO), "r1", 0.5)
    below = {one: now.evidence(one, {}, {}, small) for one in ("left", "right")}
    reports = {"left": report(text), "right": report()}
    return former.verdict(now.evidence("root", reports, below, small))


def test_a_childs_report_that_comes_out_the_same_takes_nothing_from_its_parent():
    verdict = parent("# Short\n\nreport")
    pieces = verdict.rests_on.rests_on[name("a")].made_from

    assert verdict.against == ""
    assert "left" in verdict.rests_on.included
    assert "more" not in pieces


def test_a_childs_report_that_says_something_else_is_lost_with_what_it_had_read():
    assert parent("# Short\n\nothers").against == LOST_BELOW
