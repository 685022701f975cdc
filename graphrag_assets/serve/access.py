"""Who may ask: a token if one is set; without one, only this machine and no foreign web page."""

import hmac
import ipaddress
import socket
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphrag_assets.errors import ServeError
from graphrag_assets.serve.problems import refusal

PAGES: Final = ("/", "/health", "/docs", "/openapi.json")  # hold nothing of the index
ASSETS: Final = "/docs/assets/"
SAFE: Final = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
}


class Access:
    """ASGI middleware that refuses whom it doesn't know."""

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        """Take the app that is guarded, and the token; empty: none."""
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = self._refused(scope["path"], Headers(scope=scope))
        if answer is None:
            await self._app(scope, receive, _safely(send))
        else:
            status, error, hint = answer
            response = refusal(status, error, hint)
            if status == 401:  # noqa: PLR2004
                response.headers["WWW-Authenticate"] = "Bearer"
            await response(scope, receive, _safely(send))

    def _refused(self, path: str, headers: Headers) -> tuple[int, str, str | None] | None:
        if not self._token:
            return _foreign(headers)
        if path in PAGES or path.startswith(ASSETS):
            return None
        scheme, _, sent = headers.get("authorization", "").partition(" ")
        known = hmac.compare_digest(sent.strip().encode("latin-1"), self._token)
        if scheme.lower() == "bearer" and known:
            return None
        return 401, "The token is missing or wrong.", None


def check_reachable(host: str, token: str) -> None:
    """Raise ServeError for an address that others can reach, unless there is a token."""
    if not token and not is_loopback(host):
        raise ServeError(
            f"Others could reach `{host}`. Set GRAPHRAG_TOKEN in the environment to a secret that "
            "they must send, or use --host 127.0.0.1."
        )


def is_loopback(host: str) -> bool:
    """Tell whether a name or address is this machine's own, and no other."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        pass
    try:
        found = {str(place[4][0]) for place in socket.getaddrinfo(host, None)}
    except OSError as error:
        raise ServeError(f"There is no host `{host}`: {error}") from error
    return all(ipaddress.ip_address(place).is_loopback for place in found)


def _foreign(headers: Headers) -> tuple[int, str, str | None] | None:
    """Refuse names that were pointed at this machine (DNS rebinding), and other sites' pages."""
    host = headers.get("host", "")
    if not _names_this_machine(host):
        hint = "Use http://127.0.0.1, or set GRAPHRAG_TOKEN on the server and send it."
        return 421, "Without a token this server answers to its loopback address only.", hint
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
        return 403, "Pages of other sites may not ask.", "Ask from this server's own page."
    return None


def _names_this_machine(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _safely(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            present = {name.lower() for name, _ in headers}
            headers += [pair for pair in SAFE.items() if pair[0] not in present]
            message = {**message, "headers": headers}
        await send(message)

    return sent
