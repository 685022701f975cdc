"""Files -> documents -> text units -> search terms."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import polars as pl

from graphrag_assets.readers import read_corpus
from graphrag_assets.settings import CorpusSettings, TextUnitSettings
from graphrag_assets.tables import TextUnits
from graphrag_assets.text import content_id, sha256, split, terms
from graphrag_assets.warehouse import Result, table_asset

AT_ONCE = 200  # text units whose terms are in memory as words
ROWS_AT_ONCE = 5_000  # text units that are in memory as Python has them


@table_asset("files", "documents", source=True)
def documents(
    corpus: CorpusSettings,
    encoding: str,
    root: Path,
    previous_files: pl.DataFrame,
    previous_documents: pl.DataFrame,
) -> Result:
    """Read the corpus; a file whose bytes are known isn't parsed again."""
    read = read_corpus(
        corpus,
        base=root,
        previous_files=previous_files,
        previous_documents=previous_documents,
        encoding=encoding,
    )
    return {"files": read.files, "documents": read.documents}


@table_asset("text_units")
def text_units(documents: pl.DataFrame, cut: TextUnitSettings) -> pl.DataFrame:
    """Cut documents where their own text says, so that an edit moves only the cuts around it."""
    named = documents.select("id", "text").iter_rows()
    rows = (row for id_, text in named for row in _units_of(id_, text, cut))
    parts = iter(lambda: list(islice(rows, ROWS_AT_ONCE)), [])
    return pl.concat([TextUnits.create_empty(), *(pl.DataFrame(part) for part in parts)])


def _units_of(document_id: str, text: str, cut: TextUnitSettings) -> Iterator[dict[str, object]]:
    seen: Counter[str] = Counter()
    spans = split(text, max_tokens=cut.max_tokens, overlap=cut.overlap, encoding=cut.encoding)
    for ordinal, span in enumerate(spans):
        piece = text[span.start : span.end]
        digest = sha256(piece)
        seen[digest] += 1
        yield {
            "id": content_id(document_id, digest, str(seen[digest])),
            "document_id": document_id,
            "ordinal": ordinal,
            "text": piece,
            "n_tokens": span.n_tokens,
            "start_char": span.start,
            "end_char": span.end,
            "sha256": digest,
        }


def _term_counts(texts: pl.DataFrame) -> pl.DataFrame:
    found = pl.DataFrame(
        {"sha256": texts["sha256"], "term": [terms(text) for text in texts["text"]]},
        schema={"sha256": pl.String, "term": pl.List(pl.String)},
    )
    return found.explode("term").drop_nulls().group_by("sha256", "term").len("n")


@table_asset("text_unit_terms", priority=-1)
def text_unit_terms(text_units: pl.DataFrame) -> pl.DataFrame:
    """Count the search terms of each text unit; equal texts are read once."""
    distinct = text_units.unique("sha256", maintain_order=True).select("sha256", "text")
    parts = [distinct.clear(), *distinct.iter_slices(AT_ONCE)]
    counted = pl.concat(map(_term_counts, parts))
    placed = text_units.select("sha256", text_unit_id="id").join(counted, on="sha256")
    return placed.sort("term", "text_unit_id")  # a term's rows lie together: search reads few
