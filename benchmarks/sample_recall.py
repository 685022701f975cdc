"""How much of the sample's answer key the index holds, and its questions find.

    python benchmarks/sample_recall.py --language en

Indexes data/sample/LANGUAGE in a temporary folder with the settings of this checkout and prints:
the share of gold entities that are entities (by name or alias), of gold relations whose ends are
related, of questions whose gold documents are all among the citations of a local answer, and,
per method, among the ten text units that it would read. Asks nothing of a network.
"""

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path

from graphrag_assets.project import silent
from graphrag_assets.query import Index
from graphrag_assets.run import run_index

SAMPLE = Path(__file__).parent.parent / "data" / "sample"
SETTINGS = SAMPLE.parent.parent / "settings.toml"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--language", choices=["en", "zh"], default="en")
    parser.add_argument("--root", help="an indexed project; default: index the sample anew")
    parser.add_argument("--missing", action="store_true", help="name what isn't found")
    options = parser.parse_args()
    root = Path(options.root) if options.root else indexed(options.language)
    index = Index.open(root)
    gold = json.loads((SAMPLE / "gold.json").read_text("utf-8"))
    lines = (SAMPLE / "questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    report = {
        "gold entities found": entities_found(index, gold, options.language),
        "gold relations found": relations_found(index, gold, options.language),
        "pairs kept apart": kept_apart(index, gold, options.language),
        **questions_found(index, questions, options.language),
    }
    for name, (found, missing) in report.items():
        total = found + len(missing)
        print(f"{name:<44} {found}/{total}  {found / max(1, total):.2f}")
        if options.missing and missing:
            print("   missing:", ", ".join(map(str, missing)))


def indexed(language):
    root = Path(tempfile.mkdtemp(prefix="recall-"))
    shutil.copytree(SAMPLE, root / "data" / "sample")
    text = SETTINGS.read_text("utf-8").replace("data/sample/en", f"data/sample/{language}")
    (root / "settings.toml").write_text(text, "utf-8")
    start = time.monotonic()
    run_index(root, silent)
    print(f"indexed {language} in {time.monotonic() - start:.1f} s")
    return root


def names_of(entity, language):
    return {entity[language], *entity[f"aliases_{language}"]}


def aliases(index):
    rows = index.sql("SELECT lower(title), entity_id FROM entity_aliases")
    return dict(rows.iter_rows())


def entities_found(index, gold, language):
    known = aliases(index)
    missing = [
        entity[language]
        for entity in gold["entities"]
        if not any(name.casefold() in known for name in names_of(entity, language))
    ]
    return len(gold["entities"]) - len(missing), missing


def relations_found(index, gold, language):
    known = aliases(index)
    by_name = {entity["en"]: entity for entity in gold["entities"]}
    pairs = {
        frozenset(pair)
        for pair in index.sql("SELECT source_id, target_id FROM relationships").iter_rows()
    }
    missing, found = [], 0
    for relation in gold["relations"]:
        ends = [by_name.get(relation[end]) for end in ("source", "target")]
        if not all(ends):
            continue
        ids = [
            {known[name.casefold()] for name in names_of(end, language) if name.casefold() in known}
            for end in ends
        ]
        if any(frozenset((a, b)) in pairs for a in ids[0] for b in ids[1]):
            found += 1
        else:
            missing.append(f"{relation['source']} - {relation['target']}")
    return found, missing


def kept_apart(index, gold, language):
    known = aliases(index)
    named = {entity["en"]: entity[language] for entity in gold["entities"]}
    pairs = [[named.get(name, name) for name in pair] for pair in gold["must_not_merge"]]
    pairs = [pair for pair in pairs if all(name.casefold() in known for name in pair)]
    merged = [pair for pair in pairs if known[pair[0].casefold()] == known[pair[1].casefold()]]
    return len(pairs) - len(merged), merged


def questions_found(index, questions, language):
    answerable = [q for q in questions if q["docs"]]
    cited, read = [], {"local": [], "basic": [], "global": []}
    for question in answerable:
        text, wanted = question[f"question_{language}"], set(question["docs"])
        answer = index.ask(text, method="local")
        paths = {p.path[:2] for c in answer.citations for p in c.passages}
        cited += [] if wanted <= paths else [question["id"]]
        for method, missing in read.items():
            rows = index.retrieve(text, method=method, k=10)
            if not wanted <= {path[:2] for path in rows["path"]}:
                missing.append(question["id"])
    total = len(answerable)
    return {
        "questions: gold documents cited (ask local)": (total - len(cited), cited),
        **{
            f"questions: gold documents in top 10 ({method})": (total - len(missing), missing)
            for method, missing in read.items()
        },
    }


if __name__ == "__main__":
    main()
