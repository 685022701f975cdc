"""Which method suits a question, by rules."""

import re

BROAD = re.compile(
    r"\b(?:themes?|topics?|overall|overview|summar\w+|main|collection|corpus|documents|across|"
    r"trends?|patterns?|in general|big picture|most important|conflicts|attitudes?)\b"
    r"|主题|总体|整体|概括|概述|总结|主要|哪些|这批|文档集|趋势|态度",
    re.IGNORECASE,
)


def choose(question: str) -> str:
    """Return global for a question about the whole corpus, local for one about single things."""
    return "global" if BROAD.search(question) else "local"
