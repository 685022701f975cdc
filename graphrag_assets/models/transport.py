"""What crosses the wire: one question to a provider and its answer, whoever carries it."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from graphrag_assets.prompts import Message

OFFLINE: Final = "offline/"  # the embedded provider's models


@dataclass(frozen=True)
class Ask:
    """One request to a chat model, as it is sent."""

    model: str
    api_base: str
    task: str
    prompt: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any]
    timeout: float
    rung: int = 0  # how strictly the form of the answer is asked for: see dialect.RUNGS


@dataclass(frozen=True)
class EmbedAsk:
    """One request to an embedding model, as it is sent."""

    model: str
    api_base: str
    texts: tuple[str, ...]
    parameters: Mapping[str, Any]
    timeout: float


@dataclass(frozen=True)
class Answer:
    """What a chat model said; 0 tokens = the provider didn't say."""

    text: str
    finish: str = "stop"
    refusal: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True)
class Vectors:
    """What an embedding model said: (position of the text, vector or its base64)."""

    rows: tuple[tuple[int, Sequence[float] | str], ...]
    prompt_tokens: int = 0


class Transport(Protocol):
    """A way to reach models. Faults are raised as ProviderError."""

    async def ready(self, model: str, /) -> None:
        """Get ready for a model: what is slow the first time is done here."""

    async def chat(self, ask: Ask) -> Answer:
        """Return one answer."""

    def stream(self, ask: Ask) -> AsyncGenerator[str | Answer, None]:
        """Give the pieces of one answer as they come; last an Answer without text."""

    async def embed(self, ask: EmbedAsk) -> Vectors:
        """Return the vectors of some texts."""

    def cost(self, model: str, prompt_tokens: int, completion_tokens: int, /) -> float | None:
        """Return what tokens cost in USD; None = the price is unknown."""

    async def close(self) -> None:
        """Close connections."""
