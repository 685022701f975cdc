"""Find sentences in prose, lists and tables, and what a cut before each is worth."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

# What a cut is worth: where there is a choice, text units are cut at the lowest.
PARAGRAPH, LINE, SENTENCE, PIECE = range(4)

_BREAK = re.compile(
    r"(?=[\n.!?…。！？｡])"  # nowhere else need the rest be tried: four times as quick
    r"(?:(?P<paragraph>\n[^\S\n]*\n)"
    r"|(?P<line>\n)"
    r"|(?<![.!?…])(?P<stop>[.!?…]++)[\"'”’»)\]*_]*+(?=\s)"
    r"|(?P<wide>[。！？｡]++)[”’」』）】》\"']*+)"
)
_SPACE = re.compile(r"\s*")
_ITEM = re.compile(r"[ \t]*(?:[-*+•·‣◦][ \t]|\d{1,3}[.)、])")
_ROW = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]|\||>|```|~~~|\u3000|\[[\d:.]+\]|[A-Z][\w-]*(?: [\w-]+){0,2}:[ \t])"
)
_INDENT = 64  # characters before the number of a list item; a line may be as long as a book
_LAST_WORD = re.compile(r"[\w.]+$")
_ABBREVIATIONS = re.compile(
    r"mrs?|ms|messrs|dr|st|mt|prof|rev|fr|hon|sir|gen|col|maj|cap?t|cpt|lt|sgt|cmdr|adm|gov|sen|rep"
    r"|pres|jr|sr|inc|ltd|co|corp|bros|dept|univ|assn|nos?|vols?|ch|figs?|eq|sec|art|pp?|eds?"
    r"|cf|vs|viz|al|approx|est|ca|e\.g|i\.e|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_EXTENDING = re.compile(
    r"[\u200c\u200d\ufe00-\ufe0f\u1160-\u11ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_FLAG_HALF = re.compile(r"[\U0001f1e6-\U0001f1ff]")
_FLAG_HALVES = re.compile(r"[\U0001f1e6-\U0001f1ff]*\Z")


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the character spans of sentences, in order, without the white space around them.

    A heading, list item or table row is a sentence of its own; a line that was only wrapped isn't.
    """
    starts = [start for start, _ in breaks(text)]
    return [
        (start, start + len(text[start:stop].rstrip()))
        for start, stop in pairwise([*starts, len(text)])
    ]


def breaks(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence starts, and the worth of a cut there."""
    last, worth = skip_space(text, 0), PARAGRAPH
    if last == len(text):
        return
    for match in _BREAK.finditer(text, last):
        rank = _rank(text, match)
        if rank is None:
            continue
        start = skip_space(text, match.end())
        if start == last:
            worth = min(rank, worth)
        elif start < len(text) and not joined(text, start):
            yield last, worth
            last, worth = start, rank
    yield last, worth


def skip_space(text: str, position: int) -> int:
    """Return where the white space at a position ends."""
    match = _SPACE.match(text, position)
    return match.end() if match else position


def joined(text: str, position: int) -> bool:
    """Whether a reader sees the character here and the one before it as one sign."""
    before, here = text[position - 1], text[position]
    if before == "\u200d" or before + here == "\r\n":
        return True
    if here.isascii():
        return False
    if _EXTENDING.match(here) or unicodedata.category(here).startswith("M"):
        return True
    if not _FLAG_HALF.match(here):
        return False
    halves = _FLAG_HALVES.search(text[max(0, position - 256) : position])
    return halves is not None and len(halves.group()) % 2 == 1


def _rank(text: str, match: re.Match[str]) -> int | None:
    """Return the worth of a possible break, None if the sentence goes on."""
    if match.lastgroup == "paragraph":
        return PARAGRAPH
    if match.lastgroup == "wide":
        return SENTENCE
    if match.lastgroup == "line":
        return LINE if _line_ends(text, match.start()) else None
    return SENTENCE if _stop_ends(text, match) else None


def _line_ends(text: str, newline: int) -> bool:
    """Whether a line break is meant, and not just the width of a page."""
    if text[newline - 1] in "。！？":
        return True
    start, following = text.rfind("\n", 0, newline) + 1, newline + 1
    if _ROW.match(text, following) or _ITEM.match(text, following) or _ROW.match(text, start):
        return True
    return bool(_ITEM.match(text, start)) and not text.startswith((" ", "\t"), following)


def _stop_ends(text: str, match: re.Match[str]) -> bool:
    """Whether a full stop, ! or ? ends the sentence; not before lower case or after Mr."""
    position = skip_space(text, match.end())
    if text[position : position + 1].islower():
        return False
    return match["stop"] != "." or not _abbreviated(text, match.start())


def _abbreviated(text: str, stop: int) -> bool:
    """Whether the full stop belongs to the word before it: Mr. e.g. M. U.S., or 3. in a list."""
    found = _LAST_WORD.search(text[max(0, stop - 12) : stop])
    word = found.group() if found else ""
    if word.isdigit():
        near = max(0, stop - _INDENT)
        line = max(near, text.rfind("\n", near, stop) + 1)
        return _ITEM.fullmatch(text, line, stop + 1) is not None
    last = word.rpartition(".")[2]
    initial = len(last) == 1 and last.isupper()
    return initial or _ABBREVIATIONS.fullmatch(word.lower()) is not None
