"""Bytes -> text, and by which encoding; nothing is ever dropped in silence."""

import codecs
import re
from dataclasses import dataclass

from graphrag_assets.readers.alphabets import ALPHABETIC, likest_alphabet
from graphrag_assets.readers.parsed import UnreadError
from graphrag_assets.text import cleaned

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LEGACY = (
    "gb18030 big5 cp932 euc_jp cp949 cp1252 cp1250 iso8859_2 cp1251 koi8_r cp866 cp1253 cp1254 "
    "cp1255 cp1256 cp874"
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b"))
_MOST_CONTROLS = 0.1  # share of bytes; more of them mean that it isn't text
_NUL_SHARE = 0.1
_MOJIBAKE = re.compile(r"[ÃÂ][\u0080-\u00bf]|[ã-ï][\u0080-\u00bf]{2}|â€[™œ“”]")
_MOJIBAKE_SIGNS = 2
_TWICE = re.compile(r"[\u0080-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]+")
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]")
_LETTERS = re.compile(
    r"[\n\t -~\u00a0-\u1fff\u2010-\u2026\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef]"
)
_LETTERS_SHARE = 0.98
_KANA = re.compile(r"[\u3041-\u30fe]")
_KANA_SHARE = 0.2
_MOSTLY = 5  # valid sequences of UTF-8 for each byte that is none
_FEW = 4


@dataclass(frozen=True)
class Decoded:
    """A text in normal form, how it was decoded, and what is doubtful about that."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()
    n_removed: int = 0  # control characters


def decode(data: bytes, *, declared: str | None, repair: bool = False) -> Decoded:
    """Decode by BOM, UTF-16's pattern of NULs, UTF-8, what is declared, then a detector.

    What is valid UTF-8 with more than ASCII in it is UTF-8, whatever a page says of itself.
    """
    text, encoding, warnings = _decoded(data, declared)
    if len(_MOJIBAKE.findall(text[:100_000])) >= _MOJIBAKE_SIGNS:
        said = "repaired twice-encoded text" if repair else "looks like twice-encoded text"
        warnings = (*warnings, said)
        text = _TWICE.sub(_once, text) if repair else text
    text, n_removed = cleaned(text)
    if n_removed:
        warnings = (*warnings, f"removed {n_removed} control characters")
    return Decoded(text, encoding, warnings, n_removed)


def _decoded(data: bytes, declared: str | None) -> tuple[str, str, tuple[str, ...]]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _strictly(data[len(bom) :], encoding), encoding, ()
    surely = "iso2022_jp" if _ISO_2022_JP.search(data) else "utf-8"
    first = surely if surely != "utf-8" or not data.isascii() else None
    for name in filter(None, (_wide(data), first, declared, "utf-8")):
        text = _tried(data, name)
        raw = data if name == "utf-8" else (text or "").encode("latin-1", "replace")
        if text is not None and not _is_binary(raw):
            return text, name, ()
    return _guessed(data)


def _tried(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (ValueError, LookupError):  # also for codecs that aren't of texts
        return None


def _once(run: re.Match[str]) -> str:
    """Undo the second encoding of a run of characters, if that is what it is."""
    raw = b"".join(_byte(sign) for sign in run[0])
    return _tried(raw, "utf-8") or run[0]


def _byte(sign: str) -> bytes:
    """Return the byte of a character in cp1252; its five unused bytes are kept as controls."""
    try:
        return sign.encode("cp1252")
    except UnicodeEncodeError:
        return sign.encode("latin-1")


def _strictly(data: bytes, encoding: str) -> str:
    """Decode what a BOM says it is; half surrogates are allowed, for they exist on Windows."""
    try:
        return data.decode(encoding, "surrogatepass")
    except UnicodeDecodeError as error:
        reason = f"not valid {encoding} at byte {error.start}, though its BOM says so"
        raise UnreadError("failed", reason) from error


def _wide(data: bytes) -> str | None:
    """Return which UTF-16 or UTF-32 it is, without a BOM, by where its NULs stand."""
    sample = data[: 1 << 16]
    if not sample.count(0):
        return None
    for encoding, place in (("utf-32-le", 3), ("utf-32-be", 0)):
        if len(data) % 4 == 0 and not any(sample[place::4]) and _is_letters(_tried(data, encoding)):
            return encoding
    return _utf16(data, sample)


def _utf16(data: bytes, sample: bytes) -> str | None:
    """Return which UTF-16 it is if NULs stand at every other place, as in Western text."""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if len(data) % 2 or max(even, odd) <= _NUL_SHARE * len(sample):
        return None
    if min(even, odd) * 10 > max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _is_binary(data: bytes) -> bool:
    controls = len(data) - len(data.translate(None, _CONTROLS))
    return controls > _MOST_CONTROLS * len(data)


def _guessed(data: bytes) -> tuple[str, str, tuple[str, ...]]:
    """Let a detector see the whole file; binary data and doubt are said, not guessed at."""
    if b"\0" in data:
        return _utf16_by_letters(data)
    if _is_binary(data):
        raise UnreadError("unsupported", "binary data")
    mended = _mostly_utf8(data)
    if mended:
        return mended
    import charset_normalizer

    best = charset_normalizer.from_bytes(data, cp_isolation=_LEGACY.split()).best()
    encoding = _told_apart(data, best.encoding if best else None)
    if encoding is None:
        raise UnreadError("failed", "its encoding can't be told; save it as UTF-8")
    return data.decode(encoding), encoding, (f"decoded as {encoding} by guess",)


def _mostly_utf8(data: bytes) -> tuple[str, str, tuple[str, ...]] | None:
    """Read UTF-8 with a few bytes of another origin in it: those are taken for cp1252."""
    strays: list[int] = []

    def one_by_one(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        strays.append(error.start)
        if error.reason == "unexpected end of data":
            return "\ufffd", error.end
        stray = data[error.start : error.start + 1]
        return stray.decode("cp1252", "replace"), error.start + 1

    codecs.register_error("graphrag-stray", one_by_one)
    text = data.decode("utf-8", "graphrag-stray")
    n_valid = sum(not sign.isascii() for sign in text) - len(strays)
    if n_valid < max(_FEW, _MOSTLY * len(strays)):
        return None
    said = f"{len(strays)} bytes aren't UTF-8, the first at {strays[0]}: taken for cp1252"
    return text, "utf-8", (said,)


def _told_apart(data: bytes, guess: str | None) -> str | None:
    """Correct a guess where encodings share their bytes, by the letters of a language."""
    japanese = _tried(data, "euc_jp") or ""
    if len(_KANA.findall(japanese)) > _KANA_SHARE * sum(not sign.isascii() for sign in japanese):
        return "euc_jp"
    if guess is None or guess in ALPHABETIC:
        return likest_alphabet(data) or guess
    return guess


def _utf16_by_letters(data: bytes) -> tuple[str, str, tuple[str, ...]]:
    """Take for UTF-16 what then is letters: Chinese text has NULs in its ASCII signs alone."""
    both = ("utf-16-le", "utf-16-be") if len(data) % 2 == 0 else ()
    for encoding in sorted(both, key=lambda name: _n_spaces(data, name), reverse=True):
        text = _tried(data, encoding)
        if text is not None and _is_letters(text):
            return text, encoding, (f"decoded as {encoding} by guess",)
    raise UnreadError("unsupported", "binary data")


def _n_spaces(data: bytes, encoding: str) -> int:
    return (_tried(data, encoding) or "").count(" ")


def _is_letters(text: str | None) -> bool:
    return bool(text) and len(_LETTERS.findall(text or "")) >= _LETTERS_SHARE * len(text or "")
