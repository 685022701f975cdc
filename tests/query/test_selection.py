"""query/selection.py: which reports a global question reads; each entity is covered once."""

import re
from collections import Counter

import pytest

from asked import KAJA, THEMES, prompts
from graphrag_assets.errors import ModelCallError
from graphrag_assets.query.levels import Levels
from small_corpus import NAMES, ROW, reply_to


def shown(script) -> list[str]:
    """Return the reports of all map calls, by the first digits of their ids."""
    return [m[1:] for text in prompts(script, "global_map") for m, _ in ROW.findall(text)]


def covered(index, communities) -> Counter:
    members = index.sql("SELECT left(community_id, 8), entity_id FROM community_members")
    return Counter(entity for one, entity in members.iter_rows() for m in communities if m == one)


def rating(by_title):
    """Return a model that rates reports by the first title that they hold."""

    def reply(ask):
        if ask.prompt != "rate_relevance":
            return reply_to(ask)
        text = ask.messages[-1].content.split("<question>")[0]
        return {"rating": next((r for title, r in by_title.items() if title in text), 0)}

    return reply


@pytest.fixture
def tree(ask_with):
    """Return the communities of the index: id, level, parent_id."""
    return ask_with()[0].sql("SELECT id, level, parent_id FROM communities ORDER BY level, id")


class TestLevels:
    def test_are_those_of_the_paper(self, ask_with):
        index, _ = ask_with()
        levels = Levels.of(index.reader)
        paper = index.sql("SELECT DISTINCT level, community_id AS id FROM community_levels")

        assert levels.finest > 0
        assert set(levels.rows.select("level", "id").iter_rows()) == set(paper.iter_rows())

    @pytest.mark.parametrize("level", [0, 1, 2, 7])
    def test_all_reports_of_a_level_cover_each_entity_once(self, ask_with, level):
        index, script = ask_with()
        index.ask(THEMES, method="global", level=level, selection="all")
        found = covered(index, shown(script))

        assert len(found) == len(NAMES)
        assert set(found.values()) == {1}

    @pytest.mark.parametrize("at", [0, 1, 2])
    def test_the_default_is_the_finest_level_that_is_affordable(self, ask_with, at):
        levels = Levels.of(ask_with()[0].reader)
        sizes = [int(levels.at(level)["n_tokens"].sum()) for level in range(levels.finest + 1)]
        budget = sizes[min(at, levels.finest)]
        index, script = ask_with(report_tokens=budget)
        answer = index.ask(THEMES, method="global")
        finest = min(2, levels.finest)
        expected = max(level for level in range(finest + 1) if sizes[level] <= budget)

        assert answer.level == expected
        assert answer.chosen.startswith(f"C{expected} is") == (expected < finest)
        assert set(covered(index, shown(script)).values()) == {1}

    def test_where_even_the_coarsest_is_too_much_as_many_are_read_as_fit(self, ask_with):
        index, script = ask_with(report_tokens=200)
        answer = index.ask(THEMES, method="global")

        assert "the largest and most fitting reports of C0, 1 of" in answer.chosen
        assert len(shown(script)) == 1
        assert script.embedded == []

    def test_who_insists_on_all_gets_all(self, ask_with):
        index, script = ask_with(report_tokens=200)
        index.ask(THEMES, method="global", selection="all")

        assert len(covered(index, shown(script))) == len(NAMES)

    def test_an_index_without_communities_has_no_reports(self, empty):
        assert empty.ask(THEMES, method="global", selection="dynamic").status == "no_evidence"


class TestEmbedding:
    def test_reads_the_nearest_reports_within_the_budget(self, ask_with):
        index, script = ask_with(report_tokens=300)
        answer = index.ask(KAJA, method="global", level=1, selection="embedding")
        vector = index.engine.models.run(index.engine.embed(KAJA))
        level = set(Levels.of(index.reader).at(1)["id"])
        nearest = [r for r, _ in index.reader.vectors("report").nearest(vector, 99) if r in level]
        read = shown(script)

        assert 0 < len(read) < len(level)
        assert set(read) == {ref[:8] for ref in nearest[: len(read)]}
        assert f"the nearest reports of C1, {len(read)} of {len(level)}" in answer.chosen


class TestDynamic:
    def test_descends_only_into_what_is_relevant(self, ask_with, tree):
        parent = tree.filter(tree["parent_id"].is_not_null())["parent_id"][0]
        titles = dict(
            ask_with()[0].sql("SELECT community_id, title FROM community_reports").iter_rows()
        )
        children = tree.filter(tree["parent_id"] == parent)["id"].to_list()
        index, script = ask_with(rating({titles[parent] + "\n": 4}))
        answer = index.ask(THEMES, method="global", selection="dynamic")
        asked = {m[1:] for text in prompts(script, "rate_relevance") for m, _ in ROW.findall(text)}
        roots = tree.filter(tree["level"] == 0)["id"].to_list()

        assert {ref[:8] for ref in roots} <= asked
        assert asked <= {ref[:8] for ref in [*roots, *children]}
        assert "that a rater found relevant among" in answer.chosen

    def test_a_relevant_child_stands_for_its_parent(self, ask_with):
        index, script = ask_with(rating({"": 5}))
        index.ask(THEMES, method="global", selection="dynamic")
        found = covered(index, shown(script))

        assert len(found) == len(NAMES)
        assert set(found.values()) == {1}

    @pytest.mark.parametrize("calls", [4, 5, 8])
    def test_keeps_to_its_budget_of_calls(self, ask_with, calls):
        index, script = ask_with(rating({"": 5}), max_calls=calls)
        index.ask(THEMES, method="global", selection="dynamic")

        assert 0 < len(script.history) <= calls

    def test_the_level_is_the_deepest_that_it_goes(self, ask_with, tree):
        index, script = ask_with(rating({"": 5}))
        index.ask(THEMES, method="global", selection="dynamic", level=0)

        roots = {ref[:8] for ref in tree.filter(tree["level"] == 0)["id"]}

        assert set(shown(script)) == roots

    def test_nothing_relevant_is_no_evidence(self, ask_with):
        index, script = ask_with(rating({}))
        answer = index.ask(THEMES, method="global", selection="dynamic")

        assert (answer.status, answer.communities) == ("no_evidence", ())
        assert prompts(script, "global_map") == []

    def test_tests_that_fail_are_said_and_are_no_ratings(self, ask_with):
        index, script = ask_with(rating({"": 5}))
        script.enqueue(ModelCallError("no answer came"), "rate_relevance")
        some = index.ask(THEMES, method="global", selection="dynamic")
        index, _ = ask_with(lambda ask: ModelCallError("no answer came"))
        every = index.ask(THEMES, method="global", selection="dynamic")

        assert some.status == "ok"
        assert re.match(r"1 of \d+ relevance tests failed: .*no answer came", some.reason)
        assert every.status == "failed"
        assert "relevance tests failed" in every.reason
