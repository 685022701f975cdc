"""What kind of thing an English name is: votes from its own words and from the words around it."""

# ruff: noqa: PLR2004 - the lengths of words are what these rules are about

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag_assets.models.offline import words_en as words
from graphrag_assets.models.offline.short_forms import Mention, Votes

if TYPE_CHECKING:
    from graphrag_assets.models.offline.names_en import Reading, Word

AFTER_POSSESSIVE = words.PLACE | words.ORGANIZATION
LABELS = {
    "PERSON": "person", "ORG": "organization", "GPE": "place", "LOC": "place", "FAC": "place",
    "EVENT": "event", "PRODUCT": "product", "WORK_OF_ART": "product", "LAW": "document",
    "NORP": "organization",
}  # fmt: skip
PEOPLE = words.NOUNS["person"]
_CODE = re.compile(r"[A-Z][A-Za-z]*-[A-Z0-9-]*\d|[A-Z]+-\d")
_ARTICLE = re.compile(r"\b(?:the|this|her|his|our|their|its)\s+$", re.IGNORECASE)
_NOUN_BEFORE = re.compile(r"([a-z][a-z-]*)(?:,|\s[\"“‘])?\s+[\"“‘]?$")
_APPOSITIVE = re.compile(
    r"^(?:['’]s)?(?:,| (?:is|was|are|were|becomes|became))(?: still| also)? "
    r"(?:an?|the|our|its|her|his)\s+([^.,;:\n]{3,80})"
)
_END_OF_NOUN = re.compile(r"\b(?:of|in|at|for|that|who|which|with|from|based|and)\b")
_ROLE = re.compile(r"^(?:,| \()\s*((?:[a-z-]+ ){0,4}[a-z-]+)(?: of| for| at| in|[,.;):\n]|$)")
_OFFICE = re.compile(r"\b([a-z]+) (?:of|for|at) [^,.;:()\n]{3,60},? $")
_WHO = re.compile(r"^,? (?:who|whose) ")
_BYLINE = re.compile(r"(?:^|\n)(?:[A-Za-z]+ )?(?:[Bb]y|[Tt]ext|[Aa]uthor|[Ss]igned):? $")
_NEXT = re.compile(r"^,?\s+([a-z]+)")
_SAID_BY = re.compile(r"[,!?.”\"’'] ?([a-z]+) (?:the )?$")
_IN = re.compile(
    r"\b(?:in|at|near|from|outside|across|to|off|through|between)\s+(?:the\s+)?$", re.IGNORECASE
)
_PLACE_NOUN = re.compile(
    r"^ (?:coast|river|coastline|harbour|harbor|road|street|area|region|valley|island|bay|side|"
    r"quay)s?\b"
)
_SPEAKER = re.compile(r"^[:：]")


def mention(reading: "Reading", run: Sequence["Word"], titles: Sequence[str]) -> Mention:
    """Return the mention that a run of words makes, with its votes."""
    start, end = run[0].start, run[-1].end
    text = reading.text[start:end].replace("\n", " ")
    before, behind = reading.text[max(0, start - 60) : start], reading.text[end : end + 90]
    if len(run) == 1 and _CODE.match(text):
        return _coded(run[0], before)
    found = Mention(_cased(text), start, end, article=bool(_ARTICLE.search(before)))
    found.head = len(run) == 1 and run[0].low in words.HEADS
    found.married = run[0].low.rstrip(".") in ("mrs", "miss", "lady")
    found.initial, found.title = run[0].initial, run[0].initial and run[0].title
    labels = Counter(LABELS[reading.labels[w.start]] for w in run if w.start in reading.labels)
    _vote_by_labels(found, labels, len(run))
    _vote_by_form(found, run, titles)
    _vote_by_role(found, before, behind)
    _vote_by_noun_beside(found, before, behind)
    _vote_by_place(found, before, behind)
    if found.article:
        found.votes["person"] -= 3
        found.votes["vessel"] += (2.2 if reading.nautical else 0.5) * (not found.head)
    return found


def _coded(word: "Word", before: str) -> Mention:
    noun = re.search(r"([a-z]+)\s+$", before, re.IGNORECASE)
    if noun and noun[1].casefold() in words.NUMBERED_DOCUMENTS:
        start = word.start - len(noun[0])
        text = f"{noun[1].casefold()} {word.text}"
        return Mention(text, start, word.end, _votes("document", 5))
    return Mention(word.text, word.start, word.end, _votes("product", 3))


def _votes(kind: str, weight: float) -> Votes:
    votes: Votes = defaultdict(float)
    votes[kind] = weight
    return votes


def _cased(text: str) -> str:
    letters = [part for part in text.split() if part.isalpha()]
    if len(letters) > 1 and all(part.isupper() for part in letters) and len(text) > 6:
        return " ".join(part.capitalize() for part in text.split())
    return text


def _vote_by_labels(found: Mention, labels: Counter[str], length: int) -> None:
    for kind, count in labels.items():
        found.labels[kind] += count / length


def _vote_by_form(found: Mention, run: Sequence["Word"], titles: Sequence[str]) -> None:
    first, last = run[0].low.rstrip("."), run[-1].low.rstrip(".")
    if titles or first in words.PERSON_FIRST:
        found.votes["person"] += 4
    if len(run) == 1:
        _vote_by_noun(found, run[0].text)
        return
    heads = [run[at - 1].low for at, word in enumerate(run) if word.low == "of" and at]
    head = heads[0] if heads else last
    if len(first) == 1 and len(run) == 2:
        found.votes["person"] += 2.5
    elif last.isdigit():
        found.votes["product"] += 3
    elif first in words.EVENT_FIRST:
        found.votes["event"] += 4
    else:
        surname = head in words.SURNAMES and not found.article
        kind, weight = _suffix_says(head, first, weak=surname or found.votes["person"] > 2)
        found.votes[kind] += weight


def _suffix_says(head: str, first: str, *, weak: bool) -> tuple[str, float]:
    if head in words.FACILITY:
        return "facility", 4
    if head in words.ORGANIZATION:
        return "organization", 4
    if head in words.PLACE or first in words.PLACE_FIRST:
        return "place", 0.8 if weak else 2.5
    return ("event", 3) if head in words.EVENT else ("person", 0.1)


def _vote_by_role(found: Mention, before: str, behind: str) -> None:
    if (role := _ROLE.match(behind)) and role[1].split()[-1] in PEOPLE:
        found.votes["person"] += 3
    if (office := _OFFICE.search(before)) and office[1] in PEOPLE:
        found.votes["person"] += 2
    if _WHO.match(behind) or (len(found.key) > 1 and _BYLINE.search(before)):
        found.votes["person"] += 2
    if _SPEAKER.match(behind) and before.endswith("\n") and len(found.key) > 1:
        found.votes["person"] += 2
    if (verb := _NEXT.match(behind)) and verb[1] in words.SPEECH:
        found.votes["person"] += 1.5 if found.article or verb[1] in words.HUMAN else 1
    if (verb := _SAID_BY.search(before)) and verb[1] in words.SPEECH:
        found.votes["person"] += 4


def _vote_by_noun_beside(found: Mention, before: str, behind: str) -> None:
    if _ARTICLE.sub("", before).rstrip().endswith(words.ABOARD):
        found.votes["vessel"] += 3
    if noun := _NOUN_BEFORE.search(before):
        _vote_by_noun(found, noun[1])
    if after := _APPOSITIVE.match(behind):
        for word in _END_OF_NOUN.split(after[1])[0].split()[-1:]:
            _vote_by_noun(found, word)


def _vote_by_noun(found: Mention, noun: str) -> None:
    for kind, nouns in words.NOUNS.items():
        if noun.casefold() in nouns:
            found.votes[kind] += 3
            return


def _vote_by_place(found: Mention, before: str, behind: str) -> None:
    if _PLACE_NOUN.match(behind):
        found.votes["place"] += 3
    elif _IN.search(before):
        found.votes["place"] += 0.7
