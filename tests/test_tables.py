"""tables.py: the data dictionary, from which everything else about tables derives."""

import polars as pl
import pytest

from graphrag_assets.tables import TABLES, columns, keys, meaning, references

KEYS = {
    "files": ["path"],
    "documents": ["id"],
    "text_units": ["id"],
    "text_unit_terms": ["term", "text_unit_id"],
    "extractions": ["text_unit_id"],
    "entity_aliases": ["title", "type"],
    "names": ["name", "kind", "ref_id"],
    "entity_mentions": ["text_unit_id", "ordinal"],
    "relationship_mentions": ["text_unit_id", "ordinal"],
    "relationships": ["id"],
    "entities": ["id"],
    "claims": ["id"],
    "communities": ["id"],
    "community_members": ["community_id", "entity_id"],
    "community_reports": ["community_id"],
    "report_evidence": ["community_id", "kind", "ref_id"],
    "text_unit_embeddings": ["id"],
    "document_embeddings": ["id"],
    "entity_embeddings": ["id"],
    "relationship_embeddings": ["id"],
    "report_embeddings": ["id"],
    "layout": ["kind", "id"],
    "model_calls": ["id"],
    "index_versions": ["version"],
    "index_changes": ["version", "kind", "id"],
    "asset_states": ["table"],
}


def test_these_are_the_tables_in_pipeline_order_with_their_keys():
    assert [(table, keys(table)) for table in TABLES] == list(KEYS.items())


@pytest.mark.parametrize("table", TABLES)
def test_a_table_and_all_its_columns_have_a_meaning(table):
    assert meaning(table).endswith(".")
    assert [name for name, column in columns(table).items() if not column.description] == []


@pytest.mark.parametrize("table", TABLES)
def test_a_reference_leads_to_the_only_key_of_a_table(table):
    for other, key in references(table).values():
        assert keys(other) == [key]


@pytest.mark.parametrize("table", TABLES)
def test_every_column_that_is_called_an_id_of_something_is_a_reference(table):
    """Kind and ref_id point into several tables, a run is Dagster's: neither can be one."""
    named = {name for name in columns(table) if name.endswith("_id")} - {"ref_id", "run_id"}

    assert named <= references(table).keys()


@pytest.mark.parametrize("table", TABLES)
def test_keys_are_never_null(table):
    assert not any(columns(table)[key].nullable for key in keys(table))


def test_references_of_the_graph():
    assert references("relationship_mentions") == {
        "text_unit_id": ("text_units", "id"),
        "source_id": ("entities", "id"),
        "target_id": ("entities", "id"),
        "relationship_id": ("relationships", "id"),
    }
    assert references("report_evidence") == {"community_id": ("community_reports", "community_id")}
    assert references("files") == {}


def test_types_follow_from_the_declaration():
    frame = TABLES["community_reports"].create_empty()

    assert frame.schema["rating"] == pl.Float64
    assert frame.schema["findings"] == pl.List(
        pl.Struct({"summary": pl.String, "explanation": pl.String, "citations": pl.List(pl.String)})
    )


def test_the_meaning_is_the_first_line():
    assert meaning("relationships") == (
        "Two entities that the corpus connects; undirected, source_id < target_id."
    )
