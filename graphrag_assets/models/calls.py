"""One call to one model, with its whole chain of attempts: limits, deadline, remedies."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, NoReturn, TypeVar

from graphrag_assets.errors import ModelCallError, ModelStoppedError
from graphrag_assets.models.dialect import Dialect, Draft, count_tokens, estimate_tokens
from graphrag_assets.models.faults import ProviderError, public
from graphrag_assets.models.ledger import Budget, Tally
from graphrag_assets.models.limits import PATIENCE, Gate, backoff
from graphrag_assets.models.streaming import in_time
from graphrag_assets.models.transport import OFFLINE, Answer, Ask, EmbedAsk, Transport, Vectors
from graphrag_assets.settings import ModelSettings

A = TypeVar("A", Ask, EmbedAsk)
T = TypeVar("T")
MOST_TRIES: Final = 8
MOST_LESSONS: Final = 5  # of one kind
UNREACHABLE_TRIES: Final = 4  # nobody has ever answered there
FAILED_IN_ROW: Final = 10  # whole calls without one answer between them: the model is gone
LOOK_AGAIN: Final = 5.0  # so often is an attempt that takes long compared with others
LAST_WORDS: Final = 1.0
EMBEDDING: Final = "embedding"


@dataclass
class Chain:
    """The attempts of one call: what is left of its time and patience."""

    tally: Tally
    left: float
    most_tries: int = MOST_TRIES
    tries: int = 0
    failures: int = 0
    lessons: Counter[str] = field(default_factory=Counter)

    def count(self, tries: int) -> None:
        """Count an attempt."""
        self.tries += tries
        self.tally.tries += tries


@dataclass(frozen=True)
class Plan(Generic[A, T]):
    """How an attempt is made, and what it will take."""

    prompt: str
    tokens: int
    most_output: int
    shape: Callable[[float], A]
    perform: Callable[[A], Awaitable[T]]


@dataclass(frozen=True)
class Caller:
    """The way to one model."""

    settings: ModelSettings
    transport: Transport
    gate: Gate
    dialect: Dialect
    budget: Budget

    async def chat(self, draft: Draft, tally: Tally) -> Answer:
        """Return one answer; raise ProviderError, ModelCallError or ModelStoppedError."""
        answer = await self._send(self._plan(draft), tally, MOST_TRIES)
        return self._settled(draft, answer, tally)

    async def embed(self, texts: tuple[str, ...], tally: Tally, most_tries: int) -> Vectors:
        """Return the vectors of one batch."""
        tokens = sum(map(estimate_tokens, texts))
        plan = Plan(
            EMBEDDING,
            tokens,
            0,
            lambda timeout: self.dialect.shape_embedding(texts, timeout),
            self.transport.embed,
        )
        vectors = await self._send(plan, tally, most_tries)
        known = vectors.prompt_tokens
        self._count(EMBEDDING, known or tokens, 0, tally, estimated=not known)
        return vectors

    async def stream(self, draft: Draft, tally: Tally) -> AsyncGenerator[str, None]:
        """Give the pieces of one answer; what fails before the first piece is tried again."""
        plan = self._plan(draft)
        chain = Chain(tally, self.settings.deadline_seconds)
        await self._ready()
        while True:
            ask = self._next_ask(plan, chain)
            text = ""
            try:
                async with aclosing(self._attempt_stream(plan, ask, chain)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Answer):
                            self._ended(draft, replace(piece, text=text), tally)
                            return
                        text += piece
                        yield piece
            except ProviderError as fault:
                if text:
                    raise
                await self._remedy(fault, ask, chain)

    async def _attempt_stream(
        self, plan: Plan[Ask, Any], ask: Ask, chain: Chain
    ) -> AsyncGenerator[str | Answer, None]:
        cost, output = self._expected(plan)
        pause = min(chain.left, self._patience(plan.prompt, chain.tries))
        async with self.gate.turn(plan.tokens + output):
            await self.budget.admit(self.settings.model, cost)
            with self.budget.holding(cost):
                async with aclosing(in_time(self.transport.stream(ask), pause)) as pieces:
                    async for piece in pieces:
                        yield piece
                self.gate.answered = True

    def _ended(self, draft: Draft, answer: Answer, tally: Tally) -> None:
        """Count a streamed answer, and tell if it isn't whole."""
        answer = self._settled(draft, answer, tally)
        if answer.finish == "content_filter":
            raise ProviderError("filtered", "the provider's content filter cut the answer")
        if answer.finish == "length":
            self.dialect.longer(draft, answer.completion_tokens)  # for the next one
            words = (
                f"the answer breaks off after {answer.completion_tokens} tokens, the most allowed"
            )
            raise ProviderError("bad", words)

    def _plan(self, draft: Draft) -> Plan[Ask, Answer]:
        return Plan(
            draft.prompt,
            count_tokens(draft.messages),
            int(draft.parameters.get("max_tokens", 0)),
            lambda timeout: self.dialect.shape(draft, timeout),
            self.transport.chat,
        )

    async def _send(self, plan: Plan[A, T], tally: Tally, most_tries: int) -> T:
        chain = Chain(tally, self.settings.deadline_seconds, most_tries)
        await self._ready()
        while True:
            ask = self._next_ask(plan, chain)
            try:
                return await self._attempt(plan, ask, chain)
            except ProviderError as fault:
                await self._remedy(fault, ask, chain)

    async def _ready(self) -> None:
        self.gate.check()
        await self.transport.ready(self.settings.model)

    def _next_ask(self, plan: Plan[A, T], chain: Chain) -> A:
        chain.count(1)
        return plan.shape(max(chain.left, LAST_WORDS))

    def _patience(self, prompt: str, tries: int) -> float:
        """Return how long an attempt may take; what is computed here only takes its time."""
        deadline = self.settings.deadline_seconds
        ours = self.settings.model.startswith(OFFLINE)
        return deadline if ours else self.gate.patience(prompt, deadline, tries)

    def _expected(self, plan: Plan[A, T]) -> tuple[float | None, int]:
        """Return what an attempt will cost, and the tokens of its answer: guesses."""
        model = self.settings.model
        output = self.budget.output_tokens(model, plan.prompt, plan.most_output)
        cost = self.transport.cost(model, plan.tokens, output) if self.budget.usd else 0.0
        return cost, output

    async def _attempt(self, plan: Plan[A, T], ask: A, chain: Chain) -> T:
        cost, output = self._expected(plan)
        async with self.gate.turn(plan.tokens + output):
            await self.budget.admit(self.settings.model, cost)
            with self.budget.holding(cost):
                start = _now()
                try:
                    result = await self._watched(plan.perform(ask), plan.prompt, chain)
                finally:
                    chain.left -= _now() - start
        self.gate.succeeded(plan.prompt, _now() - start)
        self.gate.tokens.settle((_used(result) or plan.tokens + output) - plan.tokens - output)
        self.dialect.worked(ask)
        return result

    async def _watched(self, attempt: Awaitable[T], prompt: str, chain: Chain) -> T:
        """Return what an attempt gives, in the time that its like take by now; else end it."""
        task, start = asyncio.ensure_future(attempt), _now()
        try:
            while not task.done():
                allowed = min(chain.left, self._patience(prompt, chain.tries))
                rest = start + allowed - _now()
                if rest <= 0:
                    raise ProviderError("broken", f"no answer within {allowed:.3g} s", wait=0.0)
                await asyncio.wait({task}, timeout=min(rest, LOOK_AGAIN))
            return task.result()
        finally:
            if task.cancel():
                await asyncio.wait({task}, timeout=LAST_WORDS)

    async def _remedy(self, fault: ProviderError, ask: Ask | EmbedAsk, chain: Chain) -> None:
        """Do what a fault asks for, so that the next attempt may work; else raise."""
        if fault.kind == "stop":
            self._stop(fault)
        if fault.kind == "wait":
            if not self.gate.throttle(fault.wait):
                self._stop(fault, f"still rate-limited after {PATIENCE / 60:.0f} minutes")
            return
        if fault.kind in {"busy", "broken", "unreachable"}:
            await self._again(fault, chain)
            return
        if chain.lessons[fault.kind] < MOST_LESSONS and self.dialect.learn(fault, ask):
            chain.lessons[fault.kind] += 1
            chain.count(-1 if fault.kind == "key" else 0)  # nothing was sent
            return
        if fault.kind == "key":
            self._stop(fault)
        raise fault

    async def _again(self, fault: ProviderError, chain: Chain) -> None:
        """Wait before the next attempt, or give up."""
        chain.failures += 1
        if fault.kind == "busy":
            self.gate.overloaded(fault.wait)
        never_there = fault.kind == "unreachable" and not self.gate.answered
        if never_there and chain.failures >= UNREACHABLE_TRIES:
            self._stop(fault, f"it can't be reached ({fault.reason})")
        wait = backoff(chain.failures) if fault.wait is None else fault.wait
        most = chain.most_tries if fault.kind == "broken" else MOST_TRIES
        if wait >= chain.left or chain.failures >= most:
            self._give_up(fault, chain)
        chain.left -= wait
        await asyncio.sleep(wait)

    def _give_up(self, fault: ProviderError, chain: Chain) -> NoReturn:
        self.gate.failed_in_row += 1
        if self.gate.failed_in_row >= FAILED_IN_ROW:
            words = f"{FAILED_IN_ROW} calls in a row failed, the last with: {fault.reason}"
            self._stop(fault, words)
        tries = f"{chain.tries} tries" if chain.tries > 1 else "1 try"
        message = f"{fault.reason} ({tries})"
        raise ModelCallError(message) from fault

    def _stop(self, fault: ProviderError, words: str = "") -> NoReturn:
        reason = words or fault.reason
        error = ModelStoppedError(self.settings.model, public(self.settings.api_base), reason)
        self.gate.stop(error)
        raise error from fault

    def _settled(self, draft: Draft, answer: Answer, tally: Tally) -> Answer:
        """Count an answer's tokens, estimating what the provider didn't say."""
        prompt = answer.prompt_tokens or count_tokens(draft.messages)
        completion = answer.completion_tokens or estimate_tokens(answer.text)
        estimated = not answer.prompt_tokens
        self._count(draft.prompt, prompt, completion, tally, estimated=estimated)
        return replace(answer, prompt_tokens=prompt, completion_tokens=completion)

    def _count(
        self, name: str, prompt: int, completion: int, tally: Tally, *, estimated: bool
    ) -> None:
        model = self.settings.model
        cost = self.transport.cost(model, prompt, completion)
        tally.add(prompt, completion, cost, estimated=estimated)
        self.budget.spend(cost)
        self.budget.saw(model, name, completion)


def _used(result: object) -> int:
    """Return the tokens that a provider says an attempt took; 0 = it doesn't say."""
    if isinstance(result, Answer):
        return result.prompt_tokens + result.completion_tokens
    return result.prompt_tokens if isinstance(result, Vectors) else 0


def _now() -> float:
    return time.monotonic()
