"""A model that says what it was told to: for tests and demonstrations. No litellm, no network."""

import hashlib
import json
import re
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Callable
from typing import Any, Final

import numpy as np
from pydantic import BaseModel

from graphrag_assets.errors import GraphRAGError
from graphrag_assets.models.dialect import count_tokens, estimate_tokens
from graphrag_assets.models.faults import sort_error
from graphrag_assets.models.transport import Answer, Ask, EmbedAsk, Vectors

Reply = BaseModel | dict[str, Any] | list[Any] | str | Answer | Exception
DIMENSION: Final = 64


class ScriptedTransport:
    """Answers from queues: one per prompt, one for any prompt, then a default."""

    def __init__(
        self,
        default: Callable[[Ask], Reply] | None = None,
        *,
        price: tuple[float, float] | None = (0.0, 0.0),
    ) -> None:
        """Take what answers when nothing is queued, and the price of a token in and out."""
        self.history: list[Ask] = []
        self.embedded: list[EmbedAsk] = []
        self._default = default
        self._price = price
        self._queues: dict[str | None, deque[Reply]] = defaultdict(deque)

    def enqueue(self, reply: Reply, prompt: str | None = None) -> None:
        """Add the next reply, to one prompt or to any; an exception is raised."""
        self._queues[prompt].append(reply)

    async def ready(self, _model: str) -> None:
        """Be ready."""

    async def chat(self, ask: Ask) -> Answer:
        """Return the next reply."""
        self.history.append(ask)
        return _answer(self._next(ask), ask)

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Answer, None]:
        """Give the next reply word by word."""
        answer = await self.chat(ask)
        for word in re.findall(r"\s*\S+|\s+$", answer.text):
            yield word
        yield Answer(
            "", answer.finish, answer.refusal, answer.prompt_tokens, answer.completion_tokens
        )

    async def embed(self, ask: EmbedAsk) -> Vectors:
        """Return hashed bags of words."""
        self.embedded.append(ask)
        if self._queues["embedding"]:
            reply = self._queues["embedding"].popleft()
            if isinstance(reply, Exception):
                raise _sorted(reply)
        rows = tuple((position, bag_of_words(text)) for position, text in enumerate(ask.texts))
        return Vectors(rows, sum(map(estimate_tokens, ask.texts)))

    def cost(self, _model: str, prompt_tokens: int, completion_tokens: int, /) -> float | None:
        """Return the price agreed on."""
        if self._price is None:
            return None
        return prompt_tokens * self._price[0] + completion_tokens * self._price[1]

    async def close(self) -> None:
        """Close nothing."""

    def _next(self, ask: Ask) -> Reply:
        for name in (ask.prompt, None):
            if self._queues[name]:
                return self._queues[name].popleft()
        if self._default is None:
            message = f"No reply is queued for prompt `{ask.prompt}`: call enqueue() first."
            raise LookupError(message)
        return self._default(ask)


def _answer(reply: Reply, ask: Ask) -> Answer:
    if isinstance(reply, Exception):
        raise _sorted(reply)
    if isinstance(reply, Answer):
        return reply
    if isinstance(reply, BaseModel):
        text = reply.model_dump_json()
    else:
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    tokens = count_tokens(ask.messages)
    return Answer(text, prompt_tokens=tokens, completion_tokens=estimate_tokens(text))


def _sorted(error: Exception) -> Exception:
    """Return an error as a real transport would raise it; our own are raised as they are."""
    return error if isinstance(error, GraphRAGError) else sort_error(error)


def bag_of_words(text: str) -> list[float]:
    """Return a unit vector in which texts that share words are near each other."""
    vector = np.zeros(DIMENSION)
    for word in text.lower().split():
        digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
        vector[digest[0] % DIMENSION] += 1 if digest[1] % 2 else -1
    length = float(np.linalg.norm(vector))
    return list((vector / length) if length else np.eye(DIMENSION)[0])
