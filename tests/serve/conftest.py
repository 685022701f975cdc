"""A server over the small index: in this process, and on a real socket."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.testclient import TestClient

from graphrag_assets.project import Project
from graphrag_assets.serve.app import build_app

LOOPBACK = "http://127.0.0.1:8000"


@pytest.fixture
def app(indexed):
    """Return the app of the six documents, with SQL."""
    return build_app(indexed, token="", with_sql=True)


@pytest.fixture
def client(app) -> Iterator[TestClient]:
    """Return a client of the app, without a socket."""
    with TestClient(app, base_url=LOOPBACK) as found:
        yield found


@pytest.fixture
def serving() -> Callable[..., Iterator[str]]:
    """Return a way to serve a project on a real socket, in a thread."""

    @contextmanager
    def served(project: Project, *, token: str = "", with_sql: bool = True) -> Iterator[str]:
        app = build_app(project, token=token, with_sql=with_sql)
        config = uvicorn.Config(app, port=0, log_config=None, timeout_graceful_shutdown=5)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            port = server.servers[0].sockets[0].getsockname()[1]
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()

    return served
