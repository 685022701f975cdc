"""Commands that ask an index."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graphrag_assets.cli.app import FAILED, app, out
from graphrag_assets.console.answers import (
    print_answer,
    print_lineage,
    print_pieces,
    print_rows,
    print_sources,
)
from graphrag_assets.errors import QuestionError, SqlError
from graphrag_assets.project import Project
from graphrag_assets.store import OWN, open_attached, select

if TYPE_CHECKING:
    from graphrag_assets.query import Answer
    from graphrag_assets.query.index import Options

NAME = re.compile(r"[a-z_][a-z0-9_]*", re.IGNORECASE)
RESERVED = {"main", "temp", "system", "memory", OWN}
Format = Literal["table", "json", "csv"]


@app.command()
def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question.")],
    *,
    method: Annotated[
        str | None, typer.Option(help="auto, global, local, drift, basic, source or lazy.")
    ] = None,
    level: Annotated[
        int | None, typer.Option(min=0, help="Community level (global): 0 is the coarsest.")
    ] = None,
    selection: Annotated[
        str | None, typer.Option(help="Reports that are read (global): all, embedding, dynamic.")
    ] = None,
    community: Annotated[
        str | None,
        typer.Option("--from-community", help="Read only what lies in this community."),
    ] = None,
    where: Annotated[
        str | None, typer.Option(help="Read only documents whose metadata fit this condition.")
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(help="A file of earlier turns, one JSON object a line; this one is added."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole answer as JSON.")
    ] = False,
    stream: Annotated[
        bool, typer.Option("--stream/--no-stream", help="On a terminal: print as it is written.")
    ] = True,
) -> None:
    """Answer a question from the published index, with its sources."""
    from graphrag_assets.query import Index

    options: Options = {
        "method": method,
        "level": level,
        "selection": selection,
        "community": community,
        "where": where,
        "history": _turns(history),
    }
    with Index.open(context.obj) as index:
        if stream and out.is_terminal and not as_json:
            answer = print_pieces(out, index.stream(question, **options))
            print_sources(out, answer)
        else:
            answer = index.ask(question, **options)
            print_answer(out, answer, as_json=as_json)
    if history:
        _remember(history, answer)
    raise typer.Exit(FAILED if answer.status == "failed" else 0)


@app.command()
def suggest(
    context: typer.Context,
    k: Annotated[int, typer.Option("--k", min=1, max=20, help="How many.")] = 5,
    history: Annotated[
        Path | None, typer.Option(help="A file of earlier turns: questions that lead on from it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """Suggest questions that the published index can answer."""
    from graphrag_assets.query import Index

    with Index.open(context.obj) as index:
        questions = index.suggest(k=k, history=_turns(history))
    if as_json:
        typer.echo(json.dumps(questions, ensure_ascii=False, indent=2))
    else:
        typer.echo("\n".join(questions))


def _turns(history: Path | None) -> list[tuple[str, str]]:
    """Return the turns of a file, none if there is no file yet."""
    if history is None or not history.exists():
        return []
    lines = history.read_text(encoding="utf-8").splitlines()
    try:
        turns = [json.loads(line) for line in lines if line.strip()]
        return [(str(turn["question"]), str(turn["answer"])) for turn in turns]
    except (ValueError, KeyError, TypeError) as error:
        message = f'{history} isn\'t a history: each line needs {{"question": …, "answer": …}}.'
        raise QuestionError(message) from error


def _remember(history: Path, answer: "Answer") -> None:
    turn = {"question": answer.question, "answer": answer.text}
    with history.open("a", encoding="utf-8") as file:
        file.write(json.dumps(turn, ensure_ascii=False) + "\n")


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
    store, beside = Project.open(context.obj).store, attached(others)
    connection = store.opened(lambda path: open_attached({OWN: path, **beside}, use=OWN))
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
