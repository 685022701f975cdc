"""Which names of a text unit are related, by which sentence, and how strongly.

Strong: together in a sentence, the nearer the stronger; a sentence that begins with a pronoun for a
name of the one before; a list and the sentence that leads it in; a title and the opening sentence;
a signature and the header. A name with none of these is tied, weakly, to its neighbours: later a
relationship counts by how many texts show it, so weak ones must stay few.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from graphrag_assets.models.offline.prose import has_han
from graphrag_assets.models.offline.units import MAX_TEXT, Unit, cut
from graphrag_assets.models.replies import ExtractedRelationship

PER_ENTITY = 3
MAX_RELATIONSHIPS = 150
TOGETHER, SIGNED, MEANT, OPENING, KIN, NEIGHBOURS, TITLED = 4.0, 5.0, 3.5, 3.0, 2.5, 2.0, 1.5
_FEW, _NEAR, _NEAR_HAN = 4, 160, 60
_KIN_REACH = 5


@dataclass(frozen=True)
class Pair:
    """Two names that meet, the sentence that shows it, and how strongly."""

    ends: tuple[int, int]
    numbers: tuple[int, ...]
    weight: float


def between(unit: Unit) -> list[ExtractedRelationship]:
    """Return the best relationships of a text unit, three per name at most."""
    best: dict[tuple[int, int], Pair] = {}
    times: dict[tuple[int, int], int] = {}
    for pair in _pairs(unit):
        times[pair.ends] = times.get(pair.ends, 0) + (pair.weight >= TOGETHER)
        if pair.ends not in best or pair.weight > best[pair.ends].weight:
            best[pair.ends] = pair
    strong = {end for pair in best.values() if pair.weight > NEIGHBOURS for end in pair.ends}
    kept = [p for p in best.values() if p.weight > NEIGHBOURS or not strong.issuperset(p.ends)]
    ranked = sorted(kept, key=lambda pair: (-pair.weight, pair.numbers, pair.ends))
    limit = min(PER_ENTITY * len(unit.names), MAX_RELATIONSHIPS)
    return [_relationship(unit, pair, times[pair.ends]) for pair in ranked[:limit]]


def _relationship(unit: Unit, pair: Pair, times: int) -> ExtractedRelationship:
    source, target = (unit.names[end].text for end in pair.ends)
    shown = [n for n in pair.numbers if unit.sentences[n].role != "title"] or pair.numbers
    parts = [unit.dated(number) for number in shown]
    text = ("" if has_han(parts[0]) else " ").join(parts)
    return ExtractedRelationship(
        source=source[:200],
        target=target[:200],
        description=text if len(text) <= MAX_TEXT else cut(parts[-1]),
        weight=round(min(10.0, max(pair.weight + max(times - 1, 0), 1.0)), 1),
    )


def _pairs(unit: Unit) -> Iterator[Pair]:
    for number, sentence in enumerate(unit.sentences):
        if sentence.role != "header":
            yield from _together(unit, number)
        if number:
            yield from _neighbours(unit, number)
    yield from _led_in(unit)
    yield from _signed(unit)
    yield from _titled(unit)
    yield from _kin(unit)


def _pair(a: int, b: int, numbers: tuple[int, ...], weight: float) -> Pair:
    return Pair((min(a, b), max(a, b)), numbers, weight)


def _together(unit: Unit, number: int) -> Iterator[Pair]:
    """Yield the pairs of one sentence."""
    present = unit.present[number]
    starts = {at: [start for start, _ in unit.places(at, number)] for at in present}
    order = sorted(present, key=lambda at: starts[at][0])
    reach = _NEAR_HAN if has_han(unit.sentences[number].text) else _NEAR
    for a, b in combinations(present, 2):
        gap = min(abs(x - y) for x in starts[a] for y in starts[b])
        steps = abs(order.index(a) - order.index(b))
        near = max(0.0, 1 - gap / reach)
        crowd = 0.25 * max(len(present) - _FEW, 0)
        weight = TOGETHER + 2.5 * near + 1.5 / steps - crowd
        yield Pair((a, b), (number,), max(weight, TOGETHER))


def _neighbours(unit: Unit, number: int) -> Iterator[Pair]:
    """Yield the pairs of a sentence and the one before it."""
    before, here = unit.sentences[number - 1], unit.sentences[number]
    if before.role in ("header", "title") or here.role == "row":
        return
    old = [at for at in unit.present[number - 1] if at not in unit.present[number]]
    new = [at for at in unit.present[number] if at not in unit.present[number - 1]]
    weight = NEIGHBOURS
    if meant := unit.meant(number):
        old, weight = [at for at in meant if at in old], MEANT
    if len(old) * len(new) <= _FEW:
        for a in old:
            for b in new:
                yield _pair(a, b, (number - 1, number), weight)


def _led_in(unit: Unit) -> Iterator[Pair]:
    """Yield the names of a sentence that leads in a list or table with those of its items."""
    lead = -1
    for number, sentence in enumerate(unit.sentences):
        if sentence.role == "body" and sentence.text.endswith((":", "：")):
            lead = number
        elif sentence.role == "row" and lead < 0:
            lead = number - 1
        elif sentence.role != "row" and not _is_item(unit, number):
            lead = -1
        if 0 <= lead < number and len(unit.present[lead]) <= _FEW:
            for a in unit.present[lead]:
                rest = (b for b in unit.present[number] if a != b)
                yield from (_pair(a, b, (lead, number), MEANT) for b in rest)


def _is_item(unit: Unit, number: int) -> bool:
    """Whether a sentence stands behind a bullet or number that was taken off."""
    sentence = unit.sentences[number]
    raw = unit.text[sentence.start : sentence.end]
    return sentence.role == "body" and not raw.startswith(sentence.text[:3])


def _signed(unit: Unit) -> Iterator[Pair]:
    """Yield who signed a document with who is named in its header."""
    headers = [
        at for n, s in enumerate(unit.sentences) if s.role == "header" for at in unit.present[n]
    ]
    for number in range(len(unit.sentences)):
        if unit.is_signature(number):
            for a in unit.present[number]:
                yield from (_pair(a, b, (number,), SIGNED) for b in headers if a != b)


def _titled(unit: Unit) -> Iterator[Pair]:
    """Yield what the title names with what the sentences after it name."""
    titles = [n for n, s in enumerate(unit.sentences) if s.role == "title" and unit.present[n]]
    if not titles or len(unit.present[titles[0]]) > _FEW:
        return
    top, weight = titles[0], OPENING
    for number in range(top + 1, len(unit.sentences)):
        if unit.sentences[number].role in ("body", "row"):
            for a in unit.present[top]:
                rest = (b for b in unit.present[number] if a != b)
                yield from (_pair(a, b, (top, number), weight) for b in rest)
            weight = TITLED


def _kin(unit: Unit) -> Iterator[Pair]:
    """Yield people of one surname who are named soon after each other."""
    people = [(at, name) for at, name in enumerate(unit.names) if name.kind == "person"]
    first = {at: next((n for n, p in enumerate(unit.present) if at in p), 0) for at, _ in people}
    for (a, one), (b, other) in combinations(people, 2):
        surnames = [name.text.replace("·", " ").split()[-1] for name in (one, other)]
        near = abs(first[a] - first[b]) <= _KIN_REACH
        if surnames[0] == surnames[1] and near and one.text != surnames[0] != other.text:
            numbers = tuple(sorted({first[a], first[b]}))
            yield _pair(a, b, numbers, KIN)
