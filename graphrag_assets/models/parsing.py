"""A model's words -> the reply they hold: no thoughts, no fences, whatever it is wrapped in.

The first JSON value that fits the schema counts; of replies that are lists of items alone, the
values that follow add theirs. What a reply lost is noted, and whether it was a whole list.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from graphrag_assets.models.delimited import delimited
from graphrag_assets.models.field_names import known_name
from graphrag_assets.models.json_text import plain, values
from graphrag_assets.models.tolerance import Notes, as_fields, as_items

R = TypeVar("R", bound=BaseModel)
THOUGHT = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.I)
THOUGHT_ENDS = re.compile(
    r"</(?:think|thinking|thought|reasoning)>|<\|channel\|>final<\|message\|>", re.I
)
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


@dataclass(frozen=True)
class Reading(Generic[R]):
    """What was read: a reply, or the reason why there is none."""

    reply: R | None
    cut: bool  # the text broke off: the reply holds its complete items
    notes: tuple[str, ...]  # what was lost or changed
    error: str | None
    lost: bool = False  # all items of a list


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
    """Return the first value of a text that fits the schema, with what stands beside it."""
    error, passed = "it holds no JSON object", list[Any]()
    text = without_thoughts(text)
    found = values(text)
    for value, cut in found:
        for shape in _shapes(value, schema):
            reading = _fit(shape, schema, cut=cut)
            if reading.reply is not None:
                others = itertools.chain(((one, False) for one in passed), found)
                return _joined(reading, shape, others, schema)
            error = reading.error or error
        passed.append(value)
    records, cut = delimited(plain(text))
    if _known(records, schema):
        return _fit(records, schema, cut=cut)
    return _fit_items(passed, schema, error)


def _fit(value: dict[str, Any], schema: type[R], *, cut: bool) -> Reading[R]:
    notes = Notes()
    try:
        reply = schema.model_validate(value, context=notes)
    except ValidationError as error:
        return Reading(None, cut, (), _summary(error))
    unread = _unread(value, schema)
    said = (*notes, f"nothing was read from {', '.join(unread)}") if unread else tuple(notes)
    return Reading(reply, cut, said, None, notes.lost or bool(unread))


def _unread(value: dict[str, Any], schema: type[BaseModel]) -> list[str]:
    """Return unknown names of lists of objects, where a list that was asked for is missing."""
    if not set(_item_models(schema)) - _known(value, schema):
        return []
    names = schema.model_fields
    return [
        key
        for key, inner in value.items()
        if known_name(key, names) is None and isinstance(inner, list) and _objects(inner)
    ]


def _summary(error: ValidationError) -> str:
    lines = [
        f"{'.'.join(map(str, problem['loc'])) or 'the object'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)
    ]
    return "; ".join(lines[:3])


def _joined(
    reading: Reading[R],
    first: dict[str, Any],
    others: Iterable[tuple[Any, bool]],
    schema: type[R],
) -> Reading[R]:
    """Add what a model wrote into values of their own beside the first: fields, or more items."""
    whole, more, cut = first, False, reading.cut
    add = _with_fields if _needed(schema) else _with_items
    for other, broken in others:
        joined = add(whole, other, schema)
        if joined is not None:
            whole, more, cut = joined, True, cut or broken
    return _fit(whole, schema, cut=cut) if more else reading


def _with_fields(
    whole: dict[str, Any],
    other: Any,  # noqa: ANN401
    schema: type[BaseModel],
) -> dict[str, Any] | None:
    fields = _known(other, schema) if isinstance(other, dict) else set()
    new = bool(fields) and not fields & _known(whole, schema)
    return {**other, **whole} if new else None


def _with_items(
    whole: dict[str, Any],
    other: Any,  # noqa: ANN401
    schema: type[BaseModel],
) -> dict[str, Any] | None:
    shape = next(_shapes(other, schema), None)
    if shape is None:
        return None
    names = tuple(schema.model_fields)
    ours, theirs = (as_fields(one, names) for one in (whole, shape))
    return {
        name: [*as_items(ours.get(name), model), *as_items(theirs.get(name), model)]
        for name, model in _item_models(schema).items()
    }


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
        yield from _listed(value, schema, depth)
    elif isinstance(value, dict):
        known = not _is_call(value) and bool(_known(value, schema))
        if known:
            yield _gathered(value, schema)
        for inner in value.values():
            if not known or isinstance(inner, dict):
                yield from _shapes(inner, schema, depth + 1)


def _quoted(text: str, schema: type[BaseModel], depth: int) -> Iterator[dict[str, Any]]:
    if text.startswith(("{", "[", '"')):
        for value, _ in values(text):
            yield from _shapes(value, schema, depth + 1)


def _listed(value: list[Any], schema: type[BaseModel], depth: int) -> Iterator[dict[str, Any]]:
    objects = _objects(value)
    calls = [item for item in objects if _is_call(item)]
    wrapped = [item for item in objects if _known(item, schema) and not _is_item(item, schema)]
    if calls:
        for call in calls:
            yield from _shapes(call, schema, depth + 1)
    elif wrapped:
        yield _united(wrapped, schema)
    elif (shape := _sorted_items(objects, schema)) is not None and len(objects) == len(value):
        yield shape
    elif len(value) == 1:
        yield from _shapes(value[0], schema, depth + 1)


def _united(parts: list[dict[str, Any]], schema: type[BaseModel]) -> dict[str, Any]:
    """Return the parts of a list as one reply."""
    whole = _gathered(parts[0], schema)
    for part in parts[1:]:
        add = _with_fields if _needed(schema) else _with_items
        whole = add(whole, part, schema) or whole
    return whole


def _gathered(value: dict[str, Any], schema: type[BaseModel]) -> dict[str, Any]:
    """Return an object with the items of a missing list, found under another name or in items."""
    models = _item_models(schema)
    missing = {name: models[name] for name in models.keys() - _known(value, schema)}
    if not missing:
        return value
    found, kept = dict[str, list[Any]](), dict(value)
    for inner in value.values():
        for item in _objects(inner):
            for items in item.values():
                if name := _field_of_all(items, missing):
                    found.setdefault(name, []).extend(items)
    for key, inner in value.items():
        name = _field_of_all(inner, missing)
        if name and known_name(key, schema.model_fields) is None:
            found.setdefault(name, []).extend(kept.pop(key))
    return kept | found


def _field_of_all(items: Any, models: dict[str, type[BaseModel]]) -> str | None:  # noqa: ANN401
    """Return the list that all of these could be items of; of what isn't a list of objects none."""
    objects = _objects(items)
    if not objects or len(objects) < len(items):
        return None
    fields = {_field_of(item, models) for item in objects}
    return fields.pop() if len(fields) == 1 else None


def _objects(value: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    found = value if isinstance(value, list) else []
    return [item for item in found if isinstance(item, dict)]


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
    names = (known_name(str(key), schema.model_fields) for key in value)
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
