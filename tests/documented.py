"""What README and docs tell people to type: commands, Python, SQL."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

GENERATED = {"CLI.md", "SETTINGS.md", "TABLES.md"}
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"(?:^(?: {4}.*)?\n)*^ {4}.*\n", re.MULTILINE)
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
FILE = re.compile(r"# \S+\.py\n")
FORM = re.compile(r"…|\[.*\]|<.*>")  # how a command looks, not one to type


@dataclass(frozen=True)
class Snippet:
    """A piece of code on a page."""

    page: str
    language: str  # sh, python, sql, …; empty: not said
    text: str


def pages(root: Path) -> list[Path]:
    """Return the pages that people write."""
    docs = sorted(path for path in (root / "docs").glob("*.md") if path.name not in GENERATED)
    return [root / "README.md", *docs]


def snippets(page: Path) -> list[Snippet]:
    """Return the code of a page: fenced, indented and inline."""
    text = page.read_text("utf-8")
    fenced = [Snippet(page.name, *found) for found in FENCED.findall(text)]
    prose = FENCED.sub("", text)
    indented = [
        Snippet(page.name, _language(block), block)
        for block in (
            re.sub(r"^ {4}", "", found[0], flags=re.MULTILINE) for found in INDENTED.finditer(prose)
        )
    ]
    inline = [
        Snippet(page.name, "sh", code)
        for code in INLINE.findall(INDENTED.sub("", prose))
        if code.startswith("graphrag-assets ")
    ]
    return [*fenced, *indented, *inline]


def commands(page: Path) -> list[list[str]]:
    """Return the words after `graphrag-assets` of each command on a page, each once."""
    lines = (
        line
        for snippet in snippets(page)
        if snippet.language in {"", "sh", "console"}
        for line in snippet.text.replace("\\\n", " ").splitlines()
    )
    found = [_words(line) for line in lines if line.strip().startswith("graphrag-assets ")]
    return [list(words) for words in dict.fromkeys(tuple(words) for words in found if words)]


def python(page: Path) -> list[str]:
    """Return the Python of a page; what begins with the name of a file is a file to write."""
    found = [snippet.text for snippet in snippets(page) if snippet.language == "python"]
    return [text for text in found if not FILE.match(text)]


def _language(block: str) -> str:
    return "python" if re.match(r"(?:from|import) \w", block.strip()) else ""


def _words(line: str) -> list[str]:
    words = shlex.split(line.strip(), comments=True)[1:]
    return [] if any(FORM.search(word) for word in words) else words
