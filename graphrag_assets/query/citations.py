"""From each citation of an answer to the sentences of a document that say it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import polars as pl

from graphrag_assets.context import BRACKETS, KINDS, cited
from graphrag_assets.query.answer import Citation, Draft, Passage
from graphrag_assets.query.reader import Reader
from graphrag_assets.text import sentences, terms

MAX_PASSAGES = 2  # for one statement
CLOSE_ENOUGH = 0.5  # share of a statement's terms from which a sentence stands for the whole
QUOTED = re.compile(r"[“\"]([^“”\"]{12,})[”\"]")


def statements(text: str) -> dict[str, list[str]]:
    """Return {short id: what it supports}: the words before its brackets, wherever it stands."""
    found: dict[str, list[str]] = {}
    last = 0
    for match in BRACKETS.finditer(text):
        said = re.split(r"\n+", text[last : match.start()])[-1].strip(" -*>#.。")
        last = match.end()
        for marker in cited(match[0]):
            if said:
                found.setdefault(marker, []).append(said)
    return found


def resolved(reader: Reader, draft: Draft) -> tuple[Citation, ...]:
    """Return a draft's citations with the passages that support them best."""
    used = [draft.known[marker] for marker in cited(draft.text)]
    reports = [ref for kind, ref, _ in used if kind == "report"]
    elements: dict[str, list[str]] = {}
    for report, ref in reader.ask("cited_elements", ids=reports).iter_rows():
        elements.setdefault(report, []).append(ref)
    refs = [ref for _, ref, _ in used] + [ref for found in elements.values() for ref in found]
    return resolve(draft, reader.ask("passages", ids=sorted(set(refs))), elements)


def resolve(
    draft: Draft, passages: pl.DataFrame, elements_of: Mapping[str, Sequence[str]]
) -> tuple[Citation, ...]:
    """Return a draft's citations with the passages that support them best.

    `passages` has the rows of sql/passages.sql for every cited element; `elements_of` maps a
    report to the elements it cites.
    """
    places: dict[str, list[dict[str, Any]]] = {}
    for row in passages.to_dicts():
        places.setdefault(row["ref_id"], []).append(row)
    said = statements(draft.text)
    citations = []
    for marker in cited(draft.text):
        kind, ref, title = draft.known[marker]
        refs = elements_of.get(ref, ()) if kind == "report" else (ref,)
        rows = {row["text_unit_id"]: row for one in refs for row in places.get(one, ())}
        best = (_best(rows.values(), one) for one in said.get(marker, [title]))
        passages_of = tuple(dict.fromkeys(chain.from_iterable(best)))
        citations.append(Citation(marker, kind, ref, title or KINDS[marker[0]], passages_of))
    return tuple(citations)


def _best(rows: Iterable[Mapping[str, Any]], said: str) -> tuple[Passage, ...]:
    """Return the sentences that say it, the closest first; else the closest text unit."""
    ranked = sorted(
        ((*_closest(row["text"], said), row) for row in rows),
        key=lambda found: (-found[0], found[2]["text_unit_id"]),
    )
    close = [(span, row) for score, span, row in ranked if score >= CLOSE_ENOUGH]
    whole = [((0, len(row["text"])), row) for _, _, row in ranked[:1]]
    return tuple(_passage(row, *span) for span, row in close[:MAX_PASSAGES] or whole)


def _closest(text: str, said: str) -> tuple[float, tuple[int, int]]:
    """Return the span of a text that says something best, and how well, from 0 to 1.

    Words quoted in the statement are looked for as they stand; else it is the sentence with the
    largest share of the terms of the statement's last sentence.
    """
    for quote in QUOTED.findall(said):
        start = text.find(quote.strip(".。"))
        if start >= 0:
            return 1.0, (start, min(len(text), start + len(quote)))
    spans = sentences(text) or [(0, len(text))]
    last = [said[start:end] for start, end in sentences(said)] or [said]
    asked = set(terms(last[-1]))
    shares = [len(asked & set(terms(text[start:end]))) / max(1, len(asked)) for start, end in spans]
    best = max(range(len(spans)), key=lambda i: (shares[i], -i))
    return shares[best], spans[best]


def _passage(row: Mapping[str, Any], start: int, end: int) -> Passage:
    text = row["text"]
    return Passage(
        document_id=row["document_id"],
        text_unit_id=row["text_unit_id"],
        path=row["path"],
        page=row["page"],
        start_char=row["start_char"] + start,
        end_char=row["start_char"] + end,
        text=text[start:end],
    )
