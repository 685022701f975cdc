"""query/subtree.py: questions to one community, and the communities worth opening next."""

import pytest

from asked import KAJA, THEMES
from graphrag_assets.errors import QuestionError
from graphrag_assets.query.subtree import community_named
from small_corpus import ROW

METHODS = ["global", "local", "drift", "basic", "source", "lazy"]


@pytest.fixture
def parent(ask_with):
    """Return the id of a community that was split."""
    found = ask_with()[0].sql("SELECT DISTINCT parent_id AS id FROM communities ORDER BY id")
    return found["id"].drop_nulls()[0]


def inside(index, community: str) -> set[str]:
    """Return what lies in a community: its entities, text units, reports and relationships."""
    return set(
        index.sql(
            f"""
            WITH m AS (SELECT entity_id AS id FROM community_members
                       WHERE community_id = '{community}'),
            below AS (SELECT id FROM communities WHERE '{community}' IN (id, parent_id)
                      OR parent_id IN (SELECT id FROM communities
                                       WHERE parent_id = '{community}'))
            SELECT id FROM m UNION SELECT id FROM below
            UNION SELECT text_unit_id FROM entity_mentions
                  WHERE entity_id IN (SELECT id FROM m)
            UNION SELECT r.id FROM relationships r
                  WHERE source_id IN (SELECT id FROM m) AND target_id IN (SELECT id FROM m)
            UNION SELECT id FROM claims WHERE subject_id IN (SELECT id FROM m)
            """
        )["id"]
    )


class TestDrillDown:
    @pytest.mark.parametrize("method", METHODS)
    def test_reads_only_the_subtree(self, ask_with, parent, method):
        index, script = ask_with()
        answer = index.ask(THEMES, method=method, community=parent[:8])
        texts = [ask.messages[-1].content.split("<question>")[0] for ask in script.history]
        rows = [marker[1:] for text in texts for marker, _ in ROW.findall(text)]
        allowed = {ref[:8] for ref in inside(index, parent)}

        assert answer.status == "ok"
        assert rows
        assert {*rows} <= allowed

    def test_begins_below_the_community(self, ask_with, parent):
        index, _ = ask_with()
        children = index.sql(f"SELECT id FROM communities WHERE parent_id = '{parent}'")["id"]
        answer = index.ask(THEMES, method="global", community=parent, level=0)

        assert {c.id for c in answer.citations if c.kind == "report"} <= {*children}
        assert answer.level == 1

    def test_of_a_leaf_reads_the_leaf(self, ask_with):
        index, _ = ask_with()
        leaf = index.sql(
            "SELECT id FROM communities WHERE id NOT IN (SELECT parent_id FROM communities"
            " WHERE parent_id IS NOT NULL) ORDER BY id"
        )["id"][0]
        answer = index.ask(THEMES, method="global", community=leaf)

        assert {c.id for c in answer.citations if c.kind == "report"} == {leaf}
        assert answer.communities == ()


class TestNames:
    def test_an_id_its_digits_and_a_short_id_name_a_community(self, ask_with, parent):
        reader = ask_with()[0].reader

        for ref in (parent, parent[:8], f"P{parent[:8]}", f"[P{parent[:8]}]"):
            assert community_named(reader, ref) == parent

    @pytest.mark.parametrize("ref", ["", "zz", "P", "[]", "Pffffffffffff"])
    def test_an_unknown_one_is_refused(self, ask_with, ref):
        with pytest.raises(QuestionError, match="No community has the id"):
            community_named(ask_with()[0].reader, ref)


class TestNext:
    def test_are_the_children_of_what_the_answer_cites_by_rating(self, ask_with, parent):
        index, script = ask_with()
        script.enqueue(f"It burned [P{parent[:8]}].", "global_reduce")
        answer = index.ask(THEMES, method="global", level=0)
        children = index.sql(f"SELECT id FROM communities WHERE parent_id = '{parent}'")["id"]
        ratings = [one.rating for one in answer.communities]

        assert {one.id for one in answer.communities} == {*children}
        assert {one.level for one in answer.communities} == {1}
        assert ratings == sorted(ratings, reverse=True)
        assert all(one.title for one in answer.communities)

    @pytest.mark.parametrize("method", ["local", "basic", "source"])
    def test_of_passages_are_the_communities_that_hold_what_they_mention(self, ask_with, method):
        index, _ = ask_with()
        answer = index.ask(KAJA, method=method)

        assert answer.communities
        assert {one.level for one in answer.communities} == {0}
        for one in answer.communities:
            assert index.ask(KAJA, method=method, community=one.id).status == "ok"
