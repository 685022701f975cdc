"""What a question or a text names: entities, and documents by their titles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from graphrag_assets.names import words, written
from graphrag_assets.query.reader import Reader


@dataclass(frozen=True)
class Named:
    """What a text names, each name with what it may stand for, and the words around the names."""

    entities: Mapping[str, Sequence[str]]
    documents: Mapping[str, Sequence[str]]
    rest: str


def named_in(reader: Reader, *texts: str, proper: bool = False) -> list[Named]:
    """Return what each text names; where names overlap, the first, and of these the longest.

    With `proper`, names begin with a word that isn't in lower case, as in written texts.
    """
    said = [words(text) for text in texts]
    starts = {start for text in said for start in _starts(text, proper=proper)}
    whole = "".join(f" {' '.join(text).casefold()} \n" for text in said)
    refs: dict[str, dict[str, list[str]]] = {"entity": {}, "document": {}}
    for _, name, kind, ref in reader.look_up("names_that_start", sorted(starts)):
        if f" {name} " in whole:  # not in SQL, which would look for every name there is
            refs[kind].setdefault(name, []).append(ref)
    return [_named(text, refs["entity"], refs["document"]) for text in said]


def _starts(text: Sequence[str], *, proper: bool) -> set[str]:
    pairs = zip_longest(text, text[1:], fillvalue="")
    begun = [(one, two) for one, two in pairs if not (proper and one[0].islower())]
    return {way.casefold() for one, two in begun for way in (one, f"{one} {two}")}


def _named(
    text: Sequence[str],
    entities: Mapping[str, Sequence[str]],
    documents: Mapping[str, Sequence[str]],
) -> Named:
    folded = [word.casefold() for word in text]
    found, rest, at = [], [], 0
    longest = _longest(entities.keys() | documents.keys())
    while at < len(folded):
        if (most := longest.get(folded[at], 0)) == 0:
            rest.append(text[at])
            at += 1
            continue
        ways = (" ".join(folded[at : at + n]) for n in range(most, 0, -1))
        name = next((way for way in ways if way in entities or way in documents), None)
        found += [name] if name else []
        rest += ["\n"] if name else [text[at]]
        at += len(name.split(" ")) if name else 1
    return Named(
        {name: entities[name] for name in found if name in entities},
        {name: documents[name] for name in found if name in documents},
        written(rest),
    )


def _longest(names: set[str]) -> dict[str, int]:
    """Return {first word: the most words that a name has which begins with it}."""
    most: dict[str, int] = {}
    for name in names:
        first, *more = name.split(" ")
        most[first] = max(most.get(first, 0), 1 + len(more))
    return most
