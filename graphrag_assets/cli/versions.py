"""Commands that look at the versions of an index."""

import json
from typing import Annotated

import typer
from rich.markup import escape

from graphrag_assets.cli.app import app, out
from graphrag_assets.console.changes import print_changes, print_notes
from graphrag_assets.console.runs import passed_over, print_summary
from graphrag_assets.console.runs import status as found_status
from graphrag_assets.project import Project


@app.command()
def status(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Also list what the corpus has and isn't read.")
    ] = False,
) -> None:
    """Show the published version, its counts, and what is missing from it."""
    project = Project.open(context.obj)
    unread = passed_over(project) if verbose else {}
    if as_json:
        found = found_status(project) | ({"passed_over": unread} if verbose else {})
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2, default=str))
        return
    print_summary(out, project, None)
    for path, why in unread.items():
        out.print(escape(f"passed over {path}: {why}"), highlight=False, soft_wrap=True)


@app.command()
def rollback(
    context: typer.Context,
    version: Annotated[
        int | None, typer.Argument(help="Version to go back to; default: the one before.")
    ] = None,
) -> None:
    """Publish the contents of a kept version again, as a new version; nothing is asked."""
    from graphrag_assets.versions import roll_back

    project = Project.open(context.obj)
    number = roll_back(project, version)
    restored = found_status(project)["restores"]
    out.print(f"Version {number} is current, with the contents of version {restored}.")
    out.print("`graphrag-assets index` publishes again once documents or settings have changed.")


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
    print_changes(out, changes_between(reader, since, until), since, until)
    print_notes(out, reader, since, until)
