"""What it takes to read and cut a corpus, and how few text units an edit changes.

    python benchmarks/corpus.py --folder DIR --document FILE...

Measures, each in a process of its own: many small files and one very long line, both made for
it; with --folder, a corpus of yours from files to text units; with --document, how many text
units change when a sentence is put at the start, in the middle, at the end, or a paragraph goes.
"""

import argparse
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path

import polars as pl

from graphrag_assets.assets.corpus import text_units
from graphrag_assets.readers import read_corpus
from graphrag_assets.settings import CorpusSettings, TextUnitSettings
from graphrag_assets.text import normalise, split

CUT = TextUnitSettings()
NOTHING = pl.DataFrame()
SENTENCE = "On that day the ferry Aurora had left Tern Harbour before noon, as nobody remembers. "
SENTENCES = "Ida Holm saw ship {n} at noon. The harbour master wrote it down, as he does. "


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=20_000, help="number of small files")
    parser.add_argument("--line-mb", type=int, default=50, help="size of the long line")
    parser.add_argument("--folder", help="corpus to read and cut")
    parser.add_argument("--document", nargs="+", help="long text to edit, or its chapters")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="corpus-") as made:
        many, line = Path(made, "many"), Path(made, "line")
        write_many(many, options.files)
        write_line(line, options.line_mb)
        alone(f"{options.files:,} small files", many)
        alone(f"one line of {options.line_mb} MB", line)
    if options.folder:
        alone(f"folder {Path(options.folder).name}", options.folder)
    if options.document:
        chapters = [Path(name).read_text("utf-8") for name in options.document]
        edits(normalise("\n\n".join(chapters)))


def write_many(folder, count):
    folder.mkdir()
    for n in range(count):
        text = f"Note {n}. Ida Holm saw ship {n % 97}, which had left before.\n"
        (folder / f"note-{n}.txt").write_text(text, "utf-8")


def write_line(folder, megabytes):
    folder.mkdir()
    size, n = 0, 0
    with (folder / "line.txt").open("w", encoding="utf-8") as file:
        while size < megabytes * 1_000_000:
            size += file.write(SENTENCES.format(n=n))
            n += 1


def alone(name, root):
    """Measure in a new process, whose peak of memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(f"{name}: {pool.apply(measured, (str(Path(root).resolve()),))}", flush=True)


def measured(root):
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    corpus = read(root)
    read_seconds = time.process_time() - start
    units = text_units(corpus.documents, CUT)
    seconds = time.process_time() - start
    again = time.process_time()
    read(root, corpus)
    again = time.process_time() - again
    tokens = int(corpus.documents["n_tokens"].sum())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (
        f"{corpus.files.height:,} files, {tokens:,} tokens, {units.height:,} text units in "
        f"{seconds:.1f} CPU s ({read_seconds:.1f} s to read, {again:.1f} s when nothing changed), "
        f"{tokens / seconds:,.0f} tokens/s, peak {peak / 1024:,.0f} MB "
        f"({base / 1024:,.0f} MB before)"
    )


def read(root, previous=None):
    return read_corpus(
        CorpusSettings(root=root),
        base=Path(),
        previous_files=previous.files if previous else NOTHING,
        previous_documents=previous.documents if previous else NOTHING,
        encoding=CUT.encoding,
    )


def edits(text):
    before = cut(text)
    paragraphs = text.split("\n\n")
    middle = len(paragraphs) // 2
    longest = max(range(middle - 10, middle + 10), key=lambda n: len(paragraphs[n]))
    ways = {
        "a sentence at the start": SENTENCE + text,
        "a sentence in the middle": "\n\n".join(
            [*paragraphs[:middle], SENTENCE + paragraphs[middle], *paragraphs[middle + 1 :]]
        ),
        "a sentence at the end": text.rstrip() + " " + SENTENCE,
        "a paragraph less": "\n\n".join(paragraphs[:longest] + paragraphs[longest + 1 :]),
    }
    print(f"document: {len(before):,} text units")
    for name, edited in ways.items():
        after = cut(edited)
        print(f"  {name}: {len(after - before)} new, {len(before - after)} gone")


def cut(text):
    spans = split(text, max_tokens=CUT.max_tokens, overlap=CUT.overlap, encoding=CUT.encoding)
    return {text[span.start : span.end] for span in spans}


if __name__ == "__main__":
    main()
