"""query/ranking.py: which text units a question finds, by names, words, meaning and connections."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from graphrag_assets.models import client
from graphrag_assets.project import Project
from graphrag_assets.query import Index
from graphrag_assets.query.named import named_in
from graphrag_assets.query.ranking import BM25_ROWS, fused, lexical
from graphrag_assets.query.reader import Reader
from graphrag_assets.store import arrays_folder
from pipeline import index_once
from small_corpus import reader, write_project

FILMS = (
    '{"title": "Blood Street", "text": "A thriller of 1988, written and directed by Leo Fong."}\n'
    '{"title": "Leo Fong (director)", "text": "An actor, born in Canton, who lived in Fresno."}\n'
    '{"title": "灯塔", "text": "讲述守灯人的故事，由林远导演。"}\n'
    '{"title": "林远", "text": "生于厦门，曾学医。"}\n'
    + "".join(
        f'{{"title": "Street {n}", "text": "A street of blood oranges, where nobody was born."}}\n'
        for n in range(20)
    )
)


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """Return the index of documents that name one another by their titles, and of no entities."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "LitellmTransport", reader)
        root = write_project(tmp_path_factory.mktemp("films"), {"films.jsonl": FILMS})
        index_once(Project.open(root))
        index = Index.open(root)
    yield index
    index.close()


@pytest.fixture
def small(small_index, monkeypatch):
    """Return the index of six documents."""
    monkeypatch.setattr(client, "LitellmTransport", reader)
    monkeypatch.setenv("GRAPHRAG__STORE__MEMO", "sqlite://")
    index = Index.open(small_index.root)
    yield index
    index.close()


class TestNames:
    def test_a_question_names_entities_in_any_case(self, small):
        (named,) = named_in(small.reader, "what did ADA brook's sister write to the pilot office?")

        assert sorted(named.entities) == ["ada brook", "pilot office"]
        assert "brook" not in named.rest

    def test_the_longest_name_counts(self, films):
        (named,) = named_in(films.reader, "Who directed Blood Street?", proper=True)

        assert sorted(named.documents) == ["blood street"]
        assert named.rest.split() == ["Who", "directed"]

    def test_after_a_name_the_next_one_is_looked_for(self, films):
        (named,) = named_in(films.reader, "Leo Fong director, Leo Fong actor, Leo")

        assert sorted(named.documents) == ["leo fong", "leo fong director"]
        assert named.rest.split() == ["actor", "Leo"]

    def test_a_title_is_a_name_without_what_tells_it_from_others(self, films):
        (named,) = named_in(films.reader, "Where was Leo Fong born?")

        assert sorted(named.documents) == ["leo fong"]

    def test_names_in_texts_begin_with_a_capital(self, films):
        (named,) = named_in(films.reader, "the blood street ran red", proper=True)

        assert named.documents == {}

    def test_chinese_names_are_found_between_other_signs(self, films):
        (named,) = named_in(films.reader, "灯塔的导演生于何处？")

        assert sorted(named.documents) == ["灯 塔"]
        assert named.rest.strip() == "的导演生于何处"

    @pytest.mark.parametrize("text", ["", "?", "😀😀", "x" * 10_000, "a " * 10_000])
    def test_odd_texts_name_nothing(self, films, text):
        assert named_in(films.reader, text)[0].documents == {}


class TestLocal:
    def test_it_follows_the_names_in_the_text_that_the_question_names(self, films):
        found = films.retrieve("Where was the director of Blood Street born?", method="local", k=2)

        assert found["title"].to_list() == ["Blood Street", "Leo Fong (director)"]

    def test_so_it_does_in_chinese(self, films):
        found = films.retrieve("灯塔的导演生于何处？", method="local", k=2)

        assert found["title"].to_list() == ["灯塔", "林远"]

    def test_it_follows_relationships_to_texts_that_share_no_name_with_the_question(self, small):
        found = small.retrieve("Who blamed the owner of the Tar Works?", method="local", k=4)

        assert "05-bank.txt" in found["path"].to_list()

    @pytest.mark.parametrize("method", ["local", "basic", "global"])
    def test_it_is_the_same_every_time_and_no_text_comes_twice(self, small, method):
        first = small.retrieve("What did Kaja Lund do?", method=method, k=10)

        assert first.equals(small.retrieve("What did Kaja Lund do?", method=method, k=10))
        assert first["id"].is_unique().all()
        assert first["score"].is_sorted(descending=True)

    @pytest.mark.parametrize("question", ["😀", "的", "?!", "zzz qqq", "x" * 100_000])
    def test_an_odd_question_is_no_error(self, small, question):
        assert small.retrieve(question, method="local", k=3).height <= 3


def test_global_ranks_only_what_reports_rest_on(small):
    found = small.retrieve("What did Kaja Lund do?", method="global", k=3)
    behind = small.sql("SELECT DISTINCT text_unit_id FROM report_lineage")["text_unit_id"]

    assert "06-ship.txt" in found["path"].to_list()
    assert set(found["id"]) <= set(behind)


def test_of_a_large_corpus_bm25_reads_the_rarest_terms_only(small):
    asked = sorted({"the", "kaja"})
    few = small.reader.ask("bm25", terms=asked, k=10, budget=1, likely=10)
    all_of_them = small.reader.ask("bm25", terms=asked, k=10, budget=BM25_ROWS, likely=10)

    assert few.height < all_of_them.height
    assert few["id"][0] == all_of_them["id"][0]


def test_of_a_large_corpus_bm25_looks_up_the_lengths_of_the_likeliest_only(small):
    values = {"terms": ["kaja", "the"], "budget": BM25_ROWS}
    every = small.reader.ask("bm25", k=1000, likely=1000, **values)
    likeliest = small.reader.ask("bm25", k=1000, likely=3, **values)

    assert likeliest.height == 3 < every.height
    assert set(likeliest.iter_rows()) <= set(every.iter_rows())


def test_ranks_are_fused_by_their_reciprocals():
    found = fused([[("a", 9.0), ("b", 1.0)], [("b", 0.2)]])

    assert found == [("b", pytest.approx(1 / 62 + 1 / 61)), ("a", pytest.approx(1 / 61))]


def test_many_threads_ask_a_fresh_reader_at_once(small_index, small):
    """All read the same, and what takes long to read is read once."""
    path = small_index.store.published()
    made, lock = [], threading.Lock()

    class Counting(Reader):
        def _embeddings(self, of):
            with lock:
                made.append(of)
            return super()._embeddings(of)

    fresh = Counting(path)
    question = "What did Kaja Lund do?"
    vector = small.engine.models.run(small.engine.embed(question))

    def ask(n):
        scope = fresh.scoped("path >= '05'") if n % 2 else fresh
        nearest = scope.vectors("text_unit").nearest(vector, 5)
        return n % 2, nearest, lexical(scope, question, 5), scope.graph.starts.tolist()

    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(ask, range(60)))
    fresh.close()

    assert made == ["text_unit"]
    assert all(answer == found[answer[0]] for answer in found)


def test_what_was_kept_of_a_version_goes_with_it(store):
    for version in (1, 2):
        store.publish(version)
        arrays_folder(store.published(version)).mkdir()
    store.forget(keep=1)

    assert sorted(path.name for path in store.versions.iterdir()) == ["0002.arrays", "0002.duckdb"]
