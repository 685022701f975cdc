"""Answers from passages and elements: the sentences that say most on a question, quoted and cited.

Several short quotes are shown and nothing is asserted beyond them. They are chosen to cover the
question's terms together, so that a question over several documents finds a quote for each.
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from graphrag_assets.models.offline import embeddings, evidence
from graphrag_assets.models.offline.centrality import Floats, Space
from graphrag_assets.models.offline.evidence import Statement
from graphrag_assets.models.offline.prose import is_chinese, terms
from graphrag_assets.models.replies import Rating

SNIPPETS = 5
COMPARED = 40
DIRECT = 0.5
FLOOR = 0.42
_NUMBER = re.compile(
    r"\bhow (?:many|much|long|far|near|old|big|often)\b|\b(?:cost|price|percent\w*)\b"
    r"|多少|多久|多远|多大|几",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:when|which year|what year|what date|which month|what month)\b"
    r"|何时|什么时候|哪年|哪个月|几月",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"\d|[一二三四五六七八九十百千万]{1,6}(?:台|人|条|年|月|次|米|克朗|元|周|天)"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|per cent)\b"
)


def answer(context: str, question: str) -> str:
    """Return up to five cited quotes that together cover the question."""
    found = evidence.statements(evidence.items(context))
    chinese = is_chinese(question)
    query = Counter(terms(question))
    if not found or not query:
        return nothing(chinese=chinese)
    space = Space([_indexed(statement) for statement in found])
    overlap = space.overlap(query)
    chosen = _cover(space, _scores(found, overlap, question), query)
    if not chosen:
        return nothing(chinese=chinese)
    is_direct = float(overlap.max()) >= DIRECT
    lead_ins = {found[at].lead for at in chosen}
    lines = [_quoted(found[at], chinese=chinese) for at in chosen if found[at].text not in lead_ins]
    return _opening(chinese=chinese, is_direct=is_direct) + "\n\n" + "\n".join(lines)


def rate(context: str, question: str) -> Rating:
    """Return how far the data covers the terms of a question."""
    found = evidence.statements(evidence.items(context))
    texts = [f"{s.title} {s.text}" for s in found] or [context]
    query = Counter(terms(question))
    if not query:
        return Rating(rating=0, reason="The question has no terms to look for.")
    space = Space(texts)
    best = float(space.overlap(query).max(initial=0))
    whole = float(Space([" ".join(texts)]).overlap(query).max(initial=0))
    rating = min(5, max(1, round(3 * best + 2.5 * whole - 0.3))) if best > 0 else 0
    return Rating(rating=rating, reason=f"{whole:.0%} of the question's terms are in the data.")


def nearness(texts: Sequence[str], rough: Floats, question: str) -> Floats:
    """Return the likeness in meaning of the best candidates to the question, 0 for the rest."""
    best = np.argsort(-rough, kind="stable")[:COMPARED]
    vectors = embeddings.embed([question, *(texts[at] for at in best)])
    near = np.zeros(len(texts))
    near[best] = np.clip(vectors[1:] @ vectors[0] - 0.25, 0, None)
    return near


def nothing(*, chinese: bool) -> str:
    """Return that the data doesn't say."""
    return "文档中没有提到这一点。" if chinese else "The documents don't say."


def _indexed(statement: Statement) -> str:
    names = " ".join(statement.names)
    return f"{statement.title} {statement.date[:4]} {names} {statement.lead} {statement.text}"


def _scores(found: Sequence[Statement], overlap: Floats, question: str) -> Floats:
    passages: dict[int, float] = {}
    for statement, share in zip(found, overlap, strict=True):
        passages[statement.item] = max(passages.get(statement.item, 0), float(share))
    scores = overlap + 0.05 * np.array([statement.kind == "T" for statement in found])
    scores = scores + 0.6 * nearness([statement.text for statement in found], scores, question)
    scores = scores + 0.1 * np.array([passages[statement.item] for statement in found])
    if _NUMBER.search(question) or _WHEN.search(question):
        scores = scores + 0.1 * np.array([bool(_FIGURE.search(s.text)) for s in found])
    scores = scores - 0.15 * np.array([s.text.endswith(("?", "？")) for s in found])
    return np.asarray(scores * (overlap > 0))


def _cover(space: Space, scores: Floats, query: Counter[str]) -> list[int]:
    """Return the indexes of texts that cover the question: each adds terms not yet covered."""
    weights = {term: space.idf(term) for term in query}
    whole = sum(weights.values()) or 1.0
    left = set(weights)
    floor = FLOOR * float(scores.max(initial=0))
    chosen: list[int] = []
    while len(chosen) < SNIPPETS:
        news = np.array([sum(weights[t] for t in left if t in bag) / whole for bag in space.bags])
        gains = scores + 0.8 * news
        if chosen:
            gains = gains - 0.6 * space.likeness[:, chosen].max(axis=1)
        gains[chosen] = -np.inf
        gains[scores <= floor] = -np.inf
        best = int(np.argmax(gains))
        if gains[best] == -np.inf or (chosen and gains[best] < floor / 2):
            break
        chosen.append(best)
        left -= set(space.bags[best])
    return chosen


def _quoted(statement: Statement, *, chinese: bool) -> str:
    marks = ", ".join(statement.ids[: evidence.MAX_IDS])
    where = statement.title
    if where and statement.date:
        where += f"（{statement.date}）" if chinese else f" ({statement.date})"
    where += ("：" if chinese else ": ") if where else ""
    return f"- {where}“{statement.quote()}” [{marks}]"


def _opening(*, chinese: bool, is_direct: bool) -> str:
    if is_direct:
        return "文档中与此最相关的内容：" if chinese else "The documents say on this:"
    if chinese:
        return "没有段落直接回答这个问题，最接近的内容是："
    return "No passage answers this outright; the closest ones say:"
