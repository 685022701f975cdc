"""litellm's side of the embedded models. Importing this imports litellm: only `register` does."""

# ruff: noqa: ANN401 - litellm passes what it likes

import asyncio
import functools
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from litellm import CustomLLM
from litellm.llms.custom_llm import CustomLLMError
from litellm.types.utils import Choices, Embedding, EmbeddingResponse, Message, ModelResponse, Usage

from graphrag_assets.models.offline import embeddings, tasks
from graphrag_assets.models.offline.provider import CHAT, EMBEDDING, PROVIDER

WORKERS = 2
Chunk = dict[str, Any]


class OfflineLLM(CustomLLM):  # type: ignore[misc]
    """Answers `offline/nlp` and `offline/use-m3` in this process."""

    def completion(self, *args: Any, **call: Any) -> ModelResponse:
        """Return the reply to a chat call."""
        return _completion(**_named(args, call))

    async def acompletion(self, *args: Any, **call: Any) -> ModelResponse:
        """Return the reply to a chat call; the work is done in a thread."""
        return await _in_thread(_completion, **_named(args, call))

    def streaming(self, *args: Any, **call: Any) -> Iterator[Chunk]:
        """Yield the reply to a chat call piece by piece."""
        response = _completion(**_named(args, call))
        yield from _chunks(response)

    async def astreaming(self, *args: Any, **call: Any) -> AsyncIterator[Chunk]:
        """Yield the reply to a chat call piece by piece; the work is done in a thread."""
        response = await _in_thread(_completion, **_named(args, call))
        for chunk in _chunks(response):
            yield chunk

    def embedding(self, *args: Any, **call: Any) -> EmbeddingResponse:
        """Return the embeddings of a list of texts."""
        return _embedding(**_named(args, call))

    async def aembedding(self, *args: Any, **call: Any) -> EmbeddingResponse:
        """Return the embeddings of a list of texts; the work is done in a thread."""
        return await _in_thread(_embedding, **_named(args, call))


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(WORKERS, thread_name_prefix="offline-model")


async def _in_thread(function: Any, **call: Any) -> Any:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_pool(), functools.partial(function, **call))


def _named(args: Sequence[Any], call: dict[str, Any]) -> dict[str, Any]:
    names = ("model", "messages" if "input" not in call else "input")
    return dict(zip(names, args, strict=False)) | call


def _completion(*, model: str, messages: list[Mapping[str, Any]], **call: Any) -> ModelResponse:
    _check(model, CHAT)
    params = call.get("litellm_params") or {}
    asked = (params.get("metadata") or {}).get("prompt", "")
    options = call.get("optional_params") or {}
    schema = json.dumps(options.get("response_format") or {})
    text = tasks.answer(messages, prompt=asked, schema=schema)
    response = call.get("model_response") or ModelResponse()
    response.model = f"{PROVIDER}/{CHAT}"
    response.choices = [
        Choices(finish_reason="stop", index=0, message=Message(content=text, role="assistant"))
    ]
    given = sum(_tokens(str(message.get("content") or "")) for message in messages)
    made = _tokens(text)
    response.usage = Usage(prompt_tokens=given, completion_tokens=made, total_tokens=given + made)
    return response


def _chunks(response: ModelResponse) -> Iterator[Chunk]:
    text = response.choices[0].message.content
    pieces = text.splitlines(keepends=True) or [""]
    for at, piece in enumerate(pieces):
        last = at == len(pieces) - 1
        yield {
            "text": piece,
            "is_finished": last,
            "finish_reason": "stop" if last else "",
            "index": 0,
            "tool_use": None,
            "usage": response.usage.model_dump() if last else None,
        }


def _embedding(*, model: str, input: list[str], **call: Any) -> EmbeddingResponse:  # noqa: A002
    _check(model, EMBEDDING)
    texts = [input] if isinstance(input, str) else list(input)
    vectors = embeddings.embed(texts)
    response = call.get("model_response") or EmbeddingResponse()
    response.model = f"{PROVIDER}/{EMBEDDING}"
    response.object = "list"
    response.data = [
        Embedding(embedding=row.tolist(), index=at, object="embedding")
        for at, row in enumerate(vectors)
    ]
    given = sum(_tokens(text) for text in texts)
    response.usage = Usage(prompt_tokens=given, completion_tokens=0, total_tokens=given)
    return response


def _check(model: str, expected: str) -> None:
    if model.removeprefix(f"{PROVIDER}/") != expected:
        raise CustomLLMError(
            status_code=404,
            message=f"There is no offline model `{model}` for this; use offline/{expected}.",
        )


def _tokens(text: str) -> int:
    """Return a close count of o200k tokens: four letters, or two of three Chinese characters."""
    han = sum(character > "\u2e80" for character in text)
    return -(-(len(text) - han) // 4) + -(-han * 2 // 3)
