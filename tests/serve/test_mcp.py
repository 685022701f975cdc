"""The tools, asked by the official client: over HTTP and in memory."""

import asyncio

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from graphrag_assets.errors import ModelCallError
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.serve import digests
from graphrag_assets.serve.service import Service
from graphrag_assets.serve.tools import build_tools

QUESTION = "Who keeps the North Light?"
TOOLS = {
    "ask",
    "search",
    "suggest_questions",
    "list_reports",
    "get_report",
    "find_entities",
    "get_entity",
    "lineage",
    "status",
    "sql",
}


@pytest.fixture
def using(indexed):
    """Return a way to use the tools with a client in memory."""
    service = Service(indexed)

    def used(*calls):
        async def run():
            async with Client(build_tools(service, with_sql=True)) as client:
                return [await client.call_tool(name, values) for name, values in calls]

        return asyncio.run(run())

    yield used
    service.current.close()


def one(using, tool, /, **values):
    (result,) = using((tool, values))
    assert not result.is_error, result.content
    return result.structured_content


class TestTools:
    def test_are_listed_with_what_they_take_and_give(self, indexed):
        async def run():
            async with Client(build_tools(Service(indexed), with_sql=True)) as client:
                return (await client.list_tools()).tools

        tools = asyncio.run(run())
        assert {tool.name for tool in tools} == TOOLS
        for tool in tools:
            assert tool.description
            assert tool.annotations.read_only_hint
            assert tool.output_schema
            for name, schema in tool.input_schema["properties"].items():
                assert schema.get("description"), (tool.name, name)

    def test_ask_answers_with_sources(self, using):
        found = one(using, "ask", question=QUESTION, method="local")

        assert (found["status"], found["method"], found["index_version"]) == ("ok", "local", 1)
        assert found["sources"][0]["marker"] in found["text"]
        assert found["sources"][0]["passages"][0]["path"].endswith((".txt", ".md"))

    def test_what_one_gives_the_next_takes(self, using):
        report = one(using, "list_reports", level=0)["items"][0]
        entity = one(using, "find_entities", name="emil")["items"][0]
        passage = one(using, "search", question=QUESTION, k=1)["items"][0]

        assert one(using, "get_report", ref=report["id"])["title"] == report["title"]
        assert one(using, "get_entity", ref=entity["id"])["relationships"]
        assert one(using, "lineage", ref=f"E{entity['id'][:8]}")["title"] == "Emil Frost"
        assert one(using, "lineage", ref=passage["id"])["passages"][0]["text"] in passage["text"]
        assert one(using, "status")["counts"]["documents"] == 6
        assert one(using, "sql", query="SELECT count(*) FROM documents")["rows"] == [[6]]

    def test_suggest_questions(self, using, script):
        script.enqueue({"questions": [{"question": "Who sold tar?"}]}, "question_corpus")

        assert one(using, "suggest_questions")["result"] == ["Who sold tar?"]

    @pytest.mark.parametrize(
        ("name", "values", "said"),
        [
            ("ask", {"question": ""}, "The question is empty."),
            ("ask", {"question": "x" * 100_000}, "100000 characters"),
            ("ask", {"question": "x", "method": "magic"}, "method"),
            ("get_report", {"ref": "zz"}, "No report has the id `zz`."),
            ("sql", {"query": "DELETE FROM entities"}, "refused"),
            ("lineage", {}, "ref"),
        ],
    )
    def test_say_what_is_wrong(self, using, name, values, said):
        (result,) = using((name, values))

        assert result.is_error
        assert said in result.content[0].text

    def test_say_that_the_model_failed(self, using, monkeypatch):
        async def failing(*_):
            raise ModelCallError("the model fell over")

        monkeypatch.setattr(ScriptedTransport, "chat", failing)
        question = "What fell over?"  # asked nowhere else: no memo knows the answer
        (result,) = using(("ask", {"question": question, "method": "local"}))

        assert result.is_error
        assert "the model fell over" in result.content[0].text


class TestOverHttp:
    def use(self, address, headers=None):
        async def run():
            async with httpx2.AsyncClient(headers=headers) as http:
                transport = streamable_http_client(f"{address}/mcp", http_client=http)
                async with Client(transport) as client:
                    tools = {tool.name for tool in (await client.list_tools()).tools}
                    values = {"question": QUESTION, "method": "local"}
                    return tools, await client.call_tool("ask", values)

        return asyncio.run(run())

    def test_a_client_asks(self, serving, indexed):
        with serving(indexed) as address:
            tools, result = self.use(address)

        assert tools == TOOLS
        assert result.structured_content["status"] == "ok"

    def test_sql_is_offered_only_where_it_is_wanted(self, serving, indexed):
        with serving(indexed, with_sql=False) as address:
            tools, _ = self.use(address)

        assert tools == TOOLS - {"sql"}

    def test_the_token_is_wanted(self, serving, indexed):
        with serving(indexed, token="secret") as address:
            _, result = self.use(address, {"Authorization": "Bearer secret"})
            refused = httpx2.post(f"{address}/mcp", json={})

        assert result.structured_content["status"] == "ok"
        assert refused.status_code == 401


class TestAResult:
    def test_that_is_short_stays_whole(self):
        row = {"text": "short", "items": [1, 2, {"a": None}]}

        assert digests.bounded(row) == row

    @pytest.mark.parametrize(
        "row",
        [
            {"text": "x" * 100_000},
            {"items": [{"text": "word " * 100}] * 1000},
            {"items": [{"items": ["x" * 5000] * 100}] * 100},
        ],
    )
    def test_that_is_long_is_cut_to_size(self, row):
        cut = digests.bounded(row)

        assert 100 < len(str(cut)) <= 24_000
        assert cut.keys() == row.keys()
