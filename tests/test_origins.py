"""origins: where each column comes from."""

import dagster as dg

from graphrag_assets.metadata import column_lineage
from graphrag_assets.origins import COMPUTED, origins
from graphrag_assets.tables import BOOKS, TABLES, columns


def test_every_column_named_exists():
    named = {(table, column) for table in COMPUTED for column in COMPUTED[table]}
    sources = {source for table in TABLES for pairs in origins(table).values() for source in pairs}

    assert [pair for pair in named | sources if pair[1] not in columns(pair[0])] == []


def test_every_table_but_the_files_and_the_books_comes_from_another():
    rootless = [table for table in TABLES if not origins(table)]

    assert rootless == ["files", *BOOKS]


def test_no_column_comes_from_itself_alone():
    assert all(
        (table, column) not in pairs for table in TABLES for column, pairs in origins(table).items()
    )


def test_what_is_computed_stands_above_what_is_referred_to():
    assert origins("relationships")["source_id"] == [("relationship_mentions", "source_id")]
    assert origins("text_units")["document_id"] == [("documents", "id")]


def test_dagster_is_told_of_assets_and_their_columns(project):
    told = column_lineage(project, "text_units").deps_by_column["text"]

    assert told == [dg.TableColumnDep(dg.AssetKey("documents"), "text")]


def test_a_run_tells_it_with_each_table(small_job):
    project, result = small_job
    (made,) = [
        event.step_materialization_data.materialization
        for event in result.get_asset_materialization_events()
        if event.asset_key.path == ["entities"]
    ]

    assert project
    assert "title" in made.metadata["dagster/column_lineage"].value.deps_by_column
