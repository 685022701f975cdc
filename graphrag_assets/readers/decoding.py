"""Bytes -> text, and by which encoding; nothing is ever dropped in silence."""

import codecs
import re
from dataclasses import dataclass

from graphrag_assets.readers.parsed import UnreadError
from graphrag_assets.text import normalise

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LEGACY = "gb18030 big5 cp932 euc_jp cp949 cp1252 cp1250 cp1251 koi8_r cp1253 cp1254 cp1255 cp1256"
_LATIN = frozenset({"cp1250", "cp1252", "cp1254"})
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b"))
_MOST_CONTROLS = 0.1  # share of bytes; more of them mean that it isn't text
_NUL_SHARE = 0.1
_MOJIBAKE = re.compile(r"[ÃÂ][\u0080-\u00bf]|[ã-ï][\u0080-\u00bf]{2}|â€[™œ“”]")
_MOJIBAKE_SIGNS = 2


@dataclass(frozen=True)
class Decoded:
    """A text in normal form, how it was decoded, and what is doubtful about that."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, *, declared: str | None) -> Decoded:
    """Decode by BOM, the declared encoding, UTF-16's pattern of NULs, UTF-8, then a detector."""
    text, encoding, warnings = _decoded(data, declared)
    if len(_MOJIBAKE.findall(text[:100_000])) >= _MOJIBAKE_SIGNS:
        warnings = (*warnings, "looks like twice-encoded text")
    return Decoded(normalise(text), encoding, warnings)


def _decoded(data: bytes, declared: str | None) -> tuple[str, str, tuple[str, ...]]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _strictly(data[len(bom) :], encoding), encoding, ()
    for name in filter(None, (declared, _utf16(data), "utf-8")):
        text = _tried(data, name)
        if text is not None:
            _refuse_binary(data if name == "utf-8" else b"")
            return text, name, ()
    return _guessed(data)


def _tried(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _strictly(data: bytes, encoding: str) -> str:
    """Decode what a BOM says it is; half surrogates are allowed, for they exist on Windows."""
    try:
        return data.decode(encoding, "surrogatepass")
    except UnicodeDecodeError as error:
        reason = f"not valid {encoding} at byte {error.start}, though its BOM says so"
        raise UnreadError("failed", reason) from error


def _utf16(data: bytes) -> str | None:
    """Return which UTF-16 it is if NULs stand at every other place, as in Western text."""
    sample = data[: 1 << 16]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if len(data) % 2 or max(even, odd) <= _NUL_SHARE * len(sample):
        return None
    if min(even, odd) * 10 > max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _refuse_binary(data: bytes) -> None:
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls > _MOST_CONTROLS * len(data):
        raise UnreadError("unsupported", "binary data")


def _guessed(data: bytes) -> tuple[str, str, tuple[str, ...]]:
    """Let a detector see the whole file; binary data and doubt are said, not guessed at."""
    if b"\0" in data:
        raise UnreadError("unsupported", "binary data")
    _refuse_binary(data)
    import charset_normalizer

    matches = charset_normalizer.from_bytes(data, cp_isolation=_LEGACY.split())
    best = matches.best()
    if best is None:
        raise UnreadError("failed", "its encoding can't be told; save it as UTF-8")
    encoding = best.encoding
    if encoding in _LATIN and any("cp1252" in match.could_be_from_charset for match in matches):
        encoding = "cp1252"
    return data.decode(encoding), encoding, (f"decoded as {encoding} by guess",)
