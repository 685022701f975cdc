"""The working tables, once all their laws hold -> a published version."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import dagster as dg

from graphrag_assets.checks import all_checks, broken_laws, unfinished
from graphrag_assets.database import IndexDatabase, one_run
from graphrag_assets.metadata import asset_key
from graphrag_assets.project import Project
from graphrag_assets.states import State, asset_states, next_version, save_states
from graphrag_assets.store import Connection, select, sql, views
from graphrag_assets.tables import BOOKS, TABLES, types
from graphrag_assets.text import sha256
from graphrag_assets.versions import reconcile, write_version

INDEX = "index"
CONTENTS = tuple(table for table in TABLES if table not in BOOKS)


def index_asset(project: Project) -> dg.AssetsDefinition:
    """Return the asset that publishes the index."""

    @dg.multi_asset(name="publish", specs=[_spec(project)], required_resource_keys={"duckdb"})
    def compute(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        with one_run(project, context.run.run_id):
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
        code_version=edition(),
        description=(
            "The published index: data/graphrag.duckdb, and each version beside the working "
            "database. Readers see one whole version, before, while and after a run."
        ),
    )


@cache
def edition() -> str:
    """Return a hash of what tables and views there are: an older version may lack some."""
    return sha256(repr(({table: types(table) for table in TABLES}, views())))[:16]


def publish(project: Project, database: IndexDatabase, run_id: str) -> dict[str, Any]:
    """Publish the working tables as the next version, unless the last run did.

    After a rollback they aren't the current version, and stay unpublished until they change. What
    older code published is published anew: it may lack a table or a column.

    Raises UnpublishableError if a law with a blocking check is broken.
    """
    with database.get_connection() as connection:
        connection.begin()
        _refuse_broken(connection, project)
        states = asset_states(connection)
        inputs = {table: states[table].fingerprint for table in CONTENTS if table in states}
        version = next_version(connection, project.store) - 1
        stands = INDEX in states and _stands(states[INDEX], inputs, version)
        if not stands:
            reconcile(connection, project.store)
            version = next_version(connection, project.store)
            _write_version(connection, project, version, run_id)
            state = State(INDEX, str(version), edition(), inputs, settled=True)
            save_states(connection, [state])
        connection.commit()
    database.rest()
    _bring_out(project, version)
    return {"version": version, "published": not stands}


def _stands(published: State, inputs: Mapping[str, str], latest: int) -> bool:
    """Whether what was published is what would be; after a rollback it isn't the latest version."""
    is_latest = published.fingerprint == str(latest)
    return published.inputs == inputs and (published.recipe == edition() or not is_latest)


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
    partial = not select(connection, unfinished()).is_empty()
    row = {
        "version": version,
        "created_at": datetime.now(UTC),
        "run_id": run_id,
        "status": "partial" if partial else "complete",
        "counts": json.dumps(counts),
        "settings": sha256(project.settings.model_dump_json())[:16],
        "cost_usd": cost,
        "restores": None,
    }
    write_version(connection, project.store, row, select(connection, sql("contents")))


def _bring_out(project: Project, version: int) -> None:
    """Publish a version that is written down, as far as that isn't done."""
    store = project.store
    if version not in store.kept:
        store.publish(version)
        store.forget(project.settings.store.keep_versions)
    elif not store.is_current(version):
        store.make_current(version)
