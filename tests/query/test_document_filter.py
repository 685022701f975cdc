"""query/document_filter.py: what a filter of documents lets through, and what it refuses."""

import pytest

from graphrag_assets.errors import QuestionError, SqlError
from graphrag_assets.query.reader import Reader
from graphrag_assets.tables import TABLES

LATE = "metadata ->> 'date' >= '2032-06-01'"
UNCHANGED = (
    *("documents", "text_units", "text_unit_terms", "names", "entities", "relationships"),
    *("claims", "communities", "community_reports", "layout"),
)
EVIDENCE = "report_evidence WHERE included AND kind"


@pytest.fixture(scope="module")
def whole(sample_index):
    """Return a reader of the English sample."""
    reader = Reader(sample_index.reader.path)
    yield reader
    reader.close()


@pytest.fixture(scope="module")
def late(whole):
    """Return what the later documents tell."""
    return whole.scoped(LATE)


def ids(reader, table, column="id"):
    return set(reader.rows(f"SELECT {column} FROM {table}")[column])


def test_documents_are_those_that_meet_it(whole, late):
    kept = whole.rows(f"SELECT id FROM documents WHERE {LATE}")["id"]

    assert 0 < len(kept) < len(ids(whole, "documents"))
    assert ids(late, "documents") == set(kept)


@pytest.mark.parametrize(
    "table", ["text_units", "text_unit_terms", "entity_mentions", "relationship_mentions", "claims"]
)
def test_nothing_comes_from_a_text_outside(whole, late, table):
    column = "id" if table == "text_units" else "text_unit_id"
    inside = ids(
        whole,
        f"text_units SEMI JOIN (SELECT id AS document_id FROM documents WHERE {LATE})"
        " USING (document_id)",
    )

    assert ids(late, table, column) <= inside


def test_an_element_is_inside_with_one_of_its_passages(whole, late):
    told = (
        "entity_mentions SEMI JOIN (SELECT id AS text_unit_id FROM text_units) USING (text_unit_id)"
    )
    mentioned = late.rows(f"SELECT DISTINCT entity_id FROM {told}")["entity_id"].drop_nulls()

    assert ids(late, "entities") >= set(mentioned)
    assert ids(late, "entities") < ids(whole, "entities")
    assert late.rows("FROM entity_lineage").height > 0


def test_no_description_tells_what_only_other_documents_do(whole, late):
    """A description made of passages inside and outside is made of those inside again."""
    shared = late.rows("SELECT id, description FROM entities")
    for ref, description in shared.iter_rows():
        told = late.rows(
            "SELECT DISTINCT description FROM entity_mentions WHERE entity_id = $ref", ref=ref
        )["description"].to_list()
        outside = (
            whole.rows(
                "SELECT count(*) FROM entity_mentions WHERE entity_id = $ref", ref=ref
            ).item()
            > late.rows(
                "SELECT count(*) FROM entity_mentions WHERE entity_id = $ref", ref=ref
            ).item()
        )

        assert not outside or description == " ".join(sorted(told))


def test_a_report_is_inside_with_all_of_its_elements(late):
    elements = {"entity": "entities", "relationship": "relationships", "claim": "claims"}

    for kind, table in elements.items():
        told = late.rows(f"SELECT ref_id FROM {EVIDENCE} = '{kind}'")["ref_id"]

        assert set(told) <= ids(late, table)


def test_a_filter_that_all_meet_changes_nothing(whole):
    everything = whole.scoped("true")
    for table in UNCHANGED:
        rows = f"SELECT count(*), sum(hash(t)) FROM {table} t"

        assert everything.rows(rows).equals(whole.rows(rows)), table


def test_every_table_and_view_is_there(late):
    for table in (*TABLES, "community_levels", "report_lineage", "cost_by_asset"):
        late.rows(f"FROM {table} LIMIT 1")


def test_the_graph_and_the_vectors_hold_only_what_is_inside(late):
    units = {ref.decode() for ref in late.graph.text_units}

    assert units == ids(late, "text_units")
    assert {ref.decode() for ref in late.vectors("text_unit").ids} == units


def test_the_same_filter_is_read_once(whole, late):
    assert whole.scoped(LATE) is late


def test_old_filters_are_forgotten(whole):
    first = whole.scoped("title <> 'first'")
    for n in range(20):
        whole.scoped(f"title <> '{n}'")

    assert whole.scoped("title <> 'first'") is not first


@pytest.mark.parametrize(
    "where",
    [
        "path LIKE '0%'",
        "modified_at >= '2020-01-01'",
        "title ILIKE '%storm%' OR title LIKE '%;--%'",
        "metadata ->> 'kind' IS NOT NULL AND n_tokens > 10",
        "json_extract_string(metadata, '$.date') > '2031'",
        "CAST(metadata ->> 'date' AS DATE) BETWEEN '2031-01-01' AND '2035-01-01'",
    ],
)
def test_conditions_on_documents_are_allowed(whole, where):
    assert ids(whole.scoped(where), "documents")


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ("", "can't filter"),
        ("   ", "can't filter"),
        ("title = 'nobody wrote this'", "No document meets"),
        ("true; DROP TABLE documents", "contains `;`"),
        ("true -- and so on", "contains `--`"),
        ("true /* and so on", "contains `/*`"),
        ("title = $secret", "contains `$`"),
        ("title = ?", "can't filter"),
        ("id IN (SELECT id FROM documents)", "contains a subquery"),
        ("EXISTS (FROM read_text('/etc/passwd'))", "contains a subquery"),
        ("title = (SELECT content FROM read_text('/etc/passwd'))", "contains a subquery"),
        ("read_csv('/etc/passwd')", "read_csv"),
        ("(COPY documents TO '/tmp/x')", "syntax error"),
        ("true) UNION SELECT 'x' WHERE (true", "more than a condition"),
        ("true) GROUP BY ALL HAVING (true", "more than a condition"),
        ("true) ORDER BY (1", "more than a condition"),
        ("count(*) > 1", "aggregates"),
        ("year > 2023", 'column "year" not found'),
        ("title =", "syntax error"),
        ("'" * 3, "can't filter"),
        ("x" * 3_000, "longer than"),
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_the_reason(whole, where, reason):
    with pytest.raises(QuestionError) as raised:
        whole.scoped(where)

    assert reason in str(raised.value)


def test_a_refusal_says_what_is_allowed(whole):
    with pytest.raises(QuestionError, match=r"columns of documents \(id, path, .*metadata"):
        whole.scoped("year > 2023")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM whole.documents",
        "COPY documents TO 'stolen.csv'",
        "FROM read_text('/etc/hostname')",
        "ATTACH 'new.duckdb'",
        "SET enable_external_access = true",
    ],
)
def test_nothing_is_written_and_no_file_is_read_from_inside(late, statement):
    with pytest.raises(SqlError):
        late.rows(statement)
