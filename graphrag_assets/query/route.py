"""Which method suits a question, and at which level: by rules, or by a model."""

import re
from typing import Final, NamedTuple

from graphrag_assets.models.replies import Route
from graphrag_assets.query.engine import Engine

BROAD: Final = re.compile(
    r"\b(?:themes?|topics?|overall|overview|summar\w+|main|collection|corpus|documents|across|"
    r"trends?|patterns?|in general|big picture|most important|conflicts|attitudes?)\b"
    r"|主题|总体|整体|概括|概述|总结|主要|哪些|这批|文档集|趋势|态度",
    re.IGNORECASE,
)


class Choice(NamedTuple):
    """A method, the finest level of a global question (None: the settings'), and why."""

    method: str
    why: str
    finest: int | None = None


def choose(question: str) -> Choice:
    """Return global for a question about the whole corpus, local for one about single things."""
    if cue := BROAD.search(question):
        return Choice("global", f"global, as “{cue[0]}” asks about the whole corpus")
    return Choice("local", "local, as nothing in it asks about the whole corpus")


async def pick(engine: Engine, question: str) -> Choice:
    """Return the rules' choice, or a model's where the settings want one.

    A model that fails leaves the choice to the rules.
    """
    if engine.settings.router == "rules":
        return choose(question)
    outcome = await engine.call("question_route", question, Route)
    if (route := outcome.reply) is None:
        return choose(question)
    finest = route.level if route.method == "global" else None
    return Choice(route.method, f"{route.method}: {route.reason}", finest)
