"""Embeddings of text units, documents, entities, relationships and reports, and the map."""

import numpy as np
import polars as pl

from graphrag_assets.layout.places import Layout, Map, lay_out_all
from graphrag_assets.models.client import Models
from graphrag_assets.settings import CommunitySettings, LayoutSettings
from graphrag_assets.warehouse import table_asset

EMBEDDING = ("embedding",)
LAYOUT = ("id", "x", "y", pl.col("size").cast(pl.Float64), "community_id", "fitted")


@table_asset("text_unit_embeddings", tasks=EMBEDDING, priority=-1)
def text_unit_embeddings(text_units: pl.DataFrame, models: Models) -> pl.DataFrame:
    """Embed the text of each text unit."""
    return _embedded(text_units.select("id", "text"), models)


@table_asset("document_embeddings", priority=-1)
def document_embeddings(
    text_units: pl.DataFrame, text_unit_embeddings: pl.DataFrame
) -> pl.DataFrame:
    """Average the embeddings of each document's text units.

    Each weighs what it has before the next one begins, so that what two share counts once.
    """
    ends = pl.col("start_char").shift(-1).over("document_id").fill_null(pl.col("end_char"))
    units = (
        text_units.sort("document_id", "ordinal")
        .select("id", "document_id", weight=ends - pl.col("start_char"))
        .join(text_unit_embeddings, on="id", maintain_order="left")
    )
    if units.is_empty():
        return text_unit_embeddings.clear()
    first = np.flatnonzero(units["document_id"].rle_id().diff().fill_null(1).to_numpy())
    weighted = units["vector"].to_numpy() * units["weight"].to_numpy()[:, None]
    totals = np.add.reduceat(weighted, first)
    lengths = np.linalg.norm(totals, axis=1, keepdims=True)
    means = np.divide(totals, lengths, out=totals, where=lengths > 0)
    return pl.DataFrame(
        {
            "id": units["document_id"].gather(first),
            "vector": means.astype(np.float32),
            "model": units["model"].gather(first),
        },
        schema=text_unit_embeddings.schema,
    )


@table_asset("entity_embeddings", tasks=EMBEDDING, priority=-1)
def entity_embeddings(entities: pl.DataFrame, models: Models) -> pl.DataFrame:
    """Embed "title: description" of each entity."""
    return _embedded(
        entities.select("id", text=pl.format("{}: {}", "title", "description")), models
    )


@table_asset(
    "relationship_embeddings", tasks=EMBEDDING, after=("communities", "claims"), priority=-3
)
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


@table_asset("report_embeddings", tasks=EMBEDDING, priority=-6)
def report_embeddings(community_reports: pl.DataFrame, models: Models) -> pl.DataFrame:
    """Embed title and summary of each report that was written."""
    written = community_reports.filter(pl.col("full_content") != "")
    text = pl.format("{}\n{}", "title", "summary")
    return _embedded(written.select(id="community_id", text=text), models)


@table_asset("layout", long=True, priority=-5)
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
