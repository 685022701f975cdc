"""What a model meant: values of the wrong kind -> values of the right kind, for replies.py.

Nothing here rejects a whole reply: an item that can't be used is left out and noted, a number
that makes no sense becomes the default. Notes go into the validation context, a list of strings.
"""

import html
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ValidationError, ValidationInfo

from graphrag_assets.models.field_names import known_name
from graphrag_assets.models.json_text import unquoted

M = TypeVar("M", bound=BaseModel)
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
SURROGATE = re.compile("[\ud800-\udfff]")
FRACTION = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:/|out of|von|sur)\s*(\d+(?:\.\d+)?)", re.I)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])", re.I)
QUOTES = ('""', "''", "“”", "‘’", "«»", "「」", "『』", "``", "**")
NOTHING = frozenset({"", "none", "null", "n/a", "[]", "{}"})
ESCAPED = re.compile(r"&(?:amp|quot|apos|lt|gt|#\d{2,4});")


class Notes(list[str]):
    """What was lost or changed in reading a reply, and whether a whole list was lost."""

    lost = False


def clean(text: str) -> str:
    """Return text without control characters and lone surrogates, which no database takes."""
    if text.isprintable():
        return text.strip()
    return SURROGATE.sub("\ufffd", CONTROL.sub("", text)).strip()


def as_text(value: object) -> str:
    """Return any JSON value as text; lists and objects are joined."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return as_text(list(value.values()))
    if isinstance(value, Iterable):
        return " ".join(part for part in map(as_text, value) if part)
    return "" if value is None else clean(json.dumps(value))


def as_name(value: object) -> str:
    """Return a name on one line, without quotes around it."""
    name = as_text(value)
    if ESCAPED.search(name):
        name = html.unescape(name)
    name = " ".join(name.split())
    while len(name) > 1 and name[0] + name[-1] in QUOTES:
        name = name[1:-1].strip()
    return name


def as_number(value: object, top: float) -> float | None:
    """Return the number that a value holds ("8/10" and "80 %" of `top`), None if there is none."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    number = _parsed(value, top) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    # int('9' * 400) is an int that no float holds
    return float(number) if abs(number) < 1e300 and math.isfinite(number) else None  # noqa: PLR2004


def _parsed(text: str, top: float) -> float | None:
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    if share := FRACTION.search(text):
        whole = float(share[2])
        return float(share[1]) / whole * top if whole else None
    number = NUMBER.search(text)
    if not number:
        return None
    percent = text[number.end() :].lstrip().startswith("%")
    return float(number[0]) * (top / 100 if percent else 1)


def as_list(value: object) -> list[Any]:
    """Return the items that a value holds."""
    value = unquoted(value)
    if isinstance(value, str):
        return [] if value.strip().lower() in NOTHING else [value]
    if isinstance(value, Mapping):
        return [dict(value)] if value else []
    if isinstance(value, Iterable):
        return list(value)
    return [] if value is None else [value]


def as_items(value: object, model: type[BaseModel]) -> list[Any]:
    """Return the items that a value holds, also those of an object by their names or types."""
    value = unquoted(value)
    names = model.model_fields
    if not isinstance(value, Mapping) or any(known_name(str(key), names) for key in value):
        return as_list(value)
    return [item for key, inner in value.items() for item in _under(key, unquoted(inner), names)]


def _under(key: str, value: object, names: Iterable[str]) -> list[Any]:
    """Return what stands under a key of an object: one item of that name, or those of a type."""
    first, *others = names
    if isinstance(value, Mapping):
        named = any(known_name(str(inner), (first,)) for inner in value)
        return [dict(value) if named else {first: key, **value}]
    if isinstance(value, list) and "type" in others:
        of_type = (item if isinstance(item, Mapping) else {first: item} for item in value)
        return [{"type": key, **item} for item in of_type]
    if isinstance(value, list):
        return value
    about = "description" if "description" in others else next(iter(others), first)
    return [{first: key, about: value}]


def as_fields(value: object, names: tuple[str, ...]) -> Any:  # noqa: ANN401
    """Return an object with our field names; nulls are left out, so that defaults apply.

    A text stands for the first field; a list of values is read by position.
    """
    value = unquoted(value)
    if isinstance(value, str):
        return {names[0]: value}
    if isinstance(value, list) and 1 < len(value) <= len(names):
        return dict(zip(names, value, strict=False))
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1 and isinstance(inner := next(iter(value.values())), Mapping):
        value = inner  # an item in an object of its own
    fields: dict[str, Any] = {}
    for key, item in value.items():
        name = known_name(str(key), names)
        if name and item is not None and (name not in fields or key == name):
            fields[name] = item
    return fields


def text(limit: int) -> BeforeValidator:
    """Anything as text, cut at the limit."""
    return BeforeValidator(lambda value: as_text(value)[:limit])


def said(limit: int) -> BeforeValidator:
    """Anything as text, cut at the limit; nothing is no text."""

    def read(value: object) -> str:
        found = as_text(value)[:limit]
        if not found:
            message = "it says nothing"
            raise ValueError(message)
        return found

    return BeforeValidator(read)


def title(limit: int) -> BeforeValidator:
    """A name, cut at the limit."""
    return BeforeValidator(lambda value: as_name(value)[:limit])


def kind(limit: int, default: str) -> BeforeValidator:
    """A type: a short name; an empty one is the default."""
    return BeforeValidator(lambda value: as_name(value)[:limit] or default)


def name(limit: int) -> BeforeValidator:
    """The name of a thing: an over-long one is no name, and its item is left out."""

    def read(value: object) -> str:
        found = as_name(value)
        if len(found) > limit:
            message = f"a name of more than {limit} characters"
            raise ValueError(message)
        if found.lower() in NOTHING or not any(map(str.isalnum, found)):
            message = "no name"
            raise ValueError(message)
        return found

    return BeforeValidator(read)


def inside(low: float, high: float, default: float) -> BeforeValidator:
    """A number inside its bounds; anything else is the default."""

    def read(value: object) -> float:
        number = as_number(value, high)
        return number if number is not None and low <= number <= high else default

    return BeforeValidator(read)


def clamped(low: float, high: float, default: float, *, whole: bool = False) -> BeforeValidator:
    """A number moved into its bounds, with a note when it stood outside."""

    def read(value: object, info: ValidationInfo) -> float:
        number = as_number(value, high)
        if number is None:
            note(info, f"{info.field_name} isn't a number")
            number = default
        bounded = min(max(number, low), high)
        if bounded != number:
            note(info, f"{info.field_name} {number:g} lies outside {low:g}-{high:g}")
        return round(bounded) if whole else bounded

    return BeforeValidator(read)


def choice(options: tuple[str, ...], default: str) -> BeforeValidator:
    """One of some words, whatever its case; anything else is the default."""
    by_name = {option.casefold(): option for option in options}
    return BeforeValidator(lambda value: by_name.get(as_text(value).casefold(), default))


def items(model: type[BaseModel], limit: int) -> BeforeValidator:
    """A list of items: doubles folded, unusable ones left out, cut at the limit; all noted."""

    def read(value: object, info: ValidationInfo) -> list[BaseModel]:
        found = as_items(value, model)
        usable = [read for item in found if (read := _item(model, item, info))]
        kept = list({repr(item): item for item in usable}.values())
        _note_count(info, len(usable) - len(kept), "identical {} folded")
        _note_count(info, len(found) - len(usable), "unusable {} left out")
        if found and not kept and isinstance(info.context, Notes):
            info.context.lost = True
        _note_count(info, len(kept) - limit, f"{{}} beyond the first {limit} left out")
        return kept[:limit]

    return BeforeValidator(read)


def numbers(limit: int) -> BeforeValidator:
    """A list of whole numbers; what is none is left out and noted, the list is cut at the limit."""

    def read(value: object, info: ValidationInfo) -> list[int]:
        found = re.findall(r"\d+", value) if isinstance(value, str) else as_list(value)
        kept = [int(number) for item in found if (number := as_number(item, 1)) is not None]
        _note_count(info, len(found) - len(kept), "unusable {} left out")
        return kept[:limit]

    return BeforeValidator(read)


def note(info: ValidationInfo, words: str) -> None:
    """Tell the reader of the reply what was lost or changed."""
    if isinstance(info.context, list):
        info.context.append(words)


def _note_count(info: ValidationInfo, count: int, words: str) -> None:
    if count > 0:
        note(info, f"{count} {words.format(info.field_name)}")


def _item(model: type[M], item: object, info: ValidationInfo) -> M | None:
    if isinstance(item, model):
        return item
    try:
        return model.model_validate(item, context=info.context)
    except ValidationError:
        return None
