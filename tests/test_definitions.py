"""definitions: what Dagster sees, spelled out by hand."""

import pytest

from graphrag_assets import definitions
from graphrag_assets.definitions import JOB, PIPELINE, build
from graphrag_assets.errors import SettingsError
from graphrag_assets.tables import TABLES
from small_corpus import SETTINGS, write_project

# asset: its group, then the tables it is made from or checked against
GRAPH = {
    "files": ("corpus", []),
    "documents": ("corpus", []),
    "text_units": ("corpus", ["documents"]),
    "text_unit_terms": ("corpus", ["text_units"]),
    "extractions": ("extraction", ["documents", "text_units"]),
    "entity_aliases": ("extraction", ["extractions", "text_units"]),
    "names": ("extraction", ["documents", "entity_aliases"]),
    "entity_mentions": ("extraction", ["entity_aliases", "extractions", "text_units"]),
    "relationship_mentions": ("extraction", ["entity_mentions", "extractions", "text_units"]),
    "claims": ("extraction", ["entities", "entity_mentions", "extractions", "text_units"]),
    "relationships": ("graph", ["entity_mentions", "relationship_mentions", "text_units"]),
    "entities": (
        "graph",
        [
            "entity_aliases",
            "entity_mentions",
            "relationship_mentions",
            "relationships",
            "text_units",
        ],
    ),
    "communities": ("graph", ["entity_mentions", "relationships", "text_units"]),
    "community_members": ("graph", ["entities", "entity_mentions", "relationships", "text_units"]),
    "community_reports": (
        "reports",
        ["claims", "communities", "community_members", "entities", "relationships"],
    ),
    "report_evidence": (
        "reports",
        ["claims", "communities", "community_members", "entities", "relationships"],
    ),
    "text_unit_embeddings": ("vectors", ["text_units"]),
    "document_embeddings": ("vectors", ["documents", "text_unit_embeddings", "text_units"]),
    "entity_embeddings": ("vectors", ["entities"]),
    "relationship_embeddings": ("vectors", ["entities", "relationships"]),
    "report_embeddings": ("vectors", ["community_reports"]),
    "layout": (
        "vectors",
        [
            "communities",
            "community_members",
            "document_embeddings",
            "documents",
            "entities",
            "entity_embeddings",
            "entity_mentions",
            "text_units",
        ],
    ),
}


@pytest.fixture
def root(tmp_path):
    return write_project(tmp_path)


@pytest.fixture
def graph(root):
    return build(root).resolve_asset_graph()


def test_assets_groups_and_edges(graph):
    found = {
        key.to_user_string(): (
            graph.get(key).group_name,
            sorted(parent.to_user_string() for parent in graph.get(key).parent_keys),
        )
        for key in graph.get_all_asset_keys()
    }

    assert found == GRAPH | {"index": ("publication", sorted(GRAPH))}


def test_every_table_but_the_books_is_an_asset(graph):
    books = {"model_calls", "index_versions", "index_changes", "asset_states"}

    assert set(GRAPH) == TABLES.keys() - books


def test_the_pipeline_is_in_an_order_that_it_can_run_in():
    made: set[str] = set()
    for asset in PIPELINE:
        needed = {parent for table in asset.tables for parent in GRAPH[table][1]}

        assert needed <= made, asset.name
        made |= set(asset.tables)


def test_every_asset_says_what_it_is(graph):
    mute = [
        key.to_user_string()
        for key in graph.get_all_asset_keys()
        if not graph.get(key).description or not graph.get(key).code_version
    ]

    assert mute == []


def test_every_table_shows_its_columns(root):
    specs = [spec for asset in PIPELINE for spec in asset_specs(root, asset.name)]
    shown = {
        spec.key.to_user_string(): [c.name for c in spec.metadata["dagster/column_schema"].columns]
        for spec in specs
    }

    assert shown == {table: list(TABLES[table].columns()) for table in GRAPH}


def asset_specs(root, name):
    return [
        spec
        for asset in build(root).assets
        if asset.node_def.name == name and name != "index"
        for spec in asset.specs
    ]


def test_checks_that_block_are_those_that_refuse_publication(graph):
    blocking = {
        check.name for check in graph.asset_check_keys if graph.get_check_spec(check).blocking
    }
    assert {"citations_resolve", "claims_subject_id_exists"} <= blocking
    assert "reports_were_written" not in blocking


def test_the_job_makes_everything(root):
    job = build(root).resolve_job_def(JOB)
    made = {key.to_user_string() for key in job.asset_layer.executable_asset_keys}

    assert made == {*GRAPH, "index"}


def test_there_is_no_schedule_unless_the_settings_have_one(root):
    assert not build(root).schedules
    write_project(root, settings=SETTINGS + '[run]\nschedule = "0 3 * * *"\n')
    (schedule,) = build(root).schedules

    assert schedule.cron_schedule == "0 3 * * *"
    assert schedule.job_name == JOB


def test_the_executor_is_that_of_the_settings(root):
    assert build(root).executor.name == "in_process"
    write_project(root, settings=SETTINGS + '[run]\nexecutor = "multiprocess"\n')

    assert build(root).executor.name == "multiprocess"


def test_dagster_finds_the_project_of_the_environment(root, monkeypatch):
    monkeypatch.setenv("GRAPHRAG_ROOT", str(root))
    found = definitions.defs()

    work = root / "data" / "index" / "work" / "index.duckdb"
    assert found.resources["duckdb"].database == str(work)


def test_dagster_finds_the_project_of_the_working_directory(root, monkeypatch):
    monkeypatch.chdir(root)

    assert str(root) in definitions.defs().resources["duckdb"].database


def test_bad_settings_are_an_error_that_names_them(root):
    write_project(root, settings="[reports]\ncontext_token = 1\n")

    with pytest.raises(SettingsError, match=r"reports\.context_token.*Did you mean"):
        build(root)
