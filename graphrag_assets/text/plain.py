"""Text in one form, the ids that follow from it, its language and its search terms."""

import base64
import hashlib
import re
import unicodedata
from functools import lru_cache

_MEGABYTE = 1 << 20
_NEWLINE = re.compile(r"\r\n?")
_ANSI = re.compile(  # colours and moves; titles and links; other commands of a terminal
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x9b\d[0-?]*[@-~]"
    r"|\x1b[]PX^_][^\x07\x1b\n]{0,1000}(?:\x07|\x1b\\)"
    r"|\x1b[()*+#%][0-9A-Z]|\x1b[=>78]"
)
_OVERSTRUCK = re.compile(r"[^\n]\x08")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SHAPE = re.compile(
    r"[^\s\u00ad\u034f\u061c\u115f\u1160\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def normalise(text: str) -> str:
    r"""Return the text that is hashed, split and shown.

    Newlines are \n, one BOM goes, so do terminal colours and control characters (tab and newline
    stay); a surrogate without its other half, which no file or model could be sent, is U+FFFD.
    """
    return cleaned(text)[0]


def cleaned(text: str) -> tuple[str, int]:
    """Return the text in normal form, and how many control characters went."""
    text = _NEWLINE.sub("\n", text.removeprefix("\ufeff"))
    n_before = len(text)
    text = _CONTROL.sub("", _OVERSTRUCK.sub("", _ANSI.sub("", text)))
    n_removed = n_before - len(text)
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text, n_removed


def is_blank(text: str) -> bool:
    """Whether a text says nothing: spaces, and marks that have no shape."""
    return _SHAPE.search(text) is None


def csp_source(code: str) -> str:
    """Return the source by which a Content-Security-Policy knows a script or style in its page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


def sha256(data: bytes | str) -> str:
    """Return the full hex digest of bytes, or of a text in UTF-8."""
    if isinstance(data, bytes):
        return hashlib.sha256(data).hexdigest()
    digest = hashlib.sha256()
    for start in range(0, len(data), _MEGABYTE):  # a long text isn't in memory twice
        digest.update(data[start : start + _MEGABYTE].encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def content_id(*parts: str) -> str:
    """Return the id of these parts, each with its length: ("ab", "c") isn't ("a", "bc")."""
    return sha256("".join(f"{len(part)}:{part}" for part in parts))[:32]


_SAMPLE = 20_000
_SCRIPTS = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "zh": re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "ar": re.compile(r"[\u0600-\u06ff\u0750-\u077f]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
}
_ASCII = re.compile(r"[\x00-\x7f]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_DENSE = {"ja": 3, "zh": 3, "ko": 3}  # one sign says as much as some letters


def language(text: str) -> str:
    """Return the language that the script tells: zh, ja, ko, ru, ar, he, el, hi, th, else en."""
    sample = text[:_SAMPLE]
    if sample.isascii():
        return "en"
    others = _ASCII.sub("", sample)
    shares = {
        name: len(script.findall(others)) * _DENSE.get(name, 1) for name, script in _SCRIPTS.items()
    }
    if shares["ja"] * 10 > shares["zh"]:  # Japanese is Chinese signs with kana between them
        shares["ja"] += shares["zh"]
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] > len(_LATIN.findall(sample)) else "en"


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_SIGN = re.compile(rf"[{_CJK}]")
_TERM = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['’./_-][^\W_{_CJK}]+)*")
_ASCII_TERM = re.compile(r"[a-z0-9]+(?:['./_-][a-z0-9]+)*")  # the same, in half the time
_JOINT = re.compile(r"[./_-]")
_PLURAL = re.compile(r"[a-z]{3,}s")
_UNFOLDED = ("ss", "us", "is")


def terms(text: str) -> list[str]:
    """Return the terms that search counts, in order.

    Words are casefolded, English plurals and possessives folded; a code (ceb-2031-17) stands whole
    and in parts; Chinese, Japanese and Korean come as pairs of signs.
    """
    if text.isascii():
        return [term for word in _ASCII_TERM.findall(text.lower()) for term in _word_terms(word)]
    found: list[str] = []
    for word in _TERM.findall(unicodedata.normalize("NFKC", text).casefold()):
        if not word.isascii() and _SIGN.match(word):
            found += [word[i : i + 2] for i in range(max(1, len(word) - 1))]
        else:
            found += _word_terms(word)
    return found


@lru_cache(50_000)
def _word_terms(word: str) -> list[str]:
    word = word.replace("’", "'").removesuffix("'s")
    parts = _JOINT.split(word)
    return [_singular(word)] if len(parts) == 1 else [word, *map(_singular, parts)]


def _singular(word: str) -> str:
    if not _PLURAL.fullmatch(word) or word.endswith(_UNFOLDED):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes")) else word[:-1]


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters, its end cut and marked with … if need be."""
    return text if len(text) <= most else text[: most - 1] + "…"
