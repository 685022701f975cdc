"""A published version whose texts are as hostile as texts can be."""

from collections.abc import Iterator

import pytest

from graphrag_assets.query.reader import Reader
from table_rows import put

HOSTILE = [
    'Q "Branch" & <Sons>',
    "=HYPERLINK(0)",
    "+1",
    "-1",
    "@SUM(A1)",
    "\ttab",
    "\rreturn",
    "line\nbreak",
    "back\\slash\\",
    'quote at the end \\"',
    "comma, semicolon; apostrophe '",
    "null \x00 bell \x07 escape \x1b",
    "separator \u2028 paragraph \u2029 next \x85",
    "not a character \ufffe\uffff",
    "盖尼特海峡 🌊",
]


@pytest.fixture
def hostile(store) -> Iterator[Reader]:
    """Return a version with one entity for each hostile text, in a ring of relationships."""
    ids = [f"{n:032x}" for n in range(len(HOSTILE))]
    ring = [sorted((one, other)) for one, other in zip(ids, ids[1:] + ids[:1], strict=True)]
    everyone = [{"community_id": "c", "entity_id": ref} for ref in ids]
    with store.connect(read_only=False) as connection:
        put(
            connection,
            entities=[
                {"id": ref, "title": text, "description": text, "types": [text]}
                for ref, text in zip(ids, HOSTILE, strict=True)
            ],
            relationships=[
                {"id": f"r{ref}", "source_id": one, "target_id": other, "description": text}
                for ref, text, (one, other) in zip(ids, HOSTILE, ring, strict=True)
            ],
            communities=[{"id": "c", "size": len(ids)}],
            community_members=everyone,
        )
    reader = Reader(store.publish(1))
    yield reader
    reader.close()


@pytest.fixture
def small(small_index) -> Iterator[Reader]:
    """Return the version of the six documents."""
    reader = Reader(small_index.store.published())
    yield reader
    reader.close()
