"""Dates as they are written, as YYYY-MM-DD."""

import re
from collections.abc import Callable, Iterator

from graphrag_assets.models.offline.prose import header

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS), "sept"])
_ISO = re.compile(r"\b(1\d{3}|20\d{2})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b")
_DAY_FIRST = re.compile(
    rf"\b([0-3]?\d)(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?(?:,? (1\d{{3}}|20\d{{2}}))?",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"\b({_MONTH})\b\.? ([0-3]?\d)(?:st|nd|rd|th)?\b(?:,? (1\d{{3}}|20\d{{2}}))?", re.IGNORECASE
)
_MONTH_ONLY = re.compile(rf"\b({_MONTH})\b\.? (1\d{{3}}|20\d{{2}})\b", re.IGNORECASE)
_CHINESE = re.compile(
    r"(?:(1\d{3}|20\d{2})年)(?:([01]?\d|[一二三四五六七八九十]{1,3})月)?(?:([0-3]?\d)日)?"
    r"|(?<![\d年])([01]?\d)月([0-3]?\d)日"
)
_YEAR = re.compile(r"\b(?:in|of|since|by|from|until) (1\d{3}|20\d{2})\b")
_NUMERALS = ("", *"一二三四五六七八九十", "十一", "十二")
LONGEST = 31
_KEYS = ("date", "日期", "published", "时间")


def of_document(text: str) -> str:
    """Return the date in the header of a text, or nothing."""
    top = header(text)
    found = (next(all_in(top[key], ""), "") for key in _KEYS if key in top)
    return next((date for date in found if date), "")


def all_in(text: str, default: str) -> Iterator[str]:
    """Yield the dates of a sentence in order; one without a year takes that of the default."""
    found: dict[int, str] = {}
    taken = [False] * len(text)
    for pattern, read in _PATTERNS:
        for match in pattern.finditer(text):
            if not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = [True] * len(match[0])
                found[match.start()] = _date(*read(match, default[:4]))
    yield from dict.fromkeys(found[at] for at in sorted(found) if found[at])


def _chinese(match: re.Match[str], year: str) -> tuple[str, str, str]:
    if match[4]:
        return year, match[4], match[5]
    return match[1] or "", match[2] or "", match[3] or ""


_PATTERNS: tuple[
    tuple[re.Pattern[str], Callable[[re.Match[str], str], tuple[str, str, str]]], ...
] = (
    (_ISO, lambda match, _: (match[1], match[2], match[3])),
    (_DAY_FIRST, lambda match, year: (match[3] or year, match[2], match[1])),
    (_MONTH_FIRST, lambda match, year: (match[3] or year, match[1], match[2])),
    (_MONTH_ONLY, lambda match, _: (match[2], match[1], "")),
    (_CHINESE, _chinese),
    (_YEAR, lambda match, _: (match[1], "", "")),
)


def _month(word: str) -> int:
    if word.isdigit():
        return int(word) if 1 <= int(word) <= len(_MONTHS) else 0
    if word in _NUMERALS:
        return _NUMERALS.index(word)
    return next(
        (at + 1 for at, name in enumerate(_MONTHS) if name.startswith(word.casefold()[:3])), 0
    )


def _date(year: str, word: str, day: str) -> str:
    month = _month(word)
    if not year:
        return ""
    if not month:
        return year
    if not day or not 1 <= int(day) <= LONGEST:
        return f"{year}-{month:02}"
    return f"{year}-{month:02}-{int(day):02}"
