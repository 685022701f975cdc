"""The command that answers over HTTP and MCP."""

import contextlib
from typing import Annotated

import typer

from graphrag_assets.cli.app import app, err
from graphrag_assets.errors import ServeError
from graphrag_assets.project import Project


@app.command()
def serve(
    context: typer.Context,
    http: Annotated[
        bool, typer.Option("--http", help="HTTP, with MCP at /mcp; the default.")
    ] = False,
    mcp: Annotated[bool, typer.Option("--mcp", help="MCP over stdin and stdout.")] = False,
    host: Annotated[str, typer.Option(help="Address; others than loopback need a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 = any.")] = 8000,
    sql: Annotated[bool, typer.Option("--sql", help="Take SQL over HTTP too; reads only.")] = False,
) -> None:
    """Answer questions over HTTP (page, JSON, SSE, MCP) or as an MCP server on stdio."""
    from graphrag_assets.serve.run import serve_http, serve_stdio

    if http and mcp:
        raise ServeError("--http or --mcp, not both: --http serves MCP too, at /mcp.")
    project = Project.open(context.obj)
    if mcp:
        serve_stdio(project)
        return

    def started(address: str) -> None:
        told = f"Serving {project.root} on {address} (API: {address}/docs, MCP: {address}/mcp)"
        err.print(told, soft_wrap=True, highlight=False)

    with contextlib.suppress(KeyboardInterrupt):
        serve_http(project, host=host, port=port, with_sql=sql, started=started)
