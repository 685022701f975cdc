"""What of a run begins before Dagster comes to it.

Dagster executes the steps of a run in one process one after the other: while a step waits for a
model, nothing else would happen. So what takes long begins on a thread of its own the moment the
last table that it reads is written; when Dagster comes to it, its result is taken, written and
reported like any other. What it read can't change in between: all that it depends on is done.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")
Work = Callable[[], T]


@dataclass
class Ahead(Generic[T]):
    """The long steps of one run.

    `reads` says which steps of the run write what each of them reads; `begin` begins one.
    """

    reads: Mapping[str, frozenset[str]]
    begin: Callable[[str], T]
    done: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    begun: dict[str, T] = field(default_factory=dict)

    def wrote(self, step: str) -> None:
        """Note that a step's tables are written, and begin what was waiting for them alone."""
        self.done.add(step)
        for name, needed in self.reads.items():
            known = name in self.taken or name in self.begun
            if not known and needed <= self.done:
                self.begun[name] = self.begin(name)

    def take(self, step: str) -> T | None:
        """Return what was begun of a step, None if nothing was; it isn't begun again."""
        self.taken.add(step)
        return self.begun.pop(step, None)


def directly(work: Work[T]) -> Future[T]:
    """Do some work now."""
    future: Future[T] = Future()
    _fulfil(future, work)
    return future


def aside(work: Work[T]) -> Future[T]:
    """Do some work on a thread of its own, which no interpreter waits for at its end."""
    future: Future[T] = Future()
    threading.Thread(target=_fulfil, args=(future, work), daemon=True).start()
    return future


def _fulfil(future: Future[T], work: Work[T]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
        future.set_exception(error)
