"""query/: questions over the index of six documents, answered by a scripted model."""

import asyncio
import re
import threading
from collections import Counter
from contextlib import closing

import duckdb
import pytest

from asked import KAJA, THEMES, assert_resolves, points, prompts
from graphrag_assets.errors import ModelCallError, OutdatedIndexError, QuestionError, SqlError
from graphrag_assets.query import local_search
from graphrag_assets.query.citations import statements
from graphrag_assets.query.engine import Engine
from graphrag_assets.query.reader import Reader
from graphrag_assets.query.route import choose
from small_corpus import NAMES, ROW


class TestGlobal:
    @pytest.mark.parametrize("level", [0, 1, 2, 7])
    def test_the_reports_of_a_level_cover_each_entity_once(self, ask_with, level):
        index, script = ask_with(context_tokens=200)
        index.ask(THEMES, method="global", level=level)
        shown = [m for text in prompts(script, "global_map") for m, _ in ROW.findall(text)]
        members = index.sql("SELECT 'P' || left(community_id, 8), entity_id FROM community_members")
        covered = Counter(
            entity for marker, entity in members.iter_rows() for m in shown if m == marker
        )

        assert len(prompts(script, "global_map")) > 1
        assert len(set(shown)) == len(shown)
        assert len(covered) == len(NAMES)
        assert set(covered.values()) == {1}

    def test_reports_that_fit_share_a_batch(self, ask_with):
        index, script = ask_with()
        index.ask(THEMES, method="global", level=0)

        assert len(prompts(script, "global_map")) == 1

    def test_points_are_merged_by_falling_score_without_the_useless(self, ask_with):
        index, script = ask_with(points(("weak", 10), ("strong", 90), ("useless", 0)))
        index.ask(THEMES, method="global", level=0)
        (merged,) = prompts(script, "global_reduce")

        assert re.findall(r"^\((\d+)\) (\w+)$", merged, re.MULTILINE) == [
            ("90", "strong"),
            ("10", "weak"),
        ]

    def test_a_point_that_does_not_fit_is_skipped_and_not_the_rest(self, ask_with):
        answers = points(("long " * 300, 90), ("short", 10), ("shorter", 5))
        index, script = ask_with(answers, context_tokens=200)
        index.ask(THEMES, method="global", level=0)
        (merged,) = prompts(script, "global_reduce")

        assert re.findall(r"^\((\d+)\)", merged, re.MULTILINE) == ["10", "5"]

    def test_a_call_that_fails_is_said_and_is_no_score_of_zero(self, ask_with):
        index, script = ask_with(context_tokens=200)
        script.enqueue(ModelCallError("no answer came"), prompt="global_map")
        answer = index.ask(THEMES, method="global", level=1)

        assert answer.status == "ok"
        assert re.match(r"1 of \d map calls failed: .*no answer came", answer.reason)

    def test_that_all_calls_failed_is_a_failure(self, ask_with):
        index, _ = ask_with(lambda ask: ModelCallError("no answer came"))
        answer = index.ask(THEMES, method="global")

        assert (answer.status, answer.text, answer.citations) == ("failed", "", ())
        assert "no answer came" in answer.reason

    def test_that_the_last_call_failed_is_a_failure(self, ask_with):
        index, script = ask_with()
        script.enqueue(ModelCallError("no answer came"), prompt="global_reduce")
        answer = index.ask(THEMES, method="global")

        assert answer.status == "failed"
        assert "no answer came" in answer.reason

    @pytest.mark.parametrize(
        ("question", "silence"),
        [(THEMES, "The documents don't say."), ("主要主题是什么？", "文档中没有提到。")],
    )
    def test_no_point_is_no_evidence_and_no_failure(self, ask_with, question, silence):
        index, script = ask_with(points(("useless", 0)))
        answer = index.ask(question, method="global")

        assert (answer.status, answer.text, answer.citations) == ("no_evidence", silence, ())
        assert prompts(script, "global_reduce") == []

    def test_unknown_citations_are_dropped_and_counted(self, ask_with):
        index, script = ask_with()
        known = index.sql("SELECT 'E' || left(id, 8) AS m FROM entities ORDER BY id")["m"][0]
        script.enqueue(
            f"It burned [{known}, E00000000]. Nobody knows [P11111111].", "global_reduce"
        )
        answer = index.ask(THEMES, method="global", level=0)

        assert answer.text == f"It burned [{known}]. Nobody knows."
        assert answer.dropped_citations == 2
        assert [citation.marker for citation in answer.citations] == [known]

    def test_unknown_citations_do_not_reach_the_last_call(self, ask_with):
        index, script = ask_with(points(("It burned [E00000000].", 50)))
        index.ask(THEMES, method="global", level=0)

        assert "(50) It burned." in prompts(script, "global_reduce")[0]

    def test_citations_of_reports_and_elements_resolve(self, ask_with):
        index, _ = ask_with()
        answer = index.ask(THEMES, method="global", level=0)

        assert {citation.kind for citation in answer.citations} == {"report"}
        assert_resolves(index, answer)
        assert all(citation.title and citation.passages for citation in answer.citations)

    def test_answers_are_the_same_every_time(self, ask_with):
        texts = {ask_with()[0].ask(THEMES, method="global", level=1).text for _ in range(2)}

        assert len(texts) == 1

    def test_the_answer_says_where_it_comes_from(self, ask_with):
        index, _ = ask_with()
        answer = index.ask(THEMES, method="global", level=1)
        reports = index.sql("SELECT community_id FROM community_reports")["community_id"]

        assert (answer.method, answer.level, answer.index_version) == ("global", 1, 1)
        assert set(answer.context) & set(reports)
        assert answer.usage.calls == 2
        assert answer.usage.prompt_tokens > 0


class TestLocal:
    def test_shows_what_the_question_names_and_what_is_connected(self, ask_with):
        index, script = ask_with()
        index.ask(KAJA, method="local")
        (shown,) = prompts(script, "local_answer")

        assert "Kaja Lund (person): " in shown
        assert "Kaja Lund — Silver Tern: " in shown or "Silver Tern — Kaja Lund: " in shown
        assert "06-ship.txt" in shown
        assert "## Reports" in shown

    def test_cites_passages_that_resolve(self, ask_with):
        index, script = ask_with()
        unit = index.retrieve(KAJA, method="local", k=1)["id"][0]
        said = f"Kaja Lund sailed the Silver Tern [T{unit[:8]}]."
        script.enqueue(said, prompt="local_answer")
        answer = index.ask(KAJA, method="local")
        (citation,) = answer.citations

        assert (answer.text, answer.status, citation.kind) == (said, "ok", "text_unit")
        assert_resolves(index, answer)
        assert "Kaja Lund sailed the Silver Tern." in citation.passages[0].text
        assert citation.passages[0].path == "06-ship.txt"

    def test_is_the_same_if_its_passages_were_read_ahead(self, ask_with, monkeypatch):
        embed, get_ready, ready = Engine.embed, local_search._get_ready, threading.Event()

        async def slow(*asked):
            assert await asyncio.to_thread(ready.wait, 60)
            return await embed(*asked)

        def read_ahead(*asked):
            get_ready(*asked)
            ready.set()

        index, script = ask_with()
        with monkeypatch.context() as patch:
            patch.setattr(Engine, "embed", slow)
            patch.setattr(local_search, "_get_ready", read_ahead)
            index.ask(KAJA, method="local")
        other, other_script = ask_with()
        monkeypatch.setattr(local_search, "_get_ready", lambda *_: None)
        other.ask(KAJA, method="local")

        assert prompts(script, "local_answer") == prompts(other_script, "local_answer")

    def test_of_entities_and_relationships_cites_the_sentences(self, ask_with):
        index, script = ask_with()
        rows = index.sql(
            "SELECT 'R' || left(id, 8) AS marker FROM relationships"
            " WHERE description LIKE '%blamed Emil Frost%' ORDER BY id LIMIT 1"
        )
        script.enqueue(f"Ivo Jansen blamed Emil Frost [{rows['marker'][0]}].", "local_answer")
        answer = index.ask("Whom did Ivo Jansen blame for the Great Fire?", method="local")

        assert answer.citations[0].kind == "relationship"
        assert_resolves(index, answer)
        assert "blamed" in answer.citations[0].passages[0].text

    def test_shows_claims_about_the_entities(self, ask_with):
        index, script = ask_with()
        index.ask("Whom did Ivo Jansen blame?", method="local")

        assert "## Claims" in prompts(script, "local_answer")[0]

    def test_keeps_to_its_budget(self, ask_with):
        index, script = ask_with(context_tokens=400)
        index.ask(KAJA, method="local")
        (shown,) = prompts(script, "local_answer")

        assert 0 < len(shown.split("<question>")[0]) < 400 * 6

    def test_that_fails_says_why(self, ask_with):
        index, script = ask_with()
        script.enqueue(ModelCallError("no answer came"), prompt="local_answer")
        answer = index.ask(KAJA, method="local")

        assert (answer.status, answer.text) == ("failed", "")
        assert "no answer came" in answer.reason


class TestBasic:
    def test_shows_passages_only_the_nearest_first(self, ask_with):
        index, script = ask_with()
        index.ask("Kaja Lund sailed the Silver Tern.", method="basic")
        (shown,) = prompts(script, "basic_answer")
        rows = ROW.findall(shown)

        assert {marker[0] for marker, _ in rows} == {"T"}
        assert rows[0][1].endswith("06-ship.txt")

    def test_cites_what_resolves(self, ask_with):
        index, _ = ask_with()
        assert_resolves(index, index.ask(KAJA, method="basic"))


class TestRetrieve:
    @pytest.mark.parametrize("method", ["global", "local", "basic", "auto"])
    def test_gives_the_text_units_a_method_would_read(self, ask_with, method):
        index, script = ask_with()
        found = index.retrieve(KAJA, method=method, k=3)

        assert found.columns == ["id", "document_id", "title", "path", "score"]
        assert found.height == 3
        assert found["score"].is_sorted(descending=True)
        assert found["id"].is_unique().all()
        assert script.history == []

    def test_finds_what_the_question_is_about(self, ask_with):
        index, _ = ask_with()
        first = {
            method: index.retrieve(KAJA, method=method, k=1)["path"][0]
            for method in ("local", "basic")
        }

        assert first == {"local": "06-ship.txt", "basic": "06-ship.txt"}

    def test_gives_no_more_than_there_is(self, ask_with):
        index, _ = ask_with()
        units = index.sql("SELECT count(*) AS n FROM text_units")["n"][0]

        assert index.retrieve(KAJA, method="basic", k=1000).height == units

    def test_a_question_that_cannot_be_embedded_is_an_error(self, ask_with):
        index, script = ask_with()
        for _ in range(20):
            script.enqueue(ModelCallError("no vector"), prompt="embedding")

        with pytest.raises(ModelCallError, match="scripted/words"):
            index.retrieve(KAJA, method="basic")


class TestQuestions:
    @pytest.mark.parametrize("question", ["", "  \n"])
    def test_that_are_empty_are_refused(self, ask_with, question):
        index, script = ask_with()
        with pytest.raises(QuestionError, match="The question is empty"):
            index.ask(question)

        assert script.history == []

    def test_of_an_unknown_method_name_the_known_ones(self, ask_with):
        with pytest.raises(QuestionError, match=r"No method `globl`; .*Did you mean `global`"):
            ask_with()[0].ask(KAJA, method="globl")

    @pytest.mark.parametrize(
        ("question", "method"),
        [
            (THEMES, "global"),
            ("Summarise the overall picture", "global"),
            ("这批文档的主要主题是什么？", "global"),
            (KAJA, "local"),
            ("谁领导引航处？", "local"),
        ],
    )
    def test_find_their_method(self, question, method):
        assert choose(question).method == method

    def test_take_the_method_and_level_of_the_settings(self, ask_with):
        index, _ = ask_with(method="global", level=0)
        answer = index.ask(KAJA)

        assert (answer.method, answer.level) == ("global", 0)

    def test_can_be_asked_side_by_side(self, ask_with):
        index, _ = ask_with()

        async def both():
            return await asyncio.gather(
                index.ask_async(KAJA, method="local"), index.ask_async(THEMES, method="basic")
            )

        answers = asyncio.run(both())

        assert [answer.status for answer in answers] == ["ok", "ok"]
        assert [answer.method for answer in answers] == ["local", "basic"]

    def test_asked_again_cost_nothing(self, ask_with):
        index, _ = ask_with()
        first, second = (index.ask(KAJA, method="local") for _ in range(2))

        assert first.text == second.text
        assert (first.usage.calls > 0, second.usage.calls) == (True, 0)

    def test_never_change_the_index(self, ask_with):
        with pytest.raises(SqlError, match="read-only"):
            ask_with()[0].sql("DELETE FROM entities")


class TestNothing:
    """An index of a document that names nothing still answers: that it doesn't know."""

    @pytest.mark.parametrize("method", ["global", "local", "basic"])
    def test_answers(self, empty, method):
        answer = empty.ask("Who reigns?", method=method)

        assert answer.status == ("no_evidence" if method == "global" else "ok")

    @pytest.mark.parametrize("method", ["global", "local", "basic"])
    def test_retrieves(self, empty, method):
        found = empty.retrieve("Did it rain?", method=method)

        assert found.height == (0 if method == "global" else 1)


def test_a_statement_is_what_stands_before_its_brackets():
    text = "## Fire\n- It burned [E12ab34cd, R56cd78ef].\n- It rained [T12ab34cd, R56cd78ef]。"

    assert statements(text) == {
        "E12ab34cd": ["It burned"],
        "R56cd78ef": ["It burned", "It rained"],
        "T12ab34cd": ["It rained"],
    }


def test_a_version_of_older_code_is_named_with_the_way_out(indexed, tmp_path):
    """What a statement of ours names is missing there; anybody's own statement is just wrong."""
    older = tmp_path / "0003.duckdb"
    with duckdb.connect(older) as connection:
        connection.execute("CREATE TABLE entities (id VARCHAR)")
    with closing(Reader(older)) as reader:
        with pytest.raises(OutdatedIndexError, match=r"version 3 .* `graphrag-assets index`"):
            reader.ask("graph_edges")
        with pytest.raises(OutdatedIndexError):
            reader.records("best_reports", k=1)
        with pytest.raises(SqlError, match="refused"):
            reader.sql("SELECT title FROM entities")
