"""What is said of a page of the map."""

from pathlib import Path

from rich.console import Console
from rich.markup import escape

from graphrag_assets.atlas import Page

MANY = {"entity": "entities", "document": "documents"}


def print_page(out: Console, page: Page, kind: str, path: Path) -> None:
    """Say what stands on the page, and what doesn't."""
    size = path.stat().st_size / 1e6
    out.print(
        f"{page.points:,} {MANY[kind]} in {page.communities:,} communities, {size:.1f} MB: "
        f"open {escape(str(path))} in a browser.",
        soft_wrap=True,
        highlight=False,
    )
    missing = {f"{MANY[kind]} without a place": page.unplaced, **page.left_out}
    for what, count in missing.items():
        if count:
            out.print(f"Not on the page: {count:,} {what}.", highlight=False)
