"""A published index of a few things with places, and a look into a page's blocks."""

import base64
import gzip
import json
import re

import numpy as np

from graphrag_assets.query.reader import Reader
from table_rows import put

EVIL = "</script><img src=x onerror=\"document.body.dataset.hacked='yes'\">"
DIGITS = {"e": "e", "r": "a", "c": "c", "u": "d", "d": "f", "k": "b"}
KINDS = {"f4": np.float32, "u4": np.uint32}


def ref(kind: str, number: int) -> str:
    """Return an id: 32 hexadecimal digits, the first eight of them telling."""
    return f"{DIGITS[kind]}{number:07x}".ljust(32, "0")


def publish(store, **tables) -> Reader:
    """Publish these rows and open the version."""
    with store.transaction() as connection:
        put(connection, **tables)
    return Reader(store.publish(1))


def island(evil: str = "") -> dict[str, list[dict[str, object]]]:
    """Return two villages of three entities, with reports, a claim and their passages.

    Entity 5 has no place. `evil` is added to every title and text.
    """
    entities = [
        {"id": ref("e", i), "title": f"Thing {i}{evil}", "type": f"kind{evil}", "degree": 6 - i,
         "description": f"What thing {i} is.{evil}"}
        for i in range(6)
    ]  # fmt: skip
    villages = [ref("k", 0), ref("k", 1)]
    summary = f"About it [E{ref('e', 0)[:8]}, R{ref('r', 0)[:8]}; C{ref('c', 0)[:8]}].{evil}"
    finding = {"summary": f"Found{evil}", "explanation": summary, "citations": [ref("e", 0)]}
    return {
        "documents": [
            {"id": ref("d", 0), "path": f"a{evil}.pdf", "title": "A", "text": "x" * 50,
             "pages": [{"page": 1, "start_char": 0}, {"page": 2, "start_char": 8}]}
        ],
        "text_units": [
            {"id": ref("u", i), "document_id": ref("d", 0), "ordinal": i, "start_char": 10 * i,
             "end_char": 10 * i + 10, "text": f"Passage {i}.{evil}"}
            for i in range(3)
        ],
        "entities": entities,
        "entity_mentions": [
            {"text_unit_id": ref("u", i % 3), "ordinal": i, "entity_id": ref("e", i)}
            for i in range(6)
        ] + [{"text_unit_id": ref("u", 1), "ordinal": 9, "entity_id": ref("e", 0)}],
        "relationships": [
            {"id": ref("r", 0), "source_id": ref("e", 0), "target_id": ref("e", 1), "weight": 3,
             "description": f"They meet.{evil}"},
            {"id": ref("r", 1), "source_id": ref("e", 0), "target_id": ref("e", 3), "weight": 1},
            {"id": ref("r", 2), "source_id": ref("e", 4), "target_id": ref("e", 5), "weight": 9},
        ],
        "relationship_mentions": [
            {"text_unit_id": ref("u", 1), "relationship_id": ref("r", 0)}
        ],
        "claims": [
            {"id": ref("c", 0), "text_unit_id": ref("u", 2), "subject_id": ref("e", 0),
             "type": f"rumour{evil}", "description": "It is said.", "quote": f"said{evil}"}
        ],
        "communities": [
            {"id": villages[0], "level": 0, "size": 4},
            {"id": villages[1], "level": 0, "size": 2},
            {"id": ref("k", 2), "level": 1, "size": 2, "parent_id": villages[0]},
        ],
        "community_members": [
            *({"community_id": villages[i > 3], "entity_id": ref("e", i)} for i in range(6)),
            *({"community_id": ref("k", 2), "entity_id": ref("e", i)} for i in range(2)),
        ],
        "community_reports": [
            {"community_id": villages[0], "title": f"The north{evil}", "summary": summary,
             "full_content": summary, "findings": [finding], "rating": 7.5, "status": "ok"}
        ],
        "layout": [
            {"kind": "entity", "id": ref("e", i), "x": float(i % 4), "y": 5.0 * (i > 3)}
            for i in range(5)
        ] + [{"kind": "document", "id": ref("d", 0), "x": 0.0, "y": 0.0}],
    }  # fmt: skip


def block(html: str, name: str) -> object:
    """Return what a block of a page holds."""
    text = re.search(f'id="block-{name}">([^<]*)</script>', html)[1]
    data = gzip.decompress(base64.b64decode(text))
    return data if name == "arrays" else json.loads(data)


def arrays(html: str) -> dict[str, np.ndarray]:
    """Return the typed arrays of a page."""
    data, where = block(html, "arrays"), block(html, "names")["head"]["arrays"]
    return {
        name: np.frombuffer(data, KINDS[kind], length, offset)
        for name, (kind, offset, length) in where.items()
    }
