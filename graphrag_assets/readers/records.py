"""csv, json, jsonl, parquet -> one document per record, by the column settings."""

import csv
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from graphrag_assets.readers.decoding import decode
from graphrag_assets.readers.parsed import Piece, UnreadError
from graphrag_assets.settings import CorpusSettings
from graphrag_assets.text import normalise

_DELIMITERS = ",;\t|"
_SEPARATOR = re.compile(r"\s*sep=(.)\n")  # as Excel writes it
_LONGEST_NUMBER = 1000  # digits
_NAMED_LINES = 5  # bad lines that a reason lists
_Row = dict[str, Any]


def read_table(
    text: str, corpus: CorpusSettings, *, delimiter: str
) -> tuple[list[Piece], list[str]]:
    """Read csv by RFC 4180; an empty delimiter is told from the header."""
    csv.field_size_limit(sys.maxsize)  # its own limit of 128 kB is too little for a document
    said = _SEPARATOR.match(text)
    if said:
        text, delimiter = text[said.end() :], said[1]
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or _delimiter(text))
    rows = (row for row in lines if row)
    try:
        header = next(rows, [])
        body = list(rows)
    except csv.Error as error:
        raise UnreadError("failed", f"not csv: {error}") from error
    if not header:
        return [], []
    columns = _columns(header, corpus)
    longer = sum(len(row) > len(header) for row in body)
    warnings = [f"{longer} rows have more fields than the header"] if longer else []
    warnings += ["a quotation mark isn't closed"] if text.count('"') % 2 else []
    return _pieces((dict(zip(columns, row, strict=False)) for row in body), corpus), warnings


def read_parquet(data: bytes, corpus: CorpusSettings) -> list[Piece]:
    """Read the columns of a parquet file that the settings name."""
    try:
        names = list(pl.read_parquet_schema(io.BytesIO(data)))
        columns = dict(zip(names, _columns(names, corpus), strict=True))
        wanted = [name for name, column in columns.items() if column in _wanted(corpus)]
        frame = pl.read_parquet(io.BytesIO(data), columns=wanted).rename(
            {name: columns[name] for name in wanted}
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UnreadError("failed", f"not parquet: {_first_line(error)}") from error
    return _pieces(frame.iter_rows(named=True), corpus)


def read_json(
    text: str, corpus: CorpusSettings, *, tolerant: bool
) -> tuple[list[Piece], list[str]]:
    """Read an array, one object, or one object per line, told by the content."""
    try:
        value = _parse(text)
    except UnreadError as whole:
        values, bad = _parse_lines(text)
        if not values or (bad and not tolerant):
            raise whole from None
        rows, more = _rows(values, corpus)
        return _pieces(rows, corpus), bad + more
    values, single = _records_in(value, corpus)
    rows, bad = _rows(values, corpus)
    if single and rows and not corpus.id_column:
        return [_piece(rows[0], corpus, record=None)], bad
    return _pieces(rows, corpus), bad


# -- csv ---------------------------------------------------------------------------------------


def _delimiter(text: str) -> str:
    header = text.lstrip("\n").partition("\n")[0]
    unquoted = "".join(header.split('"')[::2])
    return max(_DELIMITERS, key=unquoted.count)


def _columns(header: list[str], corpus: CorpusSettings) -> list[str]:
    """Return the header with the settings' spelling of names; the text column must stand once."""
    spelling = {name.casefold(): name for name in _wanted(corpus) if name}
    columns = [spelling.get(name.strip().casefold(), name.strip()) for name in header]
    count = Counter(columns)[corpus.text_column]
    if count != 1:
        problem = "not found" if not count else f"stands {count} times"
        raise UnreadError(
            "failed",
            f"column `{corpus.text_column}` {problem}; columns are {', '.join(header)}; "
            "set [corpus] text_column",
        )
    return columns


def _wanted(corpus: CorpusSettings) -> list[str]:
    return [corpus.text_column, corpus.title_column, corpus.id_column, *corpus.metadata_columns]


# -- json --------------------------------------------------------------------------------------


def _parse(text: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(
            text,
            strict=False,
            object_pairs_hook=_object,
            parse_constant=lambda _: None,
            parse_int=lambda digits: int(digits) if len(digits) < _LONGEST_NUMBER else digits,
        )
    except RecursionError as error:
        raise UnreadError("failed", "JSON is nested too deeply") from error
    except ValueError as error:
        raise UnreadError("failed", f"not JSON: {error}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise UnreadError("failed", f"key `{twice}` stands twice in one object")
    return found


def _parse_lines(text: str) -> tuple[list[tuple[int, Any]], list[str]]:
    values: list[tuple[int, Any]] = []
    bad: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                values.append((number, _parse(line)))
            except UnreadError as error:
                bad.append(f"line {number}: {error.reason}")
    return values, bad


def _records_in(value: Any, corpus: CorpusSettings) -> tuple[list[tuple[int, Any]], bool]:  # noqa: ANN401
    """Return the numbered records of a JSON value, and whether it is one object."""
    head, found, _ = corpus.text_column.rpartition("[].")
    inner = _at(value, head) if found and head else value
    if isinstance(inner, list):
        return list(enumerate(inner, start=1)), False
    if isinstance(inner, dict):
        if not found and _text(_at(inner, corpus.text_column)) is None:
            raise UnreadError(
                "failed",
                f"no text at `{corpus.text_column}`; keys are {', '.join(inner)}; set [corpus] "
                "text_column, as in data.items[].content.text",
            )
        return [(1, inner)], True
    raise UnreadError("failed", f"no records at `{head or 'the top'}`")


def _rows(
    values: Iterable[tuple[int, Any]], corpus: CorpusSettings
) -> tuple[list[_Row], list[str]]:
    """Return the records as rows of the wanted columns, and what is wrong with the others."""
    rows: list[_Row] = []
    bad: list[str] = []
    for number, value in values:
        row = value if isinstance(value, dict) else {corpus.text_column: value}
        wanted = {column: _at(row, _inner(column, corpus)) for column in _wanted(corpus) if column}
        if not isinstance(value, dict | str):
            bad.append(f"record {number} is not an object")
        elif isinstance(value, str):
            rows.append({corpus.text_column: value, "": number})
        elif _text(wanted[corpus.text_column]) is None:
            bad.append(f"record {number} has no text")
        else:
            rows.append(wanted | {"": number})
    return rows, bad


def _inner(column: str, corpus: CorpusSettings) -> str:
    """Return the path of a column within its record."""
    head, found, _ = corpus.text_column.rpartition("[].")
    return column.removeprefix(head + found) if found else column


def _at(value: Any, path: str) -> Any:  # noqa: ANN401
    """Return what stands at a dotted path; a key that has the dots itself comes first."""
    if isinstance(value, dict) and path in value:
        return value[path]
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


# -- rows --------------------------------------------------------------------------------------


def _pieces(rows: Iterable[_Row], corpus: CorpusSettings) -> list[Piece]:
    """Return a piece per row; the record is its id, else its number, and no two are the same."""
    pieces: list[Piece] = []
    seen: Counter[str] = Counter()
    for number, row in enumerate(rows, start=1):
        record = _text(row.get(corpus.id_column)) or str(row.get("", number))
        seen[record] += 1
        record = record if seen[record] == 1 else f"{record}~{seen[record]}"
        pieces.append(_piece(row, corpus, record=record))
    return pieces


def _piece(row: _Row, corpus: CorpusSettings, *, record: str | None) -> Piece:
    return Piece(
        text=_text(row.get(corpus.text_column)) or "",
        title=_text(row.get(corpus.title_column)),
        record=record,
        metadata={name: row[name] for name in corpus.metadata_columns if row.get(name) is not None},
    )


def _text(value: Any) -> str | None:  # noqa: ANN401
    """Return a value as text in normal form, None for nothing; a list of texts is paragraphs."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = "\n\n".join(value)
    if isinstance(value, bytes):
        value = decode(value, declared=None).text
    if value is None or isinstance(value, dict | list | bool):
        return None
    return normalise(str(value)).strip() or None


def listed(problems: list[str]) -> Iterator[str]:
    """Yield the first problems, and how many more there are."""
    yield from problems[:_NAMED_LINES]
    if len(problems) > _NAMED_LINES:
        yield f"and {len(problems) - _NAMED_LINES} more"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]
