"""Questions over HTTP: whole, in pieces, and those that can't be asked."""

import asyncio
import threading

import httpx2
import pytest

from graphrag_assets.errors import ModelCallError, ModelStoppedError
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.query import Index
from serve.events import events

QUESTION = "Who keeps the North Light?"


def streamed(client, **asked):
    with client.stream("POST", "/ask/stream", json=asked) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        return list(events(response.iter_lines()))


class TestAnAnswer:
    def test_is_that_of_the_index_with_citations_down_to_the_character(self, client, indexed):
        answer = client.post("/ask", json={"question": QUESTION, "method": "local"}).json()

        index = Index(indexed, None)
        direct = index.ask(QUESTION, method="local").as_dict()
        assert answer["text"] == direct["text"] != ""
        assert (answer["method"], answer["status"], answer["index_version"]) == ("local", "ok", 1)
        (citation,) = answer["citations"]
        assert citation["passages"]
        for passage in citation["passages"]:
            (text,) = index.sql(
                f"SELECT text FROM documents WHERE id = '{passage['document_id']}'"
            ).row(0)
            assert text[passage["start_char"] : passage["end_char"]] == passage["text"]

    def test_takes_a_level_a_selection_and_history(self, client, script):
        asked = {
            "question": "And who founded it?",
            "method": "global",
            "level": 0,
            "selection": "all",
            "history": [{"question": "Who lent money?", "answer": "The Island Bank."}],
        }
        script.enqueue({"question": "Who founded the Island Bank?"}, "question_standalone")

        answer = client.post("/ask", json=asked).json()

        assert (answer["method"], answer["level"]) == ("global", 0)
        assert "question_standalone" in {ask.prompt for ask in script.history}

    def test_of_a_model_that_fails_is_502_with_its_reason(self, client, script):
        script.enqueue(ModelCallError("the model fell over"), "local_answer")

        response = client.post("/ask", json={"question": QUESTION, "method": "local"})

        assert response.status_code == 502
        assert "the model fell over" in response.json()["error"]
        assert "graphrag-assets check" in response.json()["hint"]

    def test_of_a_model_that_can_t_be_used_is_503(self, client, script):
        script.enqueue(ModelStoppedError("openai/x", "", "401"), "local_answer")

        response = client.post("/ask", json={"question": QUESTION, "method": "local"})

        assert response.status_code == 503
        assert "Model `openai/x` can't be used" in response.json()["error"]


class TestAStream:
    @pytest.mark.parametrize("method", ["local", "basic", "global"])
    def test_read_to_its_end_is_the_answer(self, client, method):
        found = streamed(client, question=QUESTION, method=method)
        answer = client.post("/ask", json={"question": QUESTION, "method": method}).json()

        texts = [data["text"] for event, data in found if event == "text"]
        assert [event for event, _ in found] == ["text"] * len(texts) + ["answer"]
        last = found[-1][1]
        assert "".join(texts) == last["text"] == answer["text"]
        assert last["citations"] == answer["citations"]

    def test_comes_in_pieces(self, client, script):
        script.enqueue("One two three four.", "local_answer")

        found = streamed(client, question=QUESTION, method="local")

        assert len(found) > 2

    def test_ends_with_what_is_wrong(self, client, script):
        script.enqueue(ModelCallError("the model fell over"), "local_answer")

        *_, (event, data) = streamed(client, question=QUESTION, method="local")

        assert (event, data["status"]) == ("error", 502)
        assert "the model fell over" in data["error"]

    def test_of_a_question_that_can_t_be_asked_is_one_error(self, client):
        ((event, data),) = streamed(client, question="  ")

        assert (event, data["status"]) == ("error", 422)


class TestOddInput:
    @pytest.mark.parametrize(
        ("question", "said"),
        [
            ("", "The question is empty."),
            ("\u200b \n", "The question is empty."),
            ("🙂🙂🙂", "holds no word"),
            ("x" * 100_000, "100000 characters"),
        ],
    )
    def test_is_named(self, client, question, said):
        response = client.post("/ask", json={"question": question})

        assert response.status_code == 422
        assert said in response.json()["error"]
        assert len(response.content) < 1000

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            (b"{", "The body isn't JSON"),
            (b"", "`body`"),
            (b"[1]", "`body`"),
            (b'{"question": 7}', "`question`"),
            (b'{"question": "\\ud800"}', "holds no word"),
            (b'{"question": "x", "method": "\\ud800"}', "No method"),
            (b'{"question": "x", "community": "\\ud800"}', "`community`"),
            (b'{"question": "x", "metod": "local"}', "`metod`"),
            (b'{"question": "x", "level": -1}', "`level`"),
            (b'{"question": "x", "level": 1e999}', "`level`"),
            (b'{"question": "x", "method": "magic"}', "No method `magic`"),
            (b'{"question": "x", "selection": "magic"}', "No selection `magic`"),
            (b'{"question": "x", "community": "zz"}', "No community has the id `zz`"),
            (b'{"question": "x", "history": "y"}', "`history`"),
        ],
    )
    def test_in_the_body_is_named(self, client, body, said):
        headers = {"Content-Type": "application/json"}
        response = client.post("/ask", content=body, headers=headers)

        assert response.status_code == 422
        assert said in response.json()["error"]

    @pytest.mark.parametrize("body", [b'{"question": "\xff\xfe"}', b"[" * 200_000])
    def test_that_can_t_be_read_is_refused(self, client, body):
        headers = {"Content-Type": "application/json"}
        response = client.post("/ask", content=body, headers=headers)

        assert response.status_code == 400
        assert set(response.json()) == {"error", "hint"}

    @pytest.mark.parametrize(
        "where",
        [
            "1=1; DROP TABLE entities",
            "path IN (SELECT content FROM read_text('/etc/passwd'))",
            "1=1) UNION SELECT * FROM (SELECT 1",
        ],
    )
    def test_in_where_is_inert(self, client, where):
        before = client.get("/status").json()["counts"]

        response = client.post("/ask", json={"question": QUESTION, "where": where})

        assert response.status_code == 422
        assert "root:" not in response.text
        assert client.get("/status").json()["counts"] == before


class TestSearch:
    def test_gives_text_units_of_which_lineage_gives_the_text(self, client):
        found = client.get("/search", params={"question": QUESTION, "k": 3}).json()

        scores = [item["score"] for item in found["items"]]
        assert scores == sorted(scores, reverse=True)
        assert (len(scores), found["index_version"]) == (3, 1)
        first = client.get(f"/lineage/{found['items'][0]['id']}").json()
        assert "North Light" in first["passages"][0]["text"]

    def test_wants_a_question(self, client):
        assert client.get("/search").status_code == 422
        assert client.get("/search", params={"question": "x", "k": 0}).status_code == 422


class TestSuggestions:
    def test_are_questions_to_ask_of_the_corpus_and_next(self, client, script):
        questions = {"questions": [{"question": "Who sold tar?"}, {"question": "Who sank?"}]}
        script.enqueue(questions, "question_corpus")
        script.enqueue(questions, "question_next")

        first = client.get("/suggestions", params={"k": 2}).json()
        turn = {"question": "Who sold tar?", "answer": "Emil Frost."}
        then = client.post("/suggestions", json=[turn]).json()

        assert first["questions"] == ["Who sold tar?", "Who sank?"]
        assert then["questions"] == ["Who sank?"]


def test_a_client_that_leaves_ends_its_question(serving, indexed, monkeypatch):
    begun, ended = threading.Event(), threading.Event()

    async def endless(*_):
        begun.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    monkeypatch.setattr(ScriptedTransport, "chat", endless)
    asked = {"question": "Which ship waits for the North Light?", "method": "local"}
    with serving(indexed) as address, httpx2.Client(base_url=address) as client:
        with pytest.raises(httpx2.ReadTimeout):
            client.post("/ask", json=asked, timeout=httpx2.Timeout(60, read=1))

        assert begun.wait(60)
        assert ended.wait(60)
        assert client.get("/health").status_code == 200
