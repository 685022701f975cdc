"""One event loop for the whole process, in a thread of its own: litellm wants a single one."""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from graphrag_assets.errors import ModelStoppedError

T = TypeVar("T")
_LOCK = threading.Lock()
_LOOPS: dict[int, asyncio.AbstractEventLoop] = {}  # by process: a fork inherits no threads


def loop() -> asyncio.AbstractEventLoop:
    """Return the process's loop; it starts with the first call."""
    with _LOCK:
        pid = os.getpid()
        if pid not in _LOOPS:
            _LOOPS[pid] = asyncio.new_event_loop()
            run = _LOOPS[pid].run_forever
            threading.Thread(target=run, name="models", daemon=True).start()
        return _LOOPS[pid]


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the loop from any other thread and return its result."""
    if _on_it():
        coroutine.close()
        message = "run() would wait for itself here: await instead."
        raise RuntimeError(message)
    future = asyncio.run_coroutine_threadsafe(coroutine, loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()  # Ctrl-C: the loop must not go on with what nobody waits for
        raise


async def hop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Await a coroutine on the loop, whichever loop the caller is on."""
    if _on_it():
        return await coroutine
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, loop()))


def _on_it() -> bool:
    try:
        return asyncio.get_running_loop() is _LOOPS.get(os.getpid())
    except RuntimeError:
        return False


async def gather(
    jobs: Sequence[Callable[[], Coroutine[Any, Any, T]]],
    *,
    workers: int,
    progress: Callable[[int], None] | None,
) -> list[T]:
    """Run jobs with so many workers and return their results in order; the first error ends all.

    A model that stops is no reason to throw away what is in flight, and paid for: no further job
    is begun, and those at work come to their own end.
    """
    results: dict[int, T] = {}
    stops: list[ModelStoppedError] = []
    numbered = iter(enumerate(jobs))

    async def work() -> None:
        for number, job in numbered:
            if stops:
                return
            try:
                results[number] = await job()
            except ModelStoppedError as stop:
                stops.append(stop)
                return
            if progress is not None:
                progress(len(results))

    await _all_or_first_error([asyncio.ensure_future(work()) for _ in range(workers)])
    if stops:
        raise stops[0]
    return [results[number] for number in range(len(jobs))]


async def _all_or_first_error(tasks: Sequence[asyncio.Future[None]]) -> None:
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
