"""What an assistant reads: answers and rows, cut to a size that fits its context."""

import json
from typing import Any, Final

from pydantic import BaseModel, Field

from graphrag_assets.query import Answer, Citation, Index
from graphrag_assets.serve.shapes import Span, Versioned
from graphrag_assets.text import shortened

MOST_CHARS: Final = 24_000  # of one result, as JSON
CUTS: Final = ((20_000, 500), (4_000, 200), (1_000, 50), (300, 30), (100, 10), (40, 3))
MOST_SOURCES: Final = 40
LONGEST_PASSAGE: Final = 400


class Source(BaseModel):
    """What a short id in the answer stands for."""

    marker: str = Field(description="Short id, as it stands in brackets in the text.")
    kind: str
    title: str
    passages: list[Span]


class NextCommunity(BaseModel):
    """A community to open next: pass its id as `community`."""

    id: str
    level: int
    title: str


class Answered(Versioned):
    """An answer with its sources."""

    text: str
    status: str = Field(description="ok, or no_evidence: the documents don't say.")
    method: str
    level: int | None
    sources: list[Source]
    communities: list[NextCommunity]
    notes: str = Field(description="What picked the method; what is missing.")


class Passage(BaseModel):
    """A text unit that fits the question."""

    id: str = Field(description="For `lineage`.")
    path: str
    title: str
    score: float
    text: str


class Found(Versioned):
    """Passages, the best first."""

    items: list[Passage]


def answered(answer: Answer) -> Answered:
    """Return an answer without what only a program needs, its sources cut to size."""
    row = {
        "index_version": answer.index_version,
        "text": answer.text,
        "status": answer.status,
        "method": answer.method,
        "level": answer.level,
        "sources": [_source(citation) for citation in answer.citations[:MOST_SOURCES]],
        "communities": [
            {"id": one.id, "level": one.level, "title": one.title} for one in answer.communities
        ],
        "notes": "; ".join(filter(None, (answer.chosen, answer.reason))),
    }
    return Answered.model_validate(bounded(row))


def found(index: Index, question: str, *, k: int, where: str | None) -> Found:
    """Return the passages that a local question would read."""
    rows = index.retrieve(question, method="local", k=k, where=where)
    texts = {unit.id: unit.told for unit in index.reader.passages(rows["id"])}
    items = [{**row, "text": texts.get(row["id"])} for row in rows.to_dicts()]
    return Found.model_validate(bounded({"index_version": index.version, "items": items}))


def bounded(row: dict[str, Any], most: int = MOST_CHARS) -> dict[str, Any]:
    """Return a row of which long texts and lists are cut until its JSON is short enough."""
    for longest, count in CUTS:
        cut = _cut(row, longest, count)
        if len(json.dumps(cut, default=str, ensure_ascii=False)) <= most:
            break
    return dict(cut)


def _cut(value: Any, longest: int, count: int) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return shortened(value, longest)
    if isinstance(value, dict):
        return {key: _cut(one, longest, count) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(one, longest, count) for one in value[:count]]
    return value


def _source(citation: Citation) -> dict[str, Any]:
    passages = [
        {
            "path": passage.path,
            "page": passage.page,
            "start_char": passage.start_char,
            "end_char": passage.end_char,
            "text": shortened(passage.text, LONGEST_PASSAGE),
        }
        for passage in citation.passages
    ]
    kept = {"marker": citation.marker, "kind": citation.kind, "title": citation.title}
    return {**kept, "passages": passages}
