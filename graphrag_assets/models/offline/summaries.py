"""Descriptions and community reports, made of the most central sentences of their data."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from graphrag_assets.models.offline import evidence
from graphrag_assets.models.offline.centrality import Floats, Space
from graphrag_assets.models.offline.evidence import Item, Statement
from graphrag_assets.models.offline.prose import has_han, is_chinese, plain
from graphrag_assets.models.replies import Description, Finding, Report
from graphrag_assets.text import sentences

MAX_FINDINGS = 8
PER_FINDING = 5
SUMMARY = 3
FAIR, SCRAP, MAX_PARAGRAPH = 60, 35, 5900
TITLE_PARTS = re.compile(r",\s+|\s+and\s+|、|与")
_DATED = re.compile(r"[（(]\d{4}-\d\d-\d\d[）)]")
_SCRAP = re.compile(
    r"^(?:kind|date|text|by|reporting by|prepared by|kept by|signed|dear|present)\b|^(?:类型|"
    r"日期|记者|撰文|出席)[:：]|"
    r"^[^,，]{2,30}[,，] ?(?:chair|curator|chief executive|director|editor)\b.{0,20}$|^(?:社长|"
    r"馆长|首席执行官)",
    re.IGNORECASE,
)
CHARS_PER_TOKEN = {True: 1.4, False: 4.0}


def description(name: str, descriptions: str, max_tokens: int) -> Description:
    """Return the most central distinct sentences that fit, in the order in which they stood."""
    pieces = _distinct(plain(descriptions[a:b]) for a, b in sentences(descriptions))
    if not pieces:
        return Description(description=name.strip() or "?")
    chinese = is_chinese(descriptions)
    limit = min(int(max_tokens * CHARS_PER_TOKEN[chinese]), 5900)
    space = Space(pieces)
    chosen: list[int] = []
    size = 0
    for at in space.choose(space.centrality, len(pieces)):
        if size + len(pieces[at]) + 1 <= limit or not chosen:
            chosen.append(at)
            size += len(pieces[at]) + 1
    text = ("" if chinese else " ").join(pieces[at] for at in sorted(chosen))
    return Description(description=text[:6000])


def _distinct(pieces: Iterable[str]) -> list[str]:
    seen: dict[str, str] = {}
    for piece in pieces:
        seen.setdefault(re.sub(r"\W+", "", piece.casefold()), piece)
    return [piece for key, piece in seen.items() if key]


def report(context: str) -> Report:
    """Return the report of a community from its elements and the reports on its parts."""
    items = evidence.items(context)
    said = evidence.statements(items)
    degrees = _degrees(items)
    language = Language(chinese=is_chinese(context))
    top = [name for name, _ in sorted(degrees.items(), key=lambda pair: (-pair[1], pair[0]))]
    title = language.listed(top[:3])[:200] or "–"
    if not said:
        return Report(title=title, summary=title)
    space = Space([statement.text for statement in said])
    scores = _scores(said, space, degrees)
    return Report(
        title=title,
        summary=language.joined([said[at] for at in _summary(said, scores, top)]),
        rating=_rating(items, degrees),
        rating_explanation=language.reason(Counter(item.kind for item in items)),
        findings=_findings(said, space, scores, language),
    )


def _degrees(items: Sequence[Item]) -> Counter[str]:
    """Return how much each name is connected; a report on a part is about what its title names."""
    degrees: Counter[str] = Counter()
    for item in items:
        for name in evidence.names(item):
            degrees[name] += {"R": 2, "C": 1, "E": 1}.get(item.kind, 0)
        if item.kind == "P":
            for name in TITLE_PARTS.split(evidence.title(item)):
                degrees[name] += 2
    degrees.pop("", None)
    return degrees


def _scores(said: Sequence[Statement], space: Space, degrees: Counter[str]) -> Floats:
    most = max(degrees.values(), default=1)
    weights = [max((degrees[name] for name in s.names), default=0) / most for s in said]
    kinds = [{"R": 0.15, "C": 0.2, "P": 0.1}.get(s.kind, 0.0) for s in said]
    forms = [_form(s.text) for s in said]
    return np.asarray(0.5 * space.centrality + 0.4 * np.array(weights) + kinds + forms)


def _form(text: str) -> float:
    """Return how well a sentence reads alone: figures help; signatures, scraps, questions don't."""
    length = len(text) * (2.5 if has_han(text) else 1)
    value = 0.2 * bool(re.search(r"\d", _DATED.sub("", text))) + 0.1 * (length > FAIR)
    value -= 0.7 * bool(_SCRAP.search(text)) + 0.4 * (length < SCRAP)
    return value - 0.3 * text.endswith(("?", "？")) - 0.15 * bool(evidence.PRONOUN.match(text))


def _summary(said: Sequence[Statement], scores: Floats, top: Sequence[str]) -> list[int]:
    """Return the best statement on each of the best-connected names, in their order."""
    chosen: list[int] = []
    for name in top[:SUMMARY]:
        about = [at for at, s in enumerate(said) if name in s.names and at not in chosen]
        if about:
            chosen.append(max(about, key=lambda at: (scores[at], -at)))
    for at in np.argsort(-scores, kind="stable").tolist():
        if len(chosen) < min(SUMMARY, len(said)) and at not in chosen:
            chosen.append(at)
    return chosen


def _findings(
    said: Sequence[Statement], space: Space, scores: Floats, language: "Language"
) -> list[Finding]:
    """Return headlines that differ from each other, each with the statements nearest to it."""
    count = min(MAX_FINDINGS, max(-(-len(said) // 4), min(3, len(said))))
    heads = space.choose(scores, count, diversity=0.5)
    groups: dict[int, list[int]] = {head: [] for head in heads}
    for at in np.argsort(-scores, kind="stable").tolist():
        free = [head for head in heads if len(groups[head]) < PER_FINDING]
        if at not in groups and free:
            groups[max(free, key=lambda head: (_near(said, space, at, head), -head))].append(at)
    return [
        Finding(
            summary=said[head].cited()[:1000],
            explanation=language.joined([said[at] for at in sorted(groups[head])]),
        )
        for head in heads
    ]


def _near(said: Sequence[Statement], space: Space, a: int, b: int) -> float:
    shared = len(set(said[a].names) & set(said[b].names))
    return float(space.likeness[a, b]) + 0.3 * shared


def _rating(items: Sequence[Item], degrees: Counter[str]) -> float:
    size = sum(item.kind in "ER" for item in items) + 8 * sum(item.kind == "P" for item in items)
    claims = sum(item.kind == "C" for item in items)
    hub = max(degrees.values(), default=0)
    value = 0.5 + 1.1 * math.log1p(size) + 0.2 * math.sqrt(claims) + 0.3 * math.log1p(hub)
    return round(min(value, 10), 1)


@dataclass(frozen=True)
class Language:
    """How a report's own words are put: the data speaks for itself in its language."""

    chinese: bool

    def listed(self, names: Sequence[str]) -> str:
        """Return names as a title."""
        if len(names) < 2:  # noqa: PLR2004
            return "".join(names)
        if self.chinese:
            return "、".join(names[:-1]) + "与" + names[-1]
        return ", ".join(names[:-1]) + " and " + names[-1]

    def joined(self, chosen: Sequence[Statement]) -> str:
        """Return statements with their citations as a paragraph of bounded length."""
        text, gap = "", "" if self.chinese else " "
        for statement in chosen:
            more = (
                text + gap + _finished(statement.cited()) if text else _finished(statement.cited())
            )
            if len(more) > MAX_PARAGRAPH:
                break
            text = more
        return text

    def reason(self, count: Counter[str]) -> str:
        """Return what a rating rests on."""
        words = REASONS_ZH if self.chinese else REASONS
        parts = [word.format(count[kind]) for kind, word in words.items() if count[kind]]
        return f"依据：{'、'.join(parts)}。" if self.chinese else f"Rests on {', '.join(parts)}."


def _finished(text: str) -> str:
    if text[-1:] in "]" or text[-1:].isalnum():
        return text + ("。" if has_han(text) else ".")
    return text


REASONS = {
    "E": "{} entities",
    "R": "{} relationships",
    "C": "{} claims",
    "P": "{} reports on its parts",
}
REASONS_ZH = {"E": "{}个实体", "R": "{}条关系", "C": "{}条主张", "P": "{}份下级报告"}
