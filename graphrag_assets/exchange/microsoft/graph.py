"""Their entities, relationships and covariates -> entities, relationships, mentions and claims.

They keep where an element was found, but not what each text unit said about it: mentions have no
description. Their weight, a sum of strengths, is our strength.
"""

from dataclasses import dataclass

import polars as pl

from graphrag_assets.exchange.microsoft.corpus import Corpus
from graphrag_assets.exchange.microsoft.files import Tables
from graphrag_assets.mentions import joined, locate
from graphrag_assets.network.graph import degrees
from graphrag_assets.text import content_id, normalise

NONE = ("", "NONE", "None", "none")
DAY = r"^(\d{4}-\d{2}-\d{2})T00:00:00.*$"


@dataclass(frozen=True)
class Graph:
    """Tables of ours, and {their id, their number: our id} of elements."""

    entities: pl.DataFrame
    entity_aliases: pl.DataFrame
    entity_mentions: pl.DataFrame
    relationships: pl.DataFrame
    relationship_mentions: pl.DataFrame
    claims: pl.DataFrame
    known: dict[str, pl.DataFrame]  # Entities, Relationships, Claims: theirs, number, id
    n_dropped: dict[str, int]


def read_graph(found: Tables, corpus: Corpus) -> Graph:
    """Return the graph; what hangs in the air (an end without entity …) is dropped and counted."""
    named = _named(found["entities"])
    mentions = _mentions(named, corpus).rename({"id": "entity_id"})
    pairs = _pairs(found["relationships"], named)
    places = _mentions(pairs, corpus)
    relationships = _relationships(pairs, places, corpus)
    claims = _claims(found["covariates"], named, corpus)
    number = pl.col("human_readable_id").alias("number")
    return Graph(
        entities=_entities(named, mentions, relationships, corpus),
        entity_aliases=named.select(
            "title", "type", entity_id="id", method=pl.lit("exact"), score=pl.lit(1.0)
        ),
        entity_mentions=mentions.select(
            "text_unit_id", "title", "type", "entity_id", description=pl.lit("")
        ).with_columns(ordinal=pl.int_range(pl.len()).over("text_unit_id")),
        relationships=relationships,
        relationship_mentions=_relationship_mentions(places),
        claims=claims.drop("theirs", "number"),
        known={
            "Entities": named.select("theirs", number, "id"),
            "Relationships": pairs.select("theirs", number, "id"),
            "Claims": claims.select("theirs", "number", "id"),
        },
        n_dropped={
            "entities": found["entities"].height - named.height,
            "relationships": found["relationships"].height - pairs.height,
            "claims": found["covariates"].height - claims.height,
        },
    )


def _text(name: str) -> pl.Expr:
    return pl.col(name).fill_null("").map_elements(normalise, return_dtype=pl.String)


def _hashed(*columns: str) -> pl.Expr:
    return pl.struct(columns).map_elements(
        lambda row: content_id(*(row[name] or "" for name in columns)), return_dtype=pl.String
    )


def _named(rows: pl.DataFrame) -> pl.DataFrame:
    """Return entities with our ids; a title is a key of theirs."""
    return (
        rows.with_columns(
            _text("title").str.strip_chars(), _text("description"), theirs=pl.col("id")
        )
        .with_columns(_text("type").str.strip_chars().str.to_lowercase().replace("", "unknown"))
        .filter(pl.col("title") != "")
        .unique("title", keep="first", maintain_order=True)
        .with_columns(id=_hashed("title"))
        .sort("id")
    )


def _mentions(elements: pl.DataFrame, corpus: Corpus) -> pl.DataFrame:
    """Return a row for each element and text unit that it was found in."""
    return (
        elements.explode("text_unit_ids")
        .join(corpus.units, left_on="text_unit_ids", right_on="theirs")
        .unique(["id", "text_unit_id"], maintain_order=True)
        .sort("text_unit_id", "id")
    )


def _pairs(rows: pl.DataFrame, named: pl.DataFrame) -> pl.DataFrame:
    """Return relationships whose ends are two entities, with the smaller id first."""
    ids = named.select("id", "title")
    ends = (
        rows.rename({"id": "theirs"})
        .with_columns(_text("source").str.strip_chars(), _text("target").str.strip_chars())
        .join(ids.rename({"id": "one"}), left_on="source", right_on="title")
        .join(ids.rename({"id": "other"}), left_on="target", right_on="title")
        .filter(pl.col("one") != pl.col("other"))
    )
    return ends.with_columns(
        _text("description"),
        pl.col("weight").fill_null(1.0),
        source_id=pl.min_horizontal("one", "other"),
        target_id=pl.max_horizontal("one", "other"),
    ).with_columns(id=_hashed("source_id", "target_id"))


def _relationships(pairs: pl.DataFrame, places: pl.DataFrame, corpus: Corpus) -> pl.DataFrame:
    """Return one row per pair of entities; the weight counts distinct texts."""
    texts = corpus.text_units.select(text_unit_id="id", text="sha256")
    counts = (
        places.join(texts, on="text_unit_id")
        .group_by("id")
        .agg(weight=pl.col("text").n_unique().cast(pl.Float64), n_mentions=pl.len().cast(pl.Int64))
    )
    merged = (
        pairs.sort("id", "human_readable_id")
        .group_by("id", "source_id", "target_id", maintain_order=True)
        .agg(
            strength=pl.col("weight").sum(),
            pieces=pl.col("description").unique(maintain_order=True),
        )
        .join(counts, on="id", how="left")
        .with_columns(
            pl.col("weight").fill_null(1.0),  # a graph can't have a weight of 0
            pl.col("n_mentions").fill_null(0),
            description=pl.col("pieces").map_elements(_joined, return_dtype=pl.String),
        )
        .drop("pieces")
    )
    degree = dict(degrees(merged).iter_rows())
    combined = [
        degree[one] + degree[other]
        for one, other in merged.select("source_id", "target_id").iter_rows()
    ]
    return merged.with_columns(combined_degree=pl.Series(combined, dtype=pl.Int64))


def _joined(pieces: pl.Series) -> str:
    return joined([piece for piece in pieces if piece])


def _relationship_mentions(places: pl.DataFrame) -> pl.DataFrame:
    share = pl.col("weight") / pl.len().over("id")  # theirs is summed over the text units
    return places.select(
        "text_unit_id",
        "source_id",
        "target_id",
        ordinal=pl.int_range(pl.len()).over("text_unit_id"),
        source_title="source",
        target_title="target",
        description=pl.lit(""),
        strength=share,
        relationship_id="id",
    )


def _entities(
    named: pl.DataFrame, mentions: pl.DataFrame, relationships: pl.DataFrame, corpus: Corpus
) -> pl.DataFrame:
    homes = corpus.text_units.select("document_id", text_unit_id="id")
    counts = (
        mentions.join(homes, on="text_unit_id")
        .group_by("entity_id")
        .agg(
            n_mentions=pl.len().cast(pl.Int64),
            n_documents=pl.col("document_id").n_unique().cast(pl.Int64),
        )
    )
    return (
        named.select("id", "title", "type", "description", types=pl.concat_list("type"))
        .join(counts, left_on="id", right_on="entity_id", how="left")
        .join(degrees(relationships), on="id", how="left")
        .with_columns(pl.col("n_mentions", "n_documents", "degree").fill_null(0))
    )


def _claims(rows: pl.DataFrame, named: pl.DataFrame, corpus: Corpus) -> pl.DataFrame:
    """Return the covariates about known entities, their quotes found in the text."""
    ids = named.select("id", "title")
    texts = corpus.text_units.select(text_unit_id="id", text="text", offset="start_char")
    known = (
        rows.rename({"id": "theirs", "human_readable_id": "number", "text_unit_id": "unit"})
        .with_columns(pl.col(pl.String).fill_null("").str.strip_chars())
        .join(corpus.units, left_on="unit", right_on="theirs")
        .join(texts, on="text_unit_id")
        .join(ids.rename({"id": "subject"}), left_on="subject_id", right_on="title")
        .join(ids.rename({"id": "object"}), left_on="object_id", right_on="title", how="left")
        .with_columns(quote=_text("source_text"), description=_text("description"))
    )
    spans = [locate(quote, text) for quote, text in known.select("quote", "text").iter_rows()]
    status = pl.col("status").str.to_lowercase()
    return (
        known.select(
            *("theirs", "number", "text_unit_id", "description", "quote"),
            subject_id="subject",
            object_id="object",
            type=pl.col("type").str.to_lowercase().replace("", "statement"),
            status=pl.when(status.is_in(["true", "false"]))
            .then(status)
            .otherwise(pl.lit("suspected")),
            start_date=_date("start_date"),
            end_date=_date("end_date"),
            start_char=pl.col("offset") + pl.Series([s and s[0] for s in spans], dtype=pl.Int64),
            end_char=pl.col("offset") + pl.Series([s and s[1] for s in spans], dtype=pl.Int64),
        )
        .with_columns(
            id=_hashed("text_unit_id", "subject_id", "object_id", "type", "description", "quote")
        )
        .unique("id", keep="first", maintain_order=True)
    )


def _date(name: str) -> pl.Expr:
    day = pl.col(name).str.replace(DAY, "$1")
    return pl.when(~pl.col(name).is_in(NONE)).then(day)
