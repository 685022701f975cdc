"""Does everything that a run needs work? One tiny call per model, before anything is paid for.

verdicts = check(Project.open(root))      # graphrag-assets check: exit code 0 if all are ok
"""

import asyncio
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_assets.errors import GraphRAGError, ModelError, NoIndexError
from graphrag_assets.models.client import Models, Request
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.replies import Description
from graphrag_assets.project import Project
from graphrag_assets.prompts import PROMPTS
from graphrag_assets.query.reader import Reader
from graphrag_assets.settings import TASKS, ModelSettings

EMBEDDING: Final = "embedding"
PROMPT: Final = "summarize_description"  # the smallest of those with a structured reply
TEXT: Final = "The ferry leaves at noon."
WAY_OUT: Final = {
    "failed": "The endpoint answers, but not usably: try another model, or see its log.",
    "refused": "The model declines the plainest request: try another one.",
    "filtered": "The provider's content filter stops the plainest request: see its settings.",
    "truncated": "The model doesn't come to an end: try another one, or a longer output limit.",
}
FORMS: Final = {
    "bounded schema": "takes a JSON schema with bounds",
    "schema": "takes a JSON schema without bounds",
    "object": "takes no JSON schema, gives a JSON object",
    "plain": "takes no JSON mode, the schema stands in the prompt",
}


@dataclass(frozen=True)
class Verdict:
    """Whether one thing works: what it is, for whom, and what was found or how to mend it."""

    what: str
    used_for: tuple[str, ...]
    ok: bool
    said: str
    seconds: float | None = None


def check(project: Project) -> list[Verdict]:
    """Return a verdict on the prompts and one on each distinct model of the settings.

    The calls pass by the memo, so that they are really made, and none is written down.
    """
    users: dict[tuple[str, str, bool], list[str]] = {}
    for task in TASKS:
        chosen = project.settings.models.for_task(task)
        users.setdefault((chosen.model, chosen.api_base, task == EMBEDDING), []).append(task)
    models = Models(project.settings.models, memo=Memo.none(), budget_usd=0)
    try:
        calls = [_model(models, project, tasks) for tasks in users.values()]
        return [_prompts(project), *models.run(_all(calls))]
    finally:
        models.close()


async def _all(calls: Sequence[Coroutine[None, None, Verdict]]) -> list[Verdict]:
    return await asyncio.gather(*calls)


def _prompts(project: Project) -> Verdict:
    what = "prompts and domain pack"
    try:
        for name in PROMPTS:
            project.prompts.text(name)
        project.prompts.domain(project.settings.extraction.domain)
    except GraphRAGError as error:
        return Verdict(what, (), ok=False, said=str(error))
    return Verdict(what, (), ok=True, said=f"{len(PROMPTS)} prompts can be read")


async def _model(models: Models, project: Project, tasks: list[str]) -> Verdict:
    chosen = project.settings.models.for_task(tasks[0])
    await models.ready(tasks[0])
    start = time.monotonic()
    try:
        if tasks == [EMBEDDING]:
            ok, said = await _embedding(models, project)
        else:
            ok, said = await _chat(models, project, tasks[0])
    except ModelError as error:
        ok, said = False, str(error)
    return Verdict(_named(chosen), tuple(tasks), ok, said, time.monotonic() - start)


def _named(chosen: ModelSettings) -> str:
    return f"{chosen.model} at {chosen.api_base}" if chosen.api_base else chosen.model


async def _chat(models: Models, project: Project, task: str) -> tuple[bool, str]:
    values = {"name": "ferry", "descriptions": f"- {TEXT}", "language": "English"}
    messages = project.prompts.render(PROMPT, **values, max_tokens="20")
    outcome = await models.chat(Request(task, PROMPT, messages, Description))
    if outcome.status != "ok":
        return False, f"{outcome.reason}. {WAY_OUT[outcome.status]}"
    return True, FORMS[models.form(task)]


async def _embedding(models: Models, project: Project) -> tuple[bool, str]:
    (vector,) = await models.embed([TEXT])
    if vector is None:
        return False, "It gives no usable vector: is it an embedding model?"
    published = await asyncio.to_thread(_published, project)
    said = f"{len(vector)} dimensions"
    if published is None:
        return True, said
    model, dimension = published
    if model != models.model(EMBEDDING):
        return True, f"{said}; the index has vectors of {model}: all will be made anew"
    if dimension != len(vector):
        way_out = "give the model that made them, or another name, so that all are made anew"
        return False, f"{said}, but the index has {dimension} of the same model: {way_out}"
    return True, f"{said}, as in the index"


def _published(project: Project) -> tuple[str, int] | None:
    """Return the model and dimension of the published vectors; None if there are none."""
    try:
        reader = project.store.opened(Reader)
    except NoIndexError:
        return None
    try:
        query = "SELECT model, len(vector) AS dimension FROM text_unit_embeddings LIMIT 1"
        found = reader.rows(query).rows()
        return (str(found[0][0]), int(found[0][1])) if found else None
    finally:
        reader.close()
