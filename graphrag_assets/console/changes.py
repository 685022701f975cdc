"""What is new in a corpus."""

import polars as pl
from rich.console import Console
from rich.markup import escape

from graphrag_assets.query.reader import Reader

MAX_CHANGES = 20
MAX_STALE = 5
PLURALS = {
    "document": "documents",
    "entity": "entities",
    "relationship": "relationships",
    "community": "communities",
    "report": "reports",
}
CHANGES = {"added": "came", "removed": "went", "changed": "changed"}
SIGNS = {"added": "[green]+[/green]", "removed": "[red]-[/red]", "changed": "[yellow]~[/yellow]"}


def print_changes(console: Console, changes: pl.DataFrame, since: int, until: int) -> None:
    """Print what came, went and changed between two versions, in words, then by title."""
    console.print(f"[bold]From version {since} to version {until}[/bold]")
    if changes.is_empty():
        console.print("Nothing changed.")
    for (kind,), rows in changes.group_by("kind", maintain_order=True):
        counts = dict(rows.group_by("change").len().iter_rows())
        told = [f"{counts[change]} {word}" for change, word in CHANGES.items() if change in counts]
        console.print(f"\n[bold]{PLURALS[str(kind)]}[/bold]: {', '.join(told)}")
        listed = rows.sort("change", "title").head(MAX_CHANGES)
        for change, title in listed.select("change", "title").iter_rows():
            console.print(f"  {SIGNS[change]} {escape(title)}", highlight=False)
        if rows.height > MAX_CHANGES:
            console.print(f"  … and {rows.height - MAX_CHANGES} more, in the table index_changes")


def print_notes(console: Console, reader: Reader, since: int, until: int) -> None:
    """Print which of the versions were rollbacks, and which reports of today are stale."""
    for version, restores in reader.ask("rollbacks", since=since, until=until).iter_rows():
        console.print(f"Version {version} was a rollback to the contents of version {restores}.")
    stale = reader.ask("stale_reports") if until == reader.version else pl.DataFrame()
    if stale.is_empty():
        return
    console.print(f"\n[bold]stale reports[/bold]: {stale.height}")
    for title, reason in stale.head(MAX_STALE).iter_rows():
        console.print(f"  {escape(title)} [dim]{reason}[/dim]", highlight=False)
    if stale.height > MAX_STALE:
        console.print(f"  … and {stale.height - MAX_STALE} more, in the table community_reports")
