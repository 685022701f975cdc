"""The rules of the house: small files, small functions, imports that only go down."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import graphrag_assets

PACKAGE = Path(graphrag_assets.__file__).parent
ROOT = PACKAGE.parent
FILES = sorted(PACKAGE.rglob("*.py"))
MAX_FILE, MAX_FUNCTION = 400, 60
LONGER = {"tables.py"}  # a dictionary: one entry after the other
MAY_TOUCH_ENVIRONMENT = {
    "settings.py",  # the one place that reads it
    "models/wire.py",  # litellm and tiktoken take some settings no other way
    "text/tokens.py",
    "heap.py",  # so does DuckDB's allocator
}


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def functions(path: Path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def test_no_file_is_long():
    lengths = {name(path): len(path.read_text("utf-8").splitlines()) for path in FILES}

    assert {
        n: length for n, length in lengths.items() if length > MAX_FILE and n not in LONGER
    } == {}


def test_no_function_is_long():
    found = {
        f"{name(path)}:{node.name}": length
        for path in FILES
        for node in functions(path)
        if (length := (node.end_lineno or 0) - node.lineno + 1) > MAX_FUNCTION
    }

    assert found == {}


def test_every_file_says_what_it_is():
    mute = [
        name(path)
        for path in FILES
        if path.read_text("utf-8").strip()
        and not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]

    assert mute == []


def test_the_inner_parts_of_dagster_stay_untouched():
    found = {
        name(path): sorted(module)
        for path in FILES
        if (module := {m for m in imports(path) if m.startswith("dagster._")})
    }

    assert found == {}


def test_the_environment_is_touched_in_few_places():
    found = {
        name(path)
        for path in FILES
        if re.search(r"os\.environ|os\.getenv|\bgetenv\(", path.read_text("utf-8"))
    }

    assert found == MAY_TOUCH_ENVIRONMENT


def test_no_error_is_swallowed_whole():
    found = {
        name(path)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler) and node.type is None
    }

    assert found == set()


def test_words_that_say_nothing_name_no_file():
    vague = {"utils", "util", "helpers", "common", "manager", "handler", "misc"}

    assert {path.stem for path in FILES} & vague == set()


def test_imports_only_go_down():
    pytest.importorskip("importlinter")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
