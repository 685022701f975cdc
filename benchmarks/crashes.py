"""Kill a re-index at random points: what do readers see, and what does the next run pay again?

    python benchmarks/crashes.py --times 10

Indexes the small corpus of the tests with a scripted model that takes its time, then changes two
documents, starts a run in a process of its own, kills it with SIGKILL at a random moment, reads,
runs again, reads. Each time a fresh copy of the first index is used.
"""

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from crashing import crash  # noqa: E402
from edits import bring, scripted  # noqa: E402
from small_corpus import CORPUS, SETTINGS, write_project  # noqa: E402

NEW = {
    "01-light.txt": "Ada Brook left the North Light. Ben Cole keeps the North Light.",
    "07-left.txt": "Ben Cole left Gull Island with Greta Hahn. Greta Hahn blamed Kaja Lund.",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.1, help="that a question takes")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="crashes-") as folder:
        first = Path(folder) / "first"
        with scripted():
            bring(first, CORPUS, SETTINGS)
        whole = lasts(shutil.copytree(first, Path(folder) / "whole"), options.seconds)
        print(f"a re-index takes {whole:.1f} CPU s")
        print("| killed at | readers saw | after the next run | questions | paid twice |")
        print("|---|---|---|---|---|")
        for number in range(options.times):
            root = shutil.copytree(first, Path(folder) / str(number))
            write_project(root, NEW)
            at = chance.uniform(0.4, 1) * whole
            found = crash(root, lambda passed, at=at: passed >= at, seconds=options.seconds)
            when = f"{at:.1f} CPU s" if found.killed else "not: it had ended"
            print(
                f"| {when} | version {found.before} | version {found.after} "
                f"| {found.calls} | {found.paid_twice} |",
                flush=True,
            )


def lasts(root, seconds):
    """Return the CPU seconds that an undisturbed re-index takes, the second run left out."""
    write_project(root, NEW)
    ended = []
    crash(root, ended.append, seconds=seconds)
    return ended[-1]


if __name__ == "__main__":
    main()
