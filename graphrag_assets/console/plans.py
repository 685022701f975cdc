"""What is known before a run: whether models answer, and what a run would take."""

from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graphrag_assets.check import Verdict
from graphrag_assets.estimate import Estimate, Span


def print_verdicts(console: Console, verdicts: Iterable[Verdict]) -> None:
    """Print whether each thing works, and how to mend what doesn't."""
    for verdict in verdicts:
        sign = "[green]ok[/green]    " if verdict.ok else "[red]failed[/red]"
        took = "" if verdict.seconds is None else f" [dim]({verdict.seconds:.1f} s)[/dim]"
        console.print(
            f"{sign} {escape(verdict.what)}: {escape(verdict.said)}{took}", soft_wrap=True
        )
        if verdict.used_for:
            console.print(f"       [dim]for {', '.join(verdict.used_for)}[/dim]")


def print_estimate(console: Console, found: Estimate) -> None:
    """Print what a run would take, stage by stage."""
    title = f"{found.documents:,} documents, {found.text_units:,} text units, {found.new:,} new"
    table = Table("stage", title=title)
    for name in ("calls", "in memo", "tokens in", "tokens out", "$", "minutes"):
        table.add_column(name, justify="right", no_wrap=True)
    for stage in (*found.stages, found.total):
        table.add_row(
            stage.name,
            _range(stage.calls),
            f"{stage.known:,}",
            _range(stage.tokens_in),
            _range(stage.tokens_out),
            "unknown" if stage.cost_usd is None else _range(stage.cost_usd, ".2f"),
            _range(stage.minutes, ".1f"),
        )
    console.print(table)


def _range(span: Span, form: str = "") -> str:
    low, high = (format(end, form) if form else _short(end) for end in (span.low, span.high))
    return low if low == high else f"{low}-{high}"


def _short(number: float) -> str:
    """Return a number in three digits or so: 950, 1.2k, 36k, 2.1M."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if number >= size:
            return (
                f"{number / size:.2g}{unit}" if number < 10 * size else f"{number / size:.0f}{unit}"
            )
    return f"{number:.0f}"
