"""Finders of Chinese names: each proposes forms with a kind and a weight, by one sign."""

# ruff: noqa: PLR2004 - the lengths of words are what these rules are about

import functools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphrag_assets.models.offline import words_zh as words
from graphrag_assets.models.offline.prose import HAN

_SOUND = "[" + "".join(sorted(words.SOUNDS)) + "]"
_DOTTED = re.compile(f"{_SOUND}{{1,6}}(?:[·・•]{_SOUND}{{1,7}})+")
_HAN_ONLY = re.compile(f"[{HAN}]+")
_QUOTED = re.compile(r"[“「『]([^“”「」『』，。！？；：、\s]{1,10})[”」』]")
_BOOK = re.compile(r"《([^《》\n]{1,30})》")
_CODE = re.compile(
    r"(?:([\u4e00-\u9fff]{2,4}))?((?<![A-Za-z0-9-])[A-Z][A-Za-z]*(?:-[A-Z0-9]+)+(?![A-Za-z0-9-]))"
)
_NUMBERED = re.compile(r"([一二三四五六七八九十]{1,3}号)([\u4e00-\u9fff]{2})")
_NUMERALS = frozenset("一二三四五六七八九十百千万亿零两几第0123456789")
_NO_SHIP = frozenset("编型账符记信句问逗顿外称病年尾代档字暗旗口星备证牌拨挂幼番调")
_PAPERS = ("报", "杂志", "周刊", "新闻", "邮报", "通讯")
_PROPER_TAGS = ("ns", "nsf", "nr", "nrt", "nz", "nt", "j", "g", "zg")
_NO_PEOPLE = ("号", "人", "者", "员", "们", "信")
RARE, KNOWN = 300, 30
MAX_LENGTH = 14


@dataclass(frozen=True)
class Word:
    """A word with its tag and place."""

    text: str
    tag: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Found:
    """A proposed form: its kind, and how sure the finder is."""

    text: str
    kind: str
    weight: float


def propose(text: str) -> Iterator[Found]:
    """Yield every form that a finder takes for a name."""
    tagged = _tagged(text)
    starts = {word.start for word in tagged}
    counts = Counter(word.text for word in tagged)
    people = list(_dotted(text, starts))
    yield from people
    yield from _quoted(text)
    yield from _coded(text)
    for at in range(len(tagged)):
        yield from _suffixed(tagged, at)
        yield from _ship(tagged, at)
        yield from _foreign(tagged, at)
        yield from _person(tagged, at, counts)
        yield from _place(tagged, at)
    yield from _agents(text, tagged, people)
    yield from _storms(tagged)


@functools.cache
def is_rare(word: str) -> bool:
    """Whether the dictionary lacks a word, or hardly ever saw it."""
    import rjieba

    return not rjieba.has_word(word) or rjieba.suggest_freq(word) <= RARE


def _frequency(word: str) -> int:
    import rjieba

    return int(rjieba.suggest_freq(word)) if rjieba.has_word(word) else 0


@functools.cache
def _is_word(word: str) -> bool:
    import rjieba

    return bool(rjieba.has_word(word))


def _tagged(text: str) -> list[Word]:
    import rjieba

    words_found, at = [], 0
    for word, tag in rjieba.tag(text):
        at = text.index(word, at)
        if word != " ":
            words_found.append(Word(word, tag, at))
        at += len(word)
    return words_found


def _word(tagged: Sequence[Word], at: int) -> Word:
    return tagged[at] if 0 <= at < len(tagged) else Word("", "x", -1)


def _dotted(text: str, starts: set[int]) -> Iterator[Found]:
    """Yield names with a dot between their parts, without the words that only touch them."""
    for match in _DOTTED.finditer(text):
        start, end = match.span()
        first, last = re.split("[·・•]", match[0])[0], re.split("[·・•]", match[0])[-1]
        before, behind = text[max(0, start - 1) : start], text[end : end + 1]
        joined = start not in starts and _is_word(before + first[0])
        if len(first) > 1 and (first[0] in words.FUNCTION_START or (joined and len(first) > 2)):
            start += 1
        title = next((t for t in words.TITLES if last.endswith(t) and len(last) - len(t) > 1), "")
        if title:
            end -= len(title)
        elif len(last) > 2 and behind and end not in starts and _is_word(last[-1] + behind):
            end -= 1
        yield Found(text[start:end], "person", 5)


def _quoted(text: str) -> Iterator[Found]:
    for match in _BOOK.finditer(text):
        kind = "organization" if match[1].endswith(_PAPERS) else "product"
        yield Found(match[1], kind, 4)
    for match in _QUOTED.finditer(text):
        form, before = match[1], text[max(0, match.start() - 4) : match.start()]
        event = next((first for first in words.EVENT_FIRST if before.endswith(first)), "")
        if form.endswith("号") and len(form) > 1 and not set(form[:-1]) & _NUMERALS:
            yield Found(form, "vessel", 6)
        elif event:
            yield Found(form, "event", 6)
        elif any(form.endswith(suffix) and len(form) > len(suffix) for suffix in words.FACILITY):
            yield Found(form, "facility", 4)


def _coded(text: str) -> Iterator[Found]:
    for match in _CODE.finditer(text):
        noun = next((n for n in words.DOCUMENTS if (match[1] or "").endswith(n)), "")
        if any(character.isdigit() for character in match[2]):
            yield Found(noun + match[2], "document" if noun else "product", 4)
    for match in _NUMBERED.finditer(text):
        if match[2] in words.FACILITY:
            yield Found(match[0], "facility", 4)


def _suffixed(tagged: Sequence[Word], at: int) -> Iterator[Found]:
    """Yield the run of nouns that ends with a naming suffix at this word."""
    word = tagged[at]
    kind, suffix = _suffix(word)
    if not kind:
        return
    start = at
    while start > 0 and _goes_on(tagged, start - 1, at):
        start -= 1
    while start < at and tagged[start].text in words.VERBISH:
        start += 1
    run = tagged[start : at + 1]
    if _is_full(run, suffix, kind):
        sure = suffix not in words.SHORT_ORGANIZATION or _is_proper(run)
        yield Found("".join(part.text for part in run), kind, 4 if sure else 1)
        yield from _towns(run)


def _suffix(word: Word) -> tuple[str, str]:
    kinds = (("organization", words.ORGANIZATION), ("facility", words.FACILITY),
             ("place", words.PLACE), ("event", words.EVENT))  # fmt: skip
    for kind, suffixes in kinds:
        fits = [suffix for suffix in suffixes if word.text.endswith(suffix)]
        if fits:
            return kind, max(fits, key=len)
    return "", ""


def _goes_on(tagged: Sequence[Word], at: int, last: int) -> bool:
    """Whether the word at `at` belongs to the name that ends with the word at `last`."""
    word, behind = tagged[at], tagged[at + 1]
    if tagged[last].end - word.start > MAX_LENGTH or not _HAN_ONLY.fullmatch(word.text):
        return False
    if word.text in words.STOP_LEFT | words.ROLES | words.EVENT_FIRST or word.tag in ("m", "q"):
        return False
    party = word.text.endswith(words.PARTIES) and len(word.text) > 1 and word.tag != "ns"
    if party and behind.text not in words.PEOPLE_GROUPS:
        return False
    if word.text in words.ORGANIZATION_VERBS:
        return True
    if (
        word.tag.startswith(("n", "j", "l", "s", "g", "zg", "b", "vn", "f", "a"))
        and word.tag != "nrt"
    ):
        return word.tag != "vn"
    sound = set(word.text) <= words.SOUNDS
    before = _word(tagged, at - 1)
    return word.tag == "nrt" or (
        sound and len(word.text) == 1 and before.tag in ("nrt", "nr", "nz")
    )


def _is_full(run: Sequence[Word], suffix: str, kind: str) -> bool:
    form = "".join(word.text for word in run)
    stem = form[: -len(suffix)]
    proper = _is_proper(run) or (len(run) == 1 and is_rare(form) and len(stem) > 1)
    if not stem or form in words.COMMON or stem in words.ORGANIZATION | words.GENERIC_STEMS:
        return False
    if kind == "organization":
        return len(stem) > 1
    if kind == "event":
        return len(run) > 1 and proper
    if len(suffix) > 1:
        return proper
    if form[0] in _NUMERALS:
        return False
    foreign = set(stem) <= words.SOUNDS
    short = 2 < len(form) <= 4 and len(run) <= 2 and not words.VERB_STARTS & set(form)
    return proper and (short or (foreign and 2 < len(form) <= 7))


def _is_proper(run: Sequence[Word]) -> bool:
    return any(word.tag in _PROPER_TAGS or is_rare(word.text) for word in run[:-1])


def _towns(run: Sequence[Word]) -> Iterator[Found]:
    """Yield the town that a longer name begins with: 隼角镇 of 隼角镇码头."""
    for at in range(len(run) - 1):
        form = "".join(word.text for word in run[: at + 1])
        if form[-1] in "镇市县省州" and len(form) > 2:
            yield Found(form, "place", 2)


def _ship(tagged: Sequence[Word], at: int) -> Iterator[Found]:
    word = tagged[at]
    if not word.text.endswith("号") or word.text in words.NO_NAMES:
        return
    stem, start = word.text[:-1], at
    while len(stem) < 2 and start > 0:
        start -= 1
        if not _HAN_ONLY.fullmatch(tagged[start].text) or tagged[start].tag[0] in "pucdr":
            return
        stem = tagged[start].text + stem
    if set(stem) & _NUMERALS or stem[-1] in _NO_SHIP or not 2 <= len(stem) <= 6:
        return
    if stem[0] in words.STOP_LEFT or stem[0] in words.VERBISH:
        stem = stem[1:]
    if len(stem) > 1:
        yield Found(stem + "号", "vessel", 2)


def _foreign(tagged: Sequence[Word], at: int) -> Iterator[Found]:
    """Yield a name written by sound, by the title, verb or preposition beside it: 法尔克法官."""
    if "·" in (_word(tagged, at - 1).text, _word(tagged, at - 2).text) or _is_sound(tagged, at - 1):
        return
    run: list[Word] = []
    while _is_sound(tagged, at + len(run)) and len(run) < 4:
        run.append(tagged[at + len(run)])
    form = "".join(word.text for word in run)
    before, behind = _word(tagged, at - 1), _word(tagged, at + len(run))
    if not 2 <= len(form) <= 7 or behind.text in ("·", "号"):
        return
    if behind.text in words.TITLES and not _is_common(form):
        yield Found(form, "person", 3)
    elif len(form) > 2 and (len(run) > 1 or is_rare(form)):
        yield _strange(form, before, behind, sure=len(form) > 3 and len(run) > 1)


def _strange(form: str, before: Word, behind: Word, *, sure: bool) -> Found:
    """Return what a form is that no Chinese word looks like."""
    if before.text in words.ROLES:
        return Found(form, "person", 3)
    if before.text in words.BEFORE_PLACE or _suffix(behind)[0] in ("place", "facility"):
        return Found(form, "place", 2.5)
    if behind.text in words.SPEECH:
        return Found(form, "person", 2.5)
    return Found(form, "person", 2 if sure else 1.2)


def _is_common(form: str) -> bool:
    return form in words.NO_NAMES or form in words.COMMON or form in words.ROLES


def _is_sound(tagged: Sequence[Word], at: int) -> bool:
    word = _word(tagged, at)
    if not word.text or not set(word.text) <= words.SOUNDS or _is_common(word.text):
        return False
    if word.text in words.FUNCTION_START or word.tag in ("p", "c", "u", "r", "d", "t", "m", "q"):
        return False
    if word.tag in ("nr", "nrt", "nz", "ns", "nsf", "g", "zg", "j", "x"):
        return True
    return len(word.text) == 1 and _word(tagged, at - 1).tag in ("nrt", "nr", "nz")


def _person(tagged: Sequence[Word], at: int, counts: Counter[str]) -> Iterator[Found]:
    """Yield a Chinese name: a surname that begins a word which is tagged as a name."""
    word = tagged[at]
    before, behind = _word(tagged, at - 1), _word(tagged, at + 1)
    if word.tag != "nr" or "·" in (before.text, behind.text) or word.text.endswith(_NO_PEOPLE):
        return
    form, speaks = word.text, behind.text in words.SPEECH
    if len(form) > 2 and (form[-1] in words.VERB_ENDS or counts[form[:-1]] >= counts[form]):
        form, speaks = form[:-1], True
    if _is_common(form):
        return
    beside = speaks or before.text in words.ROLES or behind.text in words.TITLES
    listed = "、" in (before.text, behind.text)
    if _is_person(form):
        known = form[0] in words.COMMON_SURNAMES and _frequency(form) > KNOWN
        yield Found(form, "person", 2.5 if beside else 2 if known else 1.2 if listed else 0.8)
    elif len(form) == 2 and speaks:
        yield Found(form, "person", 1.5)


def _is_person(form: str) -> bool:
    if form[:2] in words.DOUBLE_SURNAMES:
        return len(form) in (3, 4)
    return form[0] in words.SURNAMES and len(form) in (2, 3)


def _place(tagged: Sequence[Word], at: int) -> Iterator[Found]:
    word, before, behind = tagged[at], _word(tagged, at - 1), _word(tagged, at + 1)
    if word.text in words.PLACES:
        yield Found(word.text, "place", 2)
    elif word.tag in ("ns", "nsf") and len(word.text) > 1 and not _is_common(word.text):
        sign = before.text in words.BEFORE_PLACE or behind.text in words.AFTER_PLACE
        yield Found(word.text, "place", 2 if sign else 0.3)
    elif word.tag == "nt" and len(word.text) > 2:
        yield Found(word.text, "organization", 2)


def _storms(tagged: Sequence[Word]) -> Iterator[Found]:
    """Yield the named storms and the like: 风暴埃达."""
    for at, word in enumerate(tagged):
        if word.text in words.EVENT_FIRST and _is_sound(tagged, at + 1):
            yield Found(word.text + tagged[at + 1].text, "event", 5)


def _agents(text: str, tagged: Sequence[Word], people: Sequence[Found]) -> Iterator[Found]:
    """Yield a place name with a noun behind it that acts like a company: 海宁潮汐."""
    signs: Counter[str] = Counter()
    for at in range(len(tagged) - 1):
        first, second = tagged[at], tagged[at + 1]
        if first.tag not in ("ns", "nz", "j") or not second.tag.startswith("n"):
            continue
        if len(first.text) != 2 or len(second.text) != 2 or first.text in words.PLACES:
            continue
        if _is_common(second.text) or second.text in words.TITLES:
            continue
        signs[first.text + second.text] += _acts(text, tagged, at, people)
    for form, count in sorted(signs.items()):
        if count >= 2:
            yield Found(form, "organization", 3)


def _acts(text: str, tagged: Sequence[Word], at: int, people: Sequence[Found]) -> int:
    before, behind, next_one = (_word(tagged, at + step) for step in (-1, 2, 3))
    end = tagged[at + 1].end
    owns = any(text.startswith(("的" + person.text, person.text), end) for person in people)
    cell = before.text == "|" and behind.text == "|"
    signs = [
        behind.text in words.SPEECH or (behind.tag == "d" and next_one.tag.startswith("v")),
        behind.text in words.ROLES or next_one.text in words.ROLES,
        before.text
        in ("企业", "公司", "集团", "由", "让", "被", "向", "与", "和", "准许", "—", "——"),
        before.text in ("（", "(", "“") and behind.text in ("）", ")", "”"),
        behind.text in ("与", "和", "将", "就", "把", "按", "为", "已", "（", "指定", "本月"),
        owns,
        cell,
    ]
    clean = before.tag == "x" and any(signs)
    return sum(signs) + clean + owns + cell
