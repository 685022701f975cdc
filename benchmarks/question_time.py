"""What a question takes of its own, without any model: seconds and memory, by method.

    python benchmarks/question_time.py ROOT --questions 50

Asks an index about entities of its own by name, with the vector of a text unit that mentions them
in the place of the question's, so that no model is needed. Prints, per method, the first question
(what it must read before), p50 and p95 of the others, CPU seconds, and the process's memory:
resident, and of it what isn't mapped from files.
"""

import argparse
import resource
import time
from pathlib import Path

import numpy as np

from graphrag_assets.project import Project
from graphrag_assets.query.ranking import behind_reports, hybrid, lexical, local, worded
from graphrag_assets.query.reader import Reader

ASKED = """
    SELECT 'What did ' || e.title || ' say about ' || string_agg(t.term, ' ') || '?' AS question,
        any_value(v.vector) AS vector
    FROM (FROM entity_mentions WHERE entity_id IS NOT NULL
          ORDER BY hash(text_unit_id, ordinal) LIMIT $n) m
    JOIN entities e ON e.id = m.entity_id
    JOIN text_unit_terms t USING (text_unit_id)
    JOIN text_unit_embeddings v ON v.id = m.text_unit_id
    WHERE hash(t.term) % 10 = 0
    GROUP BY e.title, m.text_unit_id
    ORDER BY question"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--where", help="a filter of documents")
    parser.add_argument("--method", choices=METHODS, help="one alone: memory is then its own")
    options = parser.parse_args()
    path = Project.open(options.root).store.published()
    rows = questions(path, options.questions)
    start = time.perf_counter()
    reader = Reader(path)
    if options.where:
        reader = reader.scoped(options.where)
    print(f"opened in {time.perf_counter() - start:.2f} s; {len(rows)} questions")
    print(f"{'':<10}{'first s':>9}{'p50 ms':>9}{'p95 ms':>9}{'CPU ms':>9}{'MB':>8}{'own MB':>8}")
    for name in [options.method] if options.method else METHODS:
        timed(name, METHODS[name], reader, rows)


METHODS = {
    "BM25": lambda reader, question, _: lexical(reader, question, 10),
    "basic": lambda reader, _, vector: reader.vectors("text_unit").nearest(vector, 10),
    "fused": lambda reader, question, vector: hybrid(reader, question, vector, 10),
    "global": lambda reader, question, vector: behind_reports(reader, question, vector, 10),
    "local": lambda reader, question, vector: local(reader, worded(reader, question), vector, 10),
}


def questions(path, n):
    reader = Reader(path)
    rows = reader.rows(ASKED, n=n)
    reader.close()
    vectors = rows["vector"].to_numpy()
    noise = np.random.default_rng(3).normal(size=vectors.shape) * 0.2 * vectors.std()
    vectors = (vectors + noise).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return list(zip(rows["question"], vectors, strict=True))


def timed(name, rank, reader, rows):
    seconds = []
    cpu = 0.0
    for question, vector in rows:
        start, begun = time.perf_counter(), time.process_time()
        rank(reader, question, vector)
        seconds.append(time.perf_counter() - start)
        cpu += (time.process_time() - begun) * (len(seconds) > 1)
    first, rest = seconds[0], np.array(seconds[1:]) * 1000
    p50, p95 = np.percentile(rest, [50, 95])
    resident, own = memory()
    print(
        f"{name:<10}{first:>9.2f}{p50:>9.0f}{p95:>9.0f}{cpu / len(rest) * 1000:>9.0f}"
        f"{resident:>8,.0f}{own:>8,.0f}",
        flush=True,
    )


def memory():
    """Return this process's memory in MB, and that which isn't mapped from files."""
    try:
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    except OSError:  # not Linux
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return peak, peak
    sizes = {line.partition(":")[0]: line.split()[1] for line in lines if line.startswith("Rss")}
    own = int(sizes["RssAnon"])
    return (own + int(sizes["RssFile"])) / 1024, own / 1024


if __name__ == "__main__":
    main()
