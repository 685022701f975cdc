"""Kill a re-index at random points: what do readers see, and what does the next run pay again?

    python benchmarks/crashes.py --times 10
    python benchmarks/crashes.py --chosen        at the points that tests/dying.py names

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

import duckdb  # noqa: E402

from crashing import crash, die  # noqa: E402
from dying import ROLLBACK, RUN  # noqa: E402
from edits import bring, scripted  # noqa: E402
from graphrag_assets.project import Project  # noqa: E402
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
    parser.add_argument("--chosen", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="crashes-") as folder:
        first = Path(folder) / "first"
        with scripted():
            bring(first, CORPUS, SETTINGS)
        print("| killed when | readers saw | after the next run | questions | paid twice |")
        print("|---|---|---|---|---|")
        for when, found in chosen(first) if options.chosen else random_points(first, options):
            print(
                f"| {when if found.killed else 'not: it had ended'} | version {found.before} "
                f"| version {found.after} | {found.calls} | {found.paid_twice} |",
                flush=True,
            )


def random_points(first, options):
    """Yield when a re-index was killed, and what came of it."""
    chance = random.Random(options.seed)
    whole = lasts(shutil.copytree(first, first.with_name("whole")), options.seconds)
    print(f"| it has taken … of {whole:.1f} CPU s | | | | |")
    for number in range(options.times):
        root = shutil.copytree(first, first.with_name(str(number)))
        write_project(root, NEW)
        at = chance.uniform(0.4, 1) * whole
        found = crash(root, lambda passed, at=at: passed >= at, seconds=options.seconds)
        yield f"{at:.1f} CPU s", found


def chosen(first):
    """Yield the points of a re-index and of a rollback, and what came of a kill there."""
    for number, point in enumerate([*RUN, *ROLLBACK]):
        root = shutil.copytree(first, first.with_name(str(number)))
        if point in ROLLBACK:
            with scripted():
                bring(root, CORPUS | NEW, SETTINGS)
            write_project(root, {"08-paid.txt": "Ivo Jansen paid the Pilot Office."})
        else:
            write_project(root, NEW)
            age(root)
        yield point, die(root, point)


def age(root):
    """Make the working database one of older code."""
    with duckdb.connect(str(Project.open(root).store.work)) as connection:
        connection.execute("ALTER TABLE files DROP COLUMN modified_at")


def lasts(root, seconds):
    """Return the CPU seconds that an undisturbed re-index takes, the second run left out."""
    write_project(root, NEW)
    ended = []
    crash(root, ended.append, seconds=seconds)
    return ended[-1]


if __name__ == "__main__":
    main()
