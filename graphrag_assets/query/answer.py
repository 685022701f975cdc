"""Answers: what is said, what it rests on, what it took."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from graphrag_assets.models.client import Outcome, Request
from graphrag_assets.models.ledger import Usage

Status = Literal["ok", "no_evidence", "failed"]
Known = Mapping[str, tuple[str, str, str]]  # short id: kind, id, title


@dataclass(frozen=True)
class Passage:
    """A span of a document: text = document.text[start_char:end_char]."""

    document_id: str
    text_unit_id: str
    path: str
    page: int | None
    start_char: int
    end_char: int
    text: str


@dataclass(frozen=True)
class Citation:
    """What a short id in an answer stands for."""

    marker: str
    kind: str
    id: str
    title: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True)
class NextCommunity:
    """A community worth opening next: `ask(…, community=id)` answers from its subtree alone."""

    id: str
    level: int
    title: str
    rating: float


@dataclass(frozen=True)
class Answer:
    """The answer to a question.

    `question`: as it was understood: earlier turns are written into it.
    `status`: ok; no_evidence, if nothing in the index supports it; failed, if model calls did.
    `chosen`: in words, what picked the method and the level.
    `communities`: those worth opening next, the best first.
    """

    text: str
    citations: tuple[Citation, ...]
    context: tuple[str, ...]
    usage: Usage
    method: str
    level: int | None
    index_version: int
    status: Status = "ok"
    reason: str | None = None
    dropped_citations: int = 0
    question: str = ""
    chosen: str = ""
    communities: tuple[NextCommunity, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON has it."""
        return asdict(self)


@dataclass(frozen=True)
class Draft:
    """An answer's text before its citations are resolved."""

    text: str
    known: Known
    status: Status = "ok"
    reason: str | None = None
    level: int | None = None
    chosen: str = ""


@dataclass(frozen=True)
class Final:
    """The last call of a method, still to be made: its reply is the answer's text."""

    request: Request[str]
    known: Known
    reason: str | None = None
    level: int | None = None
    chosen: str = ""

    def said(self, text: str) -> Draft:
        """Return the answer that a model wrote."""
        return Draft(text, self.known, "ok", self.reason, self.level, self.chosen)

    def failed(self, reason: str | None, text: str = "") -> Draft:
        """Return that the call failed, and what had been written until then."""
        return Draft(text, self.known, "failed", reason, self.level, self.chosen)

    def draft(self, outcome: Outcome[str]) -> Draft:
        """Return what a call ended in."""
        if outcome.reply is None:
            return self.failed(outcome.reason)
        draft = self.said(outcome.reply)
        return replace(draft, reason=draft.reason or outcome.reason)
