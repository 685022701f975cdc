"""The names that a text speaks of, each in its fullest form there, and where it stands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphrag_assets.models.offline.prose import HAN

Span = tuple[int, int]
_HAN = re.compile(f"[{HAN}]")
_LETTER = re.compile(r"[^\W\d_]")

# What a listed type may be called, by kind, the nearest first.
_THINGS = "object product artifact thing 物品 物体"
CALLED = {
    "person": "person people human individual character 人物 人",
    "organization": "organization organisation org company institution 组织 机构 公司",
    "place": "place location geo gpe geography 地点 地名 facility",
    "event": "event incident 事件",
    "vessel": f"vessel ship vehicle {_THINGS} facility asset place location geo organization",
    "facility": f"facility installation infrastructure {_THINGS} place location geo organization",
    "document": f"document law {_THINGS} work event concept",
    "product": f"product work technology {_THINGS} concept organization",
}


@dataclass(frozen=True)
class Name:
    """One name: its fullest form, what kind of thing it is, and where it stands."""

    text: str
    kind: str
    spans: tuple[Span, ...]


def find(text: str) -> list[Name]:
    """Return the names of a text in the order in which they first stand."""
    from graphrag_assets.models.offline import names_en, names_zh

    han = len(_HAN.findall(text))
    letters = len(_LETTER.findall(text)) - han
    found: list[Name] = []
    if han:
        found += names_zh.find(text)
    if letters and letters * 2 > han:
        found += names_en.find(text)
    return sorted(found, key=lambda name: (name.spans[0], name.text))


def listed(kind: str, types: Sequence[str]) -> str:
    """Return the listed type that is nearest to a kind; the last one, if none is near."""
    lower = {name.casefold(): name for name in reversed(types)}
    for word in CALLED.get(kind, kind).split():
        if word in lower:
            return lower[word]
    return types[-1] if types else kind
