"""Their documents and text units -> files, documents and text units with spans.

They don't say where a text unit stands in its document: it is looked for. Ids are made anew from
the content, so that importing the same index again makes the same tables.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from graphrag_assets.exchange.microsoft.files import Tables
from graphrag_assets.exchange.microsoft.places import place
from graphrag_assets.text import content_id, count_tokens_many, normalise, sha256

Row = dict[str, Any]


@dataclass(frozen=True)
class Corpus:
    """Tables of ours, and {their id: ours} of text units."""

    files: pl.DataFrame
    documents: pl.DataFrame
    text_units: pl.DataFrame
    units: pl.DataFrame  # theirs, text_unit_id
    n_near: int  # text units whose text stands in the document only in other words
    n_lost: int  # text units that became documents of their own


def read_corpus(found: Tables, encoding: str) -> Corpus:
    """Return what was indexed, each text unit in its place."""
    documents = _documents(found["documents"])
    located, lost = _located(found["text_units"], documents)
    alone = [_alone(unit, documents) for unit in lost]
    rows = [*documents.values(), *alone]
    located += [
        {**_span(row, 0, len(row["text"])), "theirs": unit["id"]}
        for unit, row in zip(lost, alone, strict=True)
    ]
    units = _text_units(located, encoding)
    return Corpus(
        files=_files(rows),
        documents=_frame(rows, encoding).drop("theirs"),
        text_units=units.drop("theirs").unique("id", maintain_order=True),
        units=units.select("theirs", text_unit_id="id"),
        n_near=sum(not unit["exact"] for unit in located),
        n_lost=len(lost),
    )


def _documents(rows: pl.DataFrame) -> dict[str, Row]:
    """Return our row of each document by their id; a title that stands twice gets a record."""
    rows = rows.unique("id", maintain_order=True).with_columns(
        pl.col("title").fill_null("").map_elements(_name, return_dtype=pl.String),
        pl.col("text").fill_null("").map_elements(normalise, return_dtype=pl.String),
        several=pl.col("title").is_duplicated(),
    )
    found = {}
    for row in rows.sort("human_readable_id").to_dicts():
        record = str(row["human_readable_id"]) if row["several"] else None
        facts = {"format": "graphrag", "creation_date": row["creation_date"], **_raw(row)}
        found[row["id"]] = {
            "theirs": row["id"],
            **_document(row["title"], record, row["title"], row["text"]),
            "metadata": json.dumps(facts, ensure_ascii=False, sort_keys=True),
        }
    return found


def _name(title: str) -> str:
    return " ".join(normalise(title).split()) or "untitled"


def _raw(row: Row) -> Row:
    try:
        raw = json.loads(row["raw_data"] or "{}")
    except ValueError:
        return {}
    return {str(key): value for key, value in raw.items()} if isinstance(raw, dict) else {}


def _document(path: str, record: str | None, title: str, text: str) -> Row:
    return {
        "id": content_id(path, record or ""),
        "path": path,
        "record": record,
        "title": title,
        "text": text,
        "sha256": sha256(text),
        "metadata": "{}",
        "pages": [],
    }


def _alone(unit: Row, documents: dict[str, Row]) -> Row:
    """Return a document that holds only a text unit that stands in none."""
    home = documents.get(unit["document_id"], {"path": "text units", "title": "Text unit"})
    number = unit["human_readable_id"]
    title = f"{home['title']}, text unit {number}"
    row = _document(home["path"], f"text unit {number}", title, normalise(unit["text"] or ""))
    return {"theirs": "", **row}


def _located(rows: pl.DataFrame, documents: dict[str, Row]) -> tuple[list[Row], list[Row]]:
    """Return the spans of text units that stand in their documents, and those that don't."""
    located, lost = [], []
    after: Counter[str] = Counter()
    for unit in rows.unique("id", maintain_order=True).sort("human_readable_id").to_dicts():
        document = documents.get(unit["document_id"])
        text = normalise(unit["text"] or "")
        span = place(text, document["text"], after[unit["document_id"]]) if document else None
        if document is None or span is None:
            lost.append(unit)
            continue
        after[unit["document_id"]] = span.start
        row = _span(document, span.start, span.end)
        located.append({**row, "theirs": unit["id"], "exact": span.exact})
    return located, lost


def _span(document: Row, start: int, end: int) -> Row:
    text = document["text"][start:end]
    span = {"start_char": start, "end_char": end, "exact": True}
    return {"document_id": document["id"], "text": text, "sha256": sha256(text), **span}


def _text_units(located: list[Row], encoding: str) -> pl.DataFrame:
    ordered = sorted(located, key=lambda unit: (unit["document_id"], unit["start_char"]))
    rows = pl.DataFrame(list(_identified(ordered)), infer_schema_length=None).drop("exact")
    tokens = count_tokens_many(rows["text"].to_list(), encoding)
    return rows.with_columns(
        ordinal=pl.int_range(pl.len()).over("document_id"),
        n_tokens=pl.Series(tokens, dtype=pl.Int64),
    )


def _identified(units: list[Row]) -> Iterator[Row]:
    seen: Counter[tuple[str, str]] = Counter()
    for unit in units:
        key = (unit["document_id"], unit["sha256"])
        seen[key] += 1
        yield {"id": content_id(*key, str(seen[key])), **unit}


def _frame(rows: list[Row], encoding: str) -> pl.DataFrame:
    tokens = count_tokens_many([row["text"] for row in rows], encoding)
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(
        n_tokens=pl.Series(tokens, dtype=pl.Int64)
    )


def _files(rows: list[Row]) -> pl.DataFrame:
    """Return one file for each title: what they keep of the files they read."""
    paths = pl.DataFrame({"path": [row["path"] for row in rows], "text": [r["text"] for r in rows]})
    return paths.group_by("path", maintain_order=True).agg(
        n_documents=pl.len(),
        bytes=pl.col("text").str.len_bytes().sum(),
        status=pl.lit("indexed"),
        format=pl.lit("graphrag"),
        reason=pl.lit(None, pl.String),
        encoding=pl.lit(None, pl.String),
        sha256=pl.lit(None, pl.String),
        modified_at=pl.lit(None, pl.String),
    )
