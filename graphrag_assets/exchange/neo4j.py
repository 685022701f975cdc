"""The whole graph for Neo4j: CSV files, and load.cypher that loads them in transactions.

LOAD CSV reads a backslash in a quoted cell as an escape, so each is written twice, and an empty
text as NULL.
"""

from importlib import resources
from pathlib import Path

import polars as pl

from graphrag_assets.query.reader import Reader

SCRIPT = "load.cypher"
ROWS = {
    "documents": "SELECT id, path, title, n_tokens FROM documents ORDER BY id",
    "text_units": (
        "SELECT id, document_id, ordinal, text, start_char, end_char FROM text_units ORDER BY id"
    ),
    "entities": (
        "SELECT id, title, type, description, n_mentions, n_documents, degree FROM entities"
        " ORDER BY id"
    ),
    "mentions": (
        "SELECT DISTINCT text_unit_id, entity_id FROM entity_mentions"
        " WHERE entity_id IS NOT NULL ORDER BY ALL"
    ),
    "relationships": (
        "SELECT id, source_id, target_id, description, weight, strength FROM relationships"
        " ORDER BY id"
    ),
    "claims": (
        "SELECT id, text_unit_id, subject_id, type, status, description, start_date, end_date,"
        " quote FROM claims ORDER BY id"
    ),
    "communities": (
        "SELECT c.id, c.level, c.parent_id, c.size, r.title, r.summary, r.full_content, r.rating"
        " FROM communities c LEFT JOIN community_reports r ON r.community_id = c.id ORDER BY c.id"
    ),
    "members": "FROM community_members ORDER BY ALL",
}


def write(reader: Reader, folder: Path) -> None:
    """Write NAME.csv for each kind of node and relationship, and load.cypher."""
    for name, statement in ROWS.items():
        rows = reader.rows(statement).with_columns(
            pl.col(pl.String).str.replace_all("\\", "\\\\", literal=True)
        )
        rows.write_csv(folder / f"{name}.csv", quote_style="non_numeric")
    script = resources.files("graphrag_assets") / "exchange" / SCRIPT
    (folder / SCRIPT).write_bytes(script.read_bytes())
