"""What questions take, by method, level and selection, on any index.

    python benchmarks/question_tokens.py ROOT [--questions FILE] [--methods global,local] [--json]

Asks every question (one a line; by default one about the whole corpus and one about its best
connected entity, in the corpus's language) in each way, and prints a Markdown table: calls,
tokens in and out, citations. Means over questions, each asked of an empty memo; calls include
those for embeddings.

What is sent is counted, and answered by a stand-in whose replies are as long as a model's mostly
are: five points a map call, of what is tested for relevance every third is. With --models the
models of ROOT's settings answer: with real ones this costs money.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

from graphrag_assets.context import cited
from graphrag_assets.errors import GraphRAGError
from graphrag_assets.models import client
from graphrag_assets.models.direct import DirectTransport
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.replies import FollowUp, Point, Points, Questions, Rating, Step
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.models.wire import LitellmTransport
from graphrag_assets.query import Index
from graphrag_assets.query.levels import Levels
from graphrag_assets.settings import Models, load_settings
from graphrag_assets.text import language

BROAD = {
    "en": ("What are the main themes?",),
    "zh": ("主要主题是什么？",),
}
SINGLE = {"en": "What did {} do, and with whom?", "zh": "{}做了什么，与谁一起？"}


SENTENCE = "They met at the house by the river and spoke of what had been lost there"  # 15 tokens


class Counting(ScriptedTransport):
    """Answers every prompt at once, with texts of a usual length; embeds as the index was."""

    def __init__(self) -> None:
        """Take the replies by prompt."""
        super().__init__(default=said)
        self._embedder = DirectTransport(LitellmTransport())

    async def embed(self, ask):
        """Return the vectors of the model that the index was embedded with."""
        return await self._embedder.embed(ask)


def said(ask):
    """Return a reply to a prompt, citing the first of what stands in it."""
    prompt = ask.messages[-1].content
    sources = cited(prompt)[:10] or ["E00000000"]
    follow_ups = [FollowUp(question=f"{SENTENCE}, part {n}?", score=50) for n in range(3)]
    points = [
        Point(answer=f"{SENTENCE}; {SENTENCE.lower()} [{source}].", score=50)
        for source in sources[:5]
    ]
    relevant = hashlib.sha256(prompt.encode()).digest()[0] % 3 == 0
    replies = {
        "global_map": Points(points=points),
        "rate_relevance": Rating(rating=4 if relevant else 1, reason=SENTENCE),
        "question_split": Questions(questions=follow_ups),
        "drift_primer": Step(answer=points[0].answer, score=50, follow_ups=follow_ups),
        "drift_follow_up": Step(answer=points[0].answer, score=50, follow_ups=follow_ups),
    }
    answer = " ".join(f"{SENTENCE}; {SENTENCE.lower()} [{source}]." for source in sources)
    return replies.get(ask.prompt, answer)


@dataclass(frozen=True)
class Way:
    """One way to ask."""

    method: str
    level: int | None = None
    selection: str | None = None


def ways(index: Index, methods: list[str]) -> Iterator[Way]:
    """Yield the ways that an index can be asked in."""
    for method in methods:
        if method != "global":
            yield Way(method)
            continue
        yield Way("global")
        for level in range(Levels.of(index.reader).finest + 1):
            yield Way("global", level, "all")
            yield Way("global", level, "embedding")
        yield Way("global", None, "dynamic")


def questions(index: Index) -> list[str]:
    """Return questions about the whole, and about the best connected entities."""
    rows = index.sql("SELECT title FROM entities ORDER BY degree DESC, id LIMIT 1")
    titles = rows["title"].to_list()
    code = language(" ".join(titles))
    code = code if code in BROAD else "en"
    return [*BROAD[code], *(SINGLE[code].format(title) for title in titles)]


def measure(
    index: Index, way: Way, asked: list[str], settings: Models, transport
) -> dict[str, object]:
    """Return the mean of what questions take when they are asked in a way, of an empty memo."""
    answers = []
    for question in asked:
        memo = Memo("sqlite://")
        models = client.Models(settings, memo=memo, budget_usd=0, transport=transport)
        index.engine = replace(index.engine, models=models)
        options = {"method": way.method, "level": way.level, "selection": way.selection}
        answers.append(index.ask(question, **options))
        memo.close()
    usages = [answer.usage for answer in answers]
    levels = sorted({str(answer.level) for answer in answers})
    return {
        "method": way.method,
        "level": "/".join(levels) if way.level is None else way.level,
        "selection": way.selection or "default",
        "calls": round(mean(used.calls for used in usages), 1),
        "tokens in": round(mean(used.prompt_tokens for used in usages)),
        "tokens out": round(mean(used.completion_tokens for used in usages)),
        "citations": round(mean(len(answer.citations) for answer in answers), 1),
        "outcomes": " ".join(answer.status for answer in answers),
        "chosen (last question)": answers[-1].chosen,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--methods", default="global,local,drift,basic,source,lazy")
    parser.add_argument("--models", action="store_true", help="ask those of ROOT's settings")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    settings = load_settings(options.root.resolve()).models
    transport = DirectTransport(LitellmTransport()) if options.models else Counting()
    with Index.open(options.root) as index:
        lines = options.questions and options.questions.read_text("utf-8").splitlines()
        asked = [line for line in lines or questions(index) if line.strip()]
        rows = []
        for way in ways(index, options.methods.split(",")):
            try:
                rows.append(measure(index, way, asked, settings, transport))
            except GraphRAGError as error:
                print(f"{way}: {error}", file=sys.stderr)
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    print("| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]))
    for row in rows:
        print("| " + " | ".join(map(str, row.values())) + " |")


if __name__ == "__main__":
    main()
