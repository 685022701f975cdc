"""Find the files of a corpus: a local folder, or any fsspec URL."""

import datetime
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from graphrag_assets.errors import CorpusError
from graphrag_assets.readers.parsed import UnreadError

_IGNORED_NAMES = frozenset({"thumbs.db", "desktop.ini", "__macosx", "lost+found"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_LOCAL = ("file://", "local://")
_TEMPORARY = re.compile(r"~\$.*|.*~|#.*#|.*\.(?:tmp|temp|swp|swo|part|partial|crdownload)", re.I)


@dataclass(frozen=True)
class Found:
    """A file of the corpus: its path relative to the root, how to get its bytes, and how many.

    `stamp` is what changes cheaply with its content, as a rule: a time, a tag. `passed_over` says
    why it isn't read, where it isn't.
    """

    path: str
    read: Callable[[], bytes]
    size: int = 0
    stamp: str = ""
    modified_at: str | None = None
    passed_over: str = ""


def find_files(
    root: str, *, base: Path, include: Iterable[str], exclude: Iterable[str]
) -> list[Found]:
    """Return the files under the root by path, without hidden, temporary and special ones."""
    found = list_files(root, base=base, include=include, exclude=exclude)
    return [file for file in found if not file.passed_over]


def list_files(
    root: str, *, base: Path, include: Iterable[str], exclude: Iterable[str]
) -> list[Found]:
    """Return all that is under the root by path; what is passed over says why."""
    wanted, unwanted = _any_of(include), _any_of(exclude)

    def judged(file: Found) -> Found:
        why = _ignored(file.path) or file.passed_over
        if not why and not wanted(file.path):
            why = "not in [corpus] include"
        if not why and unwanted(file.path):
            why = "in [corpus] exclude"
        return replace(file, passed_over=why) if why else file

    found = _find_local(root, base) if _is_local(root) else _find_remote(root)
    return sorted(map(judged, found), key=lambda file: file.path)


def _is_local(root: str) -> bool:
    return "://" not in root or root.startswith(_LOCAL)


def _ignored(path: str) -> str:
    """Return why a path is never read, or nothing."""
    return next(filter(None, map(_ignored_name, PurePosixPath(path).parts)), "")


def _ignored_name(name: str) -> str:
    if name.startswith("."):
        return "hidden"
    if name.lower() in _IGNORED_NAMES:
        return "of the operating system"
    return "temporary" if _TEMPORARY.fullmatch(name) else ""


# -- patterns ----------------------------------------------------------------------------------

_GLOB = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^\]/]+\]")


def _any_of(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return what tells if a path matches one of the globs; case and Unicode form don't count."""
    compiled = [re.compile(_regex(_folded(pattern)), re.DOTALL) for pattern in patterns]
    return lambda path: any(pattern.fullmatch(_folded(path)) for pattern in compiled)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _regex(glob: str) -> str:
    """Translate a glob; one without a slash means a name in any folder, a final slash all below."""
    glob = glob.removeprefix("./")
    glob = glob + "**" if glob.endswith("/") else glob
    glob = glob if "/" in glob else "**/" + glob
    parts = zip(_GLOB.split(glob), [*_GLOB.findall(glob), ""], strict=True)
    return "".join(re.escape(literal) + _wild(sign) for literal, sign in parts)


def _wild(sign: str) -> str:
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "": ""}
    if sign in known:
        return known[sign]
    negated = sign.startswith("[!")
    body = sign[2 if negated else 1 : -1].replace("\\", r"\\").replace("[", r"\[")
    return f"[{'^' if negated else ''}{body.replace('^', chr(92) + '^')}]"


# -- a local folder ----------------------------------------------------------------------------


def _find_local(root: str, base: Path) -> Iterator[Found]:
    url = root.startswith(_LOCAL)
    folder = base / (unquote(root.partition("://")[2]) if url else root)
    if not folder.exists():
        raise CorpusError(str(folder), "does not exist")
    if not folder.is_dir():
        raise CorpusError(str(folder), "is not a folder")
    real = folder.resolve()
    lost: list[OSError] = []
    for directory, folders, names in os.walk(folder, onerror=lost.append):
        yield from (_failed_folder(folder, error) for error in lost)
        lost.clear()
        unseen = [name for name in folders if _ignored_name(name)]
        yield from (_unread_folder(folder, Path(directory) / name) for name in unseen)
        folders[:] = sorted(set(folders) - set(unseen))
        links = [name for name in folders if (Path(directory) / name).is_symlink()]
        for name in sorted([*names, *links]):
            yield _local(folder, real, Path(directory) / name)
    yield from (_failed_folder(folder, error) for error in lost)


def _local(folder: Path, real: Path, file: Path) -> Found:
    """Return the file; pipes, devices and links to files that are here anyway are passed over."""
    path = _relative(folder, file)
    try:
        about = file.lstat()
        if stat.S_ISREG(about.st_mode):
            return _regular(path, file, about)
        if stat.S_ISLNK(about.st_mode):
            return _link(path, real, file)
        return _passed_over(path, "not a regular file")
    except OSError as error:
        return _unreadable(path, error.strerror or str(error))


def _regular(path: str, file: Path, about: os.stat_result) -> Found:
    return Found(
        path,
        lambda: _read(file),
        about.st_size,
        str(about.st_mtime_ns),
        _utc(datetime.datetime.fromtimestamp(about.st_mtime, datetime.UTC)),
    )


def _utc(time: datetime.datetime) -> str:
    """Return a time as text that sorts, to the second; one without a zone is UTC."""
    aware = time if time.tzinfo else time.replace(tzinfo=datetime.UTC)
    return aware.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _passed_over(path: str, why: str) -> Found:
    return replace(_unreadable(path, why), passed_over=why)


def _unread_folder(folder: Path, directory: Path) -> Found:
    return _passed_over(_relative(folder, directory) + "/", _ignored_name(directory.name))


def _link(path: str, real: Path, file: Path) -> Found:
    """Return a link as a file only if what it means isn't found by its own path."""
    try:
        target = file.resolve(strict=True)
    except (OSError, RuntimeError):
        return _unreadable(path, "symbolic link that leads nowhere")
    if not target.is_relative_to(real):
        return _unreadable(path, "symbolic link out of the corpus root")
    if target.is_file() and _ignored(_relative(real, target)):
        return _regular(path, target, target.stat())
    return _passed_over(path, "link to what is read by its own path")


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UnreadError("unreadable", error.strerror or str(error)) from error


def _relative(folder: Path, file: Path) -> str:
    """Return the path as text that can be stored, also where the name isn't valid UTF-8."""
    raw = os.fsencode(file.relative_to(folder).as_posix())
    return _shown(raw.decode("utf-8", "backslashreplace"))


def _shown(path: str) -> str:
    """Return a path without line breaks and terminal codes, which a name may have."""
    return _CONTROL.sub(lambda sign: f"\\x{ord(sign[0]):02x}", path)


def _failed_folder(folder: Path, error: OSError) -> Found:
    path = _relative(folder, Path(os.fsdecode(error.filename)))
    return _unreadable(path, f"folder: {error.strerror}")


def _unreadable(path: str, reason: str) -> Found:
    def read() -> bytes:
        raise UnreadError("unreadable", reason)

    return Found(path, read)


# -- anything else that fsspec knows -----------------------------------------------------------


def _find_remote(root: str) -> Iterator[Found]:
    import fsspec

    try:
        files, folder = fsspec.core.url_to_fs(root)
        listed: dict[str, dict[str, Any]] = files.find(folder, detail=True)
    except ImportError as error:
        raise CorpusError(root, f"needs a package that isn't installed: {error}") from error
    except Exception as error:  # each file system has errors of its own
        raise CorpusError(root, f"can't be listed: {_said(error)}") from error
    for name, info in listed.items():
        if info.get("type") == "file":
            path = name.removeprefix(folder).lstrip("/")
            if not path:
                raise CorpusError(root, "is not a folder")
            path = _shown(unquote(path) if root.startswith("http") else path)
            read = partial(_fetch, files, name)
            stamps = (info.get(key) for key in ("ETag", "LastModified", "mtime", "created"))
            stamp = str(next(filter(None, stamps), ""))
            yield Found(path, read, info.get("size") or 0, stamp, _modified(info))


def _modified(info: dict[str, Any]) -> str | None:
    """Return when a file was modified, of what its file system calls that, if it knows."""
    for time in (info.get(key) for key in ("LastModified", "mtime", "last_modified", "created")):
        if isinstance(time, datetime.datetime):
            return _utc(time)
        if isinstance(time, int | float):
            return _utc(datetime.datetime.fromtimestamp(time, datetime.UTC))
    return None


def _fetch(files: Any, name: str) -> bytes:  # noqa: ANN401
    try:
        return bytes(files.cat_file(name))
    except Exception as error:
        raise UnreadError("unreadable", _said(error)) from error


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
