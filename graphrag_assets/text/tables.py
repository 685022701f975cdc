"""Find tables in a text, and the header row that stands for the meaning of their cells."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_MARKDOWN = re.compile(
    r"^(?P<header>[^\n|]*+\|[^\n]*+)\n"
    r"(?=[^\n]*\|)(?=[^\n]*-)[ \t|:-]++\n"
    r"(?:[^\n|]*+\|[^\n]*+(?:\n|\Z))*+",
    re.MULTILINE,
)
_BLOCK = re.compile(r"^[^\n]++(?:\n[^\n]++){2,}+", re.MULTILINE)
_DELIMITERS = ",;\t"
_LONGEST_CELL = 60  # characters, in the header of a table that isn't Markdown
_LEAST_CELLS = 3


@dataclass(frozen=True)
class HeaderRows:
    """The tables of a text: where each begins and ends, and its header row."""

    starts: list[int]
    ends: list[int]
    headers: list[str]

    def at(self, position: int) -> str | None:
        """Return the header of the table that was begun before this position, if one was."""
        index = bisect_right(self.starts, position) - 1
        inside = index >= 0 and self.starts[index] < position < self.ends[index]
        return self.headers[index] if inside else None


def header_rows(text: str) -> HeaderRows:
    """Return the Markdown tables and the blocks of delimited lines of a text."""
    found = sorted({start: (start, *rest) for start, *rest in _tables(text)}.values())
    return HeaderRows(*(list(column) for column in zip(*found, strict=True))) if found else _NONE


_NONE = HeaderRows([], [], [])


def _tables(text: str) -> Iterator[tuple[int, int, str]]:
    if any(sign in text for sign in _DELIMITERS):
        for block in _BLOCK.finditer(text):
            header, *rows = block[0].split("\n")
            if _is_header(header, rows):
                yield block.start(), block.end(), header.strip()
    for table in _MARKDOWN.finditer(text) if "|" in text else ():
        yield table.start(), table.end(), table["header"].strip()


def _is_header(header: str, rows: list[str]) -> bool:
    """Whether lines are a table: short distinct names, then as many fields in every row."""
    delimiter = max(_DELIMITERS, key=header.count)
    names = [name.strip(' "') for name in header.split(delimiter)]
    if len(names) < _LEAST_CELLS or len({*names, ""}) != len(names) + 1:
        return False
    if max(map(len, names)) > _LONGEST_CELL or any(name.isdigit() for name in names):
        return False
    return all("".join(row.split('"')[::2]).count(delimiter) == len(names) - 1 for row in rows)
