"""Run the pipeline without Dagster's job around it: the same steps, in the same order."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from graphrag_assets.assets.publication import CONTENTS, publish
from graphrag_assets.database import IndexDatabase
from graphrag_assets.definitions import JOB, PIPELINE, build
from graphrag_assets.project import Project
from graphrag_assets.run import QUIET
from graphrag_assets.warehouse import Step, TableAsset

UNSTABLE = {  # communities keep what they were, and what follows from them does too
    "communities",
    "community_members",
    "community_reports",
    "report_evidence",
    "report_embeddings",
    "layout",
}
STABLE = [table for table in CONTENTS if table not in UNSTABLE]


def database_of(project: Project) -> IndexDatabase:
    """Return the resource that the assets of a project get."""
    return IndexDatabase(database=str(project.store.work))


def materialise(
    asset: TableAsset, project: Project, run_id: str = "run"
) -> list[dg.MaterializeResult]:
    """Materialise one asset."""
    step = Step(asset, project, database_of(project), run_id, asset.recipe(project))
    return list(step.materialise())


def index_once(project: Project, run_id: str = "run") -> dict[str, Any]:
    """Materialise all tables and publish them; return what the publication says."""
    recomputed = [
        result.asset_key
        for asset in PIPELINE
        for result in materialise(asset, project, run_id)
        if result.metadata["recomputed"]
    ]
    return {**publish(project, database_of(project), run_id), "recomputed": recomputed}


def run_job(root: Path) -> dg.ExecuteInProcessResult:
    """Run the index job of a folder as Dagster does."""
    return build(root).resolve_job_def(JOB).execute_in_process(run_config=QUIET)


def contents(project: Project, tables: Iterable[str] = STABLE) -> dict[str, pl.DataFrame]:
    """Return the working tables, without the model calls, versions and the clock of files."""
    read = project.store.read(*tables)
    return {name: rows.drop("modified_at", strict=False) for name, rows in read.items()}
