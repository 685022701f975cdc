"""Counts -> small bar charts in SVG: they cost nothing, and are sharp on any ground.

Dagster shows Markdown of less than 1,000 characters in place and hides more behind a link, so a
chart gives up numbers and labels, in this order, until it is that short.
"""

from xml.sax.saxutils import escape

import polars as pl

WIDTH, PANEL, TALLEST = 340, 66, 42
BAR, INK = "#5b8def", "#7d8794"  # readable on white and on black
IN_PLACE = 700  # bytes of SVG whose base64, with what stands around it, is shown in place
DETAIL = ((1, True), (1, False), (2, True), (2, False), (3, False), (5, False), (9, False))


def bar_chart(counts: pl.DataFrame) -> str:
    """Return panels of bars, one below the other, each on its own scale.

    counts: panel (its name, or ""), label of the bar, n; in the order shown.
    """
    drawn = [_chart(counts, every=every, numbers=numbers) for every, numbers in DETAIL]
    return next((svg for svg in drawn if len(svg.encode()) <= IN_PLACE), drawn[0])


def _chart(counts: pl.DataFrame, *, every: int, numbers: bool) -> str:
    """Draw with a label, and perhaps a number, at every so manieth bar."""
    bars, texts = [], []
    panels = counts.partition_by("panel", maintain_order=True)
    for row, panel in enumerate(panels):
        base = (row + 1) * PANEL - 12
        left = 24 if panel["panel"][0] else 0
        step = min((WIDTH - left) / panel.height, 60)
        tallest = max(panel["n"].to_list()) or 1
        if left:
            texts.append(_text(9, base, panel["panel"][0]))
        for i, (label, n) in enumerate(panel.select("label", "n").iter_rows()):
            middle, high = round(left + (i + 0.5) * step), _height(n, tallest)
            if high:
                bars.append(f"M{middle} {base}v-{high}")
            if i % every == 0:
                texts.append(_text(middle, base + 10, label))
                texts.append(_text(middle, base - high - 2, f"{n:,}") if numbers and n else "")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {len(panels) * PANEL}"'
        f' width="{WIDTH}" fill="{INK}" font-size="9" font-family="sans-serif"'
        f' text-anchor="middle"><path stroke="{BAR}" stroke-width="{_bar_width(panels)}"'
        f' d="{"".join(bars)}"/>{"".join(texts)}</svg>'
    )


def _height(n: int, tallest: int) -> int:
    """Return pixels in proportion; what is there at all is seen."""
    return max(1, round(TALLEST * n / tallest)) if n else 0


def _bar_width(panels: list[pl.DataFrame]) -> int:
    return max(2, min(44, round(0.8 * WIDTH / max(panel.height for panel in panels)) - 1))


def _text(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}">{escape(text)}</text>'
