"""What a plain or Markdown text says of itself: front matter, title, header lines."""

import re
from dataclasses import dataclass, field
from typing import Any

_FRONT_MATTER = re.compile(r"\s*---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_ENTRY = re.compile(r"([\w][\w .-]*?)[ \t]*:(?:[ \t]+(.*))?")
_LIST_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
_HEADING = re.compile(r"^[ ]{0,3}#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_HEADER_LINE = re.compile(r"[-*]?[ \t]*\**([A-Za-z][\w -]{0,30}?)\**:\**[ \t]+(\S.*)")
_LEAST_HEADER_LINES = 2  # without a title above them
_DATA_IMAGE = re.compile(r"!\[([^\]]*)\]\(\s*<?data:[^)]*\)")
_ENCODED_RUN = r"[A-Za-z0-9+/_=-]{%d,}+"


@dataclass(frozen=True)
class Described:
    """A text without its front matter, with its title and what it says of itself."""

    text: str
    title: str | None
    metadata: dict[str, Any] = field(default_factory=dict)


def describe(text: str, *, longest_run: int) -> Described:
    """Take out front matter and embedded data; read the title and the header lines, which stay."""
    front, text = _front_matter(text)
    text = _without_data(text, longest_run)
    found = _first_heading(text)
    lines = _header_lines(text, found)
    metadata = lines | front
    title = front.get("title") or (found and found[1].strip()) or lines.get("title")
    return Described(text, str(title) if title else None, metadata)


def heading(text: str) -> str | None:
    """Return the first heading of a Markdown text."""
    found = _first_heading(text)
    return found[1].strip() if found else None


def _first_heading(text: str) -> re.Match[str] | None:
    return _HEADING.search(_FENCE.sub(lambda fence: " " * len(fence[0]), text[:100_000]))


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    match = _FRONT_MATTER.match(text)
    entries = _entries(match[1]) if match else {}
    return (entries, text[match.end() :]) if match and entries else ({}, text)


def _entries(block: str) -> dict[str, Any]:
    """Read the part of YAML that front matter uses: keys with a value, a list, or items below."""
    entries: dict[str, Any] = {}
    key = ""
    for line in block.split("\n"):
        item, entry = _LIST_ITEM.fullmatch(line), _ENTRY.fullmatch(line)
        if entry:
            key = entry[1]
            entries[key] = _value(entry[2] or "")
        elif item and key:
            before = entries[key] if isinstance(entries[key], list) else []
            entries[key] = [*before, _value(item[1])]
    return entries


def _value(raw: str) -> Any:  # noqa: ANN401
    raw = raw.strip()
    if raw.startswith("[") and raw.endswith("]"):
        return [_value(part) for part in raw[1:-1].split(",") if part.strip()]
    return raw[1:-1] if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'" else raw


def _header_lines(text: str, top: re.Match[str] | None) -> dict[str, str]:
    """Read lines such as `Date: 2031-03-02` right below the title, or at the very top."""
    titled = top is not None and not text[: top.start()].strip()
    start = top.end() if top is not None and titled else 0
    found: dict[str, str] = {}
    for line in text[start : start + 5_000].lstrip().split("\n"):
        match = _HEADER_LINE.fullmatch(line)
        if match is None:
            break
        found[match[1].strip().lower()] = match[2].strip(" *")
    return found if titled or len(found) >= _LEAST_HEADER_LINES else {}


def _without_data(text: str, longest_run: int) -> str:
    """Replace pictures and files that stand in the text as code; nobody can read them."""
    text = _DATA_IMAGE.sub(lambda match: match[1], text)
    if not longest_run:
        return text
    return re.sub(
        _ENCODED_RUN % (longest_run + 1),
        lambda run: f"[{len(run[0])} characters of encoded data]",
        text,
    )
