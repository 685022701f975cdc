"""One run of the index job in this process: what the UI's button does, from the command line."""

import contextlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg

from graphrag_assets.checks import all_checks, broken_laws
from graphrag_assets.definitions import JOB, build
from graphrag_assets.errors import GraphRAGError
from graphrag_assets.imports import imports
from graphrag_assets.lock import held
from graphrag_assets.project import Progress, Project
from graphrag_assets.store import select, sql

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True)
class Run:
    """A run that ended well, and what it took: the columns of sql/run_cost.sql."""

    id: str
    seconds: float
    took: Mapping[str, Any]


def run_index(root: Path, progress: Progress, *, budget_usd: float | None = None) -> Run:
    """Run the job; raise the error of the step that failed.

    The run is recorded in the project's Dagster instance, so that the UI shows it.
    """
    definitions = build(root, progress, budget_usd=budget_usd)
    project = Project.open(root)
    start = time.monotonic()
    with (
        contextlib.chdir(root),
        held(project.store.work, who=f"graphrag-assets index, process {os.getpid()}", timeout=0),
        _instance(root) as instance,
    ):
        job = definitions.resolve_job_def(JOB)
        try:
            run_id = job.execute_in_process(instance=instance, run_config=QUIET).run_id
        except dg.Failure as failure:
            if isinstance(failure.__cause__, GraphRAGError):
                raise failure.__cause__ from failure
            raise
        except dg.DagsterError as error:
            raise _broken_law(project, str(error)) or error from error
    with project.store.connect(read_only=True) as connection:
        took = select(connection, sql("run_cost"), run=run_id).to_dicts()[0]
    return Run(run_id, time.monotonic() - start, took)


def _instance(root: Path) -> dg.DagsterInstance:
    with imports():  # of Dagster's storage
        if (root / "dagster.yaml").is_file():
            (root / "data" / "dagster").mkdir(parents=True, exist_ok=True)
            return dg.DagsterInstance.from_config(str(root))
        return dg.DagsterInstance.ephemeral()


def _broken_law(project: Project, message: str) -> GraphRAGError | None:
    """Return the checks that Dagster says fail, with their culprits."""
    limits = project.settings.extraction.model_dump()
    with project.store.connect(read_only=True) as connection:
        named = (check for check in all_checks() if check.name in message)
        return broken_laws(connection, named, limits)
