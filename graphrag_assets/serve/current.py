"""The newest version, open: a version is closed when the last question about it is answered."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from graphrag_assets.project import Project
from graphrag_assets.query import Index


@dataclass
class _Open:
    """An open version and how many use it."""

    index: Index
    file: tuple[Path, int]  # its path and inode
    users: int = field(default=0)


class Current:
    """Lends the newest published version; safe for many threads."""

    def __init__(self, project: Project) -> None:
        """Open nothing yet."""
        self._project = project
        self._lock = threading.Lock()
        self._newest: _Open | None = None

    @contextmanager
    def lease(self) -> Iterator[Index]:
        """Lend the newest version for one question; raise NoIndexError if there is none."""
        lent = self._take()
        try:
            yield lent.index
        finally:
            self._give_back(lent)

    def close(self) -> None:
        """Close what nobody uses."""
        with self._lock:
            self._retire()

    def _take(self) -> _Open:
        with self._lock:
            newest = self._project.store.opened(self._renewed)
            newest.users += 1
            return newest

    def _renewed(self, path: Path) -> _Open:
        """Return the newest version, opened unless it is open already."""
        file, held = (path, path.stat().st_ino), self._newest
        if held and held.file == file:
            return held
        if held and held.file[0] == path:
            if held.users:
                return held  # built anew: DuckDB opens this path afresh when nobody reads it
            self._retire()
        opened = Index(self._project, int(path.stem))
        self._retire()
        self._newest = _Open(opened, file)
        return self._newest

    def _retire(self) -> None:
        held, self._newest = self._newest, None
        if held and not held.users:
            held.index.reader.close()

    def _give_back(self, lent: _Open) -> None:
        with self._lock:
            lent.users -= 1
            if lent is not self._newest and not lent.users:
                lent.index.reader.close()  # the models serve the next version
