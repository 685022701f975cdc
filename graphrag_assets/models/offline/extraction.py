"""Entities and relationships of one text unit.

An entity's description is made of the one or two sentences that say most about it.
"""

import re
from collections.abc import Sequence

from graphrag_assets.models.offline import names, relations, units, words_en, words_zh
from graphrag_assets.models.offline.prose import has_han
from graphrag_assets.models.offline.units import Unit
from graphrag_assets.models.replies import ExtractedEntity, Extraction

_ROLE = re.compile(
    r"^(?:,? (?:is|was|are|were|owns?|owned|belongs|founded|has been) |, (?:an?|the) | \(|"
    r"[,，]?(?:是|为|属于|担任|位于))"
)
_FIGURE = re.compile(r"\d|[一二三四五六七八九十百千万亿]+(?:台|人|条|年|次|万|亿|克朗|元|公里|艘)")
_ROLES_BEFORE = tuple(words_zh.ROLES)
_FAIR, _LONG = (40, 260), 400
_CROWD = 3


def extract(text: str, types: Sequence[str]) -> Extraction:
    """Return what a text unit says of the things it names."""
    unit = units.read(text)
    entities = [
        ExtractedEntity(
            name=name.text[:200],
            type=names.listed(name.kind, types)[:60],
            description=_description(unit, at),
        )
        for at, name in enumerate(unit.names)
    ]
    return Extraction(entities=entities, relationships=relations.between(unit))


def _description(unit: Unit, at: int) -> str:
    places = [number for number, present in enumerate(unit.present) if at in present]
    if not places:
        return ""
    worth = {number: _worth(unit, at, number) for number in places}
    ranked = sorted(places, key=lambda number: (-worth[number], number))
    chosen = [number for number in ranked[:2] if worth[number] > 0] or ranked[:1]
    parts = list(dict.fromkeys(unit.dated(number) for number in sorted(chosen)))
    text = ("" if has_han(parts[0]) else " ").join(parts)
    return text if len(text) <= units.MAX_TEXT else units.cut(unit.dated(ranked[0]))


def _worth(unit: Unit, at: int, number: int) -> float:
    """Return how much a sentence says about a name: role, early place, figures, a fair length."""
    sentence = unit.sentences[number]
    first = unit.places(at, number)[0][0]
    length = len(sentence.text) * (2.5 if has_han(sentence.text) else 1)
    worth = 1.0 - (first - sentence.start) / max(sentence.end - sentence.start, 1)
    worth += 0.8 * bool(_FIGURE.search(sentence.text)) + 0.8 * _has_role(unit, at, number)
    worth += 0.5 * (_FAIR[0] <= length <= _FAIR[1]) - 0.5 * (length > _LONG)
    worth -= 0.13 * max(len(unit.present[number]) - _CROWD, 0)
    worth -= {"title": 0.6, "header": 2.5, "row": 0.5}.get(sentence.role, 0)
    return worth - 1.5 * unit.is_signature(number) - 0.7 * sentence.text.endswith(("?", "？"))


def _has_role(unit: Unit, at: int, number: int) -> bool:
    """Whether the words around a name say who or what it is."""
    for start, end in unit.places(at, number):
        if _ROLE.match(unit.text[end : end + 20]):
            return True
        before = unit.text[unit.sentences[number].start : start].rstrip()
        nouns = words_en.NOUNS["person"]
        if before.endswith(_ROLES_BEFORE) or before.rpartition(" ")[2].strip(",") in nouns:
            return True
    return False
