"""A new version is picked up; every answer is of one whole version; the old one is closed."""

import threading
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from graphrag_assets.errors import NoIndexError
from graphrag_assets.project import Project
from graphrag_assets.query import Index
from graphrag_assets.serve.current import Current
from pipeline import index_once


@pytest.fixture
def current(indexed):
    found = Current(indexed)
    yield found
    found.close()


def closed(index) -> bool:
    try:
        index.reader.rows("SELECT 1")
    except Exception as error:  # noqa: BLE001 - DuckDB's own
        return "closed" in str(error).lower()
    return False


class TestTheNewestVersion:
    def test_is_lent_open_once(self, current):
        with current.lease() as one, current.lease() as other:
            assert one is other

    def test_is_picked_up_and_the_old_one_closed_after_its_last_question(self, current, indexed):
        with current.lease() as old:
            indexed.store.publish(2)
            with current.lease() as new:
                assert (old.version, new.version) == (1, 2)
            assert not closed(old)
        assert closed(old)
        assert not closed(new)

    def test_that_nobody_uses_is_closed_when_a_newer_one_is_lent(self, current, indexed):
        with current.lease() as old:
            pass
        indexed.store.publish(2)
        with current.lease():
            assert closed(old)

    def test_built_anew_under_the_same_number_is_picked_up(self, current, indexed):
        with current.lease() as old:
            pass
        indexed.store.published().unlink()
        with indexed.store.transaction() as connection:
            connection.execute("UPDATE documents SET title = 'anew'")
        indexed.store.publish(1)
        with current.lease() as new:
            assert new.sql("SELECT DISTINCT title FROM documents").item() == "anew"
        assert closed(old)

    def test_built_anew_is_picked_up_when_the_old_one_is_no_longer_read(self, current, indexed):
        with current.lease() as old:
            indexed.store.published().unlink()
            indexed.store.publish(1)
            with current.lease() as still:
                assert still is old
        with current.lease() as new:
            assert new is not old

    def test_that_goes_while_it_is_opened_gives_way_to_a_newer_one(
        self, current, indexed, monkeypatch
    ):
        indexed.store.publish(2)
        opened = Index.__init__

        def overtaken(self, project, version):
            if version == 2:
                indexed.store.publish(3)
                indexed.store.forget(1)
            opened(self, project, version)

        monkeypatch.setattr(Index, "__init__", overtaken)
        with current.lease() as new:
            assert new.version == 3

    def test_that_is_gone_is_an_error_until_there_is_one_again(self, current, indexed):
        indexed.store.published().unlink()
        with pytest.raises(NoIndexError), current.lease():
            pass
        indexed.store.publish(2)
        with current.lease() as new:
            assert new.version == 2


def test_a_run_is_seen_without_a_restart(client, indexed):
    assert client.get("/documents/07-new.txt").status_code == 404
    (indexed.root / "data/input/07-new.txt").write_text("Ben Cole keeps the North Light.")
    index_once(Project.open(indexed.root))

    found = client.get("/documents/07-new.txt").json()
    answer = client.post("/ask", json={"question": "Who keeps the light?", "method": "basic"})
    assert (found["index_version"], answer.json()["index_version"]) == (2, 2)
    assert client.get("/changes").json()["until"] == 2


@pytest.mark.slow
def test_versions_change_under_load_and_no_question_fails(serving, indexed):
    stop = threading.Event()

    def ask(address) -> list[tuple[int, int]]:
        seen = []
        with httpx2.Client(base_url=address, timeout=60) as client:
            last = False
            while not last:
                last = stop.is_set()  # one more question after the last version came
                body = {"question": "Who keeps the North Light?", "method": "local"}
                response = client.post("/ask", json=body)
                seen.append((response.status_code, response.json().get("index_version")))
        return seen

    with serving(indexed) as address, ThreadPoolExecutor() as pool:
        asking = [pool.submit(ask, address) for _ in range(4)]
        for version in range(2, 8):
            indexed.store.publish(version)
            indexed.store.forget(1)
        stop.set()
        seen = [one.result() for one in asking]

    for one in seen:
        assert {status for status, _ in one} == {200}
        versions = [version for _, version in one]
        assert versions == sorted(versions)
        assert versions[-1] == 7


def test_many_ask_at_once(serving, indexed):
    def ask(address, number):
        body = {"question": f"Who keeps the North Light, number {number}?", "method": "local"}
        return httpx2.post(f"{address}/ask", json=body, timeout=60).json()

    with serving(indexed) as address, ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda number: ask(address, number), range(20)))

    assert {answer["status"] for answer in answers} == {"ok"}
    assert [answer["question"] for answer in answers] == [
        f"Who keeps the North Light, number {number}?" for number in range(20)
    ]
    assert {answer["usage"]["calls"] for answer in answers} == {2}  # its own: vector and text
