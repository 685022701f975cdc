"""evidence.py: what each report rests on, and that a parent speaks for all of its community."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.context import cited
from graphrag_assets.evidence import EVIDENCE, HEADING_TOKENS, Evidence, Graph, Rows, evidence_rows
from graphrag_assets.text import content_id, count_tokens

ENCODING = "o200k_base"
ENTITIES = {"id": pl.String, "title": pl.String, "type": pl.String, "description": pl.String}
PLENTY = 100_000
PAIRS = ("ab", "ac", "bc", "cd", "de", "ef")


def name(word: str) -> str:
    return content_id(word)


class Corpus:
    """Entities named by letters, relationships by pairs of letters, claims about letters."""

    def __init__(
        self, letters: str, pairs: list[str], claims: list[str], *, words: int = 3
    ) -> None:
        said = " ".join(["word"] * words)
        degree = {letter: sum(letter in pair for pair in pairs) for letter in letters}
        self.entities = pl.DataFrame(
            [(name(one), one, "person", f"{one} {said}", degree[one]) for one in letters],
            schema={**ENTITIES, "degree": pl.Int64},
            orient="row",
        ).with_columns(made_from=pl.concat_list("description"))
        self.relationships = pl.DataFrame(
            [
                (name(pair), *sorted(map(name, pair)), f"{pair} {said}", sum(map(degree.get, pair)))
                for pair in pairs
            ],
            schema={
                "id": pl.String,
                "source_id": pl.String,
                "target_id": pl.String,
                "description": pl.String,
                "combined_degree": pl.Int64,
            },
            orient="row",
        ).with_columns(made_from=pl.concat_list("description"))
        self.claims = pl.DataFrame(
            [
                (name(f"{subject}{number}"), name(subject), f"claim {number} {said}", "true", date)
                for number, subject in enumerate(claims)
                for date in [None if number % 2 else "2031"]
            ],
            schema={
                "id": pl.String,
                "subject_id": pl.String,
                "description": pl.String,
                "status": pl.String,
                "start_date": pl.String,
            },
            orient="row",
        )

    def rows(self) -> Rows:
        return Rows(self.entities, self.relationships, self.claims, ENCODING)


def graph(corpus: Corpus, communities: dict[str, tuple[str, str | None]]) -> Graph:
    """Return the hierarchy of {id: (its letters, its parent)}."""
    level = {None: -1}
    for community, (_, parent) in communities.items():
        level[community] = level[parent] + 1
    return Graph(
        pl.DataFrame(
            [(one, level[one], parent) for one, (_, parent) in communities.items()],
            schema={"id": pl.String, "level": pl.Int64, "parent_id": pl.String},
            orient="row",
        ),
        pl.DataFrame(
            [
                (one, name(letter))
                for one, (letters, _) in communities.items()
                for letter in letters
            ],
            schema={"community_id": pl.String, "entity_id": pl.String},
            orient="row",
        ),
        corpus.rows(),
    )


def report(content: str = "# Short\n\nreport") -> dict:
    return {"full_content": content, "n_tokens": count_tokens(content, ENCODING)}


def bottom_up(whole: Graph, budget: int, failed: tuple[str, ...] = ()) -> dict[str, Evidence]:
    evidence: dict[str, Evidence] = {}
    reports = {one: report("" if one in failed else "# Short\n\nreport") for one in whole.levels}
    for level in sorted(set(whole.levels.values()), reverse=True):
        evidence |= {one: whole.evidence(one, reports, evidence, budget) for one in whole.at(level)}
    return evidence


def table(evidence: dict[str, Evidence]) -> pl.DataFrame:
    return pl.DataFrame(list(evidence_rows(evidence)), schema=EVIDENCE, orient="row")


def told(evidence: dict[str, Evidence], community: str) -> dict[str, tuple[bool, str]]:
    """Return {name of the element: (included, via)} of one report."""
    words = {name(word): word for word in (*"abcdef", *PAIRS, "a0")}
    rows = table(evidence).filter(community_id=community)
    return {words.get(ref, ref): (there, via) for _, _, ref, there, via, *_ in rows.rows()}


TWO = {"root": ("abcd", None), "left": ("ab", "root"), "right": ("cd", "root")}


class TestContext:
    def test_the_best_connected_relationship_is_told_first_with_its_ends_and_their_claims(self):
        corpus = Corpus("abc", ["ab", "bc"], ["a", "b"], words=1)
        context = graph(corpus, {"root": ("abc", None)}).evidence("root", {}, {}, PLENTY).context
        lines = [line.partition("] ")[2] for line in context.splitlines() if "]" in line]

        first, second = sorted(["ab", "bc"], key=name)
        ends = ["{} — {}".format(*sorted(pair, key=name)) for pair in (first, second)]
        assert lines[3:5] == [f"{ends[0]}: {first} word", f"{ends[1]}: {second} word"]
        assert sorted(lines[:3]) == [f"{one} (person): {one} word" for one in "abc"]
        assert sorted(lines[5:]) == ["a: claim 0 word (true, 2031)", "b: claim 1 word (true)"]

    def test_a_line_break_in_a_description_stays_within_its_row(self):
        corpus = Corpus("a", [], [])
        corpus.entities = corpus.entities.with_columns(description=pl.lit("one\n## two\t three"))
        evidence = graph(corpus, {"root": ("a", None)}).evidence("root", {}, {}, PLENTY)

        assert evidence.context.splitlines()[1].endswith("] a (person): one ## two three")

    def test_a_community_is_named_by_its_best_connected_entities(self):
        corpus = Corpus("abcd", ["ab", "bc", "cd"], [])
        evidence = graph(corpus, {"root": ("abcd", None)}).evidence("root", {}, {}, PLENTY)

        assert evidence.name == "b, c, a"

    def test_a_relationship_belongs_to_the_communities_that_hold_both_ends(self):
        corpus = Corpus("abcd", ["ab", "bc", "cd"], [])
        evidence = bottom_up(graph(corpus, TWO), PLENTY)
        covered = {
            one: sum(item.kind == "relationship" for item in found.covers.values())
            for one, found in evidence.items()
        }

        assert covered == {"root": 3, "left": 1, "right": 1}

    def test_the_fingerprint_does_not_depend_on_the_order_of_rows(self):
        corpus = Corpus("abcd", ["ab", "bc", "cd"], ["a", "b", "a", "c", "a"])
        one = bottom_up(graph(corpus, TWO), PLENTY)
        corpus.entities = corpus.entities.reverse()
        corpus.relationships = corpus.relationships.reverse()
        corpus.claims = corpus.claims.reverse()
        other = bottom_up(graph(corpus, TWO), PLENTY)

        assert {key: found.fingerprint for key, found in one.items()} == {
            key: found.fingerprint for key, found in other.items()
        }

    def test_the_fingerprint_tells_a_changed_description(self):
        corpus, changed = Corpus("ab", ["ab"], []), Corpus("ab", ["ab"], [], words=4)
        prints = {
            graph(one, {"root": ("ab", None)}).evidence("root", {}, {}, PLENTY).fingerprint
            for one in (corpus, changed, corpus)
        }

        assert len(prints) == 2

    def test_a_corpus_without_relationships_and_claims_is_told_too(self):
        evidence = graph(Corpus("ab", [], []), {"root": ("ab", None)}).evidence(
            "root", {}, {}, PLENTY
        )

        assert [item.kind for item in evidence.packed.items] == ["entity", "entity"]

    def test_no_entities_are_no_communities(self):
        whole = graph(Corpus("", [], []), {})

        assert whole.at(0) == []
        assert table({}).is_empty()


class TestReports:
    CORPUS = Corpus("abcd", ["ab", "bc", "cd"], ["a"], words=30)

    def test_if_everything_fits_all_is_there_on_its_own(self):
        evidence = bottom_up(graph(self.CORPUS, TWO), PLENTY)

        everything = ("a", "b", "c", "d", "ab", "bc", "cd", "a0")
        assert told(evidence, "root") == dict.fromkeys(everything, (True, "own"))

    def test_the_biggest_childs_report_stands_for_what_does_not_fit(self):
        evidence = bottom_up(graph(self.CORPUS, TWO), 270)

        assert told(evidence, "root") == {
            **dict.fromkeys(("a", "b", "ab", "a0"), (True, "child")),
            **dict.fromkeys(("c", "d", "cd", "bc"), (True, "own")),
            "left": (True, "own"),
        }
        assert evidence["root"].context.startswith("## Reports\n[Pleft] Short")

    def test_what_a_childs_prompt_lacked_is_not_included_in_the_parents_either(self):
        evidence = bottom_up(graph(self.CORPUS, TWO), 100)
        left, root = (told(evidence, one) for one in ("left", "root"))

        assert not all(there for there, _ in left.values())
        for element, (there, _) in left.items():
            assert root[element] == (there, "child")

    def test_a_child_without_report_replaces_nothing(self):
        evidence = bottom_up(graph(self.CORPUS, TWO), 270, failed=("left", "right"))
        rows = table(evidence).filter(community_id="root")

        assert rows["via"].unique().to_list() == ["own"]
        assert not rows["included"].all()

    def test_a_report_may_cite_all_that_it_covers_and_the_reports_it_read(self):
        evidence = bottom_up(graph(self.CORPUS, TWO), 270)["root"]

        assert set(cited(evidence.context.replace("[Pleft]", ""))) <= evidence.known.keys()
        assert evidence.known["Pleft"] == "left"
        assert "Pright" not in evidence.known
        assert evidence.known["E" + name("a")[:8]] == name("a")


letters = st.sampled_from("abcdef")
pairs = st.lists(st.sampled_from(PAIRS), unique=True)
DEEP = {
    "root": ("abcdef", None),
    "left": ("abc", "root"),
    "right": ("def", "root"),
    "inner": ("ab", "left"),
    "lone": ("c", "left"),
}


@settings(max_examples=60, deadline=None)
@given(pairs, st.lists(letters, max_size=5), st.integers(1, 40), st.integers(0, 600))
def test_every_element_is_evidence_exactly_once_and_the_prompt_keeps_its_budget(
    linked, claims, words, budget
):
    corpus = Corpus("abcdef", linked, claims, words=words)
    evidence = bottom_up(graph(corpus, DEEP), budget)
    rows = table(evidence)

    assert rows.select("community_id", "kind", "ref_id").is_duplicated().sum() == 0
    for one, found in evidence.items():
        mine = rows.filter(pl.col("community_id") == one, pl.col("kind") != "report")
        inside = {name(letter) for letter in DEEP[one][0]}
        inside |= {name(pair) for pair in linked if set(pair) <= set(DEEP[one][0])}
        inside |= set(corpus.claims.filter(pl.col("subject_id").is_in(list(inside)))["id"])
        assert set(mine["ref_id"]) == inside
        own = {item.id for item in found.packed.items if item.kind != "report"}
        assert set(mine.filter(pl.col("via") == "own", "included")["ref_id"]) == own
        assert count_tokens(found.context, ENCODING) <= budget
        if sum(item.n_tokens for item in found.covers.values()) <= budget - HEADING_TOKENS:
            assert mine["included"].all()
            assert mine["via"].unique().to_list() == ["own"]


@pytest.mark.parametrize("budget", [20, 60, 200, PLENTY])
def test_a_marker_stays_the_same_when_other_rows_come_and_go(budget):
    few = graph(Corpus("ab", ["ab"], []), {"root": ("ab", None)})
    many = graph(Corpus("abcdef", ["ab", "cd", "de"], ["a"]), {"root": ("abcdef", None)})
    small, large = (one.evidence("root", {}, {}, budget) for one in (few, many))

    assert small.known.items() <= large.known.items()
