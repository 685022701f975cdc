"""A model's words -> the JSON values in them, mended where need be.

A text that breaks off keeps its complete items; the half one is dropped, never finished by
guessing. However long, deep or broken a text is, reading it ends: mending costs far more than
parsing, so only so much is mended, and what nests deeper than any reply is no value.
"""

import html
import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final

import json_repair

OPENING: Final = re.compile(r"[{\[]")
SIGN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],]', re.S)  # a string, or a sign outside
ENDED: Final = re.compile(r"""(?:(?<!\\)"|[}\]]\s*[}\]])\s*[}\]]$""")
ESCAPED: Final = re.compile(  # what json_repair reads otherwise; "kept" is what it reads rightly
    r"\\(?:(?P<kept>[\\\"bnrt])|[/f]|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)
OPENERS: Final = {"{": "}", "[": "]"}
TYPOGRAPHIC: Final = str.maketrans("“”„", '"""')
WIDE: Final = re.compile(r'(?<=["\]}\d])\s*[：，]\s*(?=["{\[\d])')  # signs of Chinese writing
DEEPEST: Final = 100
MOST_MENDED: Final = 150_000  # characters of a text, all its values together
MOST_AGAIN: Final = 2_000_000  # characters looked through once more, for a value within no value
LONGEST_NUMBER: Final = 300  # digits


def values(text: str) -> Iterator[tuple[Any, bool]]:
    """Give the JSON values of a text in order, each with whether it broke off."""
    text = plain(text)
    if text.startswith(("{", "[", '"')) and text.endswith(("}", "]", '"')):
        value = strict(text)
        if value is not None:
            yield value, False
            return
    text = WIDE.sub(_narrow, text)
    start, to_mend, again = 0, MOST_MENDED, MOST_AGAIN
    while (match := OPENING.search(text, start)) and again > 0:
        begin = match.start()
        end = _closing(text, begin)
        if end is None:
            yield from _open_ended(text[begin:], to_mend)
            return
        piece = text[begin:end]
        value = strict(piece)
        if value is None:
            value = _mended(piece, to_mend)
            to_mend -= len(piece)
        if value is not None:
            yield value, False
        start = begin + 1 if value is None else end
        again -= len(piece) if value is None else 0


def plain(text: str) -> str:
    """Return text whose only quotes are typographic, or escaped for HTML, with plain ones."""
    for _ in range(3):  # escaped, and escaped again
        if '"' in text or "&" not in text:
            break
        text = html.unescape(text)
    return text if '"' in text else text.translate(TYPOGRAPHIC)


def strict(text: str) -> Any:  # noqa: ANN401
    """Return the value of a JSON text; None if it is none, or too deep."""
    if _is_deep(text):
        return None
    try:
        return json.loads(text, strict=False, object_pairs_hook=_object, parse_int=_whole)
    except ValueError:
        return None


def unquoted(value: Any) -> Any:  # noqa: ANN401
    """Return what stands as JSON in a string; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    inner = strict(value)
    return value if inner is None else inner


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; lists under the same key are joined."""
    found = dict(pairs)
    if len(found) < len(pairs):
        for key, value in reversed(pairs):
            if found[key] is value:
                continue
            if isinstance(value, list) and isinstance(found[key], list):
                found[key] = [*value, *found[key]]
            found[key] = found[key] or value
    return found


def _whole(digits: str) -> float:
    return int(digits) if len(digits) < LONGEST_NUMBER else math.inf


def _narrow(sign: re.Match[str]) -> str:
    return ":" if "：" in sign[0] else ","


def _mended(text: str, most: int) -> Any:  # noqa: ANN401
    """Return what a text that is nearly JSON means; None for none, and for too much of it."""
    if len(text) > most or _is_deep(text):
        return None
    value = json_repair.loads(ESCAPED.sub(_unescaped, text))
    return value if isinstance(value, dict | list) and value else None


def _unescaped(escape: re.Match[str]) -> str:
    return escape[0] if escape["kept"] else str(json.loads(f'"{escape[0]}"'))


def _open_ended(text: str, most: int) -> Iterator[tuple[Any, bool]]:
    """Give what a text holds that never closes its first bracket: broken off, or ill-quoted."""
    whole = completed(text)
    if whole is not None:
        value = strict(whole[0])
        value = _mended(whole[0], most) if value is None else value
        if value is not None:
            yield value, whole[1]
    if ENDED.search(text[-200:].rstrip("` \n")):  # not in a string that ends like one
        repaired = _mended(text, most)
        if repaired is not None:
            yield repaired, False


def _is_deep(text: str) -> bool:
    """Whether brackets stand in more brackets than those of any reply."""
    if text.count("{") + text.count("[") <= DEEPEST:
        return False
    depth = 0
    for _, sign in _brackets(text, 0):
        depth += (sign in OPENERS) - (sign in "}]")
        if depth > DEEPEST:
            return True
    return False


def _brackets(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Give the brackets and commas of a text that stand outside strings."""
    for match in SIGN.finditer(text, start):
        if match[0][0] != '"':
            yield match.start(), match[0]


def _closing(text: str, start: int) -> int | None:
    """Return where the bracket at `start` is closed (one behind), None if it isn't."""
    depth = 0
    for position, sign in _brackets(text, start):
        depth += (sign in OPENERS) - (sign in "}]")
        if depth == 0 and sign != ",":
            return position + 1
    return None


def completed(text: str) -> tuple[str, bool] | None:
    """Return a broken JSON text up to its last complete item, closed, and whether more was lost.

    An object that is an item of a list counts only when it is closed.
    """
    stack: list[str] = []
    half_items = 0
    safe: tuple[int, list[str]] | None = None
    for position, sign in _brackets(text, 0):
        if sign in OPENERS:
            half_items += _is_item(stack, sign)
            stack.append(sign)
        elif sign != "," and stack:
            half_items -= _is_item(stack[:-1][-1:], stack.pop())
        if len(stack) > DEEPEST:
            return None
        if sign not in OPENERS and not half_items:
            safe = (position + (sign != ","), list(stack))
    if safe is None:
        return None
    end, open_ones = safe
    closers = "".join(OPENERS[sign] for sign in reversed(open_ones))
    return text[:end] + closers, bool(text[end:].strip().strip(","))


def _is_item(around: list[str], sign: str) -> bool:
    return sign == "{" and around[-1:] == ["["]
