"""Work in a process of its own: what it imports, compiles and holds goes with it."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import TypeVar, cast

from graphrag_assets.heap import spare_memory

T = TypeVar("T")
CHILD = "from graphrag_assets.isolated import answer; answer()"


def isolated(work: Callable[[], T]) -> T:
    """Return work(), done by a fresh interpreter; work and result are pickled.

    What it raises is raised here; RuntimeError if the process ends without an answer.
    """
    done = subprocess.run(  # noqa: S603 - this interpreter
        [sys.executable, "-c", CHILD], input=pickle.dumps(work), capture_output=True, check=False
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise RuntimeError(f"A process of its own ended with {done.returncode}: {said}")
    result = pickle.loads(done.stdout)  # noqa: S301 - what our own child wrote
    if isinstance(result, Exception):
        raise result
    return cast("T", result)


def answer() -> None:
    """Do the work that comes by standard input, in the child."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # what libraries print is no answer
    spare_memory()
    try:
        result = pickle.load(sys.stdin.buffer)()  # noqa: S301 - what our parent wrote
    except Exception as error:  # noqa: BLE001 - raised again in the parent
        result = error
    pickle.dump(result, out)
    out.flush()  # what an interpreter still holds at its end may be lost
