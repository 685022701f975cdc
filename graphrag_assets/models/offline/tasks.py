"""One answer per prompt: which function answers which prompt file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from graphrag_assets.models.offline import answers, claims, extraction, messages, points, summaries
from graphrag_assets.models.replies import Extraction, SameNames

Conversation = Sequence[Mapping[str, Any]]


def answer(conversation: Conversation, *, prompt: str = "", schema: str = "") -> str:
    """Return the reply to a rendered prompt: JSON in its schema, or text.

    `prompt` is the prompt's file name, `schema` the JSON schema that was asked for, as text; with
    neither known, the sections of the messages tell what is asked.
    """
    task = TASKS.get(prompt) or TASKS[recognise(conversation, schema)]
    reply = task(conversation)
    return reply if isinstance(reply, str) else reply.model_dump_json()


def recognise(conversation: Conversation, schema: str) -> str:
    """Return the prompt that fits a reply schema, or the sections of the messages."""
    named = [(name, keys) for name, keys in SCHEMAS if all(f'"{key}"' in schema for key in keys)]
    if named:
        return named[0][0]
    has = {
        tag
        for tag in ("text", "entities", "question", "context", "descriptions")
        if messages.section(conversation, tag)
    }
    for name, tags in SECTIONS:
        if tags <= has:
            return name
    return "basic_answer"


def _extract(conversation: Conversation) -> BaseModel:
    return extraction.extract(
        messages.section(conversation, "text"), messages.listed_types(conversation)
    )


def _claims(conversation: Conversation) -> BaseModel:
    return claims.extract(
        messages.section(conversation, "text"), messages.section(conversation, "entities")
    )


def _description(conversation: Conversation) -> BaseModel:
    return summaries.description(
        messages.section(conversation, "name"),
        messages.section(conversation, "descriptions"),
        messages.max_tokens(conversation),
    )


def _report(conversation: Conversation) -> BaseModel:
    return summaries.report(messages.section(conversation, "context"))


def _asked(
    function: Callable[[str, str], BaseModel | str],
) -> Callable[[Conversation], BaseModel | str]:
    def task(conversation: Conversation) -> BaseModel | str:
        return function(
            messages.section(conversation, "context"), messages.section(conversation, "question")
        )

    return task


TASKS: dict[str, Callable[[Conversation], BaseModel | str]] = {
    "extract_graph": _extract,
    "continue_extraction": lambda _: Extraction(),
    "check_extraction": lambda _: "N",
    "extract_claims": _claims,
    "resolve_entities": lambda _: SameNames(same=[]),  # letters were looked at already
    "summarize_description": _description,
    "community_report": _report,
    "global_map": _asked(points.map_points),
    "global_reduce": _asked(points.reduce_points),
    "local_answer": _asked(answers.answer),
    "basic_answer": _asked(answers.answer),
    "rate_relevance": _asked(answers.rate),
}
SCHEMAS = (
    ("extract_claims", ("claims",)),
    ("extract_graph", ("entities", "relationships")),
    ("community_report", ("findings", "title")),
    ("global_map", ("points",)),
    ("rate_relevance", ("rating", "reason")),
    ("resolve_entities", ("same",)),
    ("summarize_description", ("description",)),
)
SECTIONS: tuple[tuple[str, set[str]], ...] = (
    ("extract_claims", {"text", "entities"}),
    ("extract_graph", {"text"}),
    ("summarize_description", {"descriptions"}),
    ("local_answer", {"context", "question"}),
    ("community_report", {"context"}),
)
