"""From a report, an element or a text unit to the passages behind it, and between versions."""

import re
from dataclasses import dataclass

import polars as pl

from graphrag_assets.errors import NotFoundError, QuestionError
from graphrag_assets.query.reader import Reader
from graphrag_assets.text import shortened

LONGEST = 64
MARKER = re.compile(r"\[?([ERCPT])?([0-9a-f]{6,32})\]?")

PASSAGES = {
    "path": pl.String,
    "page": pl.Int64,
    "start_char": pl.Int64,
    "end_char": pl.Int64,
    "text": pl.String,
}


@dataclass(frozen=True)
class Lineage:
    """A thing and its passages: path, page, start_char, end_char, text."""

    kind: str
    id: str
    title: str
    passages: pl.DataFrame


def named(reader: Reader, ref: str, kind: str | None = None) -> tuple[str, str, str]:
    """Return kind, id and title of what an id, its first digits, or a cited short id stands for.

    Raises NotFoundError for one that stands for nothing of that kind, QuestionError for one that
    stands for several things.
    """
    match = MARKER.fullmatch(ref.strip())
    found = reader.ask("things_named", id=match[2]) if match else pl.DataFrame()
    if kind is not None and not found.is_empty():
        found = found.filter(kind=kind)
    if found.is_empty():
        what = kind.replace("_", " ") if kind else "report, element or text unit"
        raise NotFoundError(f"No {what} has the id `{shortened(ref, LONGEST)}`.")
    if found.height > 1:
        several = ", ".join(f"{kind} {name}" for kind, name, _ in found.head(5).iter_rows())
        raise QuestionError(f"Several things begin with `{ref}`: {several}. Give more digits.")
    kind, name, title = found.row(0)
    return str(kind), str(name), str(title)


def trace(reader: Reader, ref: str) -> Lineage:
    """Return the lineage of an id, or of a short id as answers cite it; raises as `named`."""
    kind, name, title = named(reader, ref)
    if kind == "report":
        return Lineage(kind, name, title, reader.ask("report_passages", id=name))
    rows = [
        (unit.path, unit.page, unit.start_char, unit.start_char + len(unit.text), unit.text)
        for unit in reader.mentions([name]).get(name, ())
    ]
    passages = pl.DataFrame(rows, schema=PASSAGES, orient="row")
    return Lineage(kind, name, title, passages.sort("path", "start_char"))


def changes_between(reader: Reader, since: int, until: int) -> pl.DataFrame:
    """Return kind, id, title and change (added, removed, changed) from one version to another."""
    return reader.ask("changes_between", since=since, until=until)
