"""A round trip with Microsoft's graphrag 3, which stands in an environment of its own.

    python -m venv v && v/bin/pip install 'graphrag>=3.3,<4'
    python benchmarks/microsoft.py make --graphrag v/bin/graphrag --input DOCUMENTS --root THEIRS
    python benchmarks/microsoft.py ask --graphrag v/bin/graphrag --export OURS --root THEIRS

`make` indexes text files with their code: an index for `graphrag-assets import graphrag`.
`ask` puts an export of ours (`graphrag-assets export --format graphrag`) into a project of
theirs, embeds it with their code and asks it a global and a local question.
Both are answered by the server of microsoft_model.py: no key, no network.
"""

import argparse
import os
import re
import shutil
import subprocess
from importlib import resources
from pathlib import Path

from microsoft_model import serve

QUESTIONS = {
    "global": "What are the main themes?",
    "local": "Who is Viktor Hale?",
    "basic": "Who is Viktor Hale?",
}


def main():
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["make", "ask"])
    parser.add_argument("--graphrag", type=Path, required=True, help="their command")
    parser.add_argument("--root", type=Path, required=True, help="a folder for their project")
    parser.add_argument("--input", type=Path, help="text files to index")
    parser.add_argument("--files", default="*", help="pattern of the files")
    parser.add_argument("--export", type=Path, help="an export of ours")
    parser.add_argument("--tokens", type=int, default=1200, help="longest text unit")
    asked = parser.parse_args()
    server = serve()
    prepare(asked.graphrag, asked.root, f"http://127.0.0.1:{server.server_port}/v1", asked.tokens)
    if asked.what == "make":
        for path in sorted(asked.input.glob(asked.files)):
            shutil.copyfile(path, asked.root / "input" / f"{path.stem}.txt")
        run(asked.graphrag, asked.root, "index")
    else:
        answer(asked.graphrag, asked.root, asked.export)


def prepare(graphrag: Path, root: Path, server: str, tokens: int) -> None:
    """Make a project of theirs that asks our server, with claims."""
    (root / "input").mkdir(parents=True, exist_ok=True)
    models = ["-m", "gpt-4o-mini", "-e", "text-embedding-3-small"]
    run(graphrag, root, "init", "--force", *models)
    settings = root / "settings.yaml"
    text = settings.read_text("utf-8")
    text = text.replace("auth_method: api_key", f"auth_method: api_key\n    api_base: {server}")
    text = text.replace("${GRAPHRAG_API_KEY}", "none")
    text = re.sub(r"size: 1200", f"size: {tokens}", text)
    text = re.sub(r"overlap: 100", f"overlap: {tokens // 6}", text)
    text = text.replace("db_uri: output", f"db_uri: {root.resolve()}/output")
    text = text.replace("enabled: false", "enabled: true")
    settings.write_text(text, encoding="utf-8")


def answer(graphrag: Path, root: Path, export: Path) -> None:
    """Let their code embed our export and answer from it."""
    shutil.copytree(export, root / "output", dirs_exist_ok=True)
    settings = root / "settings.yaml"
    whole = settings.read_text("utf-8")
    settings.write_text(f"{whole}\nworkflows: [generate_text_embeddings]\n", encoding="utf-8")
    run(graphrag, root, "index")
    settings.write_text(whole, encoding="utf-8")
    for method, question in QUESTIONS.items():
        print(f"\n== {method}: {question}", flush=True)
        run(graphrag, root, "query", "--method", method, question)


def run(graphrag: Path, root: Path, command: str, *words: str) -> None:
    """Run their command; tiktoken reads the vocabularies that litellm's package brings."""
    vocabularies = resources.files("litellm") / "litellm_core_utils" / "tokenizers"
    offline = {"TIKTOKEN_CACHE_DIR": str(vocabularies), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    subprocess.run(
        [str(graphrag.absolute()), command, "--root", str(root), *words],
        check=True,
        env=os.environ | offline,
    )


if __name__ == "__main__":
    main()
