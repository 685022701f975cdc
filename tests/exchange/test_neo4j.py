"""neo4j: what LOAD CSV reads is what was written."""

import re

import pytest

from graphrag_assets.exchange.export import export
from graphrag_assets.exchange.neo4j import ROWS


def load_csv(path):
    """Read a file as Neo4j's LOAD CSV does by default: a backslash escapes, an empty cell is NULL.

    After BufferedCharSeeker of Neo4j: inside quotes, a quote or a backslash behind a backslash
    stands for itself, and so does a quote behind a quote.
    """
    cells = re.compile(r'(?:"((?:[^"\\]|""|\\["\\]|\\)*)"|([^",\n]*))(,|\n)')
    rows, row = [], []
    for quoted, bare, end in cells.findall(path.read_bytes().decode()):
        text = re.sub(r'""|\\["\\]', lambda match: match[0][1], quoted) or bare
        row.append(text or None)
        if end == "\n":
            rows.append(row)
            row = []
    return [dict(zip(rows[0], values, strict=True)) for values in rows[1:]]


def test_hostile_texts_come_back(hostile, tmp_path):
    export(hostile, "cypher", tmp_path / "out", force=False)
    read = load_csv(tmp_path / "out" / "entities.csv")

    assert [(row["id"], row["title"]) for row in read] == list(
        hostile.rows("SELECT id, title FROM entities ORDER BY id").iter_rows()
    )


@pytest.mark.parametrize("name", ROWS)
def test_every_file_has_the_columns_that_the_script_reads(small, tmp_path, name):
    export(small, "cypher", tmp_path / "out", force=False)
    script = (tmp_path / "out" / "load.cypher").read_text("utf-8")
    blocks = [block for block in script.split(";") if f"file:///{name}.csv" in block]
    read = load_csv(tmp_path / "out" / f"{name}.csv")
    wanted = set(re.findall(r"row\.(\w+)", "".join(blocks)))

    assert blocks
    assert len(read) == small.rows(ROWS[name]).height > 0
    assert wanted <= set(read[0])


def test_every_node_that_is_merged_has_a_constraint(small, tmp_path):
    export(small, "cypher", tmp_path / "out", force=False)
    script = (tmp_path / "out" / "load.cypher").read_text("utf-8")
    merged = set(re.findall(r"MERGE \(n:(\w+) \{id: row\.id\}\)", script))
    unique = set(re.findall(r"FOR \(n:(\w+)\) REQUIRE n\.id IS UNIQUE", script))

    assert merged == unique == {"Document", "TextUnit", "Entity", "Claim", "Community"}
