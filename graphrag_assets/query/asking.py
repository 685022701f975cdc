"""One question on its way: the method's steps, the last call, the citations, the account."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final as Constant

from graphrag_assets.context import cited, keep_known
from graphrag_assets.errors import ModelCallError
from graphrag_assets.models.ledger import Usage
from graphrag_assets.query.answer import Answer, Draft, Final
from graphrag_assets.query.citations import resolved
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.history import standalone
from graphrag_assets.query.map_reduce import joined
from graphrag_assets.query.methods import AUTO, METHODS
from graphrag_assets.query.question import Question
from graphrag_assets.query.route import pick
from graphrag_assets.query.streaming import Checked
from graphrag_assets.query.subtree import worth_opening
from graphrag_assets.text import language

SILENT: Constant = {"zh": "文档中没有提到。", "en": "The documents don't say."}


@dataclass(frozen=True)
class Asking:
    """A question, and the engine that answers it with an account of its own."""

    engine: Engine
    question: Question
    method: str
    chosen: str = ""

    async def answer(self) -> Answer:
        """Return the whole answer."""
        chosen, step = await self._prepared()
        if isinstance(step, Final):
            step = step.draft(await chosen.engine.models.chat(step.request))
        return await aside(chosen.finished, step)

    async def stream(self) -> AsyncGenerator[str | Answer, None]:
        """Give the text as the model writes it, then the answer: its text is that of the pieces."""
        chosen, step = await self._prepared()
        if isinstance(step, Final):
            raw, shown = "", Checked(step.known)
            reason = None
            try:
                async with aclosing(chosen.engine.models.stream(step.request)) as pieces:
                    async for piece in pieces:
                        raw += piece
                        if sure := shown.add(piece):
                            yield sure
            except ModelCallError as error:
                reason = str(error)
            if rest := shown.end():
                yield rest
            raw = raw.strip()
            step = step.said(raw) if reason is None else step.failed(reason, raw)
            yield await aside(chosen.finished, step)
            return
        answer = await aside(chosen.finished, step)
        if answer.text:
            yield answer.text
        yield answer

    async def _prepared(self) -> "tuple[Asking, Draft | Final]":
        """Return how the question is asked in the end, and all but the last call."""
        asking = await routed(await understood(self))
        step = await METHODS[asking.method].answer(asking.engine, asking.question)
        return asking, step

    def finished(self, draft: Draft) -> Answer:
        """Return the answer with its citations resolved."""
        reader = self.engine.reader
        text, dropped = keep_known(draft.text, draft.known)
        draft = supported(replace(draft, text=text))
        if draft.status == "no_evidence":
            text = text or SILENT.get(language(self.question.text), SILENT["en"])
        opening = worth_opening(reader, draft, self.question.community)
        return Answer(
            text=text,
            citations=resolved(reader, draft),
            context=tuple(ref for _, ref, _ in draft.known.values()),
            usage=Usage.of(self.engine.models.drain()),
            method=self.method,
            level=draft.level,
            index_version=reader.version,
            status=draft.status,
            reason=draft.reason,
            dropped_citations=dropped,
            question=self.question.text,
            chosen="; ".join(filter(None, (self.chosen, draft.chosen))),
            communities=opening,
        )


def supported(draft: Draft) -> Draft:
    """Return an answer as one without evidence, if nothing in it is cited."""
    if draft.status != "ok" or cited(draft.text):
        return draft
    reason = joined(draft.reason, "nothing in the answer is cited")
    return replace(draft, status="no_evidence", reason=reason)


async def understood(asking: Asking) -> Asking:
    """Return a question that stands by itself, whatever was said before."""
    question = asking.question
    if not question.history:
        return asking
    text = await standalone(asking.engine, question.text, question.history)
    return replace(asking, question=replace(question, text=text))


async def routed(asking: Asking) -> Asking:
    """Return a question whose method is picked."""
    if asking.method != AUTO:
        return asking
    choice = await pick(asking.engine, asking.question.text)
    settings = asking.engine.settings
    if choice.finest is not None:
        settings = settings.model_copy(update={"level": choice.finest})
    engine = replace(asking.engine, settings=settings)
    return replace(asking, engine=engine, method=choice.method, chosen=choice.why)
