"""Which mentions of one text stand for the same name: a surname, a first word, `the Board`.

Only inside one text, and only where a single full name fits. Two people who share a surname are
never joined by it.
"""

# ruff: noqa: PLR2004 - the lengths of words are what these rules are about

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from graphrag_assets.models.offline.names import Name

STRONG = 2.5
# How far the tagger is to be believed: what it takes for an organisation is often none.
TAGGER = defaultdict(lambda: 2.0, organization=1.3)
Votes = defaultdict[str, float]
_ORDER = ("person", "organization", "place", "event", "vessel", "facility", "document", "product")


@dataclass
class Mention:
    """A name where it stands, with votes on what kind of thing it is."""

    text: str
    start: int
    end: int
    votes: Votes = field(default_factory=lambda: defaultdict(float))
    labels: Votes = field(default_factory=lambda: defaultdict(float))
    article: bool = False
    head: bool = False
    married: bool = False
    initial: bool = False
    title: bool = False

    @cached_property
    def key(self) -> tuple[str, ...]:
        """The words of the name in lower case, without dots."""
        return tuple(word.strip(".").casefold() for word in self.text.split())


@dataclass
class Group:
    """All mentions of one form."""

    mentions: list[Mention]

    @cached_property
    def key(self) -> tuple[str, ...]:
        """The words of the form."""
        return self.mentions[0].key

    @cached_property
    def votes(self) -> Votes:
        """What the words around all mentions say, and the mean of what the tagger says."""
        votes: Votes = defaultdict(float)
        for mention in self.mentions:
            for kind, weight in mention.votes.items():
                votes[kind] += weight
            for kind, weight in mention.labels.items():
                votes[kind] += TAGGER[kind] * weight / len(self.mentions)
        return votes

    @property
    def kind(self) -> str:
        """The kind with most votes."""
        best = max(_ORDER, key=lambda kind: self.votes[kind])
        return best if self.votes[best] > 0 else ""

    def take(self, other: "Group") -> None:
        """Add the mentions of another form of the same name."""
        self.mentions = [*self.mentions, *other.mentions]
        del self.votes

    @property
    def is_other(self) -> bool:
        """Whether the words around it say that it is no person."""
        kind = self.kind
        return kind not in ("", "person") and self.votes[kind] - self.votes["person"] >= STRONG


def _drop(group: Group, groups: dict[tuple[str, ...], Group]) -> bool:
    """Whether a form names nothing by itself: `Board`, a shared surname, a part of a name."""
    first = group.mentions[0]
    if first.head or len(group.key) > 1:
        return first.head
    word = group.key[0]
    if any(word in key[1:-1] for key in groups if len(key) > 2):
        return all(mention.initial for mention in group.mentions)
    owners = [other for key, other in groups.items() if len(key) > 1 and other.kind == "person"]
    if sum(word == other.key[-1] for other in owners) > 1 and not group.is_other:
        return True
    return all(mention.title for mention in group.mentions)


def join(mentions: Iterable[Mention]) -> list[Name]:
    """Return the names of the mentions, short forms joined with the full form they stand for."""
    groups = _grouped(mentions)
    full = {key: group for key, group in groups.items() if len(key) > 1}
    for key in sorted(groups, key=lambda key: (len(key), key)):
        group = groups[key]
        target = _full_form(group, [other for other in full.values() if other is not group])
        if target:
            target.take(group)
            del groups[key]
            full.pop(key, None)
        elif _drop(group, groups):
            del groups[key]
    return [_name(group) for group in groups.values()]


def _grouped(mentions: Iterable[Mention]) -> dict[tuple[str, ...], Group]:
    groups: dict[tuple[str, ...], Group] = {}
    for mention in mentions:
        groups.setdefault(mention.key, Group([])).mentions.append(mention)
    return groups


def _full_form(group: Group, others: list[Group]) -> Group | None:
    fits = [other for other in others if _stands_for(group, other)]
    return fits[0] if len(fits) == 1 else None


def _stands_for(short: Group, full: Group) -> bool:
    a, b = short.key, full.key
    if len(a) >= len(b) and not _is_initial_form(a, b):
        return False
    if any(mention.married for mention in short.mentions):
        return False
    if full.kind == "person":
        return not short.is_other and _is_person_form(a, b)
    if short.mentions[0].head:
        return a[-1] in (b[-1], b[0]) and len(a) == 1
    if len(a) > 1:
        return b[-len(a) :] == a and full.kind == "organization"
    return (
        full.kind == "organization"
        and a[0] == b[0]
        and short.kind in ("organization", "person", "", "product")
    )


def _is_person_form(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    return (len(a) == 1 and a[0] in (b[0], b[-1])) or _is_initial_form(a, b)


def _is_initial_form(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    return (
        len(a) == len(b) == 2
        and a[1] == b[1]
        and len(a[0]) == 1
        and len(b[0]) > 1
        and b[0].startswith(a[0])
    )


def _name(group: Group) -> Name:
    texts = Counter(mention.text for mention in group.mentions)
    longest = max(
        texts,
        key=lambda text: (
            len(text.split()),
            not text.isupper(),
            "." not in text,
            texts[text],
            text,
        ),
    )
    spans = sorted({(mention.start, mention.end) for mention in group.mentions})
    return Name(longest, group.kind or "organization", tuple(spans))
