"""The pipeline, as one list.

Dagster loads `defs` from here: `dagster dev` in the project's folder, the CLI, the daemon. All of
them run the same assets with the settings of the project in GRAPHRAG_ROOT (default: here).
"""

from collections.abc import Sequence
from pathlib import Path

import dagster as dg

from graphrag_assets import automation
from graphrag_assets.assets import corpus, extraction, graph, publication, reports, vectors
from graphrag_assets.database import IndexDatabase
from graphrag_assets.exclusive import exclusive
from graphrag_assets.heap import spare_memory
from graphrag_assets.pipeline import Pipeline
from graphrag_assets.project import Progress, Project, silent
from graphrag_assets.settings import find_root
from graphrag_assets.warehouse import TableAsset

PIPELINE: Sequence[TableAsset] = (
    corpus.documents,
    corpus.text_units,
    corpus.text_unit_terms,
    extraction.extractions,
    extraction.entity_aliases,
    extraction.names,
    extraction.entity_mentions,
    extraction.relationship_mentions,
    graph.relationships,
    graph.entities,
    extraction.claims,
    graph.communities,
    reports.community_reports,
    vectors.text_unit_embeddings,
    vectors.document_embeddings,
    vectors.entity_embeddings,
    vectors.relationship_embeddings,
    vectors.report_embeddings,
    vectors.layout,
)
JOB = "index"


def build(
    root: Path, progress: Progress = silent, *, budget_usd: float | None = None, name: str = ""
) -> dg.Definitions:
    """Return the pipeline of one project; a name comes before its asset keys."""
    spare_memory()  # of Dagster's processes, which no other module of ours starts
    project = Project.open(root, progress, budget_usd=budget_usd, name=name)
    executors = {"in_process": dg.in_process_executor, "multiprocess": dg.multiprocess_executor}
    job = dg.define_asset_job(
        JOB, selection=dg.AssetSelection.all(), description="Bring the index to the corpus."
    )
    return dg.Definitions(
        assets=[
            *Pipeline(project, PIPELINE).definitions(),
            publication.index_asset(project),
        ],
        jobs=[job],
        schedules=automation.schedules(project, JOB),
        sensors=automation.sensors(project, JOB),
        resources={"duckdb": IndexDatabase(database=str(project.store.work))},
        executor=exclusive(executors[project.settings.run.executor], project.store.work),
    )


@dg.definitions
def defs() -> dg.Definitions:
    """Return the pipeline of the project in GRAPHRAG_ROOT or the working directory."""
    return build(find_root())
