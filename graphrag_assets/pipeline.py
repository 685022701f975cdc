"""The assets of a project as Dagster's, and what the run at hand has begun of them.

Dagster takes one step after the other; one that asks models begins as soon as what it reads is
there (ahead.py), so that the models are asked while other steps compute and write.
"""

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import dagster as dg

from graphrag_assets.ahead import Ahead, aside, directly
from graphrag_assets.checks import checks_on
from graphrag_assets.database import IndexDatabase, one_run
from graphrag_assets.metadata import asset_key, column_schema
from graphrag_assets.project import Project
from graphrag_assets.tables import meaning
from graphrag_assets.warehouse import Begun, Step, TableAsset, sound

PRIORITY = "dagster/priority"


@dataclass
class Pipeline:
    """The assets of a project, and what the run at hand has begun of them."""

    project: Project
    assets: Sequence[TableAsset]
    runs: dict[str, Ahead[Begun]] = field(default_factory=dict)

    def definitions(self) -> list[dg.AssetsDefinition]:
        """Return the Dagster assets."""
        return [self._definition(asset, asset.recipe(self.project)) for asset in self.assets]

    def _definition(self, asset: TableAsset, recipe: str) -> dg.AssetsDefinition:
        begins = aside if asset.long else directly

        @dg.multi_asset(
            name=asset.name,
            specs=[_spec(self.project, asset, table, recipe) for table in asset.tables],
            check_specs=[
                check for table in asset.tables for check in _check_specs(self.project, table)
            ],
            required_resource_keys={"duckdb"},
            op_tags={PRIORITY: str(asset.priority)},
        )
        def compute(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult[None]]:
            ahead = self._ahead(context)
            step = Step(asset, self.project, context.resources.duckdb, context.run.run_id, recipe)
            with one_run(self.project, context.run.run_id):
                results = step.finish(ahead.take(asset.name) or step.begin(begins))
                yield from results
                if all(map(sound, results)):
                    ahead.wrote(asset.name)

        return compute

    def _ahead(self, context: dg.AssetExecutionContext) -> Ahead[Begun]:
        """Return what the run at hand has begun."""
        run = context.run
        if run.run_id not in self.runs:
            gc.freeze()  # what is there by now stays: no collection need look through it
            there = {node.name for node in context.job_def.nodes}
            there &= set(run.step_keys_to_execute or there)
            begin = partial(self._begin, context.resources.duckdb, run.run_id)
            self.runs = {run.run_id: Ahead(self._reads(there), begin)}
        return self.runs[run.run_id]

    def _reads(self, there: set[str]) -> dict[str, frozenset[str]]:
        """Return the long steps of a run, each with the steps that make what it reads.

        There are none where each step has a process of its own.
        """
        if self.project.settings.run.executor != "in_process":
            return {}
        makers = {table: asset.name for asset in self.assets for table in asset.tables}
        return {
            asset.name: frozenset(makers[table] for table in (*asset.inputs, *asset.after)) & there
            for asset in self.assets
            if asset.long and asset.name in there
        }

    def _begin(self, database: IndexDatabase, run_id: str, name: str) -> Begun:
        (asset,) = (asset for asset in self.assets if asset.name == name)
        return Step(asset, self.project, database, run_id, asset.recipe(self.project)).begin(aside)


def _spec(project: Project, asset: TableAsset, table: str, recipe: str) -> dg.AssetSpec:
    return dg.AssetSpec(
        asset_key(project, table),
        deps=[asset_key(project, other) for other in asset.upstream(table)],
        group_name=asset.group,
        description="\n\n".join(filter(None, [meaning(table), asset.purpose])),
        code_version=recipe,
        kinds={"duckdb", "litellm"} if asset.tasks else {"duckdb", "polars"},
        metadata={
            "dagster/column_schema": column_schema(table),
            "dagster/table_name": f"graphrag.main.{table}",
        },
    )


def _check_specs(project: Project, table: str) -> list[dg.AssetCheckSpec]:
    return [
        dg.AssetCheckSpec(
            check.name,
            asset=asset_key(project, check.table),
            description=check.meaning,
            blocking=check.blocking,
        )
        for check in checks_on(table)
    ]
