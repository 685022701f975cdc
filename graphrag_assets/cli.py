"""graphrag-assets: the command line.

Exit codes: 0 complete, 3 partial, 1 failed, 2 wrong use.
"""

import contextlib
import gc
import json
import logging
import os
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from graphrag_assets import console
from graphrag_assets.errors import GraphRAGError, UsageError
from graphrag_assets.project import Project
from graphrag_assets.prompts import shipped
from graphrag_assets.settings import child_environment, template

FAILED, WRONG_USE, PARTIAL = 1, 2, 3

app = typer.Typer(
    name="graphrag-assets",
    help="A folder of documents becomes a GraphRAG index in DuckDB that answers questions.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
out = Console()
err = Console(stderr=True)

Root = Annotated[
    Path, typer.Option("--root", help="Folder of the corpus: settings.toml, prompts/, data/.")
]
Format = Literal["table", "json", "csv"]


@app.callback()
def main_options(context: typer.Context, root: Root = Path()) -> None:
    """Remember which corpus is meant."""
    context.obj = root.resolve()


@app.command()
def init(
    context: typer.Context,
    sample: Annotated[bool, typer.Option("--sample", help="Bring the sample corpus.")] = False,
    prompts: Annotated[bool, typer.Option("--prompts", help="Bring the prompts, to edit.")] = False,
) -> None:
    """Make a folder ready: settings.toml, dagster.yaml, workspace.yaml, data/input/."""
    root: Path = context.obj
    (root / "data" / "input").mkdir(parents=True, exist_ok=True)
    texts = {
        name: (shipped() / name).read_text("utf-8") for name in ("dagster.yaml", "workspace.yaml")
    }
    texts["settings.toml"] = (
        (shipped() / "settings.toml").read_text("utf-8") if sample else template()
    )
    for name, text in texts.items():
        if (root / name).exists():
            out.print(f"{name} is there already: left as it is")
        else:
            (root / name).write_text(text, encoding="utf-8")
            out.print(f"wrote {name}")
    if sample:
        shutil.copytree(console.sample_folder(), root / "data" / "sample", dirs_exist_ok=True)
    if prompts:
        shutil.copytree(shipped() / "prompts", root / "prompts", dirs_exist_ok=True)
    where = "data/sample is the corpus" if sample else "put documents into data/input"
    out.print(f"Ready: {where}, then run `graphrag-assets index`.")


@app.command()
def check(context: typer.Context) -> None:
    """See whether settings, prompts and models work: one tiny call per model."""
    from graphrag_assets.check import check as verdicts

    found = verdicts(Project.open(context.obj))
    console.print_verdicts(out, found)
    raise typer.Exit(0 if all(verdict.ok for verdict in found) else FAILED)


@app.command()
def estimate(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell what `index` would take: calls, tokens, cost, minutes. No model is asked."""
    from graphrag_assets.estimate import estimate as estimated

    found = estimated(Project.open(context.obj))
    if as_json:
        whole = asdict(found) | {"total": asdict(found.total)}
        typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))
    else:
        console.print_estimate(out, found)


@app.command()
def index(
    context: typer.Context,
    budget_usd: Annotated[
        float | None, typer.Option(min=0, help="Most that this run may cost; 0: no limit.")
    ] = None,
) -> None:
    """Bring the index to the corpus: read what changed, publish a new version."""
    from graphrag_assets.run import run_index

    root: Path = context.obj
    project = Project.open(root)
    gc.freeze()  # what was imported stays: looking through it again and again takes a tenth
    with console.progress_bars(err) as progress:
        run = run_index(root, progress, budget_usd=budget_usd)
    status = console.print_summary(out, project, run)
    raise typer.Exit(PARTIAL if status == "partial" else 0)


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
        console.print_answer(out, answer)
    raise typer.Exit(FAILED if answer.status == "failed" else 0)


@app.command()
def sql(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="A statement that reads.")],
    form: Annotated[Format, typer.Option("--format", help="How rows are printed.")] = "table",
) -> None:
    """Ask the published index in SQL."""
    from graphrag_assets.query import Index

    rows = Index.open(context.obj).sql(query)
    console.print_rows(out, rows, form)


@app.command()
def status(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the published version, its counts, and what is missing from it."""
    project = Project.open(context.obj)
    if as_json:
        typer.echo(json.dumps(console.status(project), ensure_ascii=False, indent=2, default=str))
    else:
        console.print_summary(out, project, None)


@app.command()
def changes(
    context: typer.Context,
    since: Annotated[int | None, typer.Option("--from", help="Older version.")] = None,
    until: Annotated[
        int | None, typer.Option("--to", help="Newer version; default: newest.")
    ] = None,
) -> None:
    """Say what came, went and changed between two versions; by default in the newest."""
    from graphrag_assets.query import Index
    from graphrag_assets.query.lineage import changes_between

    reader = Index.open(context.obj).reader
    until = reader.version if until is None else until
    since = until - 1 if since is None else since
    console.print_changes(out, changes_between(reader, since, until), since, until)


@app.command()
def lineage(
    context: typer.Context,
    ref: Annotated[str, typer.Argument(help="Id, or a short id from an answer: E12ab34cd.")],
) -> None:
    """Show the passages behind a report, an entity, a relationship, a claim or a text unit."""
    from graphrag_assets.query import Index
    from graphrag_assets.query.lineage import trace

    console.print_lineage(out, trace(Index.open(context.obj).reader, ref))


@app.command()
def tables(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print docs/TABLES.md.")] = False,
) -> None:
    """Show the tables and what their columns mean."""
    typer.echo(console.tables_markdown() if markdown else console.tables_text(), nl=False)


@app.command()
def settings(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print docs/SETTINGS.md.")] = False,
) -> None:
    """Show every setting with its default, as a settings.toml."""
    typer.echo(console.settings_markdown() if markdown else template(), nl=False)


@app.command()
def ui(
    context: typer.Context,
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 3000,
) -> None:
    """Open the Dagster UI: materialise, schedule, inspect lineage."""
    root: Path = context.obj
    Project.open(root)
    command = [sys.executable, "-m", "dagster", "dev", "-h", "127.0.0.1", "-p", str(port)]
    out.print(f"Dagster UI on http://127.0.0.1:{port}, stop it with Ctrl-C")
    os.chdir(root)
    os.execve(sys.executable, command, child_environment(root))


def main() -> None:
    """Run the command line; every error of ours is one line and an exit code."""
    logging.getLogger("graphrag_assets").setLevel(logging.ERROR)
    try:
        with contextlib.suppress(BrokenPipeError):
            app()
    except UsageError as error:
        err.print(f"[red]Error:[/red] {escape(str(error))}", soft_wrap=True, highlight=False)
        sys.exit(WRONG_USE)
    except GraphRAGError as error:
        err.print(f"[red]Failed:[/red] {escape(str(error))}", soft_wrap=True, highlight=False)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
