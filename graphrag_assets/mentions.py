"""Replies -> mention rows -> elements: what the model said, merged into one graph.

A mention is one entity, relationship or claim in one text unit; an element is what its mentions
have in common. All functions take and return frames.
"""

import re
from collections.abc import Sequence

import polars as pl
from rapidfuzz import fuzz

from graphrag_assets.names import QUOTES, clean_name, fold, name_parts, person_key, with_key
from graphrag_assets.network.graph import degrees
from graphrag_assets.text import content_id

UNKNOWN = "unknown"
MAX_NAME = 200
STOPS = ".。!?！？"
ELLIPSIS = " .…"
WORD_START = re.compile(r"[^\W\u2e80-\uffff]{1,50}")  # no Chinese: it has no spaces to stop at
WORD_END = re.compile(r"[^\W\u2e80-\uffff]{1,50}\Z")
QUOTE_SIMILARITY = 90
CLAIM = (  # what makes a claim another one
    "text_unit_id",
    "subject_id",
    "object_id",
    "type",
    "status",
    "description",
    "start_date",
    "end_date",
    "quote",
)

TEXT = pl.String
REPLY: dict[str, dict[str, type[pl.DataType]]] = {
    "entities": {"name": TEXT, "type": TEXT, "description": TEXT},
    "relationships": {"source": TEXT, "target": TEXT, "description": TEXT, "weight": pl.Float64},
    "claims": {
        "subject": TEXT,
        "object": TEXT,
        "type": TEXT,
        "status": TEXT,
        "description": TEXT,
        "start_date": TEXT,
        "end_date": TEXT,
        "quote": TEXT,
    },
}


def entity_rows(extractions: pl.DataFrame, text_units: pl.DataFrame) -> pl.DataFrame:
    """Return the entities that replies name: text_unit_id, ordinal, title, type, description, key.

    An end of a relationship that the reply forgot to list counts as one of type "unknown" if its
    name stands in the text. `supported` says whether a name stands in its own text unit or, as a
    known name, in another: names that leak from a prompt's example stand in none.
    """
    listed = _clean(
        _items(extractions, "entities").select(
            "text_unit_id", pl.col("name").alias("title"), "type", "description"
        )
    )
    ends = _items(extractions, "relationships").unpivot(
        on=["source", "target"], index="text_unit_id", value_name="title"
    )
    forgotten = (
        _clean(ends.select("text_unit_id", "title", type=pl.lit(""), description=pl.lit("")))
        .unique(["text_unit_id", "key"], keep="first", maintain_order=True)
        .join(listed, on=["text_unit_id", "key"], how="anti")
    )
    texts = text_units.select(
        text_unit_id="id", text=pl.col("text").map_elements(fold, return_dtype=pl.String)
    )
    forgotten = _stands_in_text(forgotten, texts).filter("in_text")
    rows = pl.concat([_stands_in_text(listed, texts), forgotten])
    return rows.with_columns(
        supported=pl.col("in_text").any().over("key"),
        ordinal=pl.int_range(pl.len()).over("text_unit_id"),
    ).drop("in_text")


def assign_entities(rows: pl.DataFrame, aliases: pl.DataFrame) -> pl.DataFrame:
    """Give each entity mention the entity that its name stands for; unsupported ones get none."""
    known = aliases.select("title", "type", "entity_id")
    return rows.join(known, on=["title", "type"], how="left", maintain_order="left")


def relationship_rows(extractions: pl.DataFrame, entity_mentions: pl.DataFrame) -> pl.DataFrame:
    """Return the relationships that replies name, with their ends resolved.

    An end is looked up among its own text unit's entities first, then in the corpus. Relations
    of an entity with itself and of unsupported names get no relationship_id.
    """
    rows = _items(extractions, "relationships").select(
        "text_unit_id",
        pl.int_range(pl.len()).over("text_unit_id").alias("ordinal"),
        _name("source").alias("source_title"),
        _name("target").alias("target_title"),
        pl.col("description").fill_null("").str.strip_chars(),
        pl.col("weight").fill_null(1.0).alias("strength"),
    )
    rows = resolve_name(rows, entity_mentions, name="source_title", entity="one")
    rows = resolve_name(rows, entity_mentions, name="target_title", entity="other")
    rows = rows.with_columns(
        source_id=pl.min_horizontal("one", "other"), target_id=pl.max_horizontal("one", "other")
    )
    linked = (pl.col("one") != pl.col("other")).fill_null(value=False)
    ends = rows.filter(linked).select("source_id", "target_id").unique()
    ids = [content_id(source, target) for source, target in ends.iter_rows()]
    ends = ends.with_columns(relationship_id=pl.Series(ids, dtype=pl.String))
    rows = rows.join(ends, on=["source_id", "target_id"], how="left", maintain_order="left")
    bare = pl.when(pl.col("relationship_id").is_not_null())
    return rows.with_columns(
        source_id=bare.then("source_id"), target_id=bare.then("target_id")
    ).drop("one", "other")


def claim_rows(
    extractions: pl.DataFrame, entity_mentions: pl.DataFrame, text_units: pl.DataFrame
) -> pl.DataFrame:
    """Return the claims about known entities, with the span of their quote in the document.

    A claim's id is the hash of the text it stands in and of what it says, so that a report which
    cites it stays when a file is renamed. Where that text stands twice, the places are numbered.
    """
    rows = _items(extractions, "claims").with_columns(pl.all().fill_null(""))
    rows = resolve_name(rows, entity_mentions, name="subject", entity="subject_id")
    rows = resolve_name(rows, entity_mentions, name="object", entity="object_id")
    rows = rows.filter(pl.col("subject_id").is_not_null()).join(
        text_units.select("sha256", text_unit_id="id", text="text", offset="start_char"),
        on="text_unit_id",
        maintain_order="left",
    )
    spans = [locate(quote, text) for quote, text in rows.select("quote", "text").iter_rows()]
    said = ["sha256", *CLAIM[1:]]
    rows = rows.with_columns(
        pl.Series("start", [s and s[0] for s in spans], dtype=pl.Int64),
        pl.Series("end", [s and s[1] for s in spans], dtype=pl.Int64),
    ).unique(CLAIM, keep="first", maintain_order=True)
    named = rows.select(*said, pl.col("text_unit_id").rank("ordinal").over(said).cast(pl.String))
    ids = [content_id(*values) for values in named.fill_null("").iter_rows()]
    return rows.with_columns(
        id=pl.Series(ids, dtype=pl.String),
        status=pl.col("status").str.to_lowercase(),
        start_date=_or_null("start_date"),
        end_date=_or_null("end_date"),
        start_char=pl.col("offset") + pl.col("start"),
        end_char=pl.col("offset") + pl.col("end"),
    )


def resolve_name(
    rows: pl.DataFrame, entity_mentions: pl.DataFrame, *, name: str, entity: str
) -> pl.DataFrame:
    """Add the entity that a name stands for: in its own text unit, else in the corpus."""
    known = with_key(entity_mentions.filter(pl.col("entity_id").is_not_null()), "title", "key")
    here = known.sort("ordinal").unique(["text_unit_id", "key"], keep="first")
    anywhere = (
        known.group_by("key", "entity_id")
        .len()
        .sort("len", "entity_id", descending=[True, False])
        .unique("key", keep="first", maintain_order=True)
    )
    return (
        with_key(rows, name, "key")
        .join(
            here.select("text_unit_id", "key", here="entity_id"),
            on=["text_unit_id", "key"],
            how="left",
            maintain_order="left",
        )
        .join(
            anywhere.select("key", anywhere="entity_id"),
            on="key",
            how="left",
            maintain_order="left",
        )
        .with_columns(pl.coalesce("here", "anywhere").alias(entity))
        .drop("key", "here", "anywhere")
    )


def merge_relationships(mentions: pl.DataFrame, text_units: pl.DataFrame) -> pl.DataFrame:
    """Return one row per pair of entities: id, source_id, target_id, weight, strength, counts.

    Undirected: (A, B) and (B, A) are one and their sums add. The weight counts distinct texts, so
    that a duplicated document doesn't count twice.
    """
    linked = mentions.filter(pl.col("relationship_id").is_not_null())
    merged = (
        linked.join(text_units.select(text_unit_id="id", text="sha256"), on="text_unit_id")
        .group_by("relationship_id", "source_id", "target_id")
        .agg(
            weight=pl.col("text").n_unique().cast(pl.Float64),
            strength=pl.col("strength").sum(),
            n_mentions=pl.len().cast(pl.Int64),
        )
        .rename({"relationship_id": "id"})
        .sort("id")
    )
    degree = degrees(merged)
    for end in ("source_id", "target_id"):
        merged = merged.join(
            degree.select(pl.col("id").alias(end), pl.col("degree").alias(f"{end}_d")), on=end
        )
    return merged.with_columns(combined_degree=pl.col("source_id_d") + pl.col("target_id_d")).sort(
        "id"
    )


def merge_entities(
    mentions: pl.DataFrame, text_units: pl.DataFrame, relationship_mentions: pl.DataFrame
) -> pl.DataFrame:
    """Return one row per entity: id, title, type, types, n_mentions, n_documents, degree.

    The title is the most frequent name that isn't a short form, the type the most frequent known
    one.
    """
    rows = mentions.filter(pl.col("entity_id").is_not_null()).join(
        text_units.select(text_unit_id="id", document_id="document_id"), on="text_unit_id"
    )
    pairs = relationship_mentions.select("source_id", "target_id").drop_nulls().unique()
    counts = rows.group_by("entity_id").agg(
        n_mentions=pl.len().cast(pl.Int64),
        n_documents=pl.col("document_id").n_unique().cast(pl.Int64),
        types=pl.col("type").unique().sort(),
    )
    return (
        counts.join(_most_frequent(rows, "type", last=UNKNOWN), on="entity_id")
        .join(display_names(rows), on="entity_id")
        .rename({"entity_id": "id"})
        .join(degrees(pairs), on="id", how="left")
        .with_columns(pl.col("degree").fill_null(0))
        .sort("id")
    )


def display_names(mentions: pl.DataFrame) -> pl.DataFrame:
    """Return entity_id and title: the most frequent of its full names.

    A bare surname, with or without Mr, isn't a full name where a longer one is known.
    """
    names = mentions.select("entity_id", "title").drop_nulls()
    titles = names["title"].unique()
    parts = pl.Series([len(name_parts(person_key(title))) for title in titles], dtype=pl.Int64)
    names = names.join(pl.DataFrame({"title": titles, "parts": parts}), on="title")
    full = (pl.col("parts") > 1) | (pl.col("parts").max().over("entity_id") == 1)
    return _most_frequent(names.filter(full), "title", last="")


def distinct_pieces(mentions: pl.DataFrame, of: str) -> pl.DataFrame:
    """Return the distinct descriptions of each element, the most informative first.

    Columns: id, pieces (list of str). A longer description says more than a short one; one that
    is part of another is dropped.
    """
    rows = mentions.select(pl.col(of).alias("id"), "description").drop_nulls()
    rows = rows.filter(pl.col("description") != "").unique()
    length = pl.col("description").str.len_chars()
    rows = rows.sort("id", length, "description", descending=[False, True, False])
    pieces = rows.group_by("id", maintain_order=True).agg(pieces=pl.col("description"))
    return pieces.with_columns(
        pl.col("pieces").map_elements(_not_parts, return_dtype=pl.List(pl.String))
    )


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Return the span of a quote in a text, or None: exact, then wrapped or in other case, near."""
    start = text.find(quote) if quote.strip() else -1
    if start >= 0:
        return start, start + len(quote)
    words = [re.escape(word) for word in quote.strip(QUOTES + ELLIPSIS).split()]
    if not words:
        return None
    if found := re.search(r"\s+".join(words), text, re.IGNORECASE):
        return found.span()
    near = fuzz.partial_ratio_alignment(quote, text, score_cutoff=QUOTE_SIMILARITY)
    if near is None or len(quote) > len(text):
        return None
    return _whole_words(text, near.dest_start, near.dest_end)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span widened to the ends of its outer words, without outer white space."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    end = start + len(text[start:end].rstrip())
    before, after = WORD_END.search(text[:start]), WORD_START.match(text, end)
    if before and WORD_START.match(text, start):
        start = before.start()
    if after and WORD_END.search(text[:end]):
        end = after.end()
    return start, end


def _items(extractions: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Return the items of one kind that replies hold, with text_unit_id and their fields."""
    reply = pl.Struct({kind: pl.List(pl.Struct(REPLY[kind]))})
    items = pl.col("reply").str.json_decode(reply).struct.field(kind)
    return extractions.select("text_unit_id", items).explode(kind).drop_nulls().unnest(kind)


def _name(column: str) -> pl.Expr:
    return pl.col(column).fill_null("").map_elements(clean_name, return_dtype=pl.String)


def _clean(rows: pl.DataFrame) -> pl.DataFrame:
    rows = rows.with_columns(
        _name("title"),
        pl.col("type").fill_null("").str.strip_chars().str.to_lowercase().replace("", UNKNOWN),
        pl.col("description").fill_null("").str.strip_chars(),
    )
    length = pl.col("title").str.len_chars()
    return with_key(rows.filter((length > 0) & (length <= MAX_NAME)), "title", "key")


def _stands_in_text(rows: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """Add in_text; `texts` are folded, as keys are: case, line breaks, dashes don't matter."""
    rows = rows.join(texts, on="text_unit_id", maintain_order="left")
    in_text = pl.col("text").str.contains(pl.col("key"), literal=True)
    return rows.with_columns(in_text=in_text).drop("text")


def _most_frequent(rows: pl.DataFrame, column: str, *, last: str) -> pl.DataFrame:
    return (
        rows.group_by("entity_id", column)
        .len()
        .sort(
            pl.col(column) == last,
            "len",
            pl.col(column).str.len_chars(),
            column,
            descending=[False, True, True, False],
        )
        .unique("entity_id", keep="first", maintain_order=True)
        .select("entity_id", column)
    )


def _not_parts(pieces: Sequence[str]) -> list[str]:
    """Return the pieces that aren't part of a longer one; the longest come first."""
    kept: list[str] = []
    told = ""
    for piece in pieces:
        if piece.rstrip(STOPS) not in told:
            kept.append(piece)
            told += f"{piece}\n"
    return kept


def _or_null(column: str) -> pl.Expr:
    return pl.when(pl.col(column) != "").then(pl.col(column))


def joined(pieces: Sequence[str]) -> str:
    """Return descriptions as one text."""
    return " ".join(piece if piece[-1:] in STOPS else piece + "." for piece in pieces)
