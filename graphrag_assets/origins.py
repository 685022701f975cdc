"""Which columns each column is computed from: Dagster's column lineage.

A column that refers to another (tables.py) comes from there; what is computed stands here.
"""

from collections.abc import Mapping, Sequence

from graphrag_assets.tables import references

COMPUTED: Mapping[str, Mapping[str, Sequence[str]]] = {
    "text_units": {
        "text": ["documents.text"],
        "start_char": ["documents.text"],
        "end_char": ["documents.text"],
    },
    "text_unit_terms": {"term": ["text_units.text"], "n": ["text_units.text"]},
    "extractions": {"reply": ["text_units.text", "documents.title", "documents.metadata"]},
    "entity_aliases": {"title": ["extractions.reply"], "type": ["extractions.reply"]},
    "names": {"name": ["entity_aliases.title", "documents.title"]},
    "entity_mentions": {
        "title": ["extractions.reply"],
        "description": ["extractions.reply"],
        "entity_id": ["entity_aliases.entity_id"],
    },
    "relationship_mentions": {
        "description": ["extractions.reply"],
        "strength": ["extractions.reply"],
        "source_id": ["entity_aliases.entity_id"],
        "target_id": ["entity_aliases.entity_id"],
    },
    "relationships": {
        "id": ["relationship_mentions.relationship_id"],
        "source_id": ["relationship_mentions.source_id"],
        "target_id": ["relationship_mentions.target_id"],
        "description": ["relationship_mentions.description"],
        "weight": ["relationship_mentions.text_unit_id", "text_units.sha256"],
        "strength": ["relationship_mentions.strength"],
    },
    "entities": {
        "id": ["entity_mentions.entity_id"],
        "title": ["entity_mentions.title"],
        "type": ["entity_mentions.type"],
        "description": ["entity_mentions.description"],
        "degree": ["relationships.source_id", "relationships.target_id"],
    },
    "claims": {"description": ["extractions.reply"], "quote": ["text_units.text"]},
    "communities": {"id": ["entities.id", "relationships.weight"]},
    "community_reports": {
        "full_content": [
            *("entities.description", "relationships.description", "claims.description"),
        ],
    },
    "text_unit_embeddings": {"vector": ["text_units.text"]},
    "document_embeddings": {"vector": ["text_unit_embeddings.vector"]},
    "entity_embeddings": {"vector": ["entities.title", "entities.description"]},
    "relationship_embeddings": {"vector": ["relationships.description"]},
    "report_embeddings": {"vector": ["community_reports.title", "community_reports.summary"]},
    "layout": {
        "x": ["entity_embeddings.vector", "document_embeddings.vector"],
        "y": ["entity_embeddings.vector", "document_embeddings.vector"],
    },
}


def origins(table: str) -> dict[str, list[tuple[str, str]]]:
    """Return {column: the (table, column) pairs it comes from}, of those that are known."""
    found = {column: [target] for column, target in references(table).items()}
    for column, sources in COMPUTED.get(table, {}).items():
        found[column] = [(source.split(".")[0], source.split(".")[1]) for source in sources]
    return {column: pairs for column, pairs in found.items() if (table, column) not in pairs}
