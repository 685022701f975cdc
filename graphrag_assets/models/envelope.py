"""The JSON around an answer, in OpenAI's form and the forms that pass for it -> what it says."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from graphrag_assets.models.faults import ProviderError
from graphrag_assets.models.transport import Answer, Vectors

LENGTH: Final = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
FILTERED: Final = frozenset(
    {"content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii"}
    | {"sensitive", "content_filtered", "guardrail_intervened"}
)
STREAM: Final = "data:"
UNSAID: Final = ("reason", "think")  # types of parts that are no answer


def body_of(text: str) -> Any:  # noqa: ANN401
    """Return the JSON of a response; one that came in pieces, though nobody asked, as a list."""
    text = text.lstrip("\ufeff \r\n\t")
    try:
        if text.startswith(STREAM):
            lines = (line.removeprefix(STREAM).strip() for line in text.splitlines())
            return [json.loads(line, strict=False) for line in lines if line.startswith("{")]
        return json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise ProviderError("broken", "the answer isn't JSON") from error


def answer_of(said: Mapping[str, Any]) -> Answer:
    """Return what a response says: its content, or the arguments of a forced tool call."""
    choices = [choice for choice in items_of(said.get("choices")) if isinstance(choice, dict)]
    if not choices:
        raise ProviderError("broken", "the answer has no choices")
    messages = [_message(choice) for choice in choices]
    usage = said.get("usage")
    return Answer(
        text=words_of(messages[0].get("content"), messages[0]),
        finish=ending(choices[0].get("finish_reason")),
        refusal=refusal_of(messages[0].get("refusal")),
        prompt_tokens=tokens_of(usage, "prompt"),
        completion_tokens=tokens_of(usage, "completion"),
    )


def pieces_of(events: Iterable[Any]) -> dict[str, Any]:
    """Return a response that came in pieces as one."""
    events = [event for event in events if isinstance(event, dict)]
    choices = [c for e in events for c in items_of(e.get("choices"))[:1] if isinstance(c, dict)]
    text = "".join(content_of(_message(choice).get("content")) for choice in choices)
    finish = next((c["finish_reason"] for c in choices if c.get("finish_reason")), "length")
    usage = next((event["usage"] for event in events if event.get("usage")), None)
    choice = {"message": {"content": text}, "finish_reason": finish}
    return {"choices": [choice] if choices else [], "usage": usage}


def vectors_of(said: Mapping[str, Any]) -> Vectors:
    """Return the vectors of a response, each with the position of its text."""
    found = [item for item in items_of(said.get("data")) if isinstance(item, dict)]
    rows = tuple(row_of(item, position) for position, item in enumerate(found))
    return Vectors(rows, tokens_of(said.get("usage"), "prompt"))


def row_of(item: Mapping[str, Any], position: int) -> tuple[int, Any]:
    """Return the place and vector of an item; -1 for a place that is none."""
    index = item.get("index")
    return (position if index is None else _count(index, -1)), item.get("embedding")


def _message(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    message = choice.get("message") or choice.get("delta") or choice.get("text")
    return message if isinstance(message, dict) else {"content": message}


def words_of(content: object, message: Mapping[str, Any]) -> str:
    """Return the text of a message, and the arguments of the tools that it calls."""
    calls = [call for call in items_of(message.get("tool_calls")) if isinstance(call, dict)]
    functions = [*(call.get("function") for call in calls), message.get("function_call")]
    given = [call.get("arguments") for call in functions if isinstance(call, dict)]
    return "\n".join(filter(None, [content_of(content), *map(content_of, given)]))


def content_of(content: object) -> str:
    """Return content as text: it may come in parts, or as the very object that was asked for."""
    if isinstance(content, list):
        return "".join(map(content_of, content))
    if not isinstance(content, dict):
        return content if isinstance(content, str) else ""
    if any(sign in str(content.get("type", "")) for sign in UNSAID):
        return ""
    text = content.get("text", content.get("value"))
    if isinstance(text, str | dict):
        return content_of(text)
    return "" if "type" in content else json.dumps(content, ensure_ascii=False)


def refusal_of(refusal: object) -> str:
    """Return a refusal in words, if it is one."""
    return refusal if isinstance(refusal, str) else ""


def ending(finish: object) -> str:
    """Return how an answer ended, in OpenAI's words, whoever says so."""
    word = str(finish or "stop").lower()
    if word in LENGTH:
        return "length"
    return "content_filter" if word in FILTERED else word


def tokens_of(usage: object, kind: str) -> int:
    """Return the tokens that a response says it took; 0 = it doesn't say."""
    said = usage.get(f"{kind}_tokens") if isinstance(usage, dict) else None
    return max(_count(said, 0), 0)


def _count(value: object, default: int) -> int:
    """Return a whole number that may have come as text; the default for anything else."""
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return default
    return int(number) if abs(number) < 1 << 53 else default


def items_of(value: object) -> Sequence[Any]:
    """Return a list; anything else is an empty one."""
    return value if isinstance(value, list) else []
