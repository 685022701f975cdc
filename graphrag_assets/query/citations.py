"""From each citation of an answer to the sentences of a document that say it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import nlargest
from itertools import chain

from graphrag_assets.context import BRACKETS, KINDS, cited
from graphrag_assets.query.answer import Citation, Draft, Passage
from graphrag_assets.query.lookups import TextUnit
from graphrag_assets.query.reader import Reader
from graphrag_assets.query.titles import titles
from graphrag_assets.text import sentences, terms

MAX_PASSAGES = 2  # for one statement
LOOKED_AT = 5  # text units, sentence by sentence
CLOSE_ENOUGH = 0.5  # share of a statement's terms from which a sentence stands for the whole
Places = Mapping[str, Sequence[TextUnit]]  # by what is said there
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
    if not cited(draft.text):
        return ()
    return resolve(_titled(reader, draft), *_places(reader, draft))


def _places(reader: Reader, draft: Draft) -> tuple[Places, Mapping[str, Sequence[str]]]:
    """Return where all that a draft cites is said, and what the reports among it cite."""
    used = [draft.known[marker] for marker in cited(draft.text)]
    elements: dict[str, list[str]] = {}
    for report, ref in reader.look_up("cited_elements", [r for k, r, _ in used if k == "report"]):
        elements.setdefault(report, []).append(ref)
    refs = [ref for _, ref, _ in used] + [ref for found in elements.values() for ref in found]
    return reader.mentions(dict.fromkeys(refs)), elements


def _titled(reader: Reader, draft: Draft) -> Draft:
    """Return a draft whose cited elements have titles: what a report cites is known by id alone."""
    used = {marker: draft.known[marker] for marker in cited(draft.text)}
    bare = {marker: (kind, ref) for marker, (kind, ref, title) in used.items() if not title}
    if not bare:
        return draft
    found = titles(reader, bare.values())
    named = {marker: (kind, ref, found.get(ref, "")) for marker, (kind, ref) in bare.items()}
    return replace(draft, known={**draft.known, **named})


def resolve(
    draft: Draft, places: Places, elements_of: Mapping[str, Sequence[str]]
) -> tuple[Citation, ...]:
    """Return a draft's citations with the passages that support them best.

    `places` has the text units of every cited element; `elements_of` maps a report to the elements
    it cites.
    """
    said = statements(draft.text)
    citations = []
    for marker in cited(draft.text):
        kind, ref, title = draft.known[marker]
        refs = elements_of.get(ref, ()) if kind == "report" else (ref,)
        units = {unit.id: unit for one in refs for unit in places.get(one, ())}
        best = (_best(units.values(), one) for one in said.get(marker, [title]))
        passages_of = tuple(dict.fromkeys(chain.from_iterable(best)))
        citations.append(Citation(marker, kind, ref, title or KINDS[marker[0]], passages_of))
    return tuple(citations)


@dataclass(frozen=True)
class Said:
    """What a statement says: the words that it quotes, the terms of its last sentence."""

    quotes: tuple[str, ...]
    terms: frozenset[str]

    @classmethod
    def of(cls, statement: str) -> "Said":
        """Read a statement."""
        quotes = tuple(quote.strip(".。") for quote in QUOTED.findall(statement))
        last = [statement[start:end] for start, end in sentences(statement)] or [statement]
        return cls(quotes, frozenset(terms(last[-1])))

    def roughly(self, text: str) -> int:
        """Return how much of it a text seems to say: quick, to look closer only where it pays."""
        quoted = sum(quote in text for quote in self.quotes)
        return quoted * len(self.terms) + sum(map(_folded(text).__contains__, self.terms))

    def closest(self, text: str) -> tuple[float, tuple[int, int]]:
        """Return the span of a text that says it best, and how well, from 0 to 1.

        Quoted words are looked for as they stand; else it is the sentence with most of its terms.
        """
        for quote in self.quotes:
            if (start := text.find(quote)) >= 0:
                return 1.0, (start, min(len(text), start + len(quote) + 1))
        found = [(len(self.terms & told), span) for span, told in _sentences(text)]
        n_shared, span = max(found, key=lambda one: one[0])
        return n_shared / max(1, len(self.terms)), span


@lru_cache(maxsize=1000)
def _folded(text: str) -> str:
    return text.casefold()


@lru_cache(maxsize=1000)
def _sentences(text: str) -> list[tuple[tuple[int, int], frozenset[str]]]:
    """Return the sentences of a text with their terms; several statements look at the same."""
    spans = sentences(text) or [(0, len(text))]
    return [((start, end), frozenset(terms(text[start:end]))) for start, end in spans]


def _best(units: Iterable[TextUnit], statement: str) -> tuple[Passage, ...]:
    """Return the sentences that say it, the closest first; else the closest text unit."""
    said = Said.of(statement)
    likely = nlargest(LOOKED_AT, units, key=lambda unit: (said.roughly(unit.text), unit.id))
    ranked = sorted(
        ((*said.closest(unit.text), unit) for unit in likely),
        key=lambda found: (-found[0], found[2].id),
    )
    close = [(span, unit) for score, span, unit in ranked if score >= CLOSE_ENOUGH]
    whole = [((0, len(unit.text)), unit) for _, _, unit in ranked[:1]]
    return tuple(_passage(unit, *span) for span, unit in close[:MAX_PASSAGES] or whole)


def _passage(unit: TextUnit, start: int, end: int) -> Passage:
    return Passage(
        document_id=unit.document_id,
        text_unit_id=unit.id,
        path=unit.path,
        page=_page(unit, unit.start_char + start),
        start_char=unit.start_char + start,
        end_char=unit.start_char + end,
        text=unit.text[start:end],
    )


def _page(unit: TextUnit, start_char: int) -> int | None:
    """Return the page on which a character stands: the last that begins before it."""
    begun = [turn["page"] for turn in unit.turns or () if turn["start_char"] <= start_char]
    return max(begun, default=unit.page)
