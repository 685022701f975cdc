"""Work for one client, for as long as that client waits for it."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from starlette.requests import Request

T = TypeVar("T")


async def attended(request: Request, work: Coroutine[Any, Any, T]) -> T | None:
    """Return what work returns; None if the client left before: the work is cancelled then.

    The request's body must have been read.
    """
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        for one in (working, leaving):
            one.cancel()
        with suppress(asyncio.CancelledError):
            await leaving
        await asyncio.wait((working,))


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
