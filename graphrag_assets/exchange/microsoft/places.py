"""Where a text unit stands in its document."""

from dataclasses import dataclass

from graphrag_assets.mentions import locate

CUT = "\ufffd"  # a character that was cut in two between tokens
ANCHOR = 0.5  # share of a text unit that must stand there verbatim
NEAR = 4  # lengths of the text unit to look through for a wording that is close


@dataclass(frozen=True)
class Place:
    """A span; `exact` if the text unit stands there verbatim."""

    start: int
    end: int
    exact: bool


def place(text: str, document: str, after: int) -> Place | None:
    """Return the span of a text unit, looked for from `after` on first, or None.

    Verbatim; else the longest end of it that is verbatim, where metadata was put before it; else
    the closest wording near the text unit before.
    """
    piece = text.strip(CUT)
    if not piece.strip():
        return None
    start = _find(piece, document, after)
    if start >= 0:
        return Place(start, start + len(piece), exact=True)
    tail = piece[int(len(piece) * (1 - ANCHOR)) :]
    start = _find(tail, document, after)
    if start >= 0:
        before = _shared_end(piece[: -len(tail)], document[:start])
        return Place(start - before, start + len(tail), exact=False)
    window = document[max(after - len(piece), 0) : after + NEAR * len(piece)]
    found = locate(piece, window)
    offset = max(after - len(piece), 0)
    return Place(offset + found[0], offset + found[1], exact=False) if found else None


def _find(piece: str, document: str, after: int) -> int:
    start = document.find(piece, after)
    return start if start >= 0 else document.find(piece)


def _shared_end(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their ends."""
    most = min(len(one), len(other))
    return next((n for n in range(most) if one[-1 - n] != other[-1 - n]), most)
