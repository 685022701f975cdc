"""A corpus -> the tables `files` and `documents`: each file ends in one visible state."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl

from graphrag_assets.errors import CorpusError
from graphrag_assets.readers.discovery import Found, find_files
from graphrag_assets.readers.formats import format_of, parse
from graphrag_assets.readers.parsed import Parsed, Piece, UnreadError
from graphrag_assets.readers.properties import date_in
from graphrag_assets.settings import CorpusSettings
from graphrag_assets.text import content_id, count_tokens, is_blank, normalise, sha256

FILES: dict[str, pl.DataType] = {
    "path": pl.String(),
    "status": pl.String(),
    "reason": pl.String(),
    "format": pl.String(),
    "encoding": pl.String(),
    "sha256": pl.String(),
    "bytes": pl.Int64(),
    "modified_at": pl.String(),
    "n_documents": pl.Int64(),
}
DOCUMENTS: dict[str, pl.DataType] = {
    "id": pl.String(),
    "path": pl.String(),
    "record": pl.String(),
    "title": pl.String(),
    "text": pl.String(),
    "n_tokens": pl.Int64(),
    "sha256": pl.String(),
    "metadata": pl.String(),
    "pages": pl.List(pl.Struct({"page": pl.Int64, "start_char": pl.Int64})),
}
_NAMED_FILES = 5  # that the error about an empty corpus lists
_MB = 1_000_000
_NO_NUMBER = re.compile(r"\b(?:NaN|Infinity)\b")
_Row = dict[str, Any]


@dataclass(frozen=True)
class Corpus:
    """The files of a corpus and the documents that are in them, both by path."""

    files: pl.DataFrame
    documents: pl.DataFrame


@dataclass(frozen=True)
class _Read:
    """One file read: its row, and the rows of its documents."""

    file: _Row
    documents: list[_Row] = field(default_factory=list)


def read_corpus(
    corpus: CorpusSettings,
    *,
    base: Path,
    previous_files: pl.DataFrame,
    previous_documents: pl.DataFrame,
    encoding: str,
) -> Corpus:
    """Read every file; one with the bytes of last time is hashed, but not parsed again.

    A document's id is the hash of its path and record, not of its text: edited, it is the same
    document with other text, so that the rows about what stayed stay too. Text units are found
    again by their text, so a renamed file costs no model call either. Pass empty previous frames
    where files would now be read differently.
    """
    found = find_files(corpus.root, base=base, include=corpus.include, exclude=corpus.exclude)
    known = _Known(previous_files, previous_documents)
    seen: dict[str, str] = {}
    read = [_named_duplicate(_read(file, corpus, known, encoding=encoding), seen) for file in found]
    documents = [row for one in read for row in one.documents]
    result = Corpus(
        files=pl.DataFrame([one.file for one in read], schema=FILES),
        documents=pl.DataFrame(documents, schema=DOCUMENTS),
    )
    if result.documents.is_empty():
        raise CorpusError(corpus.root, _why_empty(result.files))
    return result


class _Known:
    """What the last run made of the files."""

    def __init__(self, files: pl.DataFrame, documents: pl.DataFrame) -> None:
        self._files = {row["path"]: row for row in files.iter_rows(named=True)}
        self._documents: dict[str, list[_Row]] = {}
        for row in documents.iter_rows(named=True):
            self._documents.setdefault(row["path"], []).append(row)

    def modified(self, path: str, digest: str) -> str | None:
        """Return when a file with these bytes was modified: one only touched is as it was."""
        file = self._files.get(path)
        return file.get("modified_at") if file and file["sha256"] == digest else None

    def get(self, path: str, digest: str) -> _Read | None:
        """Return a file as it was read, if it had these bytes and stood for itself."""
        file = self._files.get(path)
        if file is None or file["sha256"] != digest or file["status"] == "duplicate":
            return None
        documents = self._documents.get(path, [])
        return _Read(file, documents) if len(documents) == file["n_documents"] else None


def _read(file: Found, corpus: CorpusSettings, known: _Known, *, encoding: str) -> _Read:
    """Read one file from one snapshot of its bytes; whatever is wrong with it becomes its row."""
    row: _Row = dict.fromkeys(FILES) | {"path": file.path, "bytes": file.size, "n_documents": 0}
    row["format"] = format_of(file.path)
    try:
        _check_size(file.size, corpus)
        data = file.read()
        _check_size(len(data), corpus)  # some file systems don't know before
        digest = sha256(data)
        modified = known.modified(file.path, digest) or file.modified_at
        row |= {"sha256": digest, "bytes": len(data), "modified_at": modified}
        before = known.get(file.path, digest)
        if before:
            return replace(before, file=before.file | {"modified_at": modified})
        return _made(row, data, corpus, encoding)
    except UnreadError as error:
        return _Read(row | {"status": error.status, "reason": normalise(error.reason)})


def _check_size(n_bytes: int, corpus: CorpusSettings) -> None:
    if corpus.max_file_mb and n_bytes > corpus.max_file_mb * _MB:
        limit = f"[corpus] max_file_mb is {corpus.max_file_mb:g}"
        raise UnreadError("unsupported", f"{n_bytes / _MB:,.1f} MB are too many: {limit}")


def _made(row: _Row, data: bytes, corpus: CorpusSettings, encoding: str) -> _Read:
    """Parse a file; libraries for broken formats raise anything, and no file may end a run."""
    try:
        return _parsed(row, parse(data, row["path"], corpus), encoding)
    except (UnreadError, MemoryError):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise UnreadError("failed", f"can't be read as {row['format']}: {reason}") from error


def _parsed(row: _Row, parsed: Parsed, encoding: str) -> _Read:
    path = row["path"]
    pieces = [piece for piece in parsed.pieces if not is_blank(piece.text)]
    documents = [_document(path, piece, parsed, encoding) for piece in pieces]
    lost = len(parsed.pieces) - len(pieces)
    warnings = [*parsed.warnings, *([f"{lost} records have no text"] if lost and pieces else [])]
    row = row | {
        "status": "indexed" if documents else "empty",
        "reason": "; ".join(warnings) or (None if documents else "no text"),
        "format": parsed.format,
        "encoding": parsed.encoding,
        "n_documents": len(documents),
    }
    return _Read(row, documents)


def _document(path: str, piece: Piece, parsed: Parsed, encoding: str) -> _Row:
    text = piece.text
    facts = date_in(path) | piece.metadata | {"format": parsed.format}
    stem = PurePosixPath(path).stem
    title = piece.title or (stem if piece.record is None else f"{stem} {piece.record}")
    return {
        "id": content_id(path, piece.record or ""),
        "path": path,
        "record": piece.record,
        "title": " ".join(normalise(title).split()),
        "text": text,
        "n_tokens": count_tokens(text, encoding),
        "sha256": sha256(text),
        "metadata": _json(facts),
        "pages": [
            {"page": number, "start_char": start}
            for number, start in enumerate(piece.pages, start=1)
        ],
    }


def _json(value: dict[str, Any]) -> str:
    """Return strict JSON: numbers that aren't any are null."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    if _NO_NUMBER.search(text):
        value = json.loads(text, parse_constant=lambda _: None)
        text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return normalise(text)


def _named_duplicate(read: _Read, seen: dict[str, str]) -> _Read:
    """Mark a file whose bytes or text an earlier one has; it keeps its own documents.

    Equal texts are extracted once and count once, but both names stay, and can be cited.
    """
    path = read.file["path"]
    whole = len(read.documents) == 1 and read.documents[0]["record"] is None
    digests = {"bytes": read.file["sha256"]} | (
        {"text": read.documents[0]["sha256"]} if whole else {}
    )
    same = next((kind for kind, digest in digests.items() if digest in seen), None)
    if not read.documents or same is None:
        seen |= {digest: path for digest in digests.values() if read.documents}
        return read
    reason = f"same {same} as {seen[digests[same]]}"
    return replace(read, file=read.file | {"status": "duplicate", "reason": reason})


def _why_empty(files: pl.DataFrame) -> str:
    """Say why nothing can be indexed, so that an unmounted disk isn't taken for a deletion."""
    if files.is_empty():
        return "holds no files"
    counts = Counter(files["status"].to_list())
    counted = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    rows = files.head(_NAMED_FILES).iter_rows(named=True)
    named = "; ".join(f"{row['path']}: {row['reason']}" for row in rows)
    return f"holds nothing to index ({counted}; {named})"
