"""Limits: size, time, how many at once."""

import asyncio

import httpx2
import pytest
from starlette.testclient import TestClient

from graphrag_assets.errors import BusyError, DeadlineError, NoIndexError, SqlError
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.project import Project
from graphrag_assets.serve.app import build_app
from graphrag_assets.serve.service import WAITING_PER_SLOT, Service
from serve.events import events

# What no other test asks: a remembered answer is there before any limit.
ASKED = {"question": "Which harbour waits for the North Light?", "method": "local"}


def limited(project, **limits) -> Project:
    """Return a project with other limits."""
    serve = project.settings.serve.model_copy(update=limits)
    settings = project.settings.model_copy(update={"serve": serve})
    return Project(project.root, settings)


@pytest.fixture
def slow(monkeypatch):
    """Let models answer never."""

    async def never(*_):
        await asyncio.sleep(3600)

    async def never_a_piece(*_):
        await asyncio.sleep(3600)
        yield ""

    monkeypatch.setattr(ScriptedTransport, "chat", never)
    monkeypatch.setattr(ScriptedTransport, "stream", never_a_piece)


class TestADeadline:
    @pytest.fixture
    def hurried(self, indexed, slow):
        app = build_app(limited(indexed, deadline_seconds=0.5), token="", with_sql=True)
        with TestClient(app, base_url="http://127.0.0.1") as client:
            yield client

    def test_ends_a_question(self, hurried):
        response = hurried.post("/ask", json=ASKED)

        assert response.status_code == 504
        assert "No answer within 0.5 seconds" in response.json()["error"]

    def test_ends_a_stream(self, hurried):
        with hurried.stream("POST", "/ask/stream", json=ASKED) as response:
            *_, (event, data) = events(response.iter_lines())

        assert (event, data["status"]) == ("error", 504)

    def test_ends_a_statement(self, hurried):
        endless = "SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b"
        response = hurried.post("/sql", json={"query": endless})

        assert response.status_code in {422, 504}
        assert hurried.get("/status").status_code == 200

    def test_leaves_the_server_well(self, hurried, monkeypatch):
        hurried.post("/ask", json=ASKED)
        monkeypatch.undo()

        assert hurried.get("/status").json()["index_version"] == 1


def test_a_statement_is_interrupted(indexed):
    from graphrag_assets.query import Index

    endless = "SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b"
    with pytest.raises(SqlError, match=r"(?i)interrupt"):
        Index(indexed, None).reader.sql(endless, seconds=0.2)


class TestTooLarge:
    def test_a_body_is_413(self, client):
        response = client.post("/ask", json={"question": "x" * 300_000})

        assert response.status_code == 413
        assert "max_body_kb" in response.json()["hint"]

    def test_a_body_of_unknown_length_is_too(self, client):
        headers = {"Content-Type": "application/json"}
        pieces = (b"x" * 10_000 for _ in range(100))
        response = client.post("/ask", content=pieces, headers=headers)

        assert response.status_code == 413

    @pytest.mark.parametrize("path", ["/reports?limit=1000", "/documents/x?length=9999999"])
    def test_a_page_is_422(self, client, path):
        assert client.get(path).status_code == 422


class TestAtOnce:
    def test_only_some_are_answered_and_some_wait(self, indexed, monkeypatch):
        service = Service(limited(indexed, concurrency=2))
        now, most = 0, 0

        async def counted(*_, **__):
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.01)
            now -= 1
            return "answered"

        monkeypatch.setattr("graphrag_assets.query.Index.ask_async", counted)

        async def many():
            return await asyncio.gather(*(service.ask("x") for _ in range(10)))

        assert asyncio.run(many()) == ["answered"] * 10
        assert most == 2

    def test_a_reader_who_leaves_gives_the_slot_back(self, serving, indexed, slow):
        project = limited(indexed, concurrency=1, deadline_seconds=30)
        with serving(project) as address, httpx2.Client(base_url=address, timeout=20) as client:
            with client.stream("POST", "/ask/stream", json=ASKED) as response:
                assert response.status_code == 200
            rows = client.post("/sql", json={"query": "SELECT 1"})

        assert rows.json()["rows"] == [[1]]

    def test_more_than_can_wait_are_told_so(self, indexed, slow):
        service = Service(limited(indexed, concurrency=1, deadline_seconds=1))

        async def many():
            asked = (service.ask("Who?", method="basic") for _ in range(WAITING_PER_SLOT + 3))
            return await asyncio.gather(*asked, return_exceptions=True)

        kinds = [type(found) for found in asyncio.run(many())]
        assert kinds.count(BusyError) == 2
        assert kinds.count(DeadlineError) == WAITING_PER_SLOT + 1

    def test_what_fails_gives_its_slot_back(self, project):
        service = Service(limited(project, concurrency=1))

        async def many():
            asked = [service.ask("x") for _ in range(5)]
            return await asyncio.gather(*asked, return_exceptions=True)

        assert {type(found) for found in asyncio.run(many())} == {NoIndexError}
