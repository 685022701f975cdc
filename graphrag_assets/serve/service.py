"""What HTTP and MCP offer alike: questions and reads, within limits, each from one version."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Concatenate, Final, ParamSpec, TypeVar, Unpack

import polars as pl

from graphrag_assets.errors import BusyError, DeadlineError
from graphrag_assets.project import Project
from graphrag_assets.query import Answer, Index
from graphrag_assets.query.index import Options
from graphrag_assets.serve.current import Current

P = ParamSpec("P")
T = TypeVar("T")
WAITING_PER_SLOT: Final = 16


class Service:
    """One project's index, to be asked by many at once."""

    def __init__(self, project: Project) -> None:
        """Open nothing yet."""
        self.project = project
        self.current = Current(project)
        self._limits = project.settings.serve
        self._slots = asyncio.Semaphore(self._limits.concurrency)
        self._waiting = 0

    async def ask(self, question: str, **options: Unpack[Options]) -> Answer:
        """Answer a question; raise DeadlineError, BusyError or what the question raises."""
        async with self._turn():
            with self.current.lease() as index:
                return await index.ask_async(question, **options)

    async def stream(
        self, question: str, **options: Unpack[Options]
    ) -> AsyncGenerator[str | Answer, None]:
        """Give an answer's text in pieces, then the answer; raises as `ask`."""
        async with self._turn():
            with self.current.lease() as index:
                async with aclosing(index.stream_async(question, **options)) as pieces:  # type: ignore[type-var]
                    async for piece in pieces:
                        yield piece

    async def read(
        self, function: Callable[Concatenate[Index, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function with the newest version, in a thread; raise DeadlineError or its own."""

        def leased() -> T:
            with self.current.lease() as index:
                return function(index, *args, **kwargs)

        async with self._deadline():
            return await asyncio.to_thread(leased)

    async def consult(
        self, function: Callable[Concatenate[Index, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function that may ask models: as `read`, but in turn."""
        async with self._turn():
            return await self.read(function, *args, **kwargs)

    async def sql(self, statement: str, *, limit: int) -> tuple[int, pl.DataFrame]:
        """Return the version and the first rows of a statement that reads; raise SqlError."""

        def select(index: Index) -> tuple[int, pl.DataFrame]:
            rows = index.reader.sql(statement, seconds=self._limits.deadline_seconds)
            return index.version, rows.head(limit)

        return await self.consult(select)

    async def ready(self) -> None:
        """Import what the first question would wait for."""
        for task in ("query", "embedding"):
            await self.project.models.ready(task)

    def close(self) -> None:
        """Close the index and the models."""
        self.current.close()
        self.project.models.close()

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Wait for a slot, then hold it, all within the deadline."""
        if self._waiting >= WAITING_PER_SLOT * self._limits.concurrency:
            raise BusyError(self._waiting)
        async with self._deadline():
            self._waiting += 1
            try:
                await self._slots.acquire()
            finally:
                self._waiting -= 1
            try:
                yield
            finally:
                self._slots.release()

    @asynccontextmanager
    async def _deadline(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._limits.deadline_seconds) as deadline:
                yield
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise DeadlineError(self._limits.deadline_seconds) from error
