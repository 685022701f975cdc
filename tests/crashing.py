"""Kill a run with SIGKILL, see what readers see, and run again. For Linux: time is CPU time."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from graphrag_assets.project import Project
from reading import read

CHILD = Path(__file__).with_name("scripted_index.py")
DYING = Path(__file__).with_name("dying.py")


@dataclass(frozen=True)
class Crash:
    """What a killed run and the next one did."""

    killed: bool  # False: the run had ended before
    before: int  # the version that readers saw when the run was killed
    after: int  # and after the next run
    calls: int  # questions that both runs asked together
    paid_twice: int  # of these, repeated ones


def crash(root: Path, when: Callable[[float], bool], *, seconds: float = 0.02) -> Crash:
    """Start a run, kill it once `when(CPU seconds that it took)` says so, run again.

    A busy machine makes a run last longer, but not take more of these.

    Raises RuntimeError with what the second run said if it doesn't end well, and what reading
    raises.
    """
    command = _index(root, seconds)
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not when(_cpu_seconds(process.pid)):
            time.sleep(0.002)
        process.kill()
    return _aftermath(root, process.returncode)


def die(root: Path, point: str) -> Crash:
    """Let a run, or a rollback, kill itself at a point of dying.py; run again, as above."""
    command = [sys.executable, str(DYING), str(root), str(_log(root)), point]
    process = subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
    return _aftermath(root, process.returncode)


def _aftermath(root: Path, ended: int) -> Crash:
    store = Project.open(root).store
    before = {read(store, by_name=by_name) for by_name in (True, False)}
    again = subprocess.run(_index(root, 0), check=False, capture_output=True, text=True)
    if again.returncode:
        raise RuntimeError(f"The run after a crash ended with {again.returncode}: {again.stderr}")
    after = {read(store, by_name=by_name) for by_name in (True, False)}
    log = _log(root)
    asked = Counter(log.read_text("utf-8").splitlines()) if log.exists() else Counter()
    log.unlink(missing_ok=True)
    return Crash(
        killed=ended == -signal.SIGKILL,
        before=min(before),
        after=after.pop() if len(after) == 1 else -1,
        calls=asked.total(),
        paid_twice=asked.total() - len(asked),
    )


def _index(root: Path, seconds: float) -> list[str]:
    return [sys.executable, str(CHILD), str(root), str(_log(root)), str(seconds)]


def _log(root: Path) -> Path:
    return root / "asked.log"


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
