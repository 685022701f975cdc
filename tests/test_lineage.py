"""The way from an id to passages, and from one version to another."""

import polars as pl
import pytest

from graphrag_assets.errors import QuestionError
from graphrag_assets.query.lineage import changes_between, trace
from graphrag_assets.store import append, select, sql


def one(index, statement):
    return index.sql(statement).row(0)[0]


class TestTrace:
    @pytest.mark.parametrize("ref", ["id", "'E' || left(id, 8)", "'[E' || left(id, 8) || ']'"])
    def test_an_entity_leads_to_every_text_unit_that_mentions_it(self, sample_index, ref):
        where = "FROM entities WHERE title = 'Viktor Hale'"
        found = trace(sample_index.reader, one(sample_index, f"SELECT {ref} {where}"))
        mentioned = one(
            sample_index,
            "SELECT count(DISTINCT text_unit_id) FROM entity_mentions"
            f" WHERE entity_id = (SELECT id {where})",
        )

        assert (found.kind, found.title) == ("entity", "Viktor Hale")
        assert found.passages.height == mentioned > 1

    def test_a_report_leads_to_the_passages_of_what_it_includes(self, sample_index):
        report = one(sample_index, "SELECT community_id FROM community_reports ORDER BY 1 LIMIT 1")
        found = trace(sample_index.reader, report)

        assert found.kind == "report"
        assert found.passages.height > 0
        assert found.passages["elements"].is_sorted(descending=True)

    def test_passages_are_the_characters_of_their_documents(self, sample_index):
        claim = one(sample_index, "SELECT id FROM claims ORDER BY 1 LIMIT 1")
        found = trace(sample_index.reader, claim).passages
        texts = dict(sample_index.sql("SELECT path, text FROM documents").iter_rows())

        assert found["text"].to_list() == [
            texts[path][start:end]
            for path, start, end in found.select("path", "start_char", "end_char").iter_rows()
        ]

    @pytest.mark.parametrize("ref", ["", "Viktor Hale", "E00000000", "' OR 1=1"])
    def test_an_id_of_nothing_is_an_error_that_names_it(self, sample_index, ref):
        with pytest.raises(QuestionError, match="No report, element or text unit has the id"):
            trace(sample_index.reader, ref)


HISTORY = [
    (2, "entity", "a", "added", "Ada"),
    (3, "entity", "a", "removed", "Ada"),
    (2, "entity", "b", "removed", "Bo"),
    (3, "entity", "b", "added", "Bo"),
    (2, "entity", "c", "changed", "Cy"),
    (3, "entity", "c", "removed", "Cy"),
    (2, "document", "d", "added", "Dee"),
    (3, "document", "d", "changed", "Dee, revised"),
]


def test_changes_over_several_versions_add_up(store):
    columns = ["version", "kind", "id", "change", "title"]
    with store.transaction() as connection:
        append(connection, "index_changes", pl.DataFrame(HISTORY, schema=columns, orient="row"))
        found = select(connection, sql("changes_between"), since=1, until=3)

    assert found.rows() == [
        ("document", "d", "Dee, revised", "added"),
        ("entity", "b", "Bo", "changed"),
        ("entity", "c", "Cy", "removed"),
    ]


def test_the_first_version_of_the_sample_added_everything(sample_index):
    found = changes_between(sample_index.reader, 0, 1)

    assert found["change"].unique().to_list() == ["added"]
    assert set(found["kind"]) == {"community", "document", "entity", "relationship", "report"}
    assert changes_between(sample_index.reader, 1, 1).is_empty()
