"""Readers in another process beside runs: does each see one whole version?

    python benchmarks/readers.py --runs 10 --reads 1000

Re-indexes the small corpus of the tests with a document changed each time, until there were so
many runs and so many reads; a read counts the rows of every table against what the version claims.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from edits import bring, scripted  # noqa: E402
from small_corpus import CORPUS, SETTINGS  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--reads", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="readers-") as folder, scripted():
        root = Path(folder)
        bring(root, CORPUS, SETTINGS)
        runs, told = 0, {"reads": 0, "versions": {}, "errors": []}
        while runs < options.runs or told["reads"] < options.reads:
            command = [sys.executable, str(TESTS / "reading.py"), str(root)]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            with subprocess.Popen(command, **pipes) as reader:
                for _ in range(options.runs):
                    runs += 1
                    new = f"Ben Cole met Ada Brook. Run {runs} paid Emil Frost. " * (runs % 5 + 1)
                    bring(root, {**CORPUS, "07-new.txt": new}, SETTINGS)
                seen = json.loads(reader.communicate()[0])
            told["reads"] += seen["reads"]
            told["errors"] += seen["errors"]
            for version, count in seen["versions"].items():
                told["versions"][version] = told["versions"].get(version, 0) + count
        print(f"{runs} runs, {told['reads']} reads, {len(told['errors'])} of them failed")
        print("versions read:", ", ".join(sorted(told["versions"], key=int)))
        print("\n".join(told["errors"][:5]))


if __name__ == "__main__":
    main()
