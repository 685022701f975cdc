"""Embeddings of text units, documents, entities, relationships and reports, and the map."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from graphrag_assets.layout.places import Layout, Map, lay_out_all
from graphrag_assets.models.client import Models
from graphrag_assets.settings import CommunitySettings, LayoutSettings
from graphrag_assets.text import sha256
from graphrag_assets.warehouse import table_asset

EMBEDDING = ("embedding",)
LAYOUT = ("id", "x", "y", pl.col("size").cast(pl.Float64), "community_id", "fitted")


@table_asset("text_unit_embeddings", tasks=EMBEDDING, priority=-1)
def text_unit_embeddings(text_units: pl.DataFrame, models: Models) -> pl.DataFrame:
    """Embed the text of each text unit."""
    return _embedded(text_units.select("id", "text"), models)


@table_asset("document_embeddings", tasks=EMBEDDING, priority=-1)
def document_embeddings(
    documents: pl.DataFrame, text_units: pl.DataFrame, models: Models
) -> pl.DataFrame:
    """Average the embeddings of a document's slices, cut where its text units begin."""
    slices = pl.DataFrame(
        list(_slices(documents, text_units)),
        schema={"document_id": pl.String, "id": pl.String, "text": pl.String},
        orient="row",
    )
    embedded = _embedded(slices.select("id", "text").unique("id"), models)
    if embedded.is_empty():
        return embedded
    pieces = slices.join(embedded, on="id").with_columns(weight=pl.col("text").str.len_chars())
    rows = [
        (document_id, _mean(piece["vector"].to_numpy(), piece["weight"].to_numpy()))
        for (document_id,), piece in pieces.sort("document_id").group_by(
            "document_id", maintain_order=True
        )
    ]
    return _frame([row[0] for row in rows], np.stack([row[1] for row in rows]), models)


@table_asset("entity_embeddings", tasks=EMBEDDING, priority=-1)
def entity_embeddings(entities: pl.DataFrame, models: Models) -> pl.DataFrame:
    """Embed "title: description" of each entity."""
    return _embedded(
        entities.select("id", text=pl.format("{}: {}", "title", "description")), models
    )


@table_asset("relationship_embeddings", tasks=EMBEDDING, priority=-1)
def relationship_embeddings(
    relationships: pl.DataFrame, entities: pl.DataFrame, models: Models
) -> pl.DataFrame:
    """Embed "source — target: description" of each relationship."""
    titles = dict(entities.select("id", "title").iter_rows())
    ends = [
        pl.col(end).replace_strict(titles, return_dtype=pl.String)
        for end in ("source_id", "target_id")
    ]
    text = pl.format("{} — {}: {}", *ends, "description")
    return _embedded(relationships.select("id", text=text), models)


@table_asset("report_embeddings", tasks=EMBEDDING, priority=-1)
def report_embeddings(community_reports: pl.DataFrame, models: Models) -> pl.DataFrame:
    """Embed title and summary of each report that was written."""
    written = community_reports.filter(pl.col("full_content") != "")
    text = pl.format("{}\n{}", "title", "summary")
    return _embedded(written.select(id="community_id", text=text), models)


@table_asset("layout", long=True, priority=-3)
def layout(
    entities: pl.DataFrame,
    documents: pl.DataFrame,
    entity_embeddings: pl.DataFrame,
    document_embeddings: pl.DataFrame,
    entity_mentions: pl.DataFrame,
    text_units: pl.DataFrame,
    communities: pl.DataFrame,
    community_members: pl.DataFrame,
    settings: LayoutSettings,
    seeds: CommunitySettings,
    previous_layout: pl.DataFrame,
) -> pl.DataFrame:
    """Place entities and documents on a map each; what was there before stays in place."""
    roots = communities.filter(pl.col("level") == 0).select(community_id="id")
    root_of = community_members.join(roots, on="community_id").select("entity_id", "community_id")
    mentioned = entity_mentions.drop_nulls("entity_id").join(root_of, on="entity_id")
    by_document = (
        mentioned.join(text_units.select(text_unit_id="id", id="document_id"), on="text_unit_id")
        .group_by("id", "community_id")
        .len()
        .sort("len", "community_id", descending=[True, False])
        .unique("id", keep="first", maintain_order=True)
    )
    root_of = root_of.rename({"entity_id": "id"})
    shapes = {
        "entity": (entity_embeddings, entities.select("id", size="degree"), root_of),
        "document": (document_embeddings, documents.select("id", size="n_tokens"), by_document),
    }
    maps = [
        Map(
            vectors["id"].to_list(),
            vectors["vector"].to_numpy() if vectors.height else np.zeros((0, 1), np.float32),
            previous_layout.filter(pl.col("kind") == kind),
        )
        for kind, (vectors, _, _) in shapes.items()
    ]
    found = lay_out_all(
        maps,
        neighbors=settings.neighbors,
        min_distance=settings.min_distance,
        seed=seeds.seed,
    )
    placed = [
        _points(drawn.keys, places)
        .join(sizes, on="id")
        .join(homes, on="id", how="left")
        .select(pl.lit(kind).alias("kind"), *LAYOUT)
        for drawn, places, (kind, (_, sizes, homes)) in zip(
            maps, found, shapes.items(), strict=True
        )
    ]
    return pl.concat(placed)


def _points(ids: list[str], places: Layout) -> pl.DataFrame:
    x, y = places.positions.T.astype(float)
    return pl.DataFrame(
        {"id": ids, "x": x, "y": y, "fitted": places.fitted},
        schema={"id": pl.String, "x": pl.Float64, "y": pl.Float64, "fitted": pl.Boolean},
    )


def _embedded(rows: pl.DataFrame, models: Models) -> pl.DataFrame:
    """Return id, vector and model of each text; one that can't be embedded is missing."""
    found = models.run(models.embed(rows["text"].to_list()))
    there = pl.Series([vector is not None for vector in found], dtype=pl.Boolean)
    vectors = np.array([vector for vector in found if vector is not None], np.float32, ndmin=2)
    del found  # thousands of vectors: one copy at a time
    return _frame(rows["id"].filter(there).to_list(), vectors, models)


def _frame(ids: list[str], vectors: np.ndarray, models: Models) -> pl.DataFrame:
    dimension = max(vectors.shape[1], 1)
    return pl.DataFrame(
        {"id": ids, "vector": vectors.astype(np.float32, copy=False).reshape(-1, dimension)},
        schema={"id": pl.String, "vector": pl.Array(pl.Float32, dimension)},
    ).with_columns(model=pl.lit(models.model("embedding")))


def _slices(documents: pl.DataFrame, text_units: pl.DataFrame) -> Iterator[tuple[str, str, str]]:
    texts = dict(documents.select("id", "text").iter_rows())
    units = text_units.sort("document_id", "ordinal")
    ends = units.with_columns(
        stop=pl.col("start_char").shift(-1).over("document_id").fill_null(pl.col("end_char"))
    )
    for document_id, start, stop in ends.select("document_id", "start_char", "stop").iter_rows():
        piece = texts[document_id][start:stop]
        yield document_id, sha256(piece), piece


def _mean(vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    mean = np.average(vectors, axis=0, weights=weights)
    return np.asarray(mean / (np.linalg.norm(mean) or 1), np.float32)
