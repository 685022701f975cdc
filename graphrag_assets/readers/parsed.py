"""What a file turns out to hold."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


class UnreadError(Exception):
    """A file that gives no documents; it becomes a row of `files` with this status and reason."""

    def __init__(self, status: str, reason: str) -> None:
        """Take a status of `files` and the reason that stands beside it."""
        self.status = status
        self.reason = reason
        super().__init__(f"{status}: {reason}")


@dataclass(frozen=True)
class Piece:
    """One document-to-be: a whole file, or one record of it."""

    text: str
    title: str | None = None
    record: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    pages: tuple[int, ...] = ()  # where each page starts, in characters


@dataclass(frozen=True)
class Parsed:
    """The pieces of a file, and what should be known of how they were read."""

    format: str
    pieces: tuple[Piece, ...]
    encoding: str | None = None
    warnings: tuple[str, ...] = ()


def paged(parts: list[str]) -> tuple[str, tuple[int, ...]]:
    """Return the pages' text as one, and where each begins in it."""
    return "\n\n".join(parts), tuple(_starts(parts))


def _starts(parts: list[str]) -> Iterator[int]:
    start = 0
    for part in parts:
        yield start
        start += len(part) + 2
