"""Plain helpers on prose: Markdown taken off, header lines, the terms that carry meaning."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphrag_assets import text as texts

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HAN = re.compile(f"[{HAN}]")
_MARKUP = re.compile(
    r"^\s*(?:#{1,6}\s+|>\s?|[-*+•]\s+|\|\s*)+|\s*\|\s*$|\*\*|__|`|^\s*\|?[\s:|-]{3,}$", re.MULTILINE
)
_CELLS = re.compile(r"\s*\|\s*")
_NUMBER = re.compile(
    r"^(?:\d{1,2}[.)、]|[(（][\w一二三四五六七八九十]{1,3}[)）]|[一二三四五六七八九十]{1,3}、)\s*"
)
_LINE = re.compile(r"[^\n]*(?:\n|$)")
MAX_HEADER, MAX_QUOTATION, SHORT_TERM = 120, 600, 4
_SAYS = re.compile(r"[^。！？\n]{1,40}(?:说|称|表示|道|问|指出|回答|写道)")
_HEADER = re.compile(r"^([A-Z][A-Za-z -]{1,18}|[\u4e00-\u9fff]{2,4})\s*[:：]\s*(\S.*)$")
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "on",
        "at",
        "by",
        "for",
        "from",
        "with",
        "and",
        "or",
        "but",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "it",
        "its",
        "he",
        "his",
        "she",
        "her",
        "they",
        "them",
        "their",
        "this",
        "that",
        "these",
        "those",
        "as",
        "not",
        "no",
        "what",
        "which",
        "who",
        "whom",
        "whose",
        "when",
        "where",
        "why",
        "how",
        "much",
        "many",
        "will",
        "would",
        "can",
        "could",
        "should",
        "may",
        "might",
        "than",
        "then",
        "so",
        "if",
        "into",
        "about",
        "over",
        "after",
        "before",
        "also",
        "i",
        "we",
        "you",
        "our",
        "your",
        "me",
        "my",
        "us",
        "him",
        "there",
        "here",
        "all",
        "any",
        "each",
        "other",
        "some",
        "such",
        "only",
        "own",
        "same",
        "too",
        "very",
        "just",
        "says",
        "said",
        "say",
        "one",
        "up",
        "out",
        "were",
        "being",
    ]
)
_FUNCTION = frozenset(
    "的了在是和与及或被把将由从到对向于为因给让之其这那哪谁什么吗呢有也都又就还而且但若则他她它们我你"
)


@dataclass(frozen=True)
class Sentence:
    """A sentence of a text and its place. `role`: title, header, body or row."""

    text: str
    start: int
    end: int
    role: str


def plain(text: str) -> str:
    """Return a sentence on one line, without Markdown and list numbers around it."""
    bare = _CELLS.sub("; ", _MARKUP.sub("", text)) if "|" in text else _MARKUP.sub("", text)
    return re.sub(r"\s+", " ", _NUMBER.sub("", bare.strip())).strip(" ;")


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text, each with what part of a document it is.

    What is said in one pair of quotation marks, and who says it, stays together.
    """
    top = _header_end(text)
    spans: list[tuple[int, int]] = []
    for start, end in texts.sentences(text):
        if spans and end > top and _belongs(text, spans[-1], (start, end)):
            spans[-1] = (spans[-1][0], end)
        elif end > top or text.startswith("#", start):
            spans.append((start, end))
    found = [
        Sentence(plain(text[start:end]), start, end, _role(text[start:end])) for start, end in spans
    ]
    kept = [sentence for sentence in found if any(c.isalnum() for c in sentence.text)]
    return sorted([*_headers(text, top), *kept], key=lambda sentence: sentence.start)


def _headers(text: str, top: int) -> Iterator[Sentence]:
    """Yield the values of header lines that say more than a date."""
    for match in _LINE.finditer(text, 0, top):
        line = _HEADER.match(match[0].strip())
        if line and any(character.isalpha() for character in line[2]):
            yield Sentence(plain(line[2]), match.start(), match.end(), "header")


def _belongs(text: str, before: tuple[int, int], here: tuple[int, int]) -> bool:
    """Whether a sentence continues the quotation that the one before it opened."""
    if "\n" in text[before[1] : here[0]] or here[1] - before[0] > MAX_QUOTATION:
        return False
    body, rest = text[slice(*before)], text[slice(*here)]
    if body.count("“") > body.count("”") or body.count('"') % 2:
        return "”" in rest or '"' in rest
    return body.startswith("“") and body.endswith("”") and bool(_SAYS.match(rest))


def terms(text: str) -> list[str]:
    """Return the search terms of a text that carry meaning."""
    return [_stem(term) for term in texts.terms(text) if _carries(term)]


def _stem(term: str) -> str:
    """Return a term without English endings: rescued, rescuing, rescue are one."""
    if not term.isascii() or not term.isalpha() or len(term) < SHORT_TERM:
        return term
    for ending in ("ing", "ed", "e", "ly"):
        if term.endswith(ending) and len(term) - len(ending) >= SHORT_TERM - 1:
            return term.removesuffix(ending)
    return term


def header(text: str) -> dict[str, str]:
    """Return the lines `Key: value` at the top of a text."""
    lines = text[: _header_end(text)].splitlines()
    return {
        match[1].casefold(): match[2] for line in lines if (match := _HEADER.match(line.strip()))
    }


def has_han(text: str) -> bool:
    """Whether a text has Chinese characters."""
    return bool(_HAN.search(text))


def is_chinese(text: str) -> bool:
    """Whether answers on this text are to be in Chinese."""
    return texts.language(text) == "zh"


def _carries(term: str) -> bool:
    if term in _STOP or (len(term) == 1 and term.isascii() and not term.isdigit()):
        return False
    return not (set(term) & _FUNCTION)


def _header_end(text: str) -> int:
    """Return where the block of lines `Key: value` ends that may stand on top, below a title."""
    end, is_open = 0, False
    for match in _LINE.finditer(text):
        line = match[0].strip()
        if _HEADER.match(line) and len(line) < MAX_HEADER:
            end, is_open = match.end(), True
        elif is_open or (line and not line.startswith("#")):
            break
    return end


def _role(body: str) -> str:
    if body.startswith("#"):
        return "title"
    if body.lstrip().startswith("|"):
        return "row"
    return "body"
