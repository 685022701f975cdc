"""Blocks, style and scripts -> one HTML file that needs nothing else.

Text from documents only ever reaches the page inside blocks of base64 and is shown as text
nodes. What is more, the page's own policy lets nothing run but the script whose hash it names,
and nothing be fetched at all.
"""

import html
from dataclasses import dataclass
from importlib import resources
from string import Template

from graphrag_assets.atlas.packing import blocks
from graphrag_assets.atlas.points import Points, read_points
from graphrag_assets.atlas.texts import Texts, read_texts
from graphrag_assets.query.reader import Reader
from graphrag_assets.text import csp_source

SCRIPTS = (
    "data.js",
    "colour.js",
    "grid.js",
    "drawing.js",
    "view.js",
    "gestures.js",
    "labels.js",
    "dom.js",
    "panel.js",
    "search.js",
    "main.js",
)


@dataclass(frozen=True)
class Page:
    """A page, and what is on it."""

    html: str
    points: int
    unplaced: int
    communities: int
    left_out: dict[str, int]


def map_page(reader: Reader, *, kind: str, title: str) -> Page:
    """Return the map of entities or documents (`kind`) of a published version as one page.

    Raises NoMapError where nothing of that kind has a place.
    """
    points = read_points(reader, kind)
    texts = read_texts(reader, points)
    return Page(
        html=render(blocks(points, texts, _head(reader, points, texts, title)), title),
        points=points.frame.height,
        unplaced=points.unplaced,
        communities=points.communities.height,
        left_out=texts.left_out,
    )


def render(data: dict[str, str], title: str) -> str:
    """Return the page with these blocks."""
    style = _file("map.css")
    script = "\n".join(map(_file, SCRIPTS))
    policy = (
        f"default-src 'none'; img-src data: blob:; style-src {csp_source(style)}; "
        f"script-src {csp_source(script)}; base-uri 'none'; form-action 'none'"
    )
    return Template(_file("map.html")).substitute(
        title=html.escape(title),
        policy=html.escape(policy, quote=True),
        style=style,
        blocks="\n".join(
            f'<script type="text/plain" id="block-{name}">{block}</script>'
            for name, block in data.items()
        ),
        script=script,
    )


def _head(reader: Reader, points: Points, texts: Texts, title: str) -> dict[str, object]:
    return {
        "title": title,
        "kind": points.kind,
        "version": reader.version,
        "unplaced": points.unplaced,
        "relationships": points.n_lines,
        "left_out": texts.left_out,
    }


def _file(name: str) -> str:
    return (resources.files("graphrag_assets") / "atlas" / "web" / name).read_text("utf-8")
