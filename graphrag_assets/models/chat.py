"""An answer -> a verdict on it, and the one more question that may mend it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from graphrag_assets.errors import ModelCallError
from graphrag_assets.models.calls import Caller
from graphrag_assets.models.dialect import OUTPUT_TOKENS, Draft
from graphrag_assets.models.faults import ProviderError
from graphrag_assets.models.ledger import Tally
from graphrag_assets.models.parsing import is_refusal, read, without_thoughts
from graphrag_assets.models.streaming import spoken
from graphrag_assets.models.transport import Answer
from graphrag_assets.prompts import Message

Status = Literal["ok", "failed", "refused", "filtered", "truncated"]
Remedy = Literal["", "again", "repair", "longer"]
MOST_REMEDIES: Final = 2
STREAMED: Final = {"stream_options": {"include_usage": True}}
SHOWN: Final = 4000  # characters of an unreadable answer that the repair call shows
QUOTED: Final = 200
RANK: Final[dict[Status, int]] = {"failed": 0, "refused": 1, "filtered": 1, "truncated": 2, "ok": 3}


@dataclass(frozen=True)
class Verdict:
    """What an answer is worth, and what might give a better one."""

    status: Status
    reply: Any
    reason: str | None
    remedy: Remedy = ""


def judge(answer: Answer, draft: Draft) -> Verdict:
    """Return what an answer is worth."""
    if answer.finish == "content_filter":
        return Verdict("filtered", None, "the provider's content filter cut the answer")
    if answer.refusal:
        return Verdict("refused", None, answer.refusal[:QUOTED], "again")
    words = without_thoughts(answer.text)
    if not words:
        remedy: Remedy = "longer" if answer.finish == "length" else "again"
        return Verdict("failed", None, "the answer is empty", remedy)
    if draft.schema is None:
        return _judge_text(answer, words, draft)
    return _judge_reply(answer, words, draft)


def _judge_text(answer: Answer, words: str, draft: Draft) -> Verdict:
    meant_short = draft.parameters.get("max_tokens", OUTPUT_TOKENS) < OUTPUT_TOKENS
    if answer.finish == "length" and not meant_short:
        return Verdict("truncated", words, "the answer breaks off", "longer")
    if is_refusal(words):
        return Verdict("refused", None, words[:QUOTED], "again")
    return Verdict("ok", words, None)


def _judge_reply(answer: Answer, words: str, draft: Draft) -> Verdict:
    assert draft.schema is not None
    reading = read(words, draft.schema)
    remedy: Remedy = "longer" if answer.finish == "length" else ""
    if reading.reply is not None and not reading.cut:
        notes = "; ".join(reading.notes) or None
        return Verdict("ok", reading.reply, notes, "repair" if reading.lost else "")
    if reading.reply is not None:
        notes = "; ".join(("the answer breaks off; its complete items are kept", *reading.notes))
        return Verdict("truncated", reading.reply, notes, remedy)
    if answer.finish == "length":
        return Verdict("truncated", None, "the answer breaks off before a complete item", remedy)
    if is_refusal(words):
        return Verdict("refused", None, words[:QUOTED], "again")
    return Verdict("failed", None, f"the answer can't be read: {reading.error}", "repair")


async def converse(caller: Caller, draft: Draft, tally: Tally) -> Verdict:
    """Ask, and ask once more where that may mend the answer; the best verdict counts."""
    answer = await _ask(caller, draft, tally)
    if isinstance(answer, Verdict):
        return answer
    await asyncio.sleep(0)  # who waited for a turn asks before this answer is read
    best = verdict = judge(answer, draft)
    used: set[Remedy] = set()
    while len(used) < MOST_REMEDIES:
        remedy = _remedy(verdict, answer, draft, caller)
        if not remedy or remedy in used:
            break
        used.add(remedy)
        following = repaired(draft, answer, verdict) if remedy == "repair" else draft
        again = await _ask(caller, following, tally)
        if isinstance(again, Verdict):
            break
        answer, verdict = again, judge(again, draft)
        best = max(best, verdict, key=_worth)
    return best


def _worth(verdict: Verdict) -> tuple[int, bool]:
    """Rank verdicts; of replies the one that lost no list is better."""
    return RANK[verdict.status], verdict.remedy != "repair"


async def pieces(caller: Caller, draft: Draft, tally: Tally) -> AsyncGenerator[str, None]:
    """Give an answer as it comes; raise ModelCallError if it breaks off or is declined."""
    asked = replace(draft, parameters={**draft.parameters, **STREAMED})
    empty = True
    try:
        async with aclosing(spoken(caller.stream(asked, tally))) as answer:
            async for piece in answer:
                empty = False
                yield piece
    except ProviderError as fault:
        raise ModelCallError(fault.reason) from fault
    if empty:
        message = "the answer is empty"
        raise ModelCallError(message)


def _remedy(verdict: Verdict, answer: Answer, draft: Draft, caller: Caller) -> Remedy:
    """Return what to try next; more room for the answer only where room was what it lacked."""
    if verdict.remedy == "longer" and not caller.dialect.longer(draft, answer.completion_tokens):
        return "again" if verdict.reply is None else ""
    return verdict.remedy


async def _ask(caller: Caller, draft: Draft, tally: Tally) -> Answer | Verdict:
    try:
        return await caller.chat(draft, tally)
    except ModelCallError as error:
        return Verdict("failed", None, str(error))
    except ProviderError as fault:
        status: Status = "filtered" if fault.kind == "filtered" else "failed"
        return Verdict(status, None, fault.reason)


def repaired(draft: Draft, answer: Answer, verdict: Verdict) -> Draft:
    """Return the draft that shows a model its unreadable answer, and asks for a readable one."""
    words = (
        f"Your answer could not be used: {verdict.reason}. Answer again, with one JSON object of "
        "the form asked for and nothing else."
    )
    turns = (Message("assistant", without_thoughts(answer.text)[:SHOWN]), Message("user", words))
    return replace(draft, messages=(*draft.messages, *turns))
