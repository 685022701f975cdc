"""How large a request may be."""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphrag_assets.serve.problems import refusal

TOO_LARGE = 413


class BodyLimit:
    """ASGI middleware that refuses large requests: by their length, else while they are read."""

    def __init__(self, app: ASGIApp, *, most: int) -> None:
        """Take the app, and the most bytes of a body."""
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = Headers(scope=scope).get("content-length", "")
        if said.isdecimal() and int(said) > self._most:
            await refusal(TOO_LARGE, self._error())(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._most:
                raise HTTPException(TOO_LARGE, self._error())
            return message

        await self._app(scope, counted, send)

    def _error(self) -> str:
        return f"The request has more than {self._most} bytes."
