"""How near an estimate comes: before a run by rule, after it by the ledger, stage by stage.

    python benchmarks/estimate.py                      the sample, with the built-in models
    python benchmarks/estimate.py --root DIR           a project of yours: its calls are paid for

The project is copied without its index, estimated, indexed, and its ledger is read.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

import polars as pl

from graphrag_assets.estimate import Estimate, Span, estimate
from graphrag_assets.project import Project, silent
from graphrag_assets.run import run_index

HERE = Path(__file__).parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=HERE)
    root = parser.parse_args().root.resolve()
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(root, Path(folder) / "project")
        before = estimate(Project.open(copy))
        run_index(copy, silent)
        report(before, calls_of(Project.open(copy)))


def copied(root: Path, target: Path) -> Path:
    """Return a copy of a project that was never indexed; its corpus is read where it is."""
    target.mkdir()
    settings = (root / "settings.toml").read_text("utf-8")
    corpus = Project.open(root).settings.corpus.root
    settings = settings.replace(f'root = "{corpus}"', f'root = "{(root / corpus).as_posix()}"')
    (target / "settings.toml").write_text(settings, encoding="utf-8")
    if (root / "prompts").is_dir():
        shutil.copytree(root / "prompts", target / "prompts")
    return target


def calls_of(project: Project) -> pl.DataFrame:
    """Return calls and tokens by task, without what the memo answered."""
    calls = project.store.read("model_calls")["model_calls"].filter(~pl.col("from_memo"))
    sums = pl.col("prompt_tokens", "completion_tokens").sum()
    return calls.group_by("task").agg(pl.col("tries").sum().alias("calls"), sums)


def report(before: Estimate, ledger: pl.DataFrame) -> None:
    """Print estimate and ledger side by side."""
    real = {row["task"]: row for row in ledger.iter_rows(named=True)}
    print("| stage | calls: estimate | ledger | tokens in | ledger | tokens out | ledger |")
    print("|---|---|---|---|---|---|---|")
    for stage in before.stages:
        row = real.get(stage.name, {})
        cells = (
            (stage.calls, row.get("calls", 0)),
            (stage.tokens_in, row.get("prompt_tokens", 0)),
            (stage.tokens_out, row.get("completion_tokens", 0)),
        )
        told = " | ".join(f"{shown(span)} | {found:,}{mark(span, found)}" for span, found in cells)
        print(f"| {stage.name} | {told} |")


def shown(span: Span) -> str:
    """Return from-to, or the one number that it is."""
    low, high = round(span.low), round(span.high)
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def mark(span: Span, found: float) -> str:
    """Return an arrow where the ledger lies outside of the estimate."""
    if found < round(span.low):
        return " ↓"
    return " ↑" if found > round(span.high) else ""


if __name__ == "__main__":
    main()
