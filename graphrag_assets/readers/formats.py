"""The bytes of one file -> its pieces, by what its name says it is."""

import re
from dataclasses import replace
from pathlib import PurePosixPath

from graphrag_assets.readers.decoding import Decoded, decode
from graphrag_assets.readers.documents import (
    kind_of,
    read_docx,
    read_html,
    read_pdf,
    read_pptx,
    read_xlsx,
)
from graphrag_assets.readers.epub import read_epub
from graphrag_assets.readers.markdown import describe, heading
from graphrag_assets.readers.parsed import Parsed, Piece, UnreadError
from graphrag_assets.readers.records import listed, read_json, read_parquet, read_table
from graphrag_assets.settings import CorpusSettings
from graphrag_assets.text import is_blank

FORMATS = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".epub": "epub",
    ".docx": "docx",
    ".pptx": "pptx",
    ".xlsx": "xlsx",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{2,40})", re.IGNORECASE)
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252", "latin1": "cp1252"}
_LIES = ("utf-16", "utf-32", "utf-7")  # what a page that can be read this far is not


def format_of(path: str) -> str:
    """Return the format by the file's name; what has no known ending is tried as text."""
    return FORMATS.get(PurePosixPath(path).suffix.lower(), "text")


def parse(data: bytes, path: str, corpus: CorpusSettings) -> Parsed:
    """Return what a file holds, or raise UnreadError with the status and reason it gets."""
    kind = format_of(path)
    if not data:
        raise UnreadError("empty", "no bytes")
    if kind in {"pdf", "docx", "pptx", "xlsx", "epub", "parquet"}:
        return _parse_binary(data, kind, corpus)
    other = kind_of(data)
    if other:
        raise UnreadError("unsupported", f"named as {kind}, but it is {other}")
    declared = _declared(data) if kind == "html" else None
    decoded = decode(
        data, declared=declared or corpus.encoding or None, repair=corpus.repair_encoding
    )
    if is_blank(decoded.text):
        raise UnreadError("empty", "no text")
    if kind in {"csv", "tsv", "json", "jsonl"}:
        return _parse_records(decoded, kind, corpus)
    piece = _parse_text(decoded.text, kind, corpus)
    if decoded.n_removed:
        piece = replace(piece, metadata=piece.metadata | {"removed_characters": decoded.n_removed})
    return Parsed(kind, (piece,), decoded.encoding, decoded.warnings)


def _parse_binary(data: bytes, kind: str, corpus: CorpusSettings) -> Parsed:
    if kind == "parquet":
        return Parsed(kind, tuple(read_parquet(data, corpus)))
    if kind in {"pdf", "xlsx"}:
        piece, warnings = read_pdf(data) if kind == "pdf" else read_xlsx(data)
        return Parsed(kind, (piece,), None, tuple(warnings))
    read = {"docx": read_docx, "pptx": read_pptx, "epub": read_epub}[kind]
    piece = read(data)
    return Parsed(kind, (replace(piece, title=piece.title or heading(piece.text)),))


def _parse_records(decoded: Decoded, kind: str, corpus: CorpusSettings) -> Parsed:
    if kind in {"csv", "tsv"}:
        delimiter = "\t" if kind == "tsv" else ""
        pieces, problems = read_table(decoded.text, corpus, delimiter=delimiter)
    else:
        pieces, problems = read_json(decoded.text, corpus, tolerant=kind == "jsonl")
    if not pieces and problems:
        raise UnreadError("failed", "; ".join(listed(problems)))
    warnings = (*decoded.warnings, *listed(problems))
    return Parsed(kind, tuple(pieces), decoded.encoding, warnings)


def _parse_text(text: str, kind: str, corpus: CorpusSettings) -> Piece:
    if kind == "html":
        page = read_html(text)
        return replace(page, title=page.title or heading(page.text))
    described = describe(text, longest_run=corpus.longest_run)
    return Piece(described.text, title=described.title, metadata=described.metadata)


def _declared(data: bytes) -> str | None:
    match = _META_CHARSET.search(data[:4096])
    name = match[1].decode("ascii").lower() if match else None
    if not name or name.startswith(_LIES):
        return None
    return _WIDER.get(name, name)
