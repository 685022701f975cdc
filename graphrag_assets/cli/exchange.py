"""Commands that give an index to other programs, and take one from them."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from graphrag_assets.cli.app import app, out
from graphrag_assets.project import Project

ExportFormat = Literal["graphml", "parquet", "csv", "jsonl", "cypher", "graphrag"]


@app.command()
def export(
    context: typer.Context,
    form: Annotated[ExportFormat, typer.Option("--format", help="Which format.")],
    output: Annotated[
        Path, typer.Option("--output", help="A folder; for graphml a file.", resolve_path=True)
    ],
    version: Annotated[int | None, typer.Option(help="Version; default: the newest.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files of others.")] = False,
) -> None:
    """Write the published index for other programs.

    graphml: Gephi, networkx, igraph. parquet, csv, jsonl: every table. cypher: Neo4j.
    graphrag: the tables of Microsoft GraphRAG 3.
    """
    from graphrag_assets.exchange.export import export as write
    from graphrag_assets.query.reader import Reader

    reader = Reader(Project.open(context.obj).store.published(version))
    try:
        write(reader, form, output, force=force)
    finally:
        reader.close()
    out.print(f"wrote version {reader.version} to {output}", highlight=False, soft_wrap=True)
