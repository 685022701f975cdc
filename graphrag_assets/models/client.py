"""The models of a project: chat, stream, embed. Everything between a prompt and a parsed reply.

    models = Models(settings.models, memo=Memo("data/index/memo.sqlite"), budget_usd=0)
    outcome = models.run(models.chat(Request("report", "community_report", messages, Report)))

Calls are awaited from any event loop; the work is done on one loop of the process (background.py).
A reply that was parsed once is found again in the memo. What stops every call is raised as
ModelStoppedError; what concerns one call alone is an Outcome.
"""

import asyncio
import copy
import hashlib
import json
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, cast

from pydantic import BaseModel

from graphrag_assets import settings
from graphrag_assets.errors import ModelCallError
from graphrag_assets.models import background, memo
from graphrag_assets.models.calls import EMBEDDING, Caller
from graphrag_assets.models.chat import Status, Verdict, converse, pieces
from graphrag_assets.models.dialect import RUNGS, Dialect, Draft, json_schema, wanted
from graphrag_assets.models.direct import DirectTransport, longest_prompt
from graphrag_assets.models.embedding import Embedder, Vector
from graphrag_assets.models.ledger import Budget, Call, Ledger, Tally
from graphrag_assets.models.limits import Gate
from graphrag_assets.models.recall import Recall
from graphrag_assets.models.transport import OFFLINE, Transport
from graphrag_assets.models.wire import LitellmTransport
from graphrag_assets.prompts import Message

R = TypeVar("R")
T = TypeVar("T")
WORKERS_PER_CALL: Final = 2  # conversations at work for each call in flight: reading, looking up


@dataclass(frozen=True)
class Request(Generic[R]):
    """One call."""

    task: str  # key of settings.TASKS: which model
    prompt: str  # name of the prompt file
    messages: tuple[Message, ...]
    schema: type[R] | None  # what the reply must be; None = plain text
    subject: str = ""  # id of the text unit, community … that it is for


@dataclass(frozen=True)
class Outcome(Generic[R]):
    """What a call ended in."""

    status: Status
    reply: R | None  # set for ok, and for truncated with complete items
    reason: str | None  # why it isn't ok; what was left out of a reply that is


@dataclass(frozen=True)
class Asked:
    """A verdict and what it took."""

    verdict: Verdict
    tally: Tally
    from_memo: bool


class Models:
    """The models of a project, one per task."""

    def __init__(
        self,
        models: settings.Models,
        *,
        memo: memo.Memo,
        budget_usd: float,
        transport: Transport | None = None,
    ) -> None:
        """Take the settings; nothing is imported or connected before the first call."""
        self._settings = {task: models.for_task(task) for task in settings.TASKS}
        self._transport = transport or DirectTransport(LitellmTransport())
        self._ledger = Ledger()
        self._memo = memo
        self._recall: Recall[Asked] = Recall(memo)
        self._callers = _callers(self._settings, self._transport, Budget(budget_usd))
        self._embedder = Embedder(self._callers[EMBEDDING], self._recall, self._ledger, {})

    async def chat(self, request: Request[R]) -> Outcome[R]:
        """Return the outcome of one call; raise ModelStoppedError if every call would fail."""
        return await background.hop(self._chat(request))

    async def stream(self, request: Request[Any]) -> AsyncGenerator[str, None]:
        """Give the pieces of one plain-text answer; an answer of the memo is one piece."""
        answer = self._stream(request)
        try:
            while (piece := await background.hop(_next(answer))) is not None:
                yield piece
        finally:
            await background.hop(_closed(answer))

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return a float32 row per text; None where the model gives no usable vector."""
        return await background.hop(self._embedder.embed(texts))

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the models' loop and return its result: for synchronous callers."""
        return background.run(coroutine)

    def map(
        self,
        jobs: Sequence[Callable[[], Coroutine[Any, Any, T]]],
        *,
        progress: Callable[[int], None] | None,
    ) -> list[T]:
        """Run conversations side by side; results in order, the first error ends all."""
        most = max(caller.gate.slots.most for caller in self._callers.values())
        workers = WORKERS_PER_CALL * most
        return background.run(background.gather(jobs, workers=workers, progress=progress))

    def apart(self) -> "Models":
        """Return the same models with a ledger of their own: what one step or question takes.

        Limits, budget, memo and connections stay shared.
        """
        view, ledger = copy.copy(self), Ledger()
        vars(view).update(_ledger=ledger, _embedder=replace(self._embedder, ledger=ledger))
        return view

    def drain(self) -> list[Call]:
        """Return the ledger's rows since the last drain."""
        return self._ledger.drain()

    def flying(self) -> tuple[int, float]:
        """Return how many calls are in flight, and the age of the oldest in seconds."""
        gates = {id(caller.gate): caller.gate for caller in self._callers.values()}
        states = [gate.flying() for gate in gates.values()]
        return sum(count for count, _ in states), max(age for _, age in states)

    def context_tokens(self, task: str) -> int | None:
        """Return the longest prompt that a task's model takes; None = not known.

        What litellm's list says, or less if the model was found to take less.
        """
        limits = (self._callers[task].dialect.context_tokens, longest_prompt(self.model(task)))
        return min((limit for limit in limits if limit), default=None)

    async def ready(self, task: str) -> None:
        """Get ready for a task's model: imports that the first call would wait for."""
        await background.hop(self._transport.ready(self.model(task)))

    def form(self, task: str) -> str:
        """Return the strictest form of structured output that a task's model took: see RUNGS."""
        return RUNGS[self._callers[task].dialect.rung]

    def known(self, requests: Sequence[Request[Any]]) -> list[bool]:
        """Tell which requests the memo can answer: they cost nothing."""
        keys = [self._draft(request)[1] for request in requests]
        found = self._memo.get_many(keys)
        return [key in found for key in keys]

    def known_texts(self, texts: Sequence[str]) -> list[bool]:
        """Tell which texts the memo holds vectors of."""
        keys = [memo.vector_key(self.model(EMBEDDING), text) for text in texts]
        found = self._memo.get_many(keys)
        return [key in found for key in keys]

    def price(self, task: str, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return what tokens would cost in USD; None = the price is unknown."""
        model = self.model(task)
        background.run(self._transport.ready(model))
        return self._transport.cost(model, prompt_tokens, completion_tokens)

    def model(self, task: str) -> str:
        """Return the litellm name of a task's model."""
        return self._settings[task].model

    def recipe(self, task: str) -> str:
        """Return a fingerprint of what changes replies: the model and its parameters."""
        model = self._settings[task].model
        parameters = {} if task == EMBEDDING else wanted(model, "")
        edition = model if task == EMBEDDING else _edition(model)
        text = json.dumps([edition, parameters], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def close(self) -> None:
        """Close connections."""
        background.run(self._transport.close())
        self._memo.close()

    async def _chat(self, request: Request[R]) -> Outcome[R]:
        draft, key = self._draft(request)
        start = time.monotonic()
        tally, status, from_memo = Tally(), "stopped", False
        try:
            asked, shared = await self._recall.once(key, partial(self._asked, key, draft, tally))
            status, from_memo = asked.verdict.status, shared or asked.from_memo
        finally:
            self._note(request, tally, start, status, from_memo=from_memo)
        verdict = asked.verdict
        return Outcome(verdict.status, cast("R | None", verdict.reply), verdict.reason)

    async def _asked(self, key: str, draft: Draft, tally: Tally) -> Asked:
        stored = await self._recall.find(key)
        if stored is not None and (verdict := recalled(stored, draft.schema)):
            return Asked(verdict, tally, from_memo=True)
        verdict = await converse(self._callers[draft.task], draft, tally)
        if verdict.status == "ok":
            await self._recall.store({key: remembered(verdict)})
        return Asked(verdict, tally, from_memo=False)

    async def _stream(self, request: Request[Any]) -> AsyncGenerator[str, None]:
        draft, key = self._draft(request)
        start, tally = time.monotonic(), Tally()
        status, from_memo, whole = "stopped", False, ""
        try:
            stored = await self._recall.find(key)
            if stored is not None and (verdict := recalled(stored, None)):
                status, from_memo = "ok", True
                yield verdict.reply
                return
            async with aclosing(pieces(self._callers[draft.task], draft, tally)) as answer:
                async for piece in answer:
                    whole += piece
                    yield piece
            status = "ok"
            await self._recall.store({key: remembered(Verdict("ok", whole.strip(), None))})
        except ModelCallError:
            status = "failed"
            raise
        finally:
            self._note(request, tally, start, status, from_memo=from_memo)

    def _draft(self, request: Request[Any]) -> tuple[Draft, str]:
        model = self._settings[request.task].model
        parameters = wanted(model, request.prompt)
        known_as = _edition(model)
        draft = Draft(request.task, request.prompt, request.messages, request.schema, parameters)
        form = request.schema and _fingerprint(cast("type[BaseModel]", request.schema))
        return draft, memo.reply_key(known_as, request.messages, parameters, form)

    def _note(
        self, request: Request[Any], tally: Tally, start: float, status: str, *, from_memo: bool
    ) -> None:
        self._ledger.note(
            task=request.task,
            prompt=request.prompt,
            subject=request.subject,
            model=self._settings[request.task].model,
            tally=tally,
            seconds=time.monotonic() - start,
            status=status,
            from_memo=from_memo,
        )


def _callers(
    by_task: dict[str, settings.ModelSettings], transport: Transport, budget: Budget
) -> dict[str, Caller]:
    """Return a way to the model of each task; tasks with the same model share its limits."""
    places: dict[tuple[str, str], list[settings.ModelSettings]] = {}
    for each in by_task.values():
        places.setdefault((each.model, each.api_base), []).append(each)
    shared = {place: (_gate(users), Dialect(*place)) for place, users in places.items()}
    return {
        task: Caller(each, transport, *shared[each.model, each.api_base], budget)
        for task, each in by_task.items()
    }


def _gate(users: Sequence[settings.ModelSettings]) -> Gate:
    """Return the gate of a model: the most calls any task allows, the tightest rate."""
    rpm = min((user.rpm for user in users if user.rpm), default=0)
    tpm = min((user.tpm for user in users if user.tpm), default=0)
    return Gate(max(user.concurrency for user in users), rpm, tpm)


def remembered(verdict: Verdict) -> bytes:
    """Return a good verdict for the memo."""
    reply = verdict.reply
    body = reply.model_dump(mode="json") if isinstance(reply, BaseModel) else reply
    return memo.pack({"reply": body, "reason": verdict.reason})


def recalled(stored: bytes, schema: type[Any] | None) -> Verdict | None:
    """Return the verdict that the memo holds; None if it can't be read: then it is asked again."""
    try:
        content = memo.unpack(stored)
        reply = content["reply"] if schema is None else schema.model_validate(content["reply"])
    except (ValueError, KeyError, TypeError):
        return None
    return Verdict("ok", reply, content["reason"])


def _edition(model: str) -> str:
    """Return a model's name; with a fingerprint of its code, where it is our own."""
    return f"{model}@{_offline_code()}" if model.startswith(OFFLINE) else model


@cache
def _offline_code() -> str:
    folder = Path(__file__).parent / "offline"
    sources = sorted(folder.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


@cache
def _fingerprint(schema: type[BaseModel]) -> str:
    text = json.dumps(json_schema(schema, bounded=True), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


async def _closed(answer: AsyncGenerator[str, None]) -> None:
    while getattr(
        answer, "ag_running", False
    ):  # the reader was cancelled: the piece it waited for is being, too
        await asyncio.sleep(0.001)
    await answer.aclose()


async def _next(answer: AsyncGenerator[str, None]) -> str | None:
    return await anext(answer, None)
