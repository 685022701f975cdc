"""The working database as a resource of Dagster's, and the lock that a step runs under."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

import dagster as dg
from dagster_duckdb import DuckDBResource
from pydantic import PrivateAttr

from graphrag_assets.errors import GraphRAGError
from graphrag_assets.lock import held, holder
from graphrag_assets.project import Project
from graphrag_assets.store import LOCK_TIMEOUT, Connection, connect


class IndexDatabase(DuckDBResource):  # type: ignore[misc]
    """dagster-duckdb's resource, made patient: it waits for the lock.

    Opening the database costs more than most steps do with it. So a run keeps its connection from
    one step to the next, and lets it `rest` where it waits: then other processes can read.
    """

    _kept: ExitStack | None = PrivateAttr(default=None)  # there within a run
    _connection: Connection | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Self]:  # noqa: ARG002
        """Keep the connection for the time of a run."""
        with ExitStack() as self._kept:
            yield self

    @contextmanager
    def get_connection(self) -> Iterator[Connection]:
        """Give a connection for one read or one write; what fails is rolled back."""
        if self._kept is None:
            with connect(Path(self.database), read_only=False) as connection:
                yield connection
            return
        if self._connection is None:
            opened = connect(Path(self.database), read_only=False)
            self._connection = self._kept.enter_context(opened)
        try:
            yield self._connection
        except BaseException:
            self.rest()
            raise

    def rest(self) -> None:
        """Close the connection until it is asked for again."""
        if self._kept is not None:
            self._connection = None
            self._kept.close()


@contextmanager
def one_run(project: Project, run_id: str) -> Iterator[None]:
    """Keep other runs out for the time of a step; turn errors of ours into Dagster's.

    Where the run as a whole holds the index (exclusive.py), maybe in a process above this one,
    there is nothing to keep out.
    """
    work = project.store.work
    try:
        if holder(work) == run_id:
            yield
            return
        with held(work, who=run_id, timeout=LOCK_TIMEOUT):
            yield
    except GraphRAGError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
