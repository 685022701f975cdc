"""What a question or a text names: entities, and documents by their titles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, zip_longest
from typing import Final

from graphrag_assets.names import words, written
from graphrag_assets.query.reader import Reader

KINDS = ("entity", "document")
REMEMBERED: Final = 64  # texts whose words are: some 8 MB
Names = dict[str, dict[str, list[str]]]  # what each name stands for, by kind


@dataclass(frozen=True)
class Named:
    """What a text names, each name with what it may stand for, and the words around the names."""

    entities: Mapping[str, Sequence[str]]
    documents: Mapping[str, Sequence[str]]
    around: Sequence[str]

    @property
    def rest(self) -> str:
        """The words around the names, as a text."""
        return written(self.around)


def named_in(reader: Reader, *texts: str, proper: bool = False) -> list[Named]:
    """Return what each text names; where names overlap, the first, and of these the longest.

    With `proper`, names begin with a word that isn't in lower case, as in written texts.
    """
    said = [_said(text, proper=proper) for text in texts]
    starts = frozenset[str]().union(*(one.starts for one in said))
    names: Names = {}
    for _, name, kind, ref in reader.look_up("names_that_start", sorted(starts)):
        names.setdefault(name, {}).setdefault(kind, []).append(ref)
    lengths = _lengths(names)
    return [_named(one, names, lengths) for one in said]


@dataclass(frozen=True)
class Said:
    """A text's words, as they stand and folded, and those that names may start with."""

    words: Sequence[str]
    folded: Sequence[str]
    starts: frozenset[str]


@lru_cache(maxsize=REMEMBERED)
def _said(text: str, *, proper: bool) -> Said:
    said = words(text)
    folded = [word.casefold() for word in said]
    ways = zip(folded, map(" ".join, zip_longest(folded, folded[1:], fillvalue="")), strict=True)
    begun = (
        way for word, way in zip(said, ways, strict=True) if not (proper and word[0].islower())
    )
    return Said(said, folded, frozenset(chain.from_iterable(begun)))


def _named(said: Said, names: Names, lengths: Mapping[str, Sequence[int]]) -> Named:
    text, folded = said.words, said.folded
    found, rest, after = [], [], 0
    for at in [place for place, word in enumerate(folded) if word in lengths]:
        if at < after:
            continue
        ways = (" ".join(folded[at : at + n]) for n in lengths[folded[at]])
        name = next((way for way in ways if way in names), None)
        if name is not None:
            found.append(name)
            rest += [*text[after:at], "\n"]
            after = at + name.count(" ") + 1
    entities, documents = (
        {name: names[name][kind] for name in found if kind in names[name]} for kind in KINDS
    )
    return Named(entities, documents, [*rest, *text[after:]])


def _lengths(names: Iterable[str]) -> dict[str, list[int]]:
    """Return {first word: how many words names have that begin with it}, the most first."""
    found: dict[str, set[int]] = {}
    for name in names:
        found.setdefault(name.partition(" ")[0], set()).add(name.count(" ") + 1)
    return {first: sorted(lengths, reverse=True) for first, lengths in found.items()}
