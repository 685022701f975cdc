"""Questions made of what the data names: to ask next, to split, to understand without a history."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from graphrag_assets.models.offline import evidence, names
from graphrag_assets.models.offline.answers import answer, nothing, rate
from graphrag_assets.models.offline.points import is_broad, map_points
from graphrag_assets.models.offline.prose import is_chinese, terms
from graphrag_assets.models.offline.summaries import TITLE_PARTS
from graphrag_assets.models.replies import (
    FollowUp,
    Questions,
    Route,
    StandaloneQuestion,
    Step,
)

FEWEST_PARTS, MOST_PARTS = 3, 5
FOLLOW_UPS = 4
STATEMENTS = 3
MOST_READ = 6000  # characters of a conversation in which names are looked for
_CLAUSE = re.compile(
    r"[?？;；]\s*|,?\s+(?:and|but|or)\s+(?=(?:who|what|when|where|why|how|which|did|was|is|are)\b)"
    r"|[,，]\s*(?=(?:以及|并且|而|谁|什么|何时|为何|为什么|怎么|如何))",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\b(he|she|it|they|him|them|his|her|its|their|theirs)\b|([他她它]们?的?|其|此人|该人)",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"(?:his|her|its|their)\Z|.*的\Z|其\Z", re.IGNORECASE)


_SUBJECT = re.compile(  # of a Chinese question, where nothing else shows that it is a name
    r"^([\u4e00-\u9fff·]{2,12}?)(?:是谁|是什么|是哪|为何|为什么|做了|有哪些|在哪|何时|怎么|如何)"
    r"|^谁是([\u4e00-\u9fff·]{2,12}?)[？?]|关于([\u4e00-\u9fff·]{2,12}?)(?:的|，|说)"
)


def corpus_questions(context: str, n_questions: int) -> Questions:
    """Return questions about the names that the reports are about."""
    return _questions(context, "", n_questions)


def next_questions(context: str, conversation: str, n_questions: int) -> Questions:
    """Return questions about names of the data that nobody has asked about yet."""
    asked = " ".join(re.findall(r"(?m)^(?:Question|问题): (.*)$", conversation))
    return _questions(context, asked, n_questions)


def split(question: str) -> Questions:
    """Return a question's clauses, then its names one by one, then itself from other sides."""
    clauses = [clause.strip() for clause in _CLAUSE.split(question) if clause and clause.strip()]
    chinese = is_chinese(question)
    ends = "？" if chinese else "?"
    parts = [clause.rstrip("?？") + ends for clause in clauses if len(terms(clause)) > 1]
    about = [_about(name, chinese=chinese) for name in _named(question)]
    sides = [question, *_sides(question, chinese=chinese)]
    found = list(dict.fromkeys([*parts, *about]))[:MOST_PARTS]
    found = list(dict.fromkeys([*found, *sides[: max(0, FEWEST_PARTS - len(found) + 1)]]))
    return Questions(questions=[FollowUp(question=one[:1000]) for one in found[:MOST_PARTS]])


def standalone(conversation: str, question: str) -> StandaloneQuestion:
    """Return a question with the name last asked about in the place of its first pronoun."""
    match = _REFERS.search(question)
    if not match or _named(question):
        return StandaloneQuestion(question=question[:1000])
    name = _last_named(conversation)
    if not name:
        return StandaloneQuestion(question=question[:1000])
    owns = _POSSESSIVE.fullmatch(match[0])
    possessive = ("的" if is_chinese(question) else "'s") if owns else ""
    return StandaloneQuestion(
        question=(question[: match.start()] + name + possessive + question[match.end() :])[:1000]
    )


def route(question: str) -> Route:
    """Return global for what asks about the whole, local for the rest."""
    if is_broad(question):
        return Route(method="global", level=1, reason="It asks about the whole collection.")
    return Route(method="local", reason="It asks about single things.")


def primer(context: str, question: str) -> Step:
    """Return the statements of reports that help, and questions about what they name."""
    points = map_points(context, question).points[:STATEMENTS]
    said = " ".join(point.answer for point in points)
    return Step(
        answer=said[:6000],
        score=max((point.score for point in points), default=0),
        follow_ups=_follow_ups(context, question, said),
    )


def follow_up(context: str, question: str, main_question: str) -> Step:
    """Return quotes that answer, rated by what they say on the main question."""
    said = answer(context, question)
    if said == nothing(chinese=is_chinese(question)):
        return Step()
    quotes = " ".join(line.removeprefix("- ") for line in said.splitlines()[2:])
    rating = max(rate(said, main_question).rating, rate(quotes, main_question).rating)
    return Step(
        answer=quotes[:6000],
        score=20.0 * rating,
        follow_ups=_follow_ups(context, f"{question} {main_question}", quotes),
    )


def _questions(context: str, asked: str, n_questions: int) -> Questions:
    chinese = is_chinese(context)
    items = evidence.items(context)
    titles = [_names_of(evidence.title(item)) for item in items if item.kind == "P"]
    if not any(titles):
        titles = [list(names_of) for item in items if (names_of := evidence.names(item))]
    pairs = [_between(*title[:2], chinese=chinese) for title in titles if len(title) > 1]
    singles = [_about(title[0], chinese=chinese) for title in titles if title]
    both = [one for pair in _zipped(singles, pairs) for one in pair]
    new = [one for one in dict.fromkeys(both) if one not in asked]
    return Questions(questions=[FollowUp(question=one[:1000]) for one in new[:n_questions]])


def _follow_ups(context: str, asked: str, said: str) -> list[FollowUp]:
    """Return questions about names in the data, those that the answer also names first."""
    counts = Counter(name for item in evidence.items(context) for name in _names_in_item(item))
    chinese = is_chinese(asked)
    new = [(name, n) for name, n in counts.most_common() if name and name not in asked]
    ranked = sorted(new, key=lambda pair: (pair[0] not in said, -pair[1], pair[0]))[:FOLLOW_UPS]
    most = max((n for _, n in ranked), default=1)
    return [
        FollowUp(
            question=_linked(asked, name, chinese=chinese)[:1000],
            score=round(40 * n / most + (50 if name in said else 0)),
        )
        for name, n in ranked
    ]


def _names_in_item(item: evidence.Item) -> Iterable[str]:
    return _names_of(evidence.title(item)) if item.kind == "P" else evidence.names(item)


def _names_of(title: str) -> list[str]:
    return [part.strip() for part in TITLE_PARTS.split(title) if part.strip()]


def _named(text: str) -> list[str]:
    return [name.text for name in names.find(text[:MOST_READ])]


def _last_named(conversation: str) -> str:
    """Return the name that the last turn which names one asked about, else spoke of first."""
    turns = [line for line in conversation.splitlines() if line.strip()]
    for line in reversed(turns):
        kind, _, text = line.partition(": ")
        if kind in ("Question", "问题") and (found := _named(text) or _subject(text)):
            return found[0]
    found = _named(" ".join(turns))
    return found[0] if found else ""


def _subject(question: str) -> list[str]:
    match = _SUBJECT.search(question.strip())
    return [next(group for group in match.groups() if group)] if match else []


def _about(name: str, *, chinese: bool) -> str:
    return f"文档中关于{name}说了什么？" if chinese else f"What do the documents say about {name}?"


def _between(one: str, other: str, *, chinese: bool) -> str:
    if chinese:
        return f"{one}与{other}之间有什么关系？"
    return f"How are {one} and {other} connected?"


def _linked(question: str, name: str, *, chinese: bool) -> str:
    subjects = _named(question)
    if subjects and subjects[0] != name:
        return _between(subjects[0], name, chinese=chinese)
    return _about(name, chinese=chinese)


def _sides(question: str, *, chinese: bool) -> Sequence[str]:
    words = list(dict.fromkeys(terms(question)))
    if chinese:
        return [question.rstrip("?？") + "，原因是什么？", question.rstrip("?？") + "，结果如何？"]
    about = " ".join(words[:6])
    return [f"What led to it: {about}?", f"What came of it: {about}?"]


def _zipped(ones: Sequence[str], others: Sequence[str]) -> Iterable[tuple[str, ...]]:
    longest = max(len(ones), len(others))
    return ((*ones[at : at + 1], *others[at : at + 1]) for at in range(longest))
