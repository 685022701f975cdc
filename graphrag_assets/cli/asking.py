"""Commands that ask an index."""

import json
import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from graphrag_assets.cli.app import FAILED, app, out
from graphrag_assets.console.answers import print_answer, print_lineage, print_rows
from graphrag_assets.errors import SqlError
from graphrag_assets.project import Project
from graphrag_assets.store import OWN, open_published, select

NAME = re.compile(r"[a-z_][a-z0-9_]*", re.IGNORECASE)
RESERVED = {"main", "temp", "system", "memory", OWN}
Format = Literal["table", "json", "csv"]


@app.command()
def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question.")],
    method: Annotated[str | None, typer.Option(help="global, local, basic or auto.")] = None,
    level: Annotated[int | None, typer.Option(min=0, help="Community level (global).")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole answer as JSON.")
    ] = False,
) -> None:
    """Answer a question from the published index, with its sources."""
    from graphrag_assets.query import Index

    answer = Index.open(context.obj).ask(question, method=method, level=level)
    if as_json:
        typer.echo(json.dumps(answer.as_dict(), ensure_ascii=False, indent=2))
    else:
        print_answer(out, answer)
    raise typer.Exit(FAILED if answer.status == "failed" else 0)


@app.command()
def sql(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="A statement that reads.")],
    form: Annotated[Format, typer.Option("--format", help="How rows are printed.")] = "table",
    others: Annotated[
        list[str], typer.Option("--with", metavar="NAME=ROOT", help="Read NAME.TABLE of another.")
    ] = [],  # noqa: B006 - typer's way to say that an option may be repeated
) -> None:
    """Ask the published index in SQL, alone or together with those of other corpora."""
    path = Project.open(context.obj).store.published()
    connection = open_published(path, attached(others))
    try:
        print_rows(out, select(connection, query), form)
    finally:
        connection.close()


def attached(others: list[str]) -> dict[str, Path]:
    """Return {name: published version} of NAME=ROOT; raise SqlError for a name that can't be."""
    found: dict[str, Path] = {}
    for pair in others:
        name, _, root = pair.partition("=")
        if not NAME.fullmatch(name) or name.lower() in RESERVED | found.keys() or not root:
            raise SqlError(f"`--with {pair}` isn't NAME=ROOT with a new, plain NAME")
        found[name.lower()] = Project.open(Path(root)).store.published()
    return found


@app.command()
def lineage(
    context: typer.Context,
    ref: Annotated[str, typer.Argument(help="Id, or a short id from an answer: E12ab34cd.")],
) -> None:
    """Show the passages behind a report, an entity, a relationship, a claim or a text unit."""
    from graphrag_assets.query import Index
    from graphrag_assets.query.lineage import trace

    print_lineage(out, trace(Index.open(context.obj).reader, ref))
