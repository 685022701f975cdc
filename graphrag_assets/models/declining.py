"""Models that answer from the memo alone: what they would have to ask is noted, not asked."""

from collections.abc import AsyncGenerator, Sequence
from typing import Final

from graphrag_assets import settings
from graphrag_assets.models.client import Models
from graphrag_assets.models.embedding import Vector
from graphrag_assets.models.faults import ProviderError
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.transport import Answer, Ask, EmbedAsk, Vectors

UNLIMITED: Final = {"rpm": 0, "tpm": 0}


class DecliningTransport:
    """Notes each request and declines it."""

    def __init__(self) -> None:
        """Start with nothing asked."""
        self.asked: list[Ask] = []

    async def ready(self, _model: str, /) -> None:
        """Be ready."""

    async def chat(self, ask: Ask) -> Answer:
        """Note a request."""
        self.asked.append(ask)
        raise ProviderError("filtered", "not asked: this is an estimate")

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Answer, None]:
        """Note a request."""
        yield await self.chat(ask)

    async def embed(self, ask: EmbedAsk) -> Vectors:
        """Embed nothing."""
        raise ProviderError("filtered", f"{len(ask.texts)} texts not embedded: an estimate")

    def cost(self, _model: str, _prompt_tokens: int, _completion_tokens: int, /) -> None:
        """Know no price."""

    async def close(self) -> None:
        """Close nothing."""


class DecliningModels(Models):
    """The models of a project, of which only the memo answers."""

    def __init__(self, models: settings.Models, *, memo: Memo) -> None:
        """Take the settings, without the limits of pace: nobody is asked."""
        self.declining = DecliningTransport()
        self.texts: dict[str, None] = {}  # to embed, each once
        unlimited = {
            task: models.for_task(task).model_copy(update=UNLIMITED) for task in settings.TASKS
        }
        super().__init__(
            models.model_copy(update=unlimited),
            memo=memo,
            budget_usd=0,
            transport=self.declining,
        )

    @property
    def asked(self) -> list[Ask]:
        """The requests that the memo couldn't answer."""
        return self.declining.asked

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Note the texts that the memo has no vector of; give none."""
        distinct = [text for text in dict.fromkeys(texts) if text.strip()]
        known = self.known_texts(distinct)
        self.texts |= dict.fromkeys(
            text for text, there in zip(distinct, known, strict=True) if not there
        )
        return [None] * len(texts)
