"""A model's words -> the reply they hold: no thoughts, no fences, mended, cut to what is whole.

The first JSON value that fits the schema counts. A text that breaks off keeps its complete items;
the half one is dropped, never finished by guessing.
"""

import html
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_args

import json_repair
from pydantic import BaseModel, ValidationError

from graphrag_assets.models.delimited import delimited
from graphrag_assets.models.tolerance import known_name

R = TypeVar("R", bound=BaseModel)
THOUGHT = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.I)
THOUGHT_ENDS = re.compile(
    r"</(?:think|thinking|thought|reasoning)>|<\|channel\|>final<\|message\|>", re.I
)
OPENING = re.compile(r"[{\[]")
ENDED = re.compile(r"""(?:(?<!\\)"|[}\]]\s*[}\]])\s*[}\]]$""")
OPENERS = {"{": "}", "[": "]"}
ARGUMENTS = frozenset({"arguments", "parameters", "function"})
SCHEMA_WORDS = frozenset({"type", "$ref", "anyOf", "allOf", "items", "enum"})
DEEPEST = 5  # objects around a reply
REFUSAL = re.compile(
    r"\b(?:sorry|apologi[sz]e|cannot|can['’]t|can not|unable to|won['’]t|not able to)\b"
    r".{0,80}\b(?:help|assist|comply|fulfil+|provide|process|complete|do) (?:\w+ ){0,4}?"
    r"(?:that|this|it|request|with|content|you)\b"
    r"|as an ai\b|against my (?:guidelines|policy)"
    r"|(?:抱歉|对不起|無法|无法|不能).{0,20}(?:协助|協助|帮助|幫助|提供|处理|回答|满足)",
    re.S | re.I,
)
REFUSAL_LENGTH = 400
TYPOGRAPHIC = str.maketrans("“”„", '"""')


@dataclass(frozen=True)
class Reading(Generic[R]):
    """What was read: a reply, or the reason why there is none."""

    reply: R | None
    cut: bool  # the text broke off: the reply holds its complete items
    notes: tuple[str, ...]  # what was lost or changed
    error: str | None


def without_thoughts(text: str) -> str:
    """Return what follows a model's thoughts; nothing, if it never stopped thinking.

    An answer that is JSON from its first sign on has none: the marks may be part of a text.
    """
    text = text.strip()
    if "<" not in text or text.startswith(("{", "[", "```")):
        return text
    *_, end = (0, *(match.end() for match in THOUGHT_ENDS.finditer(text)))
    rest = text[end:].lstrip()
    return "" if THOUGHT.match(rest) else rest


def is_refusal(text: str) -> bool:
    """Tell whether a short answer declines to answer."""
    return len(text) < REFUSAL_LENGTH and bool(REFUSAL.search(text))


def read(text: str, schema: type[R]) -> Reading[R]:
    """Return the first value of a text that fits the schema."""
    error, pending = "it holds no JSON object", []
    text = _plainly_quoted(without_thoughts(text))
    for value, cut in _values(text):
        pending.append(value)
        for shape in _shapes(value, schema):
            reading = _fit(shape, schema, cut=cut)
            if reading.reply is not None:
                return _with_rest(reading, shape, text, schema)
            error = reading.error or error
    records, cut = delimited(text)
    if _known(records, schema):
        return _fit(records, schema, cut=cut)
    return _fit_items(pending, schema, error)


def _plainly_quoted(text: str) -> str:
    """Return text whose only quotes are typographic, or escaped for HTML, with plain ones."""
    if '"' in text:
        return text
    return html.unescape(text).translate(TYPOGRAPHIC)


def _fit(value: dict[str, Any], schema: type[R], *, cut: bool) -> Reading[R]:
    notes: list[str] = []
    try:
        reply = schema.model_validate(value, context=notes)
    except ValidationError as error:
        return Reading(None, cut, (), _summary(error))
    return Reading(reply, cut, tuple(notes), None)


def _summary(error: ValidationError) -> str:
    lines = [
        f"{'.'.join(map(str, problem['loc'])) or 'the object'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)
    ]
    return "; ".join(lines[:3])


def _with_rest(
    reading: Reading[R], first: dict[str, Any], text: str, schema: type[R]
) -> Reading[R]:
    """Add the fields that a model wrote into an object of their own after the first one."""
    missing = set(schema.model_fields) - _known(first, schema)
    if not missing or text.count("{") == 1 or reading.cut:
        return reading
    value, cut = dict(first), False
    for other, broken in _values(text):
        fields = _known(other, schema) if isinstance(other, dict) else set()
        if fields and fields <= missing:
            value, cut = {**other, **value}, broken
            missing -= fields
    return _fit(value, schema, cut=cut) if len(value) > len(first) else reading


def _fit_items(values: list[Any], schema: type[R], error: str) -> Reading[R]:
    """Read objects that stand side by side, one item each."""
    items = [value for value in values if isinstance(value, dict)]
    items = [item for item in items if not (_is_call(item) or _is_schema(item))]
    shape = _sorted_items(items, schema) if items else None
    if shape is None:
        return Reading(None, False, (), error)  # noqa: FBT003
    return _fit(shape, schema, cut=False)


def _shapes(
    value: Any,  # noqa: ANN401
    schema: type[BaseModel],
    depth: int = 0,
) -> Iterator[dict[str, Any]]:
    """Give the ways in which a JSON value could be the reply: itself, what it wraps, its items."""
    if depth > DEEPEST or _is_schema(value):
        return
    if isinstance(value, str):
        yield from _quoted(value.strip(), schema, depth)
    elif isinstance(value, list):
        yield from _listed(value, schema)
    elif isinstance(value, dict):
        known = not _is_call(value) and bool(_known(value, schema))
        if known:
            yield value
        for inner in value.values():
            if not known or isinstance(inner, dict):
                yield from _shapes(inner, schema, depth + 1)


def _quoted(text: str, schema: type[BaseModel], depth: int) -> Iterator[dict[str, Any]]:
    if text.startswith(("{", "[")):
        for value, _ in _values(text):
            yield from _shapes(value, schema, depth + 1)


def _listed(value: list[Any], schema: type[BaseModel]) -> Iterator[dict[str, Any]]:
    objects = [item for item in value if isinstance(item, dict)]
    calls = [item for item in objects if _is_call(item)]
    wrapped = [item for item in objects if _known(item, schema) and not _is_item(item, schema)]
    if calls:
        for call in calls:
            yield from _shapes(call, schema, 1)
    elif wrapped:
        yield from wrapped
    elif (shape := _sorted_items(objects, schema)) is not None and len(objects) == len(value):
        yield shape


def _is_call(value: Any) -> bool:  # noqa: ANN401
    """Whether an object is a tool call, whose arguments are the reply."""
    return isinstance(value, dict) and any(
        isinstance(value.get(key), dict | str) for key in ARGUMENTS & value.keys()
    )


def _is_schema(value: Any) -> bool:  # noqa: ANN401
    """Whether an object is the JSON schema that was asked for, given back."""
    fields = value.get("properties") if isinstance(value, dict) else None
    return (
        isinstance(fields, dict)
        and bool(fields)
        and all(
            isinstance(field, dict) and SCHEMA_WORDS & field.keys() for field in fields.values()
        )
    )


def _known(value: dict[str, Any], schema: type[BaseModel]) -> set[str]:
    """Return the schema's fields that an object has."""
    synonyms = getattr(schema, "synonyms", {})
    names = (known_name(str(key), schema.model_fields, synonyms) for key in value)
    return {name for name in names if name}


def _item_models(schema: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """Return the list fields of a schema and what they are lists of."""
    models = {}
    for name, field in schema.model_fields.items():
        inner = get_args(field.annotation)
        if inner and isinstance(inner[0], type) and issubclass(inner[0], BaseModel):
            models[name] = inner[0]
    return models


def _is_item(value: dict[str, Any], schema: type[BaseModel]) -> bool:
    return any(_field_of(value, {name: model}) for name, model in _item_models(schema).items())


def _field_of(item: dict[str, Any], models: dict[str, type[BaseModel]]) -> str | None:
    for name, model in models.items():
        if _needed(model) <= _known(item, model):
            return name
    return None


def _sorted_items(items: list[dict[str, Any]], schema: type[BaseModel]) -> dict[str, Any] | None:
    """Sort bare items into the schema's lists; None unless each one belongs somewhere."""
    models = _item_models(schema)
    if not models or _needed(schema):
        return None
    # an item with the most required fields is the most telling: a relationship before an entity
    order = sorted(models, key=lambda name: -len(_needed(models[name])))
    shape: dict[str, Any] = {name: [] for name in models}
    for item in items:
        field = _field_of(item, {name: models[name] for name in order})
        if field is None:
            return None
        shape[field].append(item)
    return shape


def _needed(model: type[BaseModel]) -> set[str]:
    return {name for name, field in model.model_fields.items() if field.is_required()}


def _values(text: str) -> Iterator[tuple[Any, bool]]:
    """Give the JSON values of a text in order, each with whether it broke off."""
    if text.startswith(("{", "[", '"')) and text.endswith(("}", "]", '"')):
        try:
            yield json.loads(text, strict=False), False
        except ValueError:
            pass
        else:
            return
    start = 0
    while match := OPENING.search(text, start):
        begin = match.start()
        end = _closing(text, begin)
        if end is None:
            yield from _open_ended(text[begin:])
            return
        value = _loads(text[begin:end])
        if value is not None:
            yield value, False
        start = end if isinstance(value, dict | list) else begin + 1


def _open_ended(text: str) -> Iterator[tuple[Any, bool]]:
    """Give what a text holds that never closes its first bracket: broken off, or ill-quoted."""
    whole = completed(text)
    if whole is not None:
        value = _loads(whole[0])
        if value is not None:
            yield value, whole[1]
    if ENDED.search(text.rstrip("` \n")):  # not in the middle of a string that ends like one
        repaired = json_repair.loads(text)
        if isinstance(repaired, dict | list) and repaired:
            yield repaired, False


def _loads(text: str) -> Any:  # noqa: ANN401
    """Parse JSON, mending what can be mended; None if it is none."""
    try:
        return json.loads(text, strict=False)
    except ValueError:
        value = json_repair.loads(text)
        return value if isinstance(value, dict | list) and value else None


def _brackets(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Give the brackets and commas of a text that stand outside strings."""
    quoted = escaped = False
    for position in range(start, len(text)):
        sign = text[position]
        if escaped:
            escaped = False
        elif quoted:
            escaped = sign == "\\"
            quoted = sign != '"'
        elif sign == '"':
            quoted = True
        elif sign in "{}[],":
            yield position, sign


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
    safe: tuple[int, list[str]] | None = None
    for position, sign in _brackets(text, 0):
        if sign in OPENERS:
            stack.append(sign)
        elif sign != "," and stack:
            stack.pop()
        half_item = ("[", "{") in itertools.pairwise(stack)
        if sign not in OPENERS and not half_item:
            safe = (position + (sign != ","), list(stack))
    if safe is None:
        return None
    end, open_ones = safe
    closers = "".join(OPENERS[sign] for sign in reversed(open_ones))
    return text[:end] + closers, bool(text[end:].strip().strip(","))
