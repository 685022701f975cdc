"""How names are alike: titles, short forms, initials, spelling.

Each rule yields links between names that are the same; what is done with them, and what overrides
them, is decided in resolution.py.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from rapidfuzz import fuzz

from graphrag_assets.names import name_parts, other_person, person_key

UNKNOWN = "unknown"
PERSON = "person"
ORGANIZATION = "organization"
MAX_BLOCK = 20  # a part that more names share says little
OFTEN = 2  # text units
MIN_END = 2  # words
MIN_END_ZH = 4  # characters
MIN_START_ZH = 2
HAN = re.compile(r"[\u4e00-\u9fff]+")
INITIAL = re.compile(r"[a-z]\.?")
MARK = re.compile(r"[ivx]+|[a-z]")  # Group II, Substation B


@dataclass(frozen=True)
class Name:
    """A name as the corpus uses it."""

    key: str
    type: str
    units: frozenset[str]

    @property
    def n(self) -> int:
        """How many text units use it."""
        return len(self.units)

    @property
    def label(self) -> str:
        """The name without titles, for persons."""
        return person_key(self.key) if self.is_person else self.key

    @property
    def is_person(self) -> bool:
        """Whether it names a person, or may."""
        return self.type in (PERSON, UNKNOWN)


@dataclass(frozen=True)
class Link:
    """Two names that are the same, by which method and how surely."""

    one: str
    other: str
    method: str
    score: float


def titled(names: Mapping[str, Name]) -> Iterator[Link]:
    """Yield names with a title that doesn't distinguish people: Dr Lin Wei is Lin Wei.

    A surname that several full names end in isn't enough: Judge Corrigan may not be Captain
    Corrigan. Without the bare name, Prof Lin Wei is Dr Lin Wei, but Prof Lin not Dr Lin.
    """
    longer = _longer_names(names)
    bare = _bare_names(names)
    for name in names.values():
        other = bare[name.label] if name.is_person else name
        single = len(name_parts(name.label)) == 1
        vague = single and (other.key != name.label or len(longer.get(name.label, ())) > 1)
        if other is not name and not vague:
            yield Link(name.key, other.key, "normalised", 1.0)


def short_forms(names: Mapping[str, Name]) -> Iterator[Link]:
    """Yield short forms of persons and organisations that stand for exactly one longer name.

    Naive matching does harm (Spirit -> Evil Spirit), so a short form that several longer names
    have stands for none, and Mrs Hale isn't a longer name of Hale. A surname is enough; a given
    name or a part of an organisation's name must also share a text unit with the longer name, or
    look derived from it by how often each is used.
    """
    longer = _longer_names(names)
    for name in names.values():
        candidates = longer.get(name.label, set()) - {name.key}
        if len(candidates) == 1:
            full = names[candidates.pop()]
            if _kin(name, full) and _derived(name, full):
                yield Link(name.key, full.key, "short_form", len(name.label) / len(full.label))


def initialled(names: Mapping[str, Name]) -> Iterator[Link]:
    """Yield persons written with an initial, where one name alone spells it out: M. Ellison."""
    spelt = _spelt_out(names)
    for name in names.values():
        if name.key in spelt:
            full = names[spelt[name.key]]
            yield Link(name.key, full.key, "short_form", len(name.label) / len(full.label))


def near(names: Mapping[str, Name], similar: float) -> Iterator[Link]:
    """Yield pairs of one type with nearly the same letters, the most similar first.

    Candidates share a part that few names have; what tells members of a series or a family apart
    must be equal (Turbine 4 and 7, Group II and III, Mr and Mrs Hale).
    """
    scored = []
    for one, other in sorted(_candidates(names)):
        if names[one].type != names[other].type or _marks(one) != _marks(other):
            continue
        score = fuzz.token_sort_ratio(one, other) / 100
        if score >= similar:
            scored.append(Link(one, other, "similar", score))
    yield from sorted(scored, key=lambda link: (-link.score, link.one, link.other))


def _bare_names(names: Mapping[str, Name]) -> dict[str, Name]:
    """Return {label: the person's name without title, else the first with one}."""
    bare: dict[str, Name] = {}
    people = (name for name in names.values() if name.is_person)
    for name in sorted(people, key=lambda name: (name.key != name.label, name.key)):
        bare.setdefault(name.label, name)
    return bare


def _longer_names(names: Mapping[str, Name]) -> dict[str, set[str]]:
    """Return {short form: keys of the longer names that have it}."""
    longer: dict[str, set[str]] = defaultdict(set)
    labels = {name.label for name in names.values()}
    bare = _bare_names(names)
    spelt = _spelt_out(names)
    for name in names.values():
        same = name.is_person and (bare[name.label] is not name or name.key in spelt)
        if not same and not (name.is_person and other_person(name.label)):
            for form in _short_forms_of(name) & labels:
                longer[form].add(name.key)
    return longer


def _spelt_out(names: Mapping[str, Name]) -> dict[str, str]:
    """Return {person with an initial: the only full name with that initial and surname}."""
    full: dict[tuple[str, str], set[str]] = defaultdict(set)
    initials: dict[str, tuple[str, str]] = {}
    for name in names.values():
        parts = name_parts(name.label)
        if name.type == PERSON and len(parts) > 1 and not other_person(name.label):
            ends = (parts[0][0], parts[-1])
            if INITIAL.fullmatch(parts[0]):
                initials[name.key] = ends
            else:
                full[ends].add(name.key)
    return {key: min(full[ends]) for key, ends in initials.items() if len(full[ends]) == 1}


def _short_forms_of(name: Name) -> set[str]:
    """Return how a name may be shortened.

    A person to the given name or the surname; an organisation to its first word or to what stands
    last (Fishers' Cooperative); a Chinese one, which has no spaces, to its beginning or end.
    """
    parts = name_parts(name.label)
    if len(parts) > 1:
        ends = {parts[-1]} if name.type == PERSON else _ends(parts, MIN_END, " ")
        return {parts[0], *ends}
    if name.type == ORGANIZATION and HAN.fullmatch(name.label):
        return _ends(name.label, MIN_END_ZH, "") | {
            name.label[:n] for n in range(MIN_START_ZH, len(name.label))
        }
    return set()


def _ends(parts: Sequence[str], shortest: int, space: str) -> set[str]:
    return {space.join(parts[n:]) for n in range(1, len(parts) - shortest + 1)}


def _derived(short: Name, full: Name) -> bool:
    """Whether a short form that only one longer name has is likely to mean it."""
    if full.type == PERSON and short.label == name_parts(full.label)[-1]:
        return True
    if short.units & full.units:
        return True
    return short.n >= OFTEN if full.type == PERSON else short.n <= full.n


def _kin(short: Name, full: Name) -> bool:
    kinds = {short.type, full.type} - {UNKNOWN}
    return len(kinds) <= 1 and full.type in (PERSON, ORGANIZATION)


def _candidates(names: Mapping[str, Name]) -> set[tuple[str, str]]:
    blocks = defaultdict(list)
    for key in names:
        for part in {*name_parts(key), key[:4], key[-4:]}:
            blocks[part].append(key)
    return {
        (min(pair), max(pair))
        for keys in blocks.values()
        if len(keys) <= MAX_BLOCK
        for pair in combinations(keys, 2)
    }


def _marks(key: str) -> list[str]:
    """Return what distinguishes names that are otherwise alike: numbers, letters, Mrs."""
    digits = "".join(sign for sign in key if sign.isdigit())
    signs = [part for part in name_parts(key) if MARK.fullmatch(part)]
    return [digits, *signs, "mrs" if other_person(key) else ""]
