"""The short way to one's own endpoint: OpenAI's protocol over plain HTTP, without litellm.

litellm takes 5 ms of processor time a call where this takes 0.5, and seconds and 180 MB to import.
Where an address is given, and the provider's name says that OpenAI's protocol is spoken there, it
would have nothing to translate. All other models, and streams, go by litellm.
"""

import atexit
import importlib.util
import json
import re
from collections.abc import AsyncGenerator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from graphrag_assets.models import background, envelope
from graphrag_assets.models.faults import (
    ProviderError,
    Symptom,
    public,
    sort_error,
    sort_symptom,
)
from graphrag_assets.models.transport import OFFLINE, Answer, Ask, EmbedAsk, Transport, Vectors
from graphrag_assets.models.wire import KEYS, key_of, provider, sendable

if TYPE_CHECKING:
    import aiohttp

BAD: Final = 400
CODES: Final = {"invalid_api_key": 401, "model_not_found": 404} | dict.fromkeys(
    ("rate_limit_exceeded", "insufficient_quota"), 429
)
PRICES: Final = "model_prices_and_context_window_backup.json"


class DirectTransport:
    """Speaks to OpenAI-compatible endpoints by itself, to all others by another transport."""

    def __init__(self, other: Transport) -> None:
        """Connect to nothing yet."""
        self._other = other
        self._session: aiohttp.ClientSession | None = None

    async def ready(self, model: str, /) -> None:
        """Get ready for a model; whether it has an address of its own shows with the first call."""
        if provider(model) not in KEYS:
            await self._other.ready(model)

    async def chat(self, ask: Ask) -> Answer:
        """Return one answer."""
        if not _is_direct(ask):
            await self._other.ready(ask.model)
            return await self._other.chat(ask)
        messages = [
            {"role": message.role, "content": sendable(message.content)} for message in ask.messages
        ]
        return envelope.answer_of(await self._post("chat/completions", ask, {"messages": messages}))

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Answer, None]:
        """Give the pieces of one answer."""
        await self._other.ready(ask.model)
        async for piece in self._other.stream(ask):
            yield piece

    async def embed(self, ask: EmbedAsk) -> Vectors:
        """Return the vectors of some texts."""
        if not _is_direct(ask):
            await self._other.ready(ask.model)
            return await self._other.embed(ask)
        said = await self._post("embeddings", ask, {"input": [*map(sendable, ask.texts)]})
        return envelope.vectors_of(said)

    def cost(self, model: str, prompt_tokens: int, completion_tokens: int, /) -> float | None:
        """Return what tokens cost by litellm's price list, which can be read without litellm."""
        if provider(model) not in KEYS:
            return self._other.cost(model, prompt_tokens, completion_tokens)
        price = _price(model)
        return price and prompt_tokens * price[0] + completion_tokens * price[1]

    async def close(self) -> None:
        """Close connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None
            atexit.unregister(self._leave)
        await self._other.close()

    def _leave(self) -> None:
        """Close connections when the interpreter ends: who asked need not think of it."""
        background.run(self.close())

    async def _post(self, path: str, ask: Ask | EmbedAsk, body: dict[str, Any]) -> dict[str, Any]:
        import aiohttp  # a sixth of a second that only an address needs

        parameters = dict(ask.parameters)
        headers = _headers(ask.model, parameters.pop("api_key", None))
        content = json.dumps({"model": ask.model.partition("/")[2], **body, **parameters})
        url = f"{ask.api_base.rstrip('/')}/{path}"
        if self._session is None:  # no limit: the gate of each model has one
            self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
            atexit.register(self._leave)
        patience = aiohttp.ClientTimeout(total=ask.timeout)
        try:
            async with self._session.post(
                url, data=content.encode(), headers=headers, timeout=patience
            ) as response:
                text = (await response.read()).decode("utf-8", "replace")
        except aiohttp.ClientConnectorError as error:
            raise sort_error(error) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise ProviderError("broken", f"{type(error).__name__} {error}".strip()) from error
        if response.history and response.method != "POST":
            words = f"it leads to {public(str(response.url))}: set api_base to where that belongs"
            raise ProviderError("stop", words)
        if response.status >= BAD:
            raise _refusal(response.status, text, response.headers)
        return _object(text)


def _is_direct(ask: Ask | EmbedAsk) -> bool:
    return bool(ask.api_base) and provider(ask.model) in KEYS


def _headers(model: str, given: str | None) -> dict[str, str]:
    key = given or key_of(model)
    sent = {"Content-Type": "application/json"}
    return sent | ({"Authorization": f"Bearer {key}"} if key else {})


def _refusal(status: int, text: str, headers: Mapping[str, str]) -> ProviderError:
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        error = json.loads(text)["error"]
        parameter = str(error.get("param") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        parameter = ""
    said = text or f"status {status}"
    return sort_symptom(Symptom(status, said, lower, parameter))


def _object(text: str) -> dict[str, Any]:
    """Return an answer's JSON; an error that comes with status 200 is one all the same."""
    said = envelope.body_of(text)
    if isinstance(said, list):
        said = envelope.pieces_of(said)
    if not isinstance(said, dict):
        raise ProviderError("broken", "the answer is no JSON object")
    told = said.get("error")
    if told and not said.get("choices") and not said.get("data"):
        raise _refusal(_status(told), text, {})
    return said


def _status(error: Any) -> int:  # noqa: ANN401
    """Return the status that an error stands for, though it came with another."""
    code = str(error.get("code") if isinstance(error, dict) else "")
    return CODES.get(code) or (int(code) if re.fullmatch(r"[45]\d\d", code) else 500)


def longest_prompt(model: str) -> int | None:
    """Return the tokens that a model reads by litellm's list; None = it isn't there."""
    limit = {} if model.startswith(OFFLINE) else _listed(model)
    tokens = limit.get("max_input_tokens") or limit.get("max_tokens")
    return tokens if isinstance(tokens, int) else None


def _price(model: str) -> tuple[float, float] | None:
    entry = _listed(model)
    cost = entry.get("input_cost_per_token")
    return None if cost is None else (float(cost), float(entry.get("output_cost_per_token") or 0))


def _listed(model: str) -> dict[str, Any]:
    known = _prices()
    return known.get(model) or known.get(model.partition("/")[2]) or {}


@cache
def _prices() -> dict[str, Any]:
    """Return the price list in litellm's wheel; found, not imported."""
    found = importlib.util.find_spec("litellm")
    path = Path(found.origin) if found and found.origin else Path()
    return dict(json.loads(path.with_name(PRICES).read_text("utf-8")))
