"""The command line: what all commands share."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from graphrag_assets.errors import UsageError

FAILED, WRONG_USE, PARTIAL = 1, 2, 3
MAKERS = frozenset({"init", "import"})  # commands that make the folder

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


@app.callback()
def main_options(context: typer.Context, root: Root = Path()) -> None:
    """Remember which corpus is meant."""
    context.obj = root.resolve()
    new = context.invoked_subcommand in MAKERS and not root.exists()
    if not new and not root.is_dir():
        what = "is not a folder" if root.exists() else "does not exist"
        message = f"--root `{root}` {what}. `graphrag-assets --root {root} init` makes one."
        raise UsageError(message)
