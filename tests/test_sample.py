"""The English sample, indexed by the embedded provider: what a new user sees first."""

import json
from collections import Counter
from xml.etree import ElementTree

import pytest

from graphrag_assets.names import name_key
from graphrag_assets.prompts import shipped
from graphrag_assets.store import connect
from graphrag_assets.tables import TABLES, references

SAMPLE = shipped() / "data" / "sample"
pytestmark = pytest.mark.slow


def gold() -> dict:
    return json.loads((SAMPLE / "gold.json").read_text("utf-8"))


def questions() -> list[dict]:
    lines = (SAMPLE / "questions.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


class TestTables:
    def test_all_exist_and_have_rows(self, sample_index):
        empty = {
            table
            for table in TABLES
            if not sample_index.sql(f'SELECT count(*) AS n FROM "{table}"')["n"][0]
        }

        assert empty == set()

    def test_every_file_is_indexed(self, sample_index):
        found = sample_index.sql("SELECT status, count(*) AS n FROM files GROUP BY 1")

        assert found.to_dicts() == [{"status": "indexed", "n": len(list(SAMPLE.glob("en/*.md")))}]

    def test_every_text_unit_was_read(self, sample_index):
        found = sample_index.sql("SELECT DISTINCT status FROM extractions")["status"]

        assert set(found) <= {"ok", "empty"}

    @pytest.mark.parametrize("table", [table for table in TABLES if references(table)])
    def test_no_link_leads_to_nothing(self, sample_index, table):
        for column, (other, key) in references(table).items():
            dangling = sample_index.sql(
                f'SELECT DISTINCT "{column}" FROM "{table}" t WHERE "{column}" IS NOT NULL'
                f' AND NOT EXISTS (FROM "{other}" o WHERE o."{key}" = t."{column}")'
            )

            assert dangling.is_empty(), (column, dangling)

    def test_the_picture_of_the_map_names_communities_by_their_reports(
        self, sample_root, sample_index
    ):
        """It is drawn after the reports are there."""
        largest = sample_index.sql(
            "SELECT title FROM communities c JOIN community_reports r ON r.community_id = c.id"
            " WHERE c.level = 0 ORDER BY c.size DESC, c.id LIMIT 1"
        )["title"][0]
        drawn = (sample_root / "data/index/pictures/layout.svg").read_text("utf-8")
        said = "".join(ElementTree.fromstring(drawn).itertext())

        assert largest.replace(" ", "")[:20] in said.replace(" ", "")

    def test_the_version_is_complete_and_cost_nothing(self, sample_index):
        (version,) = sample_index.sql("FROM index_versions").to_dicts()

        assert (version["version"], version["status"], version["cost_usd"]) == (1, "complete", 0.0)


class TestCommunities:
    def test_every_entity_stands_in_exactly_one_at_each_level(self, sample_index):
        entities = sample_index.sql("SELECT count(*) AS n FROM entities")["n"][0]
        found = sample_index.sql(
            "SELECT level, count(*) AS n, count(DISTINCT entity_id) AS entities"
            " FROM community_levels GROUP BY 1 ORDER BY 1"
        ).to_dicts()

        assert len(found) >= 2
        assert {(row["n"], row["entities"]) for row in found} == {(entities, entities)}

    def test_every_relationship_inside_is_in_its_report_where_all_fits(self, sample_index):
        """Edge coverage: what stands in the prompt, itself or in a child's report."""
        inside = sample_index.sql(
            "SELECT a.community_id, r.id FROM relationships r"
            " JOIN community_members a ON a.entity_id = r.source_id"
            " JOIN community_members b ON b.entity_id = r.target_id"
            " AND b.community_id = a.community_id"
        )
        covered = sample_index.sql(
            "SELECT community_id, ref_id FROM report_evidence"
            " WHERE kind = 'relationship' AND included"
        )
        cut = sample_index.sql(
            "SELECT DISTINCT community_id FROM report_evidence WHERE NOT included"
        )
        crowded = set(cut["community_id"])
        missing = set(inside.iter_rows()) - set(covered.iter_rows())

        assert {community for community, _ in missing} <= crowded
        assert not missing

    def test_every_community_has_a_report_that_cites(self, sample_index):
        found = sample_index.sql(
            "SELECT status, len(findings) AS findings, n_tokens FROM community_reports"
        )
        communities = sample_index.sql("SELECT count(*) AS n FROM communities")["n"][0]

        assert set(found["status"]) == {"ok"}
        assert found.height == communities
        assert found["n_tokens"].min() > 0


class TestRecall:
    """Floors below what was measured: a fall shows, a rise doesn't break the build."""

    def test_most_gold_entities_are_found_by_one_of_their_names(self, sample_index):
        known = {name_key(title) for title in sample_index.sql("FROM entity_aliases")["title"]}
        expected = gold()["entities"]
        found = [
            entity["en"]
            for entity in expected
            if known & {name_key(name) for name in (entity["en"], *entity["aliases_en"])}
        ]

        assert len(found) / len(expected) >= 0.9

    def test_people_who_share_a_surname_stay_apart(self, sample_index):
        rows = sample_index.sql("SELECT title, entity_id FROM entity_aliases")
        known = dict(rows.iter_rows())
        pairs = [pair for pair in gold()["must_not_merge"] if all(name in known for name in pair)]

        assert pairs
        assert [pair for pair in pairs if known[pair[0]] == known[pair[1]]] == []

    @pytest.mark.parametrize(("method", "floor"), [("local", 0.8), ("basic", 0.7)])
    def test_most_questions_find_a_document_that_answers(self, sample_index, method, floor):
        asked = [row for row in questions() if row["docs"]]
        hits = 0
        for row in asked:
            paths = sample_index.retrieve(row["question_en"], method=method, k=10)["path"]
            hits += any(path.startswith(f"{doc}-") for path in paths for doc in row["docs"])

        assert hits / len(asked) >= floor


class TestAnswers:
    @pytest.mark.parametrize(
        ("method", "question"),
        [
            ("local", "What penalty did Viktor Hale get?"),
            ("basic", "How many turbines does permit CEB-2031-17 allow?"),
            ("global", "What are the main conflicts in this collection, and how did each end?"),
        ],
    )
    def test_cite_characters_of_documents(self, sample_index, method, question):
        answer = sample_index.ask(question, method=method)
        texts = dict(sample_index.sql("SELECT id, text FROM documents").iter_rows())
        passages = [passage for citation in answer.citations for passage in citation.passages]

        assert answer.status == "ok"
        assert answer.dropped_citations == 0
        assert passages
        for passage in passages:
            text = texts[passage.document_id]
            assert text[passage.start_char : passage.end_char] == passage.text

    def test_lead_to_the_document_that_says_it(self, sample_index):
        answer = sample_index.ask("What penalty did Viktor Hale get?", method="local")
        (row,) = [row for row in questions() if "penalty did Viktor Hale" in row["question_en"]]
        paths = Counter(p.path[:2] for citation in answer.citations for p in citation.passages)

        assert set(paths) & set(row["docs"])


def test_what_local_search_reads_is_the_same_every_time(sample_root, sample_index):
    found = [
        sample_index.retrieve("Who owns the Lapwing?", method="local")["id"].to_list()
        for _ in range(2)
    ]

    assert found[0] == found[1]
    with connect(sample_root / "data" / "index" / "work" / "index.duckdb", read_only=True) as work:
        assert work.execute("SELECT count(*) FROM model_calls").fetchall()[0][0] > 0
