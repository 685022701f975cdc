"""What is asked: a question that can be, and what it is limited to."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from graphrag_assets.errors import QuestionError, did_you_mean
from graphrag_assets.text import normalise

if TYPE_CHECKING:
    from graphrag_assets.query.answer import Answer

LONGEST: Final = 8000  # characters
INVISIBLE: Final = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
WORD: Final = re.compile(r"\w")

Turn = tuple[str, str]  # a question and its answer


@dataclass(frozen=True)
class Question:
    """A question and how it is to be answered."""

    text: str
    level: int | None = None  # None: the settings' default, or coarser where that is too much
    selection: str | None = None  # which reports a global question reads; None: the settings'
    community: str | None = None  # id; only its subtree is read
    history: tuple[Turn, ...] = ()


def normal(text: str) -> str:
    """Return a question in normal form; raise QuestionError if it is empty."""
    text = " ".join(INVISIBLE.sub("", normalise(text)).split())
    if not text:
        raise QuestionError("The question is empty.")
    return text


def checked(text: str) -> str:
    """Return a question in normal form; raise QuestionError if it says nothing or too much."""
    text = normal(text)
    if len(text) > LONGEST:
        raise QuestionError(
            f"The question has {len(text)} characters; the most is {LONGEST}. "
            "Ask what you want to know of a text instead of sending it whole."
        )
    if not WORD.search(text):
        raise QuestionError(f"The question `{text[:40]}` holds no word to look for.")
    return text


def turns(history: Iterable["Turn | Answer"]) -> tuple[Turn, ...]:
    """Return earlier questions with their answers, in normal form."""
    return tuple(
        (normalise(turn[0]), normalise(turn[1]))
        if isinstance(turn, tuple)
        else (turn.question, turn.text)
        for turn in history
    )


def known(kind: str, name: str, names: Sequence[str]) -> str:
    """Return a name that is among those known; raise QuestionError for any other."""
    if name not in names:
        hint = did_you_mean(name, names)
        raise QuestionError(f"No {kind} `{name}`; there are {', '.join(names)}.{hint}")
    return name
