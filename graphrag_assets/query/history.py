"""Earlier turns: as many as fit, and a question that is understood without them."""

from collections.abc import Sequence

from graphrag_assets.models.replies import StandaloneQuestion
from graphrag_assets.query.engine import Engine
from graphrag_assets.query.question import LONGEST, Turn
from graphrag_assets.text import count_tokens, language, shortened

ANSWER_CHARACTERS = 2000  # of an earlier answer
SPEAKERS = {"zh": ("问题", "回答"), "en": ("Question", "Answer")}


async def standalone(engine: Engine, question: str, history: Sequence[Turn]) -> str:
    """Return a question with what it means by "it" and "there" written out.

    A call that fails leaves the question as it is: asked without its history.
    """
    kept = newest(history, engine)
    if not kept:
        return question
    outcome = await engine.call(
        "question_standalone", question, StandaloneQuestion, conversation=conversation(kept)
    )
    found = " ".join(outcome.reply.question.split()) if outcome.reply else ""
    return found if 0 < len(found) <= LONGEST else question


def newest(history: Sequence[Turn], engine: Engine) -> list[Turn]:
    """Return the newest turns that fit the settings' budget, in their order."""
    kept: list[Turn] = []
    left = engine.settings.history_tokens
    for turn in reversed(history):
        left -= count_tokens(conversation([turn]), engine.encoding)
        if left < 0:
            break
        kept.insert(0, turn)
    return kept


def conversation(history: Sequence[Turn]) -> str:
    """Return turns as lines: what was asked, what was answered."""
    return "\n".join(line for turn in history for line in _lines(turn))


def _lines(turn: Turn) -> tuple[str, str]:
    question, answer = (" ".join(text.split()) for text in turn)
    asks, answers = SPEAKERS.get(language(question), SPEAKERS["en"])
    return f"{asks}: {question}", f"{answers}: {shortened(answer, ANSWER_CHARACTERS)}"
