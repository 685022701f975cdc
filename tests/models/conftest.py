"""Fixtures of the model tests: no long waits, models that ask a loopback server."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from graphrag_assets import settings
from graphrag_assets.models import limits
from graphrag_assets.models.client import Models
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.wire import LitellmTransport
from models.loopback import GOOD, Loopback, Reply, ask, embedded, said


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(limits, "FIRST_WAIT", 0.01)


@pytest.fixture(scope="session")
def warm() -> None:
    """Make a first call: litellm imports much of itself then, and no deadline is for that."""
    server = Loopback([said(GOOD), embedded([1.0])])
    model = {"model": "openai/test-model", "api_base": server.url}
    chosen = settings.Models(default=model, embedding=model)
    models = Models(chosen, memo=Memo.none(), budget_usd=0, transport=LitellmTransport())
    ask(models)
    models.run(models.embed(["a"]))
    server.close()
    models.close()


@pytest.fixture(params=["direct", "litellm"])
def start(request, warm) -> Iterator[Callable[..., tuple[Models, Loopback]]]:
    """Return a function that starts a server with replies, and the models that ask it.

    Both ways to a model meet every fault: our own HTTP, and litellm.
    """
    opened: list[tuple[Models, Loopback]] = []

    def open_one(*replies: Reply, memo: Memo | None = None, **more: Any):
        server = Loopback(replies)
        model = {
            "model": "openai/test-model",
            "api_base": server.url,
            "deadline_seconds": 20,
        } | more
        chosen = settings.Models(default=model, embedding=model)
        transport = LitellmTransport() if request.param == "litellm" else None
        memo = memo or Memo.none()
        opened.append((Models(chosen, memo=memo, budget_usd=0, transport=transport), server))
        return opened[-1]

    yield open_one
    for models, server in opened:
        server.close()
        models.close()
