"""One run at a time, whoever starts it: an executor that holds the index for the whole run."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import dagster as dg

from graphrag_assets.errors import RunInProgressError
from graphrag_assets.lock import held
from graphrag_assets.store import LOCK_TIMEOUT


class Exclusive(dg.Executor):
    """Another executor, with the lock on the working database around it.

    It runs in the process of the run, which outlives the steps and whose death frees the lock.
    """

    def __init__(self, inner: dg.Executor, work: Path) -> None:
        """Take the executor that does the work, and the working database."""
        self.inner = inner
        self.work = work

    @property
    def retries(self) -> Any:  # noqa: ANN401 - Dagster's RetryMode isn't public
        """Those of the executor that does the work."""
        return self.inner.retries

    def execute(self, plan_context: Any, execution_plan: Any) -> Iterator[dg.DagsterEvent]:  # noqa: ANN401
        """Wait for the index, then execute all steps.

        Raises RunInProgressError if another run holds it for longer than LOCK_TIMEOUT seconds.
        """
        with self._index(plan_context):
            yield from self.inner.execute(plan_context, execution_plan)

    @contextmanager
    def _index(self, plan_context: Any) -> Iterator[None]:  # noqa: ANN401
        with ExitStack() as stack:
            try:
                stack.enter_context(held(self.work, who=plan_context.run_id, timeout=0))
            except RunInProgressError as error:
                plan_context.log.warning("%s This run waits.", error)
                stack.enter_context(held(self.work, who=plan_context.run_id, timeout=LOCK_TIMEOUT))
            yield


def exclusive(executor: dg.ExecutorDefinition, work: Path) -> dg.ExecutorDefinition:
    """Return an executor that runs one run at a time over a working database."""
    create = executor.executor_creation_fn

    def created(context: dg.InitExecutorContext) -> dg.Executor:
        if create is None:
            raise TypeError(executor.name)
        return Exclusive(create(context), work)

    return dg.ExecutorDefinition(
        name=executor.name,
        config_schema=executor.config_schema,  # type: ignore[arg-type]
        requirements=executor.get_requirements({}),
        executor_creation_fn=created,
        description=executor.description,
    )
