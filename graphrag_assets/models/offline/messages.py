"""What a rendered prompt asks: the tagged sections of its messages.

A document may hold such tags itself. So a section runs from the first opening to the last closing
tag, and what the prompt says about it is only looked for outside of the document.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

UNTRUSTED = ("text", "context", "descriptions", "conversation")
DEFAULT_TYPES = ("person", "organization", "place", "event")
_TYPES = re.compile(r"Use only these types:\s*([^\n]+?)\.?\s*(?:\n|$)")

Messages = Iterable[Mapping[str, Any]]


def content(message: Mapping[str, Any]) -> str:
    """Return a message's text; its parts are joined where it comes in parts."""
    body = message.get("content") or ""
    if isinstance(body, str):
        return body
    return "\n".join(str(part.get("text", "")) for part in body)


def section(messages: Messages, tag: str) -> str:
    """Return what stands in <tag>…</tag> of the newest user message that has it, or nothing."""
    users = [content(message) for message in messages if message.get("role") == "user"]
    for body in reversed(users):
        if (found := _inside(body, tag)) is not None:
            return found
    return ""


def listed_types(messages: Messages) -> list[str]:
    """Return the entity types that the prompt allows."""
    for message in messages:
        if match := _TYPES.search(_outside(content(message))[0]):
            types = [part.strip(" `\"'.") for part in re.split(r"[,，、;]", match[1])]
            return [name for name in types if name]
    return list(DEFAULT_TYPES)


def _inside(body: str, tag: str) -> str | None:
    if tag in UNTRUSTED:
        return _between(body, tag)
    before, after = _outside(body)
    for part in (after, before, body):
        if (found := _between(part, tag)) is not None:
            return found
    return None


def _outside(body: str) -> tuple[str, str]:
    starts = [at for tag in UNTRUSTED if (at := body.find(f"<{tag}>")) >= 0]
    ends = [at for tag in UNTRUSTED if (at := body.rfind(f"</{tag}>")) >= 0]
    if not starts or not ends or max(ends) < min(starts):
        return body, ""
    return body[: min(starts)], body[max(ends) :]


def _between(body: str, tag: str) -> str | None:
    start, end = body.find(f"<{tag}>"), body.rfind(f"</{tag}>")
    if start < 0 or end < start:
        return None
    return body[start + len(tag) + 2 : end].strip()


_N_QUESTIONS = re.compile(r"Write (\d{1,2}) questions")


def n_questions(messages: Messages) -> int:
    """Return how many questions the prompt wants."""
    for message in messages:
        if match := _N_QUESTIONS.search(_outside(content(message))[0]):
            return int(match[1])
    return 5


_MAX_TOKENS = re.compile(r"at most (\d{1,6}) tokens")


def max_tokens(messages: Messages) -> int:
    """Return how long the prompt lets a description be."""
    for message in messages:
        if match := _MAX_TOKENS.search(_outside(content(message))[0]):
            return int(match[1])
    return 500
