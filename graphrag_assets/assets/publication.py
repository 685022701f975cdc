"""The working tables, once all their laws hold -> a published version."""

import json
from datetime import UTC, datetime
from typing import Any

import dagster as dg
import polars as pl

from graphrag_assets.checks import all_checks, broken_laws
from graphrag_assets.errors import NoIndexError
from graphrag_assets.metadata import asset_key
from graphrag_assets.project import Project
from graphrag_assets.states import State, asset_states, next_version, save_states
from graphrag_assets.store import (
    Connection,
    append,
    open_published,
    select,
    sql,
)
from graphrag_assets.tables import TABLES
from graphrag_assets.text import sha256
from graphrag_assets.warehouse import IndexDatabase, one_run

INDEX = "index"
BOOKS = ("model_calls", "index_versions", "index_changes", "asset_states")
CONTENTS = tuple(table for table in TABLES if table not in BOOKS)


def index_asset(project: Project) -> dg.AssetsDefinition:
    """Return the asset that publishes the index."""

    @dg.multi_asset(name="publish", specs=[_spec(project)], required_resource_keys={"duckdb"})
    def compute(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        with one_run(project):
            published = publish(project, context.resources.duckdb, context.run.run_id)
        metadata = {"path": dg.MetadataValue.path(str(project.store.current)), **published}
        return dg.MaterializeResult(
            asset_key=asset_key(project, INDEX),
            data_version=dg.DataVersion(str(published["version"])),
            metadata=metadata,
        )

    return compute


def _spec(project: Project) -> dg.AssetSpec:
    return dg.AssetSpec(
        asset_key(project, INDEX),
        deps=[asset_key(project, table) for table in CONTENTS],
        group_name="publication",
        kinds={"duckdb"},
        code_version="1",
        description=(
            "The published index: data/graphrag.duckdb, and each version beside the working "
            "database. Readers see one whole version, before, while and after a run."
        ),
    )


def publish(project: Project, database: IndexDatabase, run_id: str) -> dict[str, Any]:
    """Publish the working tables as the next version, unless they are the current one already.

    Raises UnpublishableError if a law with a blocking check is broken.
    """
    with database.get_connection() as connection:
        connection.begin()
        _refuse_broken(connection, project)
        states = asset_states(connection)
        inputs = {table: states[table].fingerprint for table in CONTENTS if table in states}
        unchanged = INDEX in states and states[INDEX].inputs == inputs
        version = next_version(connection) - (1 if unchanged else 0)
        if not unchanged:
            _write_version(connection, project, version, run_id)
            save_states(connection, [State(INDEX, str(version), "1", inputs, settled=True)])
        connection.commit()
    if not unchanged or not _is_published(project, version):
        project.store.publish(version)
        project.store.forget(project.settings.store.keep_versions)
    return {"version": version, "published": not unchanged}


def _refuse_broken(connection: Connection, project: Project) -> None:
    limits = project.settings.extraction.model_dump()
    blocking = (check for check in all_checks() if check.blocking)
    if error := broken_laws(connection, blocking, limits):
        raise error


def _write_version(connection: Connection, project: Project, version: int, run_id: str) -> None:
    counts = {
        table: connection.execute(f'SELECT count(*) FROM "{table}"').fetchall()[0][0]
        for table in CONTENTS
    }
    costs = select(connection, "SELECT cost_usd FROM cost_by_asset WHERE run_id = $run", run=run_id)
    cost = None if costs["cost_usd"].null_count() else costs["cost_usd"].sum()
    partial = not select(connection, sql("unfinished")).is_empty()
    row = {
        "version": version,
        "created_at": datetime.now(UTC),
        "run_id": run_id,
        "status": "partial" if partial else "complete",
        "counts": json.dumps(counts),
        "settings": sha256(project.settings.model_dump_json())[:16],
        "cost_usd": cost,
    }
    append(connection, "index_versions", pl.DataFrame([row]))
    now = select(connection, sql("contents"))
    append(connection, "index_changes", changes(_before(project, now), now, version))


def changes(before: pl.DataFrame, now: pl.DataFrame, version: int) -> pl.DataFrame:
    """Return what was added, removed and changed between two states of the contents."""
    both = now.join(before, on=["kind", "id"], how="full", coalesce=True, suffix="_before")
    change = (
        pl.when(pl.col("content_before").is_null())
        .then(pl.lit("added"))
        .when(pl.col("content").is_null())
        .then(pl.lit("removed"))
        .otherwise(pl.lit("changed"))
    )
    return (
        both.filter(pl.col("content").ne_missing(pl.col("content_before")))
        .with_columns(
            change=change,
            version=pl.lit(version, pl.Int64),
            title=pl.coalesce("title", "title_before"),
        )
        .sort("kind", "id")
    )


def _before(project: Project, now: pl.DataFrame) -> pl.DataFrame:
    try:
        path = project.store.published()
    except NoIndexError:
        return now.clear()
    connection = open_published(path)
    try:
        return select(connection, sql("contents"))
    finally:
        connection.close()


def _is_published(project: Project, version: int) -> bool:
    """Whether a version's file is there, and the current one isn't older."""
    try:
        made = project.store.published(version).stat().st_mtime_ns
        return project.store.current.stat().st_mtime_ns >= made
    except (NoIndexError, FileNotFoundError):
        return False
