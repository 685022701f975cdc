"""The lock on a working database: one run at a time, whoever starts it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from filelock import FileLock, Timeout

from graphrag_assets.errors import RunInProgressError


@cache
def run_lock(work: Path) -> FileLock:
    """Return this process's lock on a working database: one run at a time, whoever starts it."""
    return FileLock(work.with_suffix(".lock"), thread_local=False)


@contextmanager
def held(work: Path, *, who: str, timeout: float) -> Iterator[None]:
    """Hold the lock on a working database, in the name of a run or a command.

    Raises RunInProgressError if another process keeps it for longer than `timeout` seconds.
    """
    work.parent.mkdir(parents=True, exist_ok=True)
    lock = run_lock(work)
    try:
        lock.acquire(timeout=timeout)
    except Timeout as error:
        raise RunInProgressError(holder(work) or lock.lock_file) from error
    try:
        if lock.lock_counter == 1:
            _holder_file(work).write_text(who, encoding="utf-8")
        yield
    finally:
        if lock.lock_counter == 1:
            _holder_file(work).unlink(missing_ok=True)
        lock.release()


def holder(work: Path) -> str:
    """Return in whose name the lock is held; what was killed may still be named."""
    try:
        return _holder_file(work).read_text("utf-8")
    except FileNotFoundError:
        return ""


def _holder_file(work: Path) -> Path:
    return work.with_suffix(".holder")
