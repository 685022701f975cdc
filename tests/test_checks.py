"""checks: each law holds of good rows and names the culprits among bad ones."""

import pytest

from graphrag_assets.checks import all_checks, checks_on, run_check
from graphrag_assets.store import connect, replace, sql_files
from graphrag_assets.tables import TABLES, columns, references
from table_rows import put, vectors

LIMITS = {"max_failed": 0.05}
TEXT = "Ada Brook keeps the North Light."
FINDING = {"summary": "Ada keeps it", "explanation": "", "citations": ["ada", "keeps", "child"]}
GOOD = {
    "files": [
        {"path": "a.txt", "status": "indexed", "n_documents": 1},
        {"path": "b.txt", "status": "empty"},
    ],
    "documents": [{"id": "doc", "path": "a.txt", "text": TEXT}],
    "text_units": [
        {"id": "unit", "document_id": "doc", "text": "Ada Brook", "start_char": 0, "end_char": 9}
    ],
    "extractions": [{"text_unit_id": "unit", "status": "ok"}],
    "entities": [{"id": "ada", "title": "Ada Brook"}, {"id": "light", "title": "North Light"}],
    "relationships": [{"id": "keeps", "source_id": "ada", "target_id": "light"}],
    "claims": [{"id": "claim", "text_unit_id": "unit", "subject_id": "ada"}],
    "communities": [{"id": "root"}, {"id": "child", "level": 1, "parent_id": "root"}],
    "community_members": [
        {"community_id": "root", "entity_id": "ada"},
        {"community_id": "root", "entity_id": "light"},
        {"community_id": "child", "entity_id": "ada"},
    ],
    "community_reports": [
        {"community_id": "root", "status": "ok", "full_content": "# R", "findings": [FINDING]},
        {"community_id": "child", "status": "failed", "reason": "no answer"},
    ],
    "report_evidence": [
        {"community_id": "root", "kind": "entity", "ref_id": "ada"},
        {"community_id": "root", "kind": "relationship", "ref_id": "keeps"},
        {"community_id": "root", "kind": "claim", "ref_id": "claim"},
        {"community_id": "root", "kind": "report", "ref_id": "child"},
    ],
    "layout": [
        {"kind": "entity", "id": "ada"},
        {"kind": "entity", "id": "light"},
        {"kind": "document", "id": "doc"},
    ],
}
VECTORS = {
    "text_unit_embeddings": ["unit"],
    "document_embeddings": ["doc"],
    "entity_embeddings": ["ada", "light"],
    "relationship_embeddings": ["keeps"],
    "report_embeddings": ["root"],
}
NOT_FINITE = "UPDATE {} SET vector = [1, 'nan'::FLOAT, 0]::FLOAT[3]"
# law: statements that break it, each with values of a culprit
BREAKS = {
    "children_lie_in_their_parent": [
        (
            "INSERT INTO community_members VALUES ('child', 'stranger')",
            {"community_id": "child", "entity_id": "stranger"},
        )
    ],
    "citations_resolve": [
        (
            "DELETE FROM report_evidence WHERE ref_id = 'keeps'",
            {"community_id": "root", "ref_id": "keeps"},
        )
    ],
    "document_embeddings_are_complete": [
        ("DELETE FROM document_embeddings", {"id": "doc", "problem": "no vector"}),
        (NOT_FINITE.format("document_embeddings"), {"id": "doc", "problem": "not finite"}),
    ],
    "entity_embeddings_are_complete": [
        (
            "DELETE FROM entity_embeddings WHERE id = 'light'",
            {"id": "light", "problem": "no vector"},
        ),
        (NOT_FINITE.format("entity_embeddings"), {"problem": "not finite"}),
    ],
    "every_community_has_a_report": [
        (
            "DELETE FROM community_reports WHERE community_id = 'child'",
            {"community_id": "child"},
        )
    ],
    "every_entity_in_one_community": [
        (
            "DELETE FROM community_members WHERE entity_id = 'light'",
            {"entity_id": "light", "communities": 0},
        )
    ],
    "every_text_unit_is_extracted": [("DELETE FROM extractions", {"text_unit_id": "unit"})],
    "evidence_exists": [
        ("DELETE FROM entities WHERE id = 'ada'", {"kind": "entity", "ref_id": "ada"}),
        ("DELETE FROM relationships", {"kind": "relationship", "ref_id": "keeps"}),
        ("DELETE FROM claims", {"kind": "claim", "ref_id": "claim"}),
        ("DELETE FROM communities WHERE id = 'child'", {"kind": "report", "ref_id": "child"}),
    ],
    "extractions_answered": [
        (
            "UPDATE extractions SET status = 'refused', reason = 'no'",
            {"status": "refused", "text_units": 1, "reason": "no"},
        )
    ],
    "few_extractions_failed": [
        (
            "UPDATE extractions SET status = 'failed', reason = 'no answer'",
            {"status": "failed", "text_units": 1, "reason": "no answer"},
        )
    ],
    "file_states_add_up": [
        ("UPDATE files SET n_documents = 2 WHERE path = 'a.txt'", {"path": "a.txt"}),
        ("UPDATE files SET status = 'indexed' WHERE path = 'b.txt'", {"path": "b.txt"}),
        ("UPDATE files SET status = 'odd' WHERE path = 'b.txt'", {"status": "odd"}),
    ],
    "layout_is_complete": [
        ("DELETE FROM layout WHERE id = 'light'", {"kind": "entity", "id": "light"}),
        ("DELETE FROM layout WHERE kind = 'document'", {"kind": "document", "id": "doc"}),
    ],
    "relationship_embeddings_are_complete": [
        ("DELETE FROM relationship_embeddings", {"id": "keeps", "problem": "no vector"}),
        (NOT_FINITE.format("relationship_embeddings"), {"problem": "not finite"}),
    ],
    "report_embeddings_are_complete": [
        ("DELETE FROM report_embeddings", {"id": "root", "problem": "no vector"}),
        (NOT_FINITE.format("report_embeddings"), {"problem": "not finite"}),
    ],
    "reports_were_written": [
        (
            "UPDATE community_reports SET status = 'refused' WHERE community_id = 'root'",
            {"status": "failed", "reports": 1, "reason": "no answer"},
        )
    ],
    "spans_quote_their_documents": [
        ("UPDATE text_units SET end_char = 8", {"id": "unit", "path": "a.txt"})
    ],
    "text_unit_embeddings_are_complete": [
        ("DELETE FROM text_unit_embeddings", {"id": "unit", "problem": "no vector"}),
        (NOT_FINITE.format("text_unit_embeddings"), {"problem": "not finite"}),
    ],
}
LAWS = {check.name: check for check in all_checks()}
CASES = [(name, *case) for name, cases in BREAKS.items() for case in cases]


@pytest.fixture(scope="module")
def good_rows(tmp_path_factory):
    with connect(tmp_path_factory.mktemp("checks") / "good.duckdb", read_only=False) as opened:
        put(opened, **GOOD)
        for table, ids in VECTORS.items():
            replace(opened, table, vectors(*ids))
        yield opened


@pytest.fixture
def connection(good_rows):
    good_rows.begin()
    yield good_rows
    good_rows.rollback()


def test_every_law_is_broken_here():
    generated = {f"{table}_are_complete" for table in TABLES if "vector" in columns(table)}

    assert BREAKS.keys() == generated | set(sql_files("checks"))


def test_good_rows_pass_all_that_blocks(connection):
    verdicts = [run_check(connection, check, LIMITS) for check in all_checks() if check.blocking]

    assert [verdict.check.name for verdict in verdicts if not verdict.passed] == []


@pytest.mark.parametrize(("law", "statement", "culprit"), CASES)
def test_a_broken_law_names_its_culprits(connection, law, statement, culprit):
    connection.execute(statement)
    verdict = run_check(connection, LAWS[law], LIMITS)
    named = verdict.culprits.to_dicts()

    assert not verdict.passed
    assert any(row | culprit == row for row in named)


def test_a_limit_of_the_settings_is_a_limit(connection):
    connection.execute("UPDATE extractions SET status = 'failed'")
    law = LAWS["few_extractions_failed"]

    assert run_check(connection, law, {"max_failed": 1.0, "gleanings": 3}).passed
    assert not run_check(connection, law, {"max_failed": 0.9}).passed


def test_a_link_to_nothing_is_named(connection):
    connection.execute("UPDATE relationships SET target_id = 'nobody'")
    broken = [
        verdict
        for check in all_checks()
        if not (verdict := run_check(connection, check, LIMITS)).passed and check.blocking
    ]

    assert {v.check.name: v.culprits.to_dicts() for v in broken} == {
        "relationships_target_id_exists": [{"missing": "nobody"}]
    }


def test_an_optional_link_may_be_empty(connection):
    check = LAWS["claims_object_id_exists"]

    assert run_check(connection, check, LIMITS).passed
    connection.execute("UPDATE claims SET object_id = 'nobody'")
    assert not run_check(connection, check, LIMITS).passed


def test_every_link_of_the_dictionary_is_checked_and_blocks():
    links = {f"{table}_{column}_exists" for table in TABLES for column in references(table)}

    assert links == {name for name in LAWS if name.endswith("_exists") and name in links}
    assert all(LAWS[name].blocking for name in links)


def test_a_link_is_checked_on_the_table_that_is_made_last():
    assert "entity_mentions_entity_id_exists" in {check.name for check in checks_on("entities")}
    assert "claims_subject_id_exists" in {check.name for check in checks_on("claims")}


def test_warnings_are_the_laws_that_a_partial_index_may_break():
    warnings = {name for name, check in LAWS.items() if not check.blocking}

    assert warnings == {"extractions_answered", "reports_were_written", "layout_is_complete"}
