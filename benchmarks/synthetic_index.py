"""Publish an index that nobody wrote, as large as you like, to time questions on.

    python benchmarks/synthetic_index.py ROOT --text-units 1000000

Writes a project in ROOT whose published version has that many text units (of 40 distinct
terms) and as many entities, three relationships an entity, five mentions a text unit, one report
for a hundred entities, and a vector of 384 dimensions for each of them: random, in clusters, the
same for the same sizes. Made in DuckDB and numpy, not from files: nothing else of it is real.
"""

import argparse
import shutil
import time
from pathlib import Path

import numpy as np
import polars as pl

from graphrag_assets.project import Project
from graphrag_assets.store import connect, select
from graphrag_assets.tables import sort_columns

DIMENSION = 384
CLUSTERS = 1_000
PIECE = 100_000
VOCABULARY = 200_000
SETTINGS = '[corpus]\nroot = "data/input"\n'

# ids are hashes, words follow Zipf's law, and neighbours in number are related
STATEMENTS = {
    "documents": """
        SELECT md5('d' || i) AS id, 'doc' || i AS path, NULL AS record, 'Title ' || i AS title,
            '' AS text, 600 AS n_tokens, md5('t' || i) AS sha256,
            '{"year": "' || (2000 + i % 25) || '"}' AS metadata, [] AS pages
        FROM range(0, $units, 10) t(i)""",
    "text_units": """
        SELECT md5('u' || i) AS id, md5('d' || (i // 10 * 10)) AS document_id, i % 10 AS ordinal,
            'Ada' || (i % $entities) || ' Hope' || (i % 997) || ' met Ada'
                || ((i * 7) % $entities) || ' Hope' || ((i * 7) % $entities % 997)
                || repeat(' and the sea was calm that day', 20) AS text,
            500 + i % 100 AS n_tokens, 0 AS start_char, 700 AS end_char, md5('x' || i) AS sha256
        FROM range($units) t(i)""",
    "text_unit_terms": """
        SELECT 'w' || word AS term, md5('u' || i) AS text_unit_id, n
        FROM (SELECT j + floor(exp((j + hash(i, j) / 18446744073709551616) / 40 * ln($vocabulary)))
                ::INT AS word, i, 1 + hash(j, i) % 3 AS n
            FROM range($units) t(i), range(40) s(j)
            ORDER BY word, i)""",
    "entities": """
        SELECT md5('e' || i) AS id, 'Ada' || i || ' Hope' || (i % 997) AS title, 'person' AS type,
            ['person'] AS types, 'Somebody.' AS description, 5 AS n_mentions, 5 AS n_documents,
            6 AS degree
        FROM range($entities) t(i)""",
    "names": """
        SELECT lower(title) AS name, 'entity' AS kind, id AS ref_id, lower(title) AS start
        FROM entities UNION ALL
        SELECT lower(title), 'document', id, lower(title) FROM documents ORDER BY name""",
    "entity_mentions": """
        SELECT md5('u' || i) AS text_unit_id, j AS ordinal, 'Ada' AS title, 'person' AS type,
            '' AS description,
            md5('e' || CASE j WHEN 0 THEN i % $entities
                ELSE (hash(i, j) % $entities) END) AS entity_id
        FROM range($units) t(i), range(5) s(j)""",
    "relationships": """
        SELECT md5('r' || i || '-' || j) AS id, md5('e' || i) AS source_id,
            md5('e' || CASE j WHEN 0 THEN (i + 1) % $entities ELSE hash(j, i) % $entities END)
                AS target_id,
            'They met.' AS description, 1 + i % 4 AS weight, 5 AS strength, 1 AS n_mentions,
            12 AS combined_degree
        FROM range($entities) t(i), range(3) s(j)""",
    "communities": """
        SELECT md5('c' || i) AS id, 0 AS level, NULL AS parent_id, 100 AS size,
            100 AS n_relationships, 1 AS born_in, 'new' AS event, '' AS fingerprint
        FROM range(0, $entities, 100) t(i)""",
    "community_members": """
        SELECT md5('c' || (i // 100 * 100)) AS community_id, md5('e' || i) AS entity_id
        FROM range($entities) t(i)""",
    "community_reports": """
        SELECT id AS community_id, 0 AS level, 'A report' AS title, 'Summary.' AS summary,
            [] AS findings, 5 AS rating, '' AS rating_explanation,
            repeat('What they did. ', 50) AS full_content, 200 AS n_tokens, 'ok' AS status,
            NULL AS reason, '' AS evidence, '' AS model, '' AS recipe, 1 AS refreshed_in
        FROM communities""",
    "report_evidence": """
        SELECT community_id, 'entity' AS kind, entity_id AS ref_id, true AS included, 'own' AS via
        FROM community_members""",
}
EMBEDDED = {
    "text_unit": "SELECT id FROM text_units",
    "entity": "SELECT id FROM entities",
    "relationship": "SELECT id FROM relationships",
    "report": "SELECT community_id AS id FROM community_reports",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--text-units", type=int, default=1_000_000)
    parser.add_argument("--entities", type=int, help="default: as many")
    options = parser.parse_args()
    options.root.mkdir(parents=True, exist_ok=True)
    (options.root / "settings.toml").write_text(SETTINGS, "utf-8")
    project = Project.open(options.root)
    for old in (project.store.work, *project.store.versions.glob("*")):
        shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
    build(project, options.text_units, options.entities or options.text_units)
    path = project.store.publish(1)
    print(f"{path}: {path.stat().st_size / 1e9:.1f} GB")


def build(project, units, entities):
    values = {"units": units, "entities": entities, "vocabulary": VOCABULARY}
    with connect(project.store.work, read_only=False) as connection:
        for table, statement in STATEMENTS.items():
            start = time.perf_counter()
            used = {name: value for name, value in values.items() if f"${name}" in statement}
            order = ", ".join(sort_columns(table))
            connection.execute(f"INSERT INTO {table} BY NAME ({statement}) ORDER BY {order}", used)
            report(connection, table, start)
        for kind, statement in EMBEDDED.items():
            start = time.perf_counter()
            embed(connection, f"{kind}_embeddings", select(connection, statement)["id"])
            report(connection, f"{kind}_embeddings", start)


def embed(connection, table, ids):
    connection.execute(
        f"CREATE OR REPLACE TABLE {table} (id VARCHAR, vector FLOAT[{DIMENSION}], model VARCHAR)"
    )
    random = np.random.default_rng(1)
    centres = random.normal(size=(CLUSTERS, DIMENSION)).astype(np.float32)
    for piece in ids.to_frame().iter_slices(PIECE):
        own = centres[random.integers(CLUSTERS, size=piece.height)]
        noise = random.standard_normal((piece.height, DIMENSION), np.float32)
        rows = piece.with_columns(
            pl.Series("vector", own + noise, dtype=pl.Array(pl.Float32, DIMENSION)),
            model=pl.lit("offline/use-m3"),
        )
        connection.register("incoming", rows.to_arrow())
        connection.execute(f"INSERT INTO {table} BY NAME FROM incoming")
        connection.unregister("incoming")


def report(connection, table, start):
    ((rows,),) = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    print(f"{table:<24} {rows:>12,} rows in {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
