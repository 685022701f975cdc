"""Reads an index over and over, as another process beside the runs.

    python tests/reading.py ROOT

Reads until its input ends, then prints a JSON object: how many reads, of which versions, and what
went wrong. A read opens data/graphrag.duckdb or the newest version, in turn, and counts the rows of
every table: all must be those that the version itself claims.
"""

import json
import sys
import threading
from collections import Counter
from pathlib import Path

import duckdb

from graphrag_assets.project import Project
from graphrag_assets.store import Store, open_published

NEWEST = "SELECT version, counts FROM index_versions ORDER BY version DESC LIMIT 1"


def read(store: Store, *, by_name: bool) -> int:
    """Read the current version; return its number, raise if its rows are of another one."""
    path = store.current if by_name else store.published()
    connection = duckdb.connect(str(path), read_only=True) if by_name else open_published(path)
    try:
        version, counts = connection.execute(NEWEST).fetchall()[0]
        claimed = json.loads(counts)
        found = {
            table: connection.execute(f'SELECT count(*) FROM "{table}"').fetchall()[0][0]
            for table in claimed
        }
    finally:
        connection.close()
    if found != claimed:
        raise AssertionError(f"version {version} claims {claimed} and has {found}")
    return int(version)


def main() -> None:
    """Read until the input ends."""
    store = Project.open(Path(sys.argv[1])).store
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    versions: Counter[int] = Counter()
    errors: list[str] = []
    while not (versions and ended.is_set()):
        try:
            versions[read(store, by_name=versions.total() % 2 == 0)] += 1
        except (duckdb.Error, OSError, AssertionError) as error:
            errors.append(repr(error))
    told = {"reads": versions.total(), "versions": versions, "errors": errors}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
