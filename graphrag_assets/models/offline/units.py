"""A text unit that was read: its sentences, the names in each, and the date of its document."""

import re
from dataclasses import dataclass, field
from functools import cached_property

from graphrag_assets.models.offline import dates, names
from graphrag_assets.models.offline.names import Name
from graphrag_assets.models.offline.prose import Sentence, has_han, sentences

MAX_NAMES = 100
MAX_TEXT = 600
_BYLINE = re.compile(
    r"^(?:by|text|(?:reporting|reported|prepared|kept|written|signed)(?: \w+)* (?:by|for)[^.]*|"
    r"author)\b"
    r"|^(?:记者|撰文|作者|编写|文)[:：]|[记编]写?。$|签字[:：]",
    re.IGNORECASE,
)
_PERSON = re.compile(r"^[\"“‘]?(?:He|She|His|Her|Him|Who)\b|^[“]?(?:他|她)")
_THING = re.compile(
    r"^[\"“‘]?(?:It|Its|They|Their|These|Both|This|The (?:company|firm|ship|vessel|bank|fund|"
    r"town|city|project|storm|"
    r"permit|agency|museum))\b|^[“]?(?:它|该|此|其|双方|公司)"
)
_SHORT, _FEW_SIGNS = 60, 8
_END = re.compile(r"[.!?…:;。！？：；]+[\"”’」』）)]*$")


@dataclass
class Unit:
    """A text unit: which names stand in which sentence."""

    text: str
    sentences: list[Sentence]
    names: list[Name]
    present: list[list[int]] = field(default_factory=list)

    @cached_property
    def date(self) -> str:
        """The date in the document's header, if it stands in this unit."""
        return dates.of_document(self.text)

    def places(self, at: int, number: int) -> list[tuple[int, int]]:
        """Return where a name stands in a sentence."""
        sentence = self.sentences[number]
        return [span for span in self.names[at].spans if sentence.start <= span[0] < sentence.end]

    def meant(self, number: int) -> list[int]:
        """Return which names of the sentence before the pronoun that begins this one may mean."""
        text = self.sentences[number].text
        before = self.present[number - 1] if number else []
        if _PERSON.match(text):
            return [at for at in before if self.names[at].kind in ("person", "vessel")][:2]
        if _THING.match(text):
            return [at for at in before if self.names[at].kind != "person"][:2]
        return []

    def is_signature(self, number: int) -> bool:
        """Whether a sentence only says who wrote, signed or published."""
        sentence = self.sentences[number]
        if sentence.role != "body" or len(sentence.text) > _SHORT or not self.present[number]:
            return False
        if _BYLINE.search(sentence.text):
            return True
        rest = sentence.text
        for at in self.present[number]:
            for start, end in self.places(at, number):
                rest = rest.replace(self.text[start:end], "")
        last = number == len(self.sentences) - 1
        bare = not rest.endswith("。") and not any(character.isdigit() for character in rest)
        return last and bare and len(rest) < (_FEW_SIGNS if has_han(rest) else 3 * _FEW_SIGNS)

    def dated(self, number: int) -> str:
        """Return a finished sentence; one without a date of its own gets that of its document."""
        sentence = self.sentences[number].text
        wide = has_han(sentence)
        ends = _END.search(sentence)
        body, end = (sentence[: ends.start()], ends[0]) if ends else (sentence, "")
        if self.date and not sentence.endswith((":", "：")) and not any(dates.all_in(sentence, "")):
            body += f"（{self.date}）" if wide else f" ({self.date})"
        return body + (end or ("。" if wide else "."))


def read(text: str) -> Unit:
    """Return a text unit's sentences and names, and where they meet."""
    unit = Unit(text, sentences(text), _most_frequent(names.find(text)))
    for sentence in unit.sentences:
        unit.present.append(
            [
                at
                for at, name in enumerate(unit.names)
                if any(sentence.start <= start < sentence.end for start, _ in name.spans)
            ]
        )
    return unit


def cut(text: str, limit: int = MAX_TEXT) -> str:
    """Return a text of at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _most_frequent(found: list[Name]) -> list[Name]:
    if len(found) <= MAX_NAMES:
        return found
    kept = sorted(found, key=lambda name: (-len(name.spans), name.spans[0]))[:MAX_NAMES]
    return sorted(kept, key=lambda name: name.spans[0])
