"""Answers, the passages behind them, and rows."""

import json
from collections.abc import Iterator

import polars as pl
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table

from graphrag_assets.context import DIGITS
from graphrag_assets.query import Answer, Citation, Passage
from graphrag_assets.query.lineage import Lineage
from graphrag_assets.text import normalise, shortened

MAX_PASSAGE = 300


def print_answer(console: Console, answer: Answer, *, as_json: bool) -> None:
    """Print an answer with a readable list of its sources, or all of it as JSON."""
    if as_json:
        said = json.dumps(answer.as_dict(), ensure_ascii=False, indent=2)
        console.out(said, highlight=False)
        return
    console.print(Markdown(answer.text or f"No answer: {answer.reason}"))
    print_sources(console, answer)


def print_pieces(console: Console, pieces: Iterator[str | Answer]) -> Answer:
    """Print the pieces of an answer as they come; return the answer."""
    for piece in pieces:
        if not isinstance(piece, str):
            console.out("" if piece.text else f"No answer: {piece.reason}", highlight=False)
            return piece
        console.out(visible(piece), end="", highlight=False)
    message = "A stream ends with its answer."
    raise AssertionError(message)


def visible(text: str) -> str:
    """Return a text without the characters that command a terminal."""
    return normalise(text.replace("\r", ""))


def print_sources(console: Console, answer: Answer) -> None:
    """Print what an answer rests on, what to open next, and how it came about."""
    if answer.citations:
        console.print("\n[bold]Sources[/bold]")
    together: dict[tuple[Passage, ...], list[Citation]] = {}
    for citation in answer.citations:
        together.setdefault(citation.passages, []).append(citation)
    for passages, citations in together.items():
        for citation in citations:
            kind, title = citation.kind.replace("_", " "), escape(citation.title)
            console.print(f"[cyan]{citation.marker}[/cyan] {kind}: {title}", highlight=False)
        for passage in passages:
            span = (passage.start_char, passage.end_char)
            told = _passage(passage.path, passage.page, *span, passage.text)
            console.print(f"  {told}", highlight=False)
    if answer.communities:
        console.print("\n[bold]Worth opening next[/bold] [dim](--from-community)[/dim]")
    for one in answer.communities:
        about = f"{escape(one.title)} [dim](level {one.level}, rating {one.rating:g})[/dim]"
        console.print(f"[cyan]{one.id[:DIGITS]}[/cyan] {about}", highlight=False)
    _print_account(console, answer)


def _print_account(console: Console, answer: Answer) -> None:
    level = "" if answer.level is None else f", level {answer.level}"
    used = answer.usage
    console.print(
        f"\n[dim]{answer.method}{level}, index version {answer.index_version}, "
        f"{used.calls} calls ({used.memo_hits} from the memo), "
        f"{used.prompt_tokens:,} tokens in[/dim]"
    )
    if answer.chosen:
        console.print(f"[dim]Chosen: {escape(answer.chosen)}[/dim]", highlight=False)
    if answer.reason:
        console.print(f"[yellow]{escape(answer.reason)}[/yellow]")


def print_lineage(console: Console, lineage: Lineage) -> None:
    """Print a thing and the passages it rests on."""
    kind = lineage.kind.replace("_", " ")
    console.print(f"[bold]{kind}[/bold] {escape(lineage.title)} [dim]{lineage.id}[/dim]")
    for path, page, start, end, text in lineage.passages.select(
        "path", "page", "start_char", "end_char", "text"
    ).iter_rows():
        console.print(f"  {_passage(path, page, start, end, text)}", highlight=False)


def _passage(path: str, page: int | None, start: int, end: int, text: str) -> str:
    """Return where a passage stands and what it says, cut where it is long."""
    place = f"{path}{f', page {page}' if page else ''}, characters {start}-{end}"
    said = shortened(" ".join(text.split()), MAX_PASSAGE)
    return f"[dim]{escape(place)}[/dim]\n  “{escape(said)}”"


def print_rows(console: Console, rows: pl.DataFrame, form: str) -> None:
    """Print rows as a table, as JSON or as CSV."""
    if form == "json":
        console.out(json.dumps(rows.to_dicts(), ensure_ascii=False, default=str), highlight=False)
    elif form == "csv":
        nested = [name for name, dtype in rows.schema.items() if dtype.is_nested()]
        flat = rows.with_columns(
            pl.Series(name, [json.dumps(value, default=str) for value in rows[name].to_list()])
            for name in nested
        )
        console.out(flat.write_csv(), end="", highlight=False)
    else:
        table = Table(*rows.columns)
        for row in rows.iter_rows():
            table.add_row(*("" if value is None else escape(str(value)) for value in row))
        console.print(table)
