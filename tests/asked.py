"""Questions to the index of six documents, and what is looked at in the answers."""

from small_corpus import reply_to

THEMES = "What are the main themes?"
KAJA = "What did Kaja Lund do?"


def points(*answers: tuple[str, int]):
    """Return a model whose first batch of reports gives these points, and the others none."""
    left = [{"points": [{"answer": text, "score": score} for text, score in answers]}]

    def reply(ask):
        if ask.prompt == "global_map":
            return left.pop() if left else {"points": []}
        return reply_to(ask)

    return reply


def prompts(script, name: str) -> list[str]:
    return [ask.messages[-1].content for ask in script.history if ask.prompt == name]


def assert_resolves(index, answer):
    texts = dict(index.sql("SELECT id, text FROM documents").iter_rows())
    paths = dict(index.sql("SELECT id, path FROM documents").iter_rows())
    passages = [passage for citation in answer.citations for passage in citation.passages]

    assert passages
    for passage in passages:
        assert texts[passage.document_id][passage.start_char : passage.end_char] == passage.text
        assert paths[passage.document_id] == passage.path
