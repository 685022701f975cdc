"""How often a method reads every passage that a multi-hop question needs.

    python benchmarks/retrieval.py --passages passages.jsonl --questions questions.jsonl

`passages` is a JSONL file with title and text, `questions` one with question and gold_titles.
Indexes the passages in a temporary folder with the embedded models (or takes an indexed project by
--root) and prints, for vectors, BM25, both fused and each method, the share of questions whose gold
titles are all among the first 5 and 10 text units. Asks nothing of a network.
"""

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path

from graphrag_assets.project import silent
from graphrag_assets.query import Index
from graphrag_assets.query.ranking import hybrid, lexical
from graphrag_assets.run import run_index

CUTS = (5, 10)
SETTINGS = '[corpus]\nroot = "data/input"\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", help="JSONL with title and text")
    parser.add_argument("--questions", required=True, help="JSONL with question and gold_titles")
    parser.add_argument("--root", help="a project whose index holds the passages")
    parser.add_argument("--missing", action="store_true", help="name what local doesn't find")
    options = parser.parse_args()
    index = Index.open(Path(options.root) if options.root else indexed(Path(options.passages)))
    lines = Path(options.questions).read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    titles = dict(
        index.sql(
            "SELECT u.id, d.title FROM text_units u JOIN documents d ON d.id = u.document_id"
        ).iter_rows()
    )
    print(f"{'':<12}" + "".join(f"all gold titles in {k:<4}" for k in CUTS) + "CPU ms")
    for name, ranked in rankings(index).items():
        start = time.process_time()
        found = [[titles[ref] for ref in ranked(q["question"])] for q in questions]
        cpu = (time.process_time() - start) * 1000 / len(questions)
        shares = [recall(questions, found, k) for k in CUTS]
        print(f"{name:<12}" + "".join(f"{share:<23.2f}" for share in shares) + f"{cpu:.0f}")
        if options.missing and name == "local":
            for question, read in zip(questions, found, strict=True):
                if left := set(question["gold_titles"]) - set(read):
                    print("   ", question["question"], "- without", ", ".join(sorted(left)))


def rankings(index):
    k, reader, engine = max(CUTS), index.reader, index.engine

    def fused(question):
        return hybrid(reader, question, engine.models.run(engine.embed(question)), k)

    def by(method):
        return lambda question: index.retrieve(question, method=method, k=k)["id"].to_list()

    return {
        "vectors": by("basic"),
        "BM25": lambda question: [ref for ref, _ in lexical(reader, question, k)],
        "fused": lambda question: [ref for ref, _ in fused(question)],
        "local": by("local"),
        "global": by("global"),
    }


def recall(questions, found, k):
    hits = [
        set(question["gold_titles"]) <= set(read[:k])
        for question, read in zip(questions, found, strict=True)
    ]
    return sum(hits) / len(hits)


def indexed(passages):
    root = Path(tempfile.mkdtemp(prefix="retrieval-"))
    (root / "data" / "input").mkdir(parents=True)
    shutil.copy(passages, root / "data" / "input")
    (root / "settings.toml").write_text(SETTINGS, "utf-8")
    run_index(root, silent)
    return root


if __name__ == "__main__":
    main()
