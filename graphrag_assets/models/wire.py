"""The way to real models: litellm. The only file that imports it, and only on the first call.

Everything litellm would do on its own is off: retries, caches, telemetry, price lists from the
network. What it raises is sorted here, so that the rest of the package never sees its errors.
"""

import asyncio
import os
import warnings
from collections.abc import AsyncGenerator
from typing import Any, Final

from graphrag_assets.models import envelope
from graphrag_assets.models.faults import ProviderError, sort_error
from graphrag_assets.models.transport import OFFLINE, Answer, Ask, EmbedAsk, Vectors

SAMPLE: Final = 1000  # tokens whose cost tells the price of one; asking each time is slow
# Read by litellm while it is imported: its own price list, no .env file of the working folder,
# no log lines, no tokenizer downloads.
ENVIRONMENT: Final = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOG": "ERROR",
    "HF_HUB_OFFLINE": "1",
}
# litellm warns of answers that differ from its types (a base64 vector), though they are looked at
# here, and of its own type declarations when it first uses them.
HARMLESS: Final = ("Pydantic serializer warnings", "Items? '.+ on TypedDict class")
# Providers that speak OpenAI's protocol at an address of one's own, and where their key stands.
KEYS: Final = {"openai": "OPENAI_API_KEY", "hosted_vllm": "HOSTED_VLLM_API_KEY"}


class LitellmTransport:
    """Speaks to every provider that litellm knows, and to the embedded one."""

    def __init__(self) -> None:
        """Import nothing yet."""
        self._litellm: Any = None
        self._loading: asyncio.Lock | None = None
        self._prices: dict[str, tuple[float, float] | None] = {}

    async def ready(self, model: str, /) -> None:
        """Import litellm, beside the loop (it takes seconds), and register the offline models."""
        if self._litellm is None:
            self._loading = self._loading or asyncio.Lock()
            async with self._loading:
                self._litellm = self._litellm or await asyncio.to_thread(_load)
        if model.startswith(OFFLINE):
            _register_offline()
        _hush()

    async def chat(self, ask: Ask) -> Answer:
        """Return one answer."""
        try:
            response = await self._litellm.acompletion(**_chat_arguments(ask))
        except Exception as error:
            raise sort_error(error) from error
        return answer_of(response)

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Answer, None]:
        """Give the pieces of one answer; last, how it ended and what it took."""
        finish, usage = "stop", None
        try:
            chunks = await self._litellm.acompletion(**_chat_arguments(ask), stream=True)
            async for chunk in chunks:
                usage = getattr(chunk, "usage", None) or usage
                for choice in chunk.choices[:1]:
                    finish = envelope.ending(choice.finish_reason or finish)
                    if choice.delta.content:
                        yield choice.delta.content
        except Exception as error:
            raise sort_error(error) from error
        yield Answer("", finish, "", _tokens(usage, "prompt"), _tokens(usage, "completion"))

    async def embed(self, ask: EmbedAsk) -> Vectors:
        """Return the vectors of some texts."""
        try:
            response = await self._litellm.aembedding(
                model=ask.model,
                input=[sendable(text) for text in ask.texts],
                timeout=ask.timeout,
                max_retries=0,
                **_address(ask),
                **ask.parameters,
            )
        except Exception as error:
            raise sort_error(error) from error
        items = [item if isinstance(item, dict) else dict(item) for item in response.data or []]
        rows = [envelope.row_of(item, position) for position, item in enumerate(items)]
        return Vectors(tuple(rows), _tokens(response.usage, "prompt"))

    def cost(self, model: str, prompt_tokens: int, completion_tokens: int, /) -> float | None:
        """Return what tokens cost; None for a model that isn't in litellm's price list."""
        if model.startswith(OFFLINE):
            return 0.0
        if model not in self._prices:
            self._prices[model] = self._price(model)
        price = self._prices[model]
        return price and prompt_tokens * price[0] + completion_tokens * price[1]

    def _price(self, model: str) -> tuple[float, float] | None:
        """Return what a token costs, in and out; litellm makes up zeros for names it can't know."""
        known = self._litellm.model_cost
        try:
            if self._litellm.get_model_info(model)["key"] not in known:
                return None
            prices = self._litellm.cost_per_token(
                model=model, prompt_tokens=SAMPLE, completion_tokens=SAMPLE
            )
        except (self._litellm.ModelNotMappedError, self._litellm.BadRequestError, ValueError):
            return None  # a name that is no model's: the call itself will tell
        return prices[0] / SAMPLE, prices[1] / SAMPLE

    async def close(self) -> None:
        """Close litellm's connections."""
        if self._litellm is None:
            return
        from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

        await close_litellm_async_clients()
        self._litellm.in_memory_llm_clients_cache.flush_cache()


def _load() -> Any:  # noqa: ANN401
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what its own imports deprecate
        import litellm
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.DEFAULT_MAX_RETRIES = 0  # what it makes of max_retries=0 for embeddings
    return litellm


def _register_offline() -> None:
    from graphrag_assets.models.offline import provider

    provider.register()


def _hush() -> None:
    """Silence the warnings that litellm's checks of answers raise; cheap when they are already."""
    patterns = {item[1].pattern for item in warnings.filters if item[0] == "ignore" and item[1]}
    for message in HARMLESS:
        if message not in patterns:
            warnings.filterwarnings("ignore", message=message, category=UserWarning)


def _address(ask: Ask | EmbedAsk) -> dict[str, str]:
    return {"api_base": ask.api_base} if ask.api_base else {}


def _chat_arguments(ask: Ask) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": ask.model,
        "messages": [
            {"role": message.role, "content": sendable(message.content)} for message in ask.messages
        ],
        "timeout": ask.timeout,
        "max_retries": 0,
    }
    if ask.model.startswith(OFFLINE):
        arguments["metadata"] = {"task": ask.task, "prompt": ask.prompt}
    return arguments | _address(ask) | dict(ask.parameters)


def provider(model: str) -> str:
    """Return the provider in a model's name."""
    return model.partition("/")[0]


def key_of(model: str) -> str | None:
    """Return the key of a model that speaks OpenAI's protocol."""
    return os.environ.get(KEYS[provider(model)])


def sendable(text: str) -> str:
    """Return text that can be sent: lone surrogates have no UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def answer_of(response: Any) -> Answer:  # noqa: ANN401
    """Return what a response says: its content, or the arguments of a forced tool call."""
    if not response.choices:
        raise ProviderError("broken", "the answer has no choices")
    choice = response.choices[0]
    message = choice.message
    usage = getattr(response, "usage", None)
    return Answer(
        text=envelope.words_of(message.content, _calls(message)),
        finish=envelope.ending(choice.finish_reason),
        refusal=_refusal(message),
        prompt_tokens=_tokens(usage, "prompt"),
        completion_tokens=_tokens(usage, "completion"),
    )


def _calls(message: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the tools that a message calls as the JSON that they came in."""
    calls = getattr(message, "tool_calls", None) or []
    given = [{"function": {"arguments": call.function.arguments}} for call in calls]
    alone = getattr(message, "function_call", None)
    return {"tool_calls": given, "function_call": alone and {"arguments": alone.arguments}}


def _refusal(message: Any) -> str:  # noqa: ANN401
    fields = getattr(message, "provider_specific_fields", None) or {}
    return envelope.refusal_of(getattr(message, "refusal", None) or fields.get("refusal"))


def _tokens(usage: Any, kind: str) -> int:  # noqa: ANN401
    name = f"{kind}_tokens"
    return envelope.tokens_of({name: getattr(usage, name, None)}, kind)
