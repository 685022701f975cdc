"""The program: brings in the command line and runs it."""

from graphrag_assets.heap import spare_memory
from graphrag_assets.imports import imports


def main() -> None:
    """Run `graphrag-assets`."""
    spare_memory()
    with imports():
        from graphrag_assets.cli import main as command_line

    command_line()
