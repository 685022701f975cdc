"""A job of two steps; it stands alone, for processes that know no other test file."""

import os
from pathlib import Path

import dagster as dg

from graphrag_assets.exclusive import exclusive
from graphrag_assets.lock import holder


def two_steps(executor: dg.ExecutorDefinition) -> dg.JobDefinition:
    """Return a job of two steps that note who holds the index."""
    work = Path(os.environ["TEST_WORK"])

    def note():
        with work.with_name("seen").open("a", encoding="utf-8") as file:
            file.write(f"{holder(work)}\n")

    @dg.op
    def first():
        note()

    @dg.op(ins={"after": dg.In(dg.Nothing)})
    def second():
        note()

    @dg.job(executor_def=exclusive(executor, work))
    def both():
        second(first())

    return both


def in_one_process() -> dg.JobDefinition:
    return two_steps(dg.in_process_executor)


def in_many_processes() -> dg.JobDefinition:
    return two_steps(dg.multiprocess_executor)
