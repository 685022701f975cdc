"""What a run does and leaves: progress, summary."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from graphrag_assets.project import Progress as Report
from graphrag_assets.project import Project
from graphrag_assets.query.browse import summary
from graphrag_assets.query.reader import Reader
from graphrag_assets.readers import list_files
from graphrag_assets.versions import kept_versions

if TYPE_CHECKING:  # Dagster isn't imported to print
    from graphrag_assets.run import Run

COUNTED = (
    *("files", "documents", "text_units", "entities", "relationships", "claims"),
    *("communities", "community_reports"),
)
MAX_UNFINISHED = 10


@contextmanager
def progress_bars(console: Console) -> Iterator[Report]:
    """Show one bar for each stage that reports progress."""
    bars = Progress(
        TextColumn("{task.description:<24}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        auto_refresh=console.is_terminal,  # a log gets the bars once, at the end
    )
    tasks: dict[str, Any] = {}

    def report(label: str, done: int, total: int) -> None:
        if label not in tasks:
            tasks[label] = bars.add_task(label, total=total)
        bars.update(tasks[label], completed=done)

    with bars:
        yield report


def status(project: Project) -> dict[str, Any]:
    """Return what the published version holds, what it took and what it lacks."""
    reader = project.store.opened(Reader)
    try:
        return {
            **summary(reader),
            "kept": kept_versions(project.store).to_dicts(),
            "path": str(project.store.current),
        }
    finally:
        reader.close()


def passed_over(project: Project) -> dict[str, str]:
    """Return the paths under the corpus root that are never read, and why: hidden, for example."""
    corpus = project.settings.corpus
    found = list_files(
        corpus.root, base=project.root, include=corpus.include, exclude=corpus.exclude
    )
    return {file.path: file.passed_over for file in found if file.passed_over}


def told_version(row: Mapping[str, Any]) -> str:
    """Return a version's number, and whose contents it has if they aren't its own."""
    return f"{row['version']}" + (f" (= {row['restores']})" if row["restores"] else "")


def print_summary(console: Console, project: Project, run: "Run | None") -> str:
    """Print the published version and what a run took; return whether it is complete or partial."""
    found = status(project)
    counts, took = found["counts"], run.took if run else found["took"]
    same = ", nothing changed" if run and run.id != found["run_id"] else ""
    title = f"Index version {told_version(found)}: {found['status']}{same}"
    table = Table(title=title, show_header=False)
    for name in COUNTED:
        table.add_row(name.replace("_", " "), f"{counts[name]:,}")
    for level in found["levels"]:
        table.add_row(
            f"  at level {level['level']} (C{level['level']})", f"{level['communities']:,}"
        )
    cost = "unknown" if took["cost_usd"] is None else f"{took['cost_usd']:.4f} $"
    table.add_row("model calls", f"{took['calls']:,} (and {took['memo_hits']:,} from the memo)")
    table.add_row("tokens", f"{took['prompt_tokens']:,} in, {took['completion_tokens']:,} out")
    table.add_row("cost", cost)
    if run:
        table.add_row("seconds", f"{run.seconds:.1f}")
    console.print(table)
    if len(found["kept"]) > 1:
        earlier = ", ".join(map(told_version, found["kept"][1:]))
        console.print(
            f"Kept are also version {earlier}: `graphrag-assets rollback`", highlight=False
        )
    if found["stale"]:
        console.print(
            f"{found['stale']} reports are stale: a little of what they rest on has changed"
        )
    for line in found["corpus_notes"]:
        console.print(escape(line), highlight=False)
    others = [row for row in found["unfinished"] if row["kind"] != "file"]
    for row in others[:MAX_UNFINISHED]:
        console.print(
            f"[yellow]{row['status']}[/yellow] {row['kind']} {row['id']}: {row['reason']}"
        )
    console.print(
        'Next: `graphrag-assets ask "What are the main themes?"`, '
        f"`graphrag-assets ui`, or SQL on {found['path']}",
        highlight=False,
        soft_wrap=True,
    )
    return str(found["status"])
