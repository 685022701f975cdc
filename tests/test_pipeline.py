"""pipeline.py: a run asks models ahead of Dagster, and says of each asset what is the asset's."""

import threading

import dagster as dg
import polars as pl

from graphrag_assets.definitions import JOB, PIPELINE, build
from graphrag_assets.errors import ModelStoppedError
from graphrag_assets.pipeline import Pipeline
from graphrag_assets.run import QUIET
from graphrag_assets.store import select
from graphrag_assets.warehouse import table_asset
from pipeline import database_of
from table_rows import rows_of

FILE = {"path": "a.txt", "status": "indexed", "n_documents": 1}
DOCUMENT = {"id": "d", "path": "a.txt", "title": "A", "text": "Ada.", "metadata": "{}"}
UNIT = {"id": "u", "document_id": "d", "text": "Ada.", "sha256": "s", "end_char": 4}


@table_asset("files", "documents")
def documents() -> dict[str, pl.DataFrame]:
    """Give one document, and the file that it stands in."""
    return {"files": rows_of("files", FILE), "documents": rows_of("documents", DOCUMENT)}


def run(project, assets, **more):
    defs = dg.Definitions(
        assets=Pipeline(project, assets).definitions(),
        resources={"duckdb": database_of(project)},
    )
    return defs.resolve_implicit_global_asset_job_def().execute_in_process(run_config=QUIET, **more)


def made_of(log: list[str], gate: threading.Event):
    """Return three assets: one, a long one that reads it, and one that lets the long one end."""

    @table_asset("text_units", long=True, priority=-1)
    def text_units(documents: pl.DataFrame) -> pl.DataFrame:
        log.append(f"{documents.height} document is cut")
        log.append("let go" if gate.wait(20) else "left alone")
        return rows_of("text_units", UNIT)

    @table_asset("document_embeddings")
    def document_embeddings(documents: pl.DataFrame) -> pl.DataFrame:
        log.append(f"{documents.height} document is embedded")
        gate.set()
        vector = pl.Series([[1.0, 0.0]], dtype=pl.Array(pl.Float32, 2))
        return pl.DataFrame({"id": ["d"], "vector": vector, "model": ["m"]})

    return [documents, text_units, document_embeddings]


def test_a_long_step_works_while_another_one_does(project):
    log: list[str] = []

    assert run(project, made_of(log, threading.Event())).success
    assert log[-1] == "let go"
    assert {"1 document is cut", "1 document is embedded"} == set(log[:-1])


def test_a_long_step_lets_others_go_first(project):
    log: list[str] = []

    @table_asset("text_units", long=True, after=("document_embeddings",), priority=-1)
    def text_units(documents: pl.DataFrame) -> pl.DataFrame:
        log.append("cut")
        return rows_of("text_units", UNIT)

    @table_asset("document_embeddings")
    def document_embeddings(documents: pl.DataFrame) -> pl.DataFrame:
        log.append("embedded")
        vector = pl.Series([[1.0, 0.0]], dtype=pl.Array(pl.Float32, 2))
        return pl.DataFrame({"id": ["d"], "vector": vector, "model": ["m"]})

    assert run(project, [documents, text_units, document_embeddings]).success
    assert log == ["embedded", "cut"]


def test_its_table_is_written_like_any_other(project):
    run(project, made_of([], threading.Event()))

    assert project.store.read("text_units")["text_units"]["text"].to_list() == ["Ada."]


def test_a_step_that_isnt_part_of_the_run_is_not_begun(project):
    log: list[str] = []
    run(
        project,
        made_of(log, threading.Event()),
        asset_selection=[dg.AssetKey("files"), dg.AssetKey("documents")],
    )

    assert log == []


def test_an_error_ahead_fails_its_own_step_alone(project):
    @table_asset("text_units", long=True)
    def text_units(documents: pl.DataFrame) -> pl.DataFrame:
        raise ModelStoppedError("m", "", f"no key for {documents.height}")

    result = run(project, [documents, text_units], raise_on_error=False)
    failed = [event.step_key for event in result.all_events if event.is_step_failure]

    assert failed == ["text_units"]
    assert project.store.read("documents")["documents"].height == 1


def test_calls_are_told_apart_though_they_are_made_side_by_side(project):
    job = build(project.root).resolve_job_def(JOB)

    assert job.execute_in_process(run_config=QUIET).success
    with project.store.connect(read_only=True) as connection:
        asked = select(connection, "SELECT DISTINCT asset, task FROM model_calls").rows()
    tasks = {asset.name: set(asset.tasks) for asset in PIPELINE if asset.tasks}

    assert {"extractions", "text_unit_embeddings", "community_reports"} <= {a for a, _ in asked}
    assert all(task in tasks[asset] for asset, task in asked)


def test_where_each_step_has_its_own_process_none_begins_early(project, monkeypatch):
    monkeypatch.setenv("GRAPHRAG__RUN__EXECUTOR", "multiprocess")
    reopened = type(project).open(project.root)

    assert Pipeline(reopened, PIPELINE)._reads({asset.name for asset in PIPELINE}) == {}
