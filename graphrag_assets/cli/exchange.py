"""Commands that give an index to other programs, and take one from them."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from graphrag_assets.cli.app import PARTIAL, app, err, out
from graphrag_assets.console.runs import print_summary, progress_bars
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

    reader = Project.open(context.obj).store.opened(Reader, version)
    try:
        write(reader, form, output, force=force)
    finally:
        reader.close()
    out.print(f"wrote version {reader.version} to {output}", highlight=False, soft_wrap=True)


@app.command("import")
def import_index(
    context: typer.Context,
    source: Annotated[Literal["graphrag"], typer.Argument(help="What made it.")],
    folder: Annotated[Path, typer.Argument(help="Its folder: output, or the project above.")],
) -> None:
    """Publish an index that Microsoft GraphRAG 3 made, in a root of its own.

    Its vectors aren't taken: the embedding model of the settings makes them anew.
    """
    from graphrag_assets.exchange.importing import import_microsoft

    with progress_bars(err) as progress:
        project = Project.open(context.obj, progress)
        imported = import_microsoft(project, folder.resolve())
    status = print_summary(out, project, None)
    for note in imported.notes:
        out.print(f"{source}: {note}", highlight=False)
    raise typer.Exit(PARTIAL if status == "partial" else 0)
