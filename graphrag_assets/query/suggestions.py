"""Questions that one could ask: of a corpus, and next."""

from collections.abc import Sequence
from typing import Final

from graphrag_assets.context import HEADING_TOKENS, pack, render
from graphrag_assets.errors import ModelCallError
from graphrag_assets.models.replies import Questions
from graphrag_assets.prompts import language_name
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.history import conversation, newest
from graphrag_assets.query.lookups import Row
from graphrag_assets.query.question import Turn
from graphrag_assets.query.vectors import Vector
from graphrag_assets.text import language

N_REPORTS: Final = 30


async def suggestions(engine: Engine, k: int, asked: Sequence[Turn]) -> list[str]:
    """Return up to k questions that reports answer: on the corpus, or to lead on from a turn.

    Raises ModelCallError if the call fails.
    """
    vector = await engine.embed(" ".join(asked[-1])) if asked else None
    rows = await aside(_reports, engine, vector)
    items = pack(engine.items("report", rows), engine.settings.context_tokens - HEADING_TOKENS)
    if not items:
        return []
    about = asked[-1][0] if asked else items[0].text
    outcome = await engine.call(
        "question_next" if asked else "question_corpus",
        about,
        Questions,
        context=render(items),
        conversation=conversation(newest(asked, engine)),
        n_questions=str(k),
        language=language_name(language(about)),
    )
    if outcome.reply is None:
        raise ModelCallError(f"No questions could be made: {outcome.reason}")
    before = {question.casefold() for question, _ in asked}
    found = (one.question for one in outcome.reply.questions)
    return [one for one in dict.fromkeys(found) if one.casefold() not in before][:k]


def _reports(engine: Engine, vector: Vector | None) -> list[Row]:
    """Return the reports nearest to a vector, else the most important of the coarsest level."""
    if vector is None:
        return engine.reader.records("best_reports", k=N_REPORTS)
    nearest = engine.reader.vectors("report").nearest(vector, N_REPORTS)
    return engine.reader.look_up("report_summaries", [ref for ref, _ in nearest])
