"""query/map_reduce.py: what goes into a prompt never exceeds its budget."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from asked import KAJA, THEMES, points, prompts
from graphrag_assets.context import Item, render
from graphrag_assets.errors import ModelCallError
from graphrag_assets.models.replies import Point
from graphrag_assets.query.map_reduce import batched, best, fitting, shuffled
from graphrag_assets.text import count_tokens

ENCODING = "o200k_base"
WORDS = st.text(alphabet="abc de.f\n字，", min_size=1, max_size=400)


class Budgeted:
    """An engine of which only the budget is looked at."""

    encoding = ENCODING

    def __init__(self, context_tokens: int) -> None:
        self.settings = self
        self.context_tokens = context_tokens


def items(texts):
    made = [Item("report", f"{number:032x}", text, 0) for number, text in enumerate(texts)]
    lines = [f"[{item.marker}] {item.text}\n" for item in made]
    return [
        Item(item.kind, item.id, item.text, count_tokens(line, ENCODING))
        for item, line in zip(made, lines, strict=True)
    ]


class TestLaws:
    @given(st.lists(WORDS, max_size=12), st.integers(200, 600))
    def test_every_item_stands_in_one_batch_that_fits_its_prompt(self, texts, budget):
        given_items = shuffled(items(texts))
        batches = batched(given_items, budget)

        assert [item for batch in batches for item in batch] == given_items
        for batch in batches:
            size = count_tokens(render(batch), ENCODING)
            assert size <= budget or len(batch) == 1

    @given(st.lists(WORDS, max_size=12), st.integers(10, 300))
    def test_points_fit_and_none_is_left_out_that_would(self, answers, budget):
        ranked = best([Point(answer=a, score=50 + i) for i, a in enumerate(answers)], ())
        text = fitting(Budgeted(budget), ranked)

        assert count_tokens(text, ENCODING) <= max(budget, 5)

    @given(st.lists(WORDS, max_size=20))
    def test_the_order_is_random_and_always_the_same(self, texts):
        assert shuffled(texts) == shuffled(texts)
        assert Counter(shuffled(texts)) == Counter(texts)


class TestSource:
    def test_reads_all_text_by_the_prompts_of_global(self, ask_with):
        index, script = ask_with(context_tokens=200)
        answer = index.ask(THEMES, method="source")
        units = index.sql("SELECT text FROM text_units")["text"]
        read = "\n".join(prompts(script, "global_map"))

        assert {ask.prompt for ask in script.history} == {"global_map", "global_reduce"}
        assert len(prompts(script, "global_map")) > 1
        assert all(text in read for text in units)
        assert {citation.kind for citation in answer.citations} == {"text_unit"}

    def test_reads_the_nearest_text_where_all_is_too_much(self, ask_with):
        index, script = ask_with(report_tokens=100)
        answer = index.ask("Kaja Lund sailed the Silver Tern.", method="source")
        read = "\n".join(prompts(script, "global_map"))

        assert "Kaja Lund sailed the Silver Tern." in read
        assert "Ben Cole hired Cora Dean" not in read
        assert "the passages nearest" in answer.chosen

    def test_who_insists_on_all_gets_all(self, ask_with):
        index, script = ask_with(report_tokens=100)
        index.ask(THEMES, method="source", selection="all")
        read = "\n".join(prompts(script, "global_map"))

        assert all(text in read for text in index.sql("SELECT text FROM text_units")["text"])

    def test_failed_calls_and_no_evidence_are_different(self, ask_with):
        failed = ask_with(lambda ask: ModelCallError("no answer came"))[0]
        silent = ask_with(points(("useless", 0)))[0]

        assert failed.ask(KAJA, method="source").status == "failed"
        assert silent.ask(KAJA, method="source").status == "no_evidence"
