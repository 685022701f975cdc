"""What goes into a prompt: rows packed into a token budget, each with a short id to cite.

A short id is a letter for the kind and the first digits of the element's id: [E12ab34cd]. It
names the element, not its place, so that a prompt stays the same when other rows come or go.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

LINE_TOKENS = 10  # marker, brackets and newline of a row
HEADING_TOKENS = 5  # of a kind of rows
LETTERS = {"entity": "E", "relationship": "R", "claim": "C", "report": "P", "text_unit": "T"}
KINDS = {letter: kind for kind, letter in LETTERS.items()}
HEADINGS = {
    "report": "Reports",
    "entity": "Entities",
    "relationship": "Relationships",
    "claim": "Claims",
    "text_unit": "Passages",
}
DIGITS = 8
MORE_DIGITS = 8  # for those that share their first ones
MARKER = re.compile(r"[ERCPT][0-9a-f]{6,32}")
BRACKETS = re.compile(r"(?<!\s)\s*+\[\s*+((?:[A-Z][0-9a-f]{6,32}\s*+[,;]?\s*+)++)\]")


@dataclass(frozen=True)
class Item:
    """One row of a context."""

    kind: str
    id: str
    text: str
    n_tokens: int
    digits: int = DIGITS

    @property
    def marker(self) -> str:
        """The short id that a reply cites."""
        return marker(self.kind, self.id, self.digits)


def marker(kind: str, ref_id: str, digits: int = DIGITS) -> str:
    """Return the short id of an element."""
    return LETTERS[kind] + ref_id[:digits]


class Markers:
    """The short ids of one prompt, or of all prompts of one question: no two things share one.

    A thing whose first digits another one has already gets more of them.
    """

    def __init__(self) -> None:
        """Start without any."""
        self._taken: dict[str, str] = {}

    def digits(self, kind: str, ref_id: str) -> int:
        """Return how many digits name a thing, and keep them for it."""
        digits = DIGITS
        while self._taken.setdefault(marker(kind, ref_id, digits), ref_id) != ref_id:
            digits += MORE_DIGITS
        return digits

    def distinct(self, items: Iterable[Item]) -> list[Item]:
        """Return items whose markers are theirs alone."""
        return [
            item
            if (digits := self.digits(item.kind, item.id)) == item.digits
            else replace(item, digits=digits)
            for item in items
        ]


def render(items: Iterable[Item]) -> str:
    """Return items as Markdown under one heading a kind, in their order."""
    sections: dict[str, list[str]] = {}
    for item in items:
        sections.setdefault(item.kind, []).append(f"[{item.marker}] {item.text}")
    return "\n\n".join(
        f"## {HEADINGS[kind]}\n" + "\n".join(sections[kind])
        for kind in HEADINGS
        if kind in sections
    )


def pack(items: Iterable[Item], budget: int) -> list[Item]:
    """Return the items that fit, in order; one that is too long is skipped, not the rest."""
    packed, left = [], budget
    for item in items:
        if item.n_tokens <= left:
            packed.append(item)
            left -= item.n_tokens
    return packed


@dataclass
class Community:
    """A community's elements, ready to be packed into its report's prompt.

    `relationships` by falling combined degree; `around` maps each relationship to what it brings
    along: its ends and their claims, each before the relationship itself.
    """

    id: str
    relationships: Sequence[Item]
    around: Mapping[str, Sequence[Item]]
    lone: Sequence[Item] = ()
    children: Sequence["Child"] = ()


@dataclass(frozen=True)
class Child:
    """A sub-community: its report, and the elements that the report stands for."""

    report: Item
    element_ids: frozenset[str]
    included_ids: frozenset[str]
    n_tokens: int


@dataclass(frozen=True)
class Packed:
    """A report's context, and which elements stand in it."""

    items: tuple[Item, ...]
    replaced: tuple[Child, ...] = ()
    cut: tuple[Item, ...] = field(default=())


def elements(community: Community) -> list[Item]:
    """Return every element of a community once, in the order in which it is told."""
    ordered: dict[str, Item] = {}
    for relationship in community.relationships:
        for item in (*community.around[relationship.id], relationship):
            ordered.setdefault(item.id, item)
    for item in community.lone:
        ordered.setdefault(item.id, item)
    return list(ordered.values())


def pack_community(community: Community, budget: int) -> Packed:
    """Return the context of a community's report.

    If everything fits, everything is there. If not, the sub-community with the most tokens is
    replaced by its report, then the next, until it fits (From Local to Global, section 3.1.5);
    what still doesn't fit is cut from the end. A report that is itself too long replaces nothing.
    """
    everything = elements(community)
    replaced: list[Child] = []
    rest = sorted(community.children, key=lambda child: (-child.n_tokens, child.report.id))
    kept = everything
    while _tokens(kept, replaced) > budget and rest:
        child = rest.pop(0)
        if child.report.n_tokens < child.n_tokens:
            replaced.append(child)
            kept = _without(kept, [child])
    reports = pack([child.report for child in replaced], budget)
    there = {report.id for report in reports}
    told = [child for child in replaced if child.report.id in there]
    kept = _without(everything, told)
    items = [*reports, *pack(kept, budget - _tokens(reports, ()))]
    there |= {item.id for item in items}
    return Packed(
        items=tuple(items),
        replaced=tuple(told),
        cut=tuple(item for item in kept if item.id not in there),
    )


def cited(text: str) -> list[str]:
    """Return the short ids that a text cites, in order, each once."""
    found = (marker for group in BRACKETS.findall(text) for marker in MARKER.findall(group))
    return list(dict.fromkeys(found))


def keep_known(text: str, known: Iterable[str]) -> tuple[str, int]:
    """Return a text without citations of unknown short ids, and how many were removed."""
    allowed = set(known)
    removed = 0

    def checked(match: re.Match[str]) -> str:
        nonlocal removed
        markers = re.findall(r"[A-Z][0-9a-f]{6,32}", match[1])
        good = [marker for marker in markers if marker in allowed]
        removed += len(markers) - len(good)
        before = match[0].partition("[")[0]
        return f"{before}[{', '.join(good)}]" if good else ""

    return BRACKETS.sub(checked, text), removed


def _without(items: Iterable[Item], children: Iterable[Child]) -> list[Item]:
    """Return the items that no child's report stands for."""
    told = frozenset[str]().union(*(child.element_ids for child in children))
    return [item for item in items if item.id not in told]


def _tokens(items: Iterable[Item], children: Iterable[Child]) -> int:
    return sum(item.n_tokens for item in items) + sum(child.report.n_tokens for child in children)
