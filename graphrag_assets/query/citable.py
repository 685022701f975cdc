"""What an answer may cite of its context: the rows, and what the reports among them cite."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from graphrag_assets.context import DIGITS, Item, cited, marker
from graphrag_assets.query.answer import Known
from graphrag_assets.query.engine import Engine

Element = tuple[str, str]  # kind, id


def citable(engine: Engine, items: Sequence[Item]) -> tuple[list[Item], Known]:
    """Return items, and what an answer may cite: them, and the elements that reports cite.

    Two elements may share the first digits by which reports cite them: they get more.
    """
    known = {item.marker: (item.kind, item.id, first_line(item)) for item in items}
    reports = [item for item in items if item.kind == "report"]
    rests_on: dict[tuple[str, str], list[Element]] = {}
    rows = engine.reader.look_up("elements_of_reports", [report.id for report in reports])
    for report_id, kind, ref in rows:
        rests_on.setdefault((report_id, marker(kind, ref)), []).append((kind, ref))
    there = {report.id for report in reports}
    found = [_citing(engine, item, rests_on, known) if item.id in there else item for item in items]
    return found, known


def first_line(item: Item) -> str:
    """Return an item's title: its text up to the first line or colon."""
    return item.text.partition("\n")[0].partition(": ")[0]


def _citing(
    engine: Engine,
    report: Item,
    rests_on: Mapping[tuple[str, str], Sequence[Element]],
    known: dict[str, tuple[str, str, str]],
) -> Item:
    """Return a report that cites by short ids of this question; add those to what is known."""
    text = report.text
    for short in cited(text):
        elements = rests_on.get((report.id, short[: DIGITS + 1]), ())
        for kind, ref in elements:
            if ref.startswith(short[1:]):
                mark = marker(kind, ref, engine.markers.digits(kind, ref))
                known.setdefault(mark, (kind, ref, ""))
                text = re.sub(rf"\b{short}\b", mark, text) if mark != short else text
                break
    return replace(report, text=text)
