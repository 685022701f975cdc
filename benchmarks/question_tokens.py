"""What questions take, by method, level and selection, on any index.

    python benchmarks/question_tokens.py ROOT [--questions FILE] [--methods global,local] [--json]

Asks every question (one a line; by default two about the whole corpus and two about its best
connected entities, in the corpus's language) in each way, and prints a Markdown table: calls,
tokens in and out, citations. Means over questions, each asked of an empty memo; calls include
those for embeddings. Models are those of ROOT's settings: with a real one this costs money.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

from graphrag_assets.errors import GraphRAGError
from graphrag_assets.models import client
from graphrag_assets.models.memo import Memo
from graphrag_assets.query import Index
from graphrag_assets.query.levels import Levels
from graphrag_assets.settings import Models, load_settings
from graphrag_assets.text import language

BROAD = {
    "en": ("What are the main themes?", "What are the most important conflicts?"),
    "zh": ("主要主题是什么？", "最重要的冲突是什么？"),
}
SINGLE = {"en": "What did {} do, and with whom?", "zh": "{}做了什么，与谁一起？"}


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
    rows = index.sql("SELECT title FROM entities ORDER BY degree DESC, id LIMIT 2")
    titles = rows["title"].to_list()
    code = language(" ".join(titles))
    code = code if code in BROAD else "en"
    return [*BROAD[code], *(SINGLE[code].format(title) for title in titles)]


def measure(index: Index, way: Way, asked: list[str], settings: Models) -> dict[str, object]:
    """Return the mean of what questions take when they are asked in a way, of an empty memo."""
    answers = []
    for question in asked:
        models = client.Models(settings, memo=Memo("sqlite://"), budget_usd=0)
        index.engine = replace(index.engine, models=models)
        options = {"method": way.method, "level": way.level, "selection": way.selection}
        answers.append(index.ask(question, **options))
        models.close()
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--methods", default="global,local,drift,basic,source,lazy")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    settings = load_settings(options.root.resolve()).models
    with Index.open(options.root) as index:
        lines = options.questions and options.questions.read_text("utf-8").splitlines()
        asked = [line for line in lines or questions(index) if line.strip()]
        rows = []
        for way in ways(index, options.methods.split(",")):
            try:
                rows.append(measure(index, way, asked, settings))
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
