"""How often a method reads every passage that a question needs.

    python benchmarks/retrieval.py --passages passages.jsonl --questions questions.jsonl
    python benchmarks/retrieval.py --corpus christmas-carol

`passages` is a JSONL file with title and text, `questions` one with question and gold_titles; in
their place may stand gold_paths, or gold_texts: words of each passage that is needed. `corpus` is
a folder of texts: of the questions those are asked whose `corpus` is its name. By default they are
those of benchmarks/held_out.jsonl, which no weight was ever chosen by: keep it so.

Indexes the texts in a temporary folder with the embedded models (or takes an indexed project by
--root) and prints, for vectors, BM25, both fused and each method, the share of questions whose gold
passages are all among the first 5 and 10 text units. Asks nothing of a network.
"""

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path

from graphrag_assets.project import silent
from graphrag_assets.query import Index
from graphrag_assets.query.ranking import N_TEXT_UNITS, hybrid, lexical
from graphrag_assets.run import run_index

CUTS = (5, 10)
UNITS = """
    SELECT u.id, d.title, d.path, u.text
    FROM text_units u JOIN documents d ON d.id = u.document_id"""
HELD_OUT = Path(__file__).with_name("held_out.jsonl")
SETTINGS = '[corpus]\nroot = "data/input"\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    texts = parser.add_mutually_exclusive_group(required=True)
    texts.add_argument("--passages", type=Path, help="JSONL with title and text")
    texts.add_argument("--corpus", type=Path, help="a folder of texts")
    parser.add_argument("--questions", type=Path, default=HELD_OUT)
    parser.add_argument("--root", type=Path, help="a project whose index holds the passages")
    parser.add_argument("--missing", action="store_true", help="name what local doesn't find")
    options = parser.parse_args()
    source = options.passages or options.corpus
    questions = read_questions(options.questions, source.name)
    with Index.open(options.root or indexed(source)) as index:
        units = {row["id"]: row for row in index.sql(UNITS).to_dicts()}
        print(f"{len(questions)} questions on {source.name}, {len(units)} text units")
        print(f"{'':<12}" + "".join(f"all passages in {k:<4}" for k in CUTS) + "CPU ms")
        for name, ranked in rankings(index).items():
            start = time.process_time()
            found = [[units[ref] for ref in ranked(q["question"])] for q in questions]
            cpu = (time.process_time() - start) * 1000 / len(questions)
            shares = [recall(questions, found, k) for k in CUTS]
            print(f"{name:<12}" + "".join(f"{share:<20.2f}" for share in shares) + f"{cpu:.0f}")
            if options.missing and name == "local":
                for question, read in zip(questions, found, strict=True):
                    if left := missing(question, read):
                        print("   ", question["question"], "- without", ", ".join(left))


def read_questions(path, corpus):
    lines = path.read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    return [q for q in questions if q.get("corpus", corpus) == corpus]


def rankings(index):
    k, reader, engine = max(CUTS), index.reader, index.engine

    def fused(question):
        vector = engine.models.run(engine.embed(question))
        return hybrid(reader, question, vector, N_TEXT_UNITS)[:k]

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
    pairs = zip(questions, found, strict=True)
    return sum(not missing(question, read[:k]) for question, read in pairs) / len(questions)


def missing(question, read):
    """Return what a question needs and no text unit that was read is or says."""
    return [
        *(
            gold
            for gold in question.get("gold_titles", ())
            if gold not in {u["title"] for u in read}
        ),
        *(gold for gold in question.get("gold_paths", ()) if gold not in {u["path"] for u in read}),
        *(
            gold
            for gold in question.get("gold_texts", ())
            if not any(gold in " ".join(unit["text"].split()) for unit in read)
        ),
    ]


def indexed(source):
    root = Path(tempfile.mkdtemp(prefix="retrieval-"))
    texts = root / "data" / "input"
    if source.is_dir():
        shutil.copytree(source, texts, ignore=shutil.ignore_patterns("SOURCE.md"))
    else:
        texts.mkdir(parents=True)
        shutil.copy(source, texts)
    (root / "settings.toml").write_text(SETTINGS, "utf-8")
    run_index(root, silent)
    return root


if __name__ == "__main__":
    main()
