"""The pieces of a streamed answer: in time, and without the thoughts that it opens with."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from graphrag_assets.models.faults import ProviderError
from graphrag_assets.models.transport import Answer

THOUGHT: Final = "<think>"
END: Final = "</think>"


async def spoken(answer: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    """Give an answer without the thoughts that it opens with."""
    held, opening = "", True
    async with aclosing(answer):
        async for piece in answer:
            if not opening:
                yield piece
                continue
            held = (held + piece).rpartition(END)[2].lstrip()
            if held and not _may_be_thought(held):
                opening = False
                yield held
    if opening and held and not held.startswith(THOUGHT):
        yield held


def _may_be_thought(start: str) -> bool:
    return start.startswith(THOUGHT) or THOUGHT.startswith(start)


async def in_time(
    answer: AsyncGenerator[str | Answer, None], timeout: float
) -> AsyncGenerator[str | Answer, None]:
    """Give pieces as long as each comes in time."""
    async with aclosing(answer):
        while True:
            try:
                piece = await asyncio.wait_for(anext(answer, None), timeout)
            except TimeoutError as error:
                words = f"the answer stopped for {timeout:.3g} s"
                raise ProviderError("broken", words, wait=0.0) from error
            if piece is None:
                return
            yield piece
