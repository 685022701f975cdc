"""Serve a project: over HTTP on an address, or over stdio to one MCP client."""

import logging
import socket
import sys
from collections.abc import Callable
from typing import Final

import anyio
import uvicorn

from graphrag_assets.errors import ServeError
from graphrag_assets.project import Project
from graphrag_assets.serve.access import check_reachable
from graphrag_assets.serve.app import build_app
from graphrag_assets.serve.service import Service
from graphrag_assets.serve.tools import build_tools
from graphrag_assets.settings import access_token

SHUTDOWN_SECONDS: Final = 10


def serve_http(
    project: Project, *, host: str, port: int, with_sql: bool, started: Callable[[str], None]
) -> None:
    """Serve HTTP and MCP over HTTP until stopped; raise ServeError if it can't be started.

    `started` is told the address, which has the port that was free if `port` is 0.
    """
    _log_to_stderr()
    token = access_token()
    check_reachable(host, token)
    listener = _listen(host, port)
    config = uvicorn.Config(
        build_app(project, token=token, with_sql=with_sql),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    name = f"[{host}]" if ":" in host else host
    started(f"http://{name}:{listener.getsockname()[1]}")
    uvicorn.Server(config).run(sockets=[listener])


def serve_stdio(project: Project) -> None:
    """Serve MCP over stdin and stdout until the client closes them."""
    _log_to_stderr()
    service = Service(project)
    try:
        anyio.run(build_tools(service, with_sql=True).run_stdio_async)
    finally:
        service.close()


def _log_to_stderr() -> None:
    """Log errors, and nothing to stdout, which may speak MCP."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.ERROR)
    logging.captureWarnings(capture=True)
    logging.basicConfig(handlers=[handler], format="%(levelname)s %(name)s: %(message)s")


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise ServeError(
            f"Nothing can be served on {host}, port {port}: {error}. Try another --port; 0 = any."
        ) from error
