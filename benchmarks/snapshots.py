"""What each re-index of a corpus with several states costs, and what stays as it was.

    python benchmarks/snapshots.py STATE1 STATE2 … [--settings settings.toml]

Each STATE is a folder of documents. They are indexed in order into one project, and each once more
from scratch, with an empty memo. Printed per state: calls, tokens and CPU seconds of both; of the
communities before, the share that is there with the same members; of the reports today, the share
that is the very text of before, and that is stale; the modularity of both; words of deleted or
changed documents that no document says any more and a table still does, the books left out.
"""

import argparse
import re
import resource
import shutil
import tempfile
from pathlib import Path

import polars as pl

from graphrag_assets.assets.publication import CONTENTS
from graphrag_assets.network.graph import modularity
from graphrag_assets.project import Project, silent
from graphrag_assets.run import run_index
from graphrag_assets.store import open_published, select

COLUMNS = (
    *("state", "version", "calls: update, scratch", "tokens", "CPU s"),
    *("communities the same", "reports kept", "stale", "modularity", "gone words left"),
)
TABLES = ("communities", "community_members", "community_reports", "relationships")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("states", nargs="+", type=Path)
    parser.add_argument("--settings", type=Path, help="settings.toml of the project")
    parser.add_argument("--tolerance", type=float, default=0.1)
    options = parser.parse_args()
    settings = options.settings.read_text("utf-8") if options.settings else ""
    settings += f"\n[reports]\ntolerance = {options.tolerance}\n"
    print("|", " | ".join(COLUMNS), "|\n|", "---|" * len(COLUMNS))
    with tempfile.TemporaryDirectory(prefix="snapshots-") as folder:
        root, before, said = Path(folder) / "kept", None, ""
        for number, state in enumerate(options.states):
            update, now = indexed(root, state, settings)
            scratch, fresh = indexed(Path(folder) / f"scratch-{number}", state, settings)
            same = kept(before, now) if before else ("", "", "")
            words = vocabulary("\n".join(now["texts"]))
            left = [word for word in vocabulary(said) - words if word in vocabulary(now["told"])]
            cells = [
                state.name,
                now["version"],
                *(f"{update[key]:,}, {scratch[key]:,}" for key in ("calls", "tokens", "cpu")),
                *same,
                f"{quality(now):.4f}, {quality(fresh):.4f}",
                ", ".join(left[:5]) or 0,
            ]
            print("|", " | ".join(map(str, cells)), "|", flush=True)
            before, said = now, said + "\n".join(now["texts"])


def indexed(root, state, settings):
    """Make a project hold a state, index it; return what that took, and the tables."""
    shutil.rmtree(root / "data" / "input", ignore_errors=True)
    shutil.copytree(state, root / "data" / "input")
    (root / "settings.toml").write_text(settings, "utf-8")
    start = _cpu()
    took = run_index(root, silent).took
    spent = {
        "calls": took["calls"],
        "tokens": took["prompt_tokens"] + took["completion_tokens"],
        "cpu": round(_cpu() - start, 1),
    }
    path = Project.open(root).store.published()
    connection = open_published(path)
    try:
        tables = {table: select(connection, f"FROM {table}") for table in CONTENTS}
    finally:
        connection.close()
    told = "\n".join(table.drop("vector", strict=False).write_json() for table in tables.values())
    texts = tables["documents"]["text"].to_list() + tables["documents"]["path"].to_list()
    texts += tables["documents"]["metadata"].to_list()
    chosen = {name: tables[name] for name in TABLES}
    return spent, {**chosen, "texts": texts, "told": told, "version": int(path.stem)}


def kept(before, now):
    """Return three shares: communities the same, reports kept, reports stale."""
    then, today = (
        state["community_members"].group_by("community_id").agg(pl.col("entity_id").sort())
        for state in (before, now)
    )
    same = then.join(today, on=["community_id", "entity_id"]).height / max(1, then.height)
    reports = now["community_reports"]
    old = before["community_reports"].select("community_id", "full_content")
    text = reports.join(old, on=["community_id", "full_content"]).height / reports.height
    stale = reports.filter(status="stale").height / reports.height
    return f"{same:.1%}", f"{text:.1%}", f"{stale:.1%}"


def quality(state):
    """Return the modularity of level 0."""
    top = state["communities"].filter(level=0).select(community_id="id")
    members = state["community_members"].join(top, on="community_id")
    return modularity(state["relationships"], members)


def vocabulary(text):
    """Return the capitalised words and numbers of a text."""
    return set(re.findall(r"\b(?:[A-Z][a-z]{3,}|\d{3,})\b", text))


def _cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
