"""Where an export is written: whole or not at all, and never over what isn't ours.

A folder that we wrote holds `graphrag-assets.json`, which lists our files; a single file names us
in its first line.
"""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from graphrag_assets.errors import ExportError

MANIFEST = "graphrag-assets.json"
SIGNATURE = "graphrag-assets"  # in the first line of a single file
HEAD = 400  # bytes


@contextmanager
def whole_file(path: Path, *, force: bool) -> Iterator[Path]:
    """Yield a path to write to, which becomes `path` at the end.

    Raises ExportError if `path` is a folder, or a file that isn't ours and `force` isn't given.
    """
    if path.is_dir():
        raise ExportError(str(path), "is a folder; name a file in it")
    if path.exists() and not force and SIGNATURE.encode() not in _head(path):
        raise ExportError(str(path), "is there already and isn't an export of ours")
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield partial
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise ExportError(str(path), f"can't be written: {error.strerror or error}") from error


@contextmanager
def whole_folder(path: Path, about: dict[str, object], *, force: bool) -> Iterator[Path]:
    """Yield a folder to write to, which becomes `path` at the end, with `about` in its manifest.

    Files of a former export go. Raises ExportError if `path` holds anything else and `force`
    isn't given; with it, what the export has no file for stays.
    """
    others = _others(path)
    if others and not force:
        raise ExportError(str(path), f"holds what no export wrote: {', '.join(others[:3])}")
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.mkdir(parents=True)
        yield partial
        names = sorted(file.name for file in partial.iterdir())
        manifest = json.dumps({**about, "files": names}, ensure_ascii=False, indent=2)
        (partial / MANIFEST).write_text(manifest + "\n", encoding="utf-8")
        _swap(partial, path, others)
    except OSError as error:
        raise ExportError(str(path), f"can't be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


def _others(path: Path) -> list[str]:
    """Return the names in a folder that its manifest doesn't list."""
    if not path.exists():
        return []
    if not path.is_dir():
        raise ExportError(str(path), "is a file; this format writes a folder")
    manifest = path / MANIFEST
    try:
        ours = {MANIFEST, *json.loads(manifest.read_text("utf-8"))["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        ours = set()
    return sorted(file.name for file in path.iterdir() if file.name not in ours)


def _swap(new: Path, path: Path, others: Sequence[str]) -> None:
    """Put a new folder in the place of an old one, and what isn't ours back into it."""
    old = path.with_name(f".{path.name}.{os.getpid()}.old")
    if path.exists():
        path.rename(old)
    new.rename(path)
    for name in others:
        if not (path / name).exists():
            (old / name).rename(path / name)
    shutil.rmtree(old, ignore_errors=True)
