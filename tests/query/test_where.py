"""A filter on documents holds for every method, and for what the answer cites."""

import pytest

from asked import KAJA
from graphrag_assets.errors import QuestionError
from small_corpus import ROW

METHODS = ["global", "local", "drift", "basic", "source", "lazy"]


@pytest.mark.parametrize("method", METHODS)
def test_only_documents_that_meet_it_are_read(ask_with, method):
    index, script = ask_with()
    where = "path IN ('05-bank.txt', '06-ship.txt')"
    answer = index.ask(KAJA, method=method, where=where)
    texts = [ask.messages[-1].content.split("<question>")[0] for ask in script.history]
    units = index.sql(
        "SELECT left(u.id, 8) AS id FROM text_units u JOIN documents d ON d.id = u.document_id"
        f" WHERE {where}"
    )["id"]
    shown = {m[1:] for text in texts for m, _ in ROW.findall(text) if m[0] == "T"}

    assert shown <= set(units)
    assert answer.status in {"ok", "no_evidence"}
    assert {p.path for c in answer.citations for p in c.passages} <= {"05-bank.txt", "06-ship.txt"}


def test_one_that_writes_is_refused_before_any_call(ask_with):
    index, script = ask_with()
    with pytest.raises(QuestionError):
        index.ask(KAJA, where="1=1; DROP TABLE documents")

    assert script.history == []
