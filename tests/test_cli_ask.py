"""cli/asking.py: questions that people type, and what they get."""

import json

import pytest

from graphrag_assets.cli import asking
from graphrag_assets.errors import ModelCallError

KAJA = "Who is Kaja Lund?"


@pytest.fixture
def terminal(monkeypatch):
    """Make the output look like a terminal's."""
    monkeypatch.setattr(asking.out, "_force_terminal", True)
    monkeypatch.setattr(asking.out, "_color_system", None)


class TestAsk:
    def test_prints_the_answer_and_its_sources(self, run, published):
        code, said, _ = run("ask", "Who keeps the North Light?", root=published)

        assert code == 0
        assert "They say:" in said
        assert "Sources" in said
        assert "characters" in said
        assert "local, index version 1" in said

    def test_prints_json_that_holds_everything(self, run, published):
        code, said, _ = run(
            "ask", "What are the main themes?", "--json", "--level", "0", root=published
        )
        answer = json.loads(said)

        cited = answer["citations"][0]["passages"][0]["path"]

        assert code == 0
        assert (answer["method"], answer["level"], answer["status"]) == ("global", 0, "ok")
        assert (published / "data" / "input" / cited).is_file()
        assert answer["usage"]["calls"] > 0

    def test_fails_when_the_model_does(self, run, published, script):
        for _ in range(5):
            script.enqueue(ModelCallError("no answer came"), prompt="local_answer")
        code, said, _ = run("ask", "Who is Kaja Lund?", "--method", "local", root=published)

        assert code == 1
        assert "no answer came" in said

    @pytest.mark.parametrize(
        ("words", "reason"),
        [
            (("",), "The question is empty."),
            (("Who?", "--method", "globl"), "No method `globl`"),
            (("Who?", "--level", "-1"), "Invalid value"),
            ((), "Missing argument"),
        ],
    )
    def test_the_wrong_way_says_what_is_wrong(self, run, published, words, reason):
        code, _, said = run("ask", *words, root=published)

        assert code == 2
        assert reason in said

    def test_without_an_index_says_how_to_make_one(self, run, tmp_path):
        code, _, said = run("ask", "Who?")

        assert code == 2
        assert "Run `graphrag-assets index` first." in said

    def test_names_the_communities_worth_opening_which_can_be_opened(self, run, published):
        _, said, _ = run("ask", KAJA, "--method", "local", root=published)
        short = said.split("Worth opening next")[1].splitlines()[1].split()[0]
        code, below, _ = run("ask", KAJA, "--from-community", short, root=published)

        assert code == 0
        assert "Sources" in below

    def test_says_why_auto_chose(self, run, published):
        _, said, _ = run("ask", KAJA, root=published)

        assert "Chosen: local, as nothing in it asks about the whole corpus" in said

    @pytest.mark.parametrize("method", ["global", "drift", "basic", "source", "lazy"])
    def test_by_every_method(self, run, published, method):
        code, said, _ = run("ask", KAJA, "--method", method, root=published)

        assert code == 0
        assert f"{method}" in said.split("Sources")[1]

    def test_selects_reports(self, run, published):
        words = ("--method", "global", "--selection", "embedding")
        _, said, _ = run("ask", KAJA, *words, root=published)

        assert "Chosen: the nearest reports of C" in said


@pytest.mark.usefixtures("terminal")
class TestStream:
    def test_prints_on_a_terminal_what_it_prints_at_once(self, run, published):
        _, streamed, _ = run("ask", KAJA, root=published)
        _, said, _ = run("ask", KAJA, "--no-stream", root=published)

        assert "They say:" in streamed.split("Sources")[0]
        assert (
            streamed.split("Sources")[1].split("calls")[0].split("version")[0]
            == (said.split("Sources")[1].split("calls")[0].split("version")[0])
        )

    def test_cannot_command_the_terminal(self, run, published, script):
        script.enqueue("It \x1b[2J\x1b]0;owned\x07burned.\r\x9b1m", "basic_answer")
        _, said, _ = run("ask", "What burned?", "--method", "basic", root=published)

        assert "It burned." in said
        assert not {"\x07", "\x9b", "\r"} & set(said)

    def test_that_fails_says_why(self, run, published, script):
        for _ in range(9):
            script.enqueue(ModelCallError("no answer came"), "basic_answer")
        code, said, _ = run("ask", "What failed?", "--method", "basic", root=published)

        assert code == 1
        assert "No answer:" in said
        assert "no answer came" in said


class TestHistory:
    def test_is_read_and_the_turn_is_added(self, run, published, tmp_path, script):
        history = tmp_path / "talk.jsonl"
        words = ("--method", "basic", "--history", str(history))
        run("ask", KAJA, *words, root=published)
        script.enqueue({"question": "What did Kaja Lund sail?"}, "question_standalone")
        run("ask", "What did she sail?", *words, root=published)
        turns = [json.loads(line) for line in history.read_text("utf-8").splitlines()]

        assert [turn["question"] for turn in turns] == [KAJA, "What did Kaja Lund sail?"]
        assert all(turn["answer"].startswith("They say:") for turn in turns)

    def test_that_is_none_is_wrong_use(self, run, published, tmp_path):
        history = tmp_path / "talk.jsonl"
        history.write_text("[1]\n")
        code, _, said = run("ask", KAJA, "--history", str(history), root=published)

        assert code == 2
        assert "isn't a history: each line needs" in said


class TestSuggest:
    def test_prints_questions_line_by_line_or_as_json(self, run, published):
        code, said, _ = run("suggest", "--k", "2", root=published)
        _, listed, _ = run("suggest", "--k", "2", "--json", root=published)

        assert code == 0
        assert len(said.splitlines()) == 2
        assert said.startswith("Who is ")
        assert json.loads(listed) == said.splitlines()
