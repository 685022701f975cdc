"""graphrag-assets: the command line.

Exit codes: 0 complete, 3 partial, 1 failed, 2 wrong use.
"""

import contextlib
import logging
import sys

from rich.markup import escape

from graphrag_assets.cli.app import FAILED, WRONG_USE, app, err
from graphrag_assets.errors import GraphRAGError, UsageError

# `--help` lists the commands in the order of these imports
# isort: off
from graphrag_assets.cli import indexing
from graphrag_assets.cli import asking
from graphrag_assets.cli import mapping
from graphrag_assets.cli import serving
from graphrag_assets.cli import versions
from graphrag_assets.cli import exchange
from graphrag_assets.cli import reference
# isort: on

__all__ = [
    "app",
    "asking",
    "exchange",
    "indexing",
    "main",
    "mapping",
    "reference",
    "serving",
    "versions",
]


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
    except OSError as error:  # a full disk, a folder that may not be written
        where = f"{error.filename}: " if error.filename else ""
        words = f"{where}{error.strerror or error}"
        err.print(f"[red]Failed:[/red] {escape(words)}", soft_wrap=True, highlight=False)
        sys.exit(FAILED)
