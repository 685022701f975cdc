"""The command that makes a page of the map."""

from pathlib import Path
from typing import Annotated

import typer

from graphrag_assets.cli.app import app, out
from graphrag_assets.console.maps import print_page


@app.command()
def map(  # noqa: A001 - the command is called so
    context: typer.Context,
    output: Annotated[
        Path, typer.Option("--output", dir_okay=False, help="The HTML file to write.")
    ] = Path("map.html"),
    documents: Annotated[
        bool, typer.Option("--documents", help="Show documents instead of entities.")
    ] = False,
) -> None:
    """Write the map of the published index, its reports and passages as one HTML page."""
    from graphrag_assets.atlas import map_page
    from graphrag_assets.query import Index

    kind = "document" if documents else "entity"
    page = map_page(Index.open(context.obj).reader, kind=kind, title=context.obj.name)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(page.html, encoding="utf-8")
    print_page(out, page, kind, output)
