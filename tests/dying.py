"""`graphrag-assets index` or `rollback` that kills itself with SIGKILL at a chosen point.

    python tests/dying.py ROOT LOG POINT

The scripted model answers; each question is a line of LOG. The points are named below.
"""

import itertools
import os
import signal
import sys
from pathlib import Path

from graphrag_assets import schema, store, versions, warehouse
from graphrag_assets.assets import publication
from graphrag_assets.models import client
from graphrag_assets.models.memo import Memo
from graphrag_assets.project import Project, silent
from graphrag_assets.run import run_index
from scripted_index import Slow


def kill(*_, **__):
    """End this process as the kernel does when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def half(source, target):
    """Copy half a file, and die."""
    Path(target).write_bytes(Path(source).read_bytes()[: Path(source).stat().st_size // 2])
    kill()


def after(function, nth=1):
    """Return a function that dies once it was called so often."""
    calls = itertools.count(1)

    def called(*arguments, **named):
        result = function(*arguments, **named)
        if next(calls) == nth:
            kill()
        return result

    return called


RUN = {
    "an older schema is half brought up to date": (schema, "_comment", after(schema._comment, 9)),
    "a reply is not yet in the memo": (Memo, "put_many", kill),
    "a reply is in the memo": (Memo, "put_many", after(Memo.put_many, 3)),
    "a table is written, not committed": (warehouse, "replace", after(warehouse.replace, 5)),
    "the version's row is not yet written": (publication, "write_version", kill),
    "the version's row is written, no file": (publication, "_bring_out", kill),
    "half the file is copied": (store.shutil, "copyfile", half),
    "the file is copied, not renamed": (store.os, "fsync", kill),
    "the file is renamed, not current": (store.Store, "make_current", kill),
    "the file is current, old ones are there": (store.Store, "forget", kill),
}
ROLLBACK = {
    "rollback: the row is written, no file": (versions, "read_table", kill),
    "rollback: half the file is copied": (store.shutil, "copyfile", half),
    "rollback: the books are not yet today's": (versions, "replace", kill),
    "rollback: the file is copied, not renamed": (store.os, "fsync", kill),
    "rollback: the file is renamed, not current": (store.Store, "make_current", kill),
    "rollback: it is current, not committed": (
        store.Store,
        "make_current",
        after(store.Store.make_current),
    ),
}


def main(root, log, point):
    """Do what the point is part of, until it comes."""
    owner, name, deadly = (RUN | ROLLBACK)[point]
    setattr(owner, name, deadly)
    if point in ROLLBACK:
        versions.roll_back(Project.open(root))
        return
    slow = Slow(log, 0)
    client.LitellmTransport = lambda: slow
    run_index(root, silent)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
