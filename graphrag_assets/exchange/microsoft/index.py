"""A whole index of theirs -> the tables of ours that a model isn't needed for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from graphrag_assets.assets.extraction import names
from graphrag_assets.exchange.microsoft.communities import Communities, read_communities
from graphrag_assets.exchange.microsoft.corpus import Corpus, read_corpus
from graphrag_assets.exchange.microsoft.files import Tables, read_tables
from graphrag_assets.exchange.microsoft.graph import Graph, read_graph
from graphrag_assets.exchange.microsoft.reports import Reports, read_reports
from graphrag_assets.settings import Settings
from graphrag_assets.tables import columns


@dataclass(frozen=True)
class Index:
    """Tables of ours, and in words what didn't fit as it was."""

    tables: Tables
    notes: tuple[str, ...]


def read_index(
    folder: Path,
    settings: Settings,
    *,
    previous: Mapping[str, pl.DataFrame],
    version: int,
    recipe: str,
) -> Index:
    """Read an index; `previous` has communities and community_reports as last imported.

    Raises ImportedError if the folder isn't an index of Microsoft GraphRAG 3.
    """
    found = read_tables(folder)
    encoding = settings.text_units.encoding
    corpus = read_corpus(found, encoding)
    graph = read_graph(found, corpus)
    communities = read_communities(
        found["communities"],
        graph,
        corpus,
        settings.communities,
        previous=previous["communities"],
        version=version,
    )
    reports = read_reports(
        found["community_reports"],
        graph,
        communities,
        previous=previous["community_reports"],
        version=version,
        encoding=encoding,
        recipe=recipe,
    )
    tables = {
        "files": corpus.files,
        "documents": corpus.documents,
        "text_units": corpus.text_units,
        "extractions": _extractions(corpus, graph, recipe),
        "entity_aliases": graph.entity_aliases,
        "entity_mentions": graph.entity_mentions,
        "relationship_mentions": graph.relationship_mentions,
        "relationships": graph.relationships,
        "entities": graph.entities,
        "claims": graph.claims,
        "communities": communities.communities,
        "community_members": communities.members,
        "community_reports": reports.community_reports,
        "report_evidence": reports.report_evidence,
    }
    tables["names"] = names(graph.entity_aliases, corpus.documents)
    return Index(_completed(tables), tuple(_notes(corpus, graph, communities, reports)))


def _completed(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Add what only our own runs note down: from what descriptions and reports were made."""
    unknown = {"made_from": [], "sha256": "", "n_tokens": 0}
    return {
        name: rows.with_columns(
            pl.lit(value, columns(name)[column].dtype).alias(column)
            for column, value in unknown.items()
            if column in columns(name) and column not in rows.columns
        )
        for name, rows in tables.items()
    }


def _extractions(corpus: Corpus, graph: Graph, recipe: str) -> pl.DataFrame:
    """Return what is known of the extraction: how much was found in each text unit."""
    units = corpus.text_units.select(text_unit_id="id")
    for name, mentions in (
        ("n_entities", graph.entity_mentions),
        ("n_relationships", graph.relationship_mentions),
    ):
        counts = mentions.group_by("text_unit_id").agg(pl.len().cast(pl.Int64).alias(name))
        units = units.join(counts, on="text_unit_id", how="left")
    return units.with_columns(pl.col("n_entities", "n_relationships").fill_null(0)).with_columns(
        status=pl.when(pl.col("n_entities") > 0).then(pl.lit("ok")).otherwise(pl.lit("empty")),
        reason=pl.lit(None, pl.String),
        gleanings=pl.lit(0, pl.Int64),
        model=pl.lit("graphrag"),
        recipe=pl.lit(recipe),
        reply=pl.lit("{}"),
    )


def _notes(
    corpus: Corpus, graph: Graph, communities: Communities, reports: Reports
) -> Iterator[str]:
    if corpus.n_near:
        yield (
            f"{corpus.n_near} text units stand in their document in other words: the document's "
            "own were taken"
        )
    if corpus.n_lost:
        yield f"{corpus.n_lost} text units stand in no document: each became one"
    for name, count in graph.n_dropped.items():
        if count:
            yield f"{count} {name} were left out: they name no entity or text unit that is there"
    if communities.n_added:
        yield (
            f"{communities.n_added} communities were added for entities that stood in none; they "
            "have no report"
        )
    if reports.n_uncited:
        yield f"{reports.n_uncited} citations of rows that aren't there were removed"
