"""The command as users start it: a process on a socket, a process on stdio."""

import asyncio
import os
import re
import socket
import subprocess
import sys
from contextlib import contextmanager

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from typer.testing import CliRunner

from graphrag_assets.cli import app
from graphrag_assets.errors import ServeError
from graphrag_assets.serve.run import serve_http
from serve.events import events

COMMAND = [sys.executable, "-m", "graphrag_assets.cli"]
QUESTION = "What penalty did Viktor Hale get?"


@contextmanager
def started(root, *options, **environment):
    """Start `serve` on a free port; give its address."""
    process = subprocess.Popen(
        [*COMMAND, "--root", str(root), "serve", "--port", "0", *options],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    try:
        line = process.stderr.readline()
        yield re.search(r"http://\S+:\d+", line)[0]
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.mark.slow
def test_a_process_answers_and_streams_the_same(sample_root):
    with started(sample_root, GRAPHRAG_TOKEN="secret") as address:
        client = httpx2.Client(
            base_url=address, headers={"Authorization": "Bearer secret"}, timeout=120
        )
        body = {"question": QUESTION, "method": "local"}
        answer = client.post("/ask", json=body).json()
        with client.stream("POST", "/ask/stream", json=body) as response:
            found = list(events(response.iter_lines()))
        unknown = httpx2.get(f"{address}/status").status_code
        client.close()

    assert answer["status"] == "ok"
    assert answer["citations"]
    assert "".join(data["text"] for event, data in found if event == "text") == answer["text"]
    assert found[-1][0] == "answer"
    assert found[-1][1]["text"] == answer["text"]
    assert unknown == 401


@pytest.mark.slow
def test_an_mcp_client_uses_the_tools_over_stdio(sample_root):
    server = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "--root", str(sample_root), "serve", "--mcp"]
    )

    async def run():
        async with Client(server) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            status = await client.call_tool("status", {})
            answer = await client.call_tool("ask", {"question": QUESTION, "method": "local"})
            return names, status.structured_content, answer.structured_content

    names, status, answer = asyncio.run(run())

    assert {"ask", "search", "lineage", "sql"} <= names
    assert status["counts"]["documents"] == 40
    assert answer["sources"]


def serve(project, *, host="127.0.0.1", port=0):
    serve_http(project, host=host, port=port, with_sql=False, started=print)


def test_an_open_address_without_a_token_is_wrong_use(project):
    with pytest.raises(ServeError, match="GRAPHRAG_TOKEN"):
        serve(project, host="0.0.0.0")


def test_a_port_that_is_taken_is_named(project):
    taken = socket.create_server(("127.0.0.1", 0))
    with taken, pytest.raises(ServeError, match="Try another --port"):
        serve(project, port=taken.getsockname()[1])


def test_both_ways_at_once_are_wrong_use(project):
    done = CliRunner().invoke(app, ["--root", str(project.root), "serve", "--http", "--mcp"])

    assert isinstance(done.exception, ServeError)
    assert "not both" in str(done.exception)
