"""The data of a prompt as items, and the statements that they make, each with its citations."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from graphrag_assets.models.offline import prose
from graphrag_assets.models.offline.dates import of_document

_HEADING = re.compile(r"^## (?:Reports|Entities|Relationships|Claims|Passages|Points)\s*$")
_MARKER = re.compile(r"^\[([ERCPT][0-9a-f]{6,})\]\s?(.*)$")
_IDS = r"\[(?:[ERCPT][0-9a-f]{6,})(?:\s*[,，、;]\s*[ERCPT][0-9a-f]{6,})*\]"
_CITED = re.compile(rf"\s*{_IDS}")
_ID = re.compile(r"[ERCPT][0-9a-f]{6,}")
_LATE = re.compile(rf"([.!?。！？]+[\"”’」』)）]*)[ \t]*((?:{_IDS}[ \t]*)+)")
_POINT = re.compile(r"^\((\d{1,3})\)\s+(\S.*)$")
_ENTITY = re.compile(r"^(.+?) \(([^()]*)\):\s*(.*)$", re.DOTALL)
_RELATIONSHIP = re.compile(r"^(.+?) — (.+?):\s+(.*)$", re.DOTALL)
_CLAIM = re.compile(r"^(.+?):\s*(.*?)\s*(?:\(([A-Z]+)(?:,\s*([^()]*))?\))?$", re.DOTALL)
PRONOUN = re.compile(
    r"^[\"“‘]?(?:He|She|It|They|His|Her|Its|Their|This|That|These|Those|Both|"
    r"The (?:two|other|same))\b"
    r"|^[“]?(?:他|她|它|其|此|该|这|那|两者|双方)"
)
_DATED = re.compile(r"[（(]\d{4}-\d\d-\d\d[）)]")
MAX_IDS = 5
_ORDER = "TRCEP"
_HEDGES = {
    "FALSE": (" (said to be false)", "（被认为不实）"),
    "SUSPECTED": (" (open)", "（未定）"),
}


@dataclass(frozen=True)
class Item:
    """One thing that can be cited: its letter, its id and its text."""

    kind: str
    id: str
    text: str


@dataclass(frozen=True)
class Statement:
    """A sentence of an item, with the ids that it must be cited by.

    `lead` is the sentence before it in a passage, where this one begins with a pronoun.
    """

    text: str
    ids: tuple[str, ...]
    kind: str
    names: tuple[str, ...] = ()
    title: str = ""
    date: str = ""
    lead: str = ""
    item: int = 0

    def cited(self) -> str:
        """Return the sentence with its citations."""
        return cite(self.text, self.ids)

    def quote(self) -> str:
        """Return the sentence, with the one before it where it isn't clear without."""
        if not self.lead:
            return self.text
        return self.lead + ("" if prose.has_han(self.lead) else " ") + self.text


def cite(text: str, ids: Sequence[str]) -> str:
    """Return a sentence with citations before its full stop, five at most."""
    if not ids:
        return text
    marks = f" [{', '.join(ids[:MAX_IDS])}]"
    return text[:-1] + marks + text[-1] if text[-1:] in (".", "。") else text + marks


def items(context: str) -> list[Item]:
    """Return the items of a context; what stands before the first marker belongs to none."""
    found: list[tuple[str, list[str]]] = []
    is_open = False
    for line in context.splitlines():
        if match := _MARKER.match(line):
            found.append((match[1], [match[2]]))
            is_open = True
        elif _HEADING.match(line):
            is_open = False
        elif is_open:
            found[-1][1].append(line)
    return [Item(key[0], key, "\n".join(lines).strip()) for key, lines in found]


def points(context: str) -> list[tuple[float, str]]:
    """Return the scored points of a reduce prompt."""
    matches = (_POINT.match(line.strip()) for line in context.splitlines())
    return [(float(match[1]), match[2]) for match in matches if match]


def uncited(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without its citations, and their ids."""
    ids = [part for match in _CITED.finditer(text) for part in _ID.findall(match[0])]
    return _CITED.sub("", text).strip(), tuple(dict.fromkeys(ids))


def names(item: Item) -> tuple[str, ...]:
    """Return the names that an entity, relationship or claim is about."""
    if item.kind == "E" and (match := _ENTITY.match(item.text)):
        return (match[1],)
    if item.kind == "R" and (match := _RELATIONSHIP.match(item.text)):
        return (match[1], match[2])
    if item.kind == "C" and (match := _CLAIM.match(item.text)):
        return (match[1],)
    return ()


def title(item: Item) -> str:
    """Return the first line of a report or passage."""
    return prose.plain(item.text.split("\n", 1)[0]) if item.kind in "PT" else ""


def statements(found: Iterable[Item]) -> list[Statement]:
    """Return what the items say, sentence by sentence; equal sentences are one, cited by all."""
    merged: dict[str, Statement] = {}
    for number, item in enumerate(found):
        for statement in _of_item(item):
            key = re.sub(r"\W+", "", _DATED.sub("", statement.text).casefold())
            if key in merged:
                merged[key] = _joined(merged[key], statement)
            elif key:
                merged[key] = replace(statement, item=number)
    return list(merged.values())


def _joined(old: Statement, new: Statement) -> Statement:
    ids = sorted(dict.fromkeys(old.ids + new.ids), key=lambda key: _ORDER.index(key[0]))
    names = tuple(dict.fromkeys(old.names + new.names))
    text = max(old.text, new.text, key=len)
    return replace(old, text=text, ids=tuple(ids), names=names, lead=old.lead or new.lead)


def _of_item(item: Item) -> Iterator[Statement]:
    heading, body = _split(item)
    body = _LATE.sub(r" \2\1", body)
    date, before = of_document(body) if item.kind == "T" else "", ""
    for sentence in prose.sentences(body):
        text, ids = uncited(sentence.text)
        if sentence.role in ("header", "title") and item.kind in "PT":
            continue
        if text:
            lead = before if item.kind == "T" and PRONOUN.match(text) else ""
            yield Statement(text, ids or (item.id,), item.kind, names(item), heading, date, lead)
        before = text


def _split(item: Item) -> tuple[str, str]:
    """Return the title and the body of an item."""
    if item.kind in "PT":
        first, _, rest = item.text.partition("\n")
        return (prose.plain(first), rest) if rest.strip() else ("", item.text)
    pattern = {"E": _ENTITY, "R": _RELATIONSHIP}.get(item.kind)
    if pattern and (match := pattern.match(item.text)):
        return "", match[3]
    if item.kind == "C" and (match := _CLAIM.match(item.text)):
        hedge = _HEDGES.get(match[3] or "", ("", ""))[prose.has_han(match[2])]
        body = match[2]
        return "", (body[:-1] + hedge + body[-1] if body[-1:] in (".", "。") else body + hedge)
    return "", item.text
