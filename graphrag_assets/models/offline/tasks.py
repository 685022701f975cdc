"""One answer per prompt: which function answers which prompt file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from graphrag_assets.models.offline import (
    answers,
    claims,
    extraction,
    messages,
    points,
    questions,
    summaries,
)
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


def _corpus_questions(conversation: Conversation) -> BaseModel:
    return questions.corpus_questions(
        messages.section(conversation, "context"), messages.n_questions(conversation)
    )


def _next_questions(conversation: Conversation) -> BaseModel:
    return questions.next_questions(
        messages.section(conversation, "context"),
        messages.section(conversation, "conversation"),
        messages.n_questions(conversation),
    )


def _of(
    function: Callable[..., BaseModel | str], *tags: str
) -> Callable[[Conversation], BaseModel | str]:
    """Return the task that calls a function with sections of the messages."""

    def task(conversation: Conversation) -> BaseModel | str:
        return function(*(messages.section(conversation, tag) for tag in tags))

    return task


def _asked(function: Callable[..., BaseModel | str]) -> Callable[[Conversation], BaseModel | str]:
    return _of(function, "context", "question")


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
    "rate_relevance": _asked(points.rate),
    "drift_primer": _asked(questions.primer),
    "drift_follow_up": _of(questions.follow_up, "context", "question", "main_question"),
    "question_corpus": _corpus_questions,
    "question_next": _next_questions,
    "question_route": _of(questions.route, "question"),
    "question_split": _of(questions.split, "question"),
    "question_standalone": _of(questions.standalone, "conversation", "question"),
}
SCHEMAS = (
    ("extract_claims", ("claims",)),
    ("extract_graph", ("entities", "relationships")),
    ("community_report", ("findings", "title")),
    ("global_map", ("points",)),
    ("rate_relevance", ("rating", "reason")),
    ("resolve_entities", ("same",)),
    ("question_route", ("method", "reason")),
    ("drift_primer", ("answer", "follow_ups")),
    ("question_split", ("questions",)),
    ("question_standalone", ("question",)),
    ("summarize_description", ("description",)),
)
SECTIONS: tuple[tuple[str, set[str]], ...] = (
    ("extract_claims", {"text", "entities"}),
    ("extract_graph", {"text"}),
    ("summarize_description", {"descriptions"}),
    ("local_answer", {"context", "question"}),
    ("community_report", {"context"}),
)
