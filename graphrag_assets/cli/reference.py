"""Commands that explain tables and settings."""

from typing import Annotated

import typer

from graphrag_assets.cli.app import app
from graphrag_assets.console.pages import settings_markdown, tables_markdown, tables_text
from graphrag_assets.settings import template


@app.command()
def tables(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print docs/TABLES.md.")] = False,
) -> None:
    """Show the tables and what their columns mean."""
    typer.echo(tables_markdown() if markdown else tables_text(), nl=False)


@app.command()
def settings(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print docs/SETTINGS.md.")] = False,
) -> None:
    """Show every setting with its default, as a settings.toml."""
    typer.echo(settings_markdown() if markdown else template(), nl=False)
