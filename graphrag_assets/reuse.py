"""What may be kept although a little of what it was made from has changed.

A description or a report that is kept never outlives its sources: if one of them is gone, it is
made again, however little it was. What came or changed is tolerated up to a share.
"""

from collections.abc import Collection, Iterable, Mapping, Set
from typing import Protocol

from graphrag_assets.text import sha256

HUBS = 5  # a report isn't kept where one of so many best-connected entities came or went


class Source(Protocol):
    """Something that a report rests on."""

    @property
    def kind(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def made_from(self) -> Collection[str] | None: ...


def digest(text: str) -> str:
    """Return a short hash of a text."""
    return sha256(text)[:16]


def summary_holds(made_from: Set[str], pieces: Set[str], tolerance: float) -> bool:
    """Whether a summary of some pieces stands for those of today: none went, few came."""
    return made_from <= pieces and len(pieces - made_from) <= tolerance * len(pieces)


def lost(former: Iterable[Source], now: Mapping[str, Source]) -> bool:
    """Whether something of what was read is gone: an element, or a piece that it was made from.

    A piece that went without a trace in the element's row said nothing that others don't say.
    """
    return any(source.id not in now or _lost_a_piece(source, now[source.id]) for source in former)


def _lost_a_piece(then: Source, now: Source) -> bool:
    if then.made_from is None or now.made_from is None:
        return True
    return then.sha256 != now.sha256 and not set(then.made_from) <= set(now.made_from)


def share_changed(former: Mapping[str, Source], now: Mapping[str, Source]) -> float:
    """Return the share of tokens that came, went or changed, of those before and now.

    Of an element that is in both, as much changed as of the pieces that it is made from.
    """
    changed, total = 0.0, 0
    for ref in former.keys() | now.keys():
        before, after = former.get(ref), now.get(ref)
        tokens = max(side.n_tokens for side in (before, after) if side)
        total += tokens
        changed += tokens * (_pieces_changed(before, after) if before and after else 1)
    return changed / total if total else 0.0


def _pieces_changed(then: Source, now: Source) -> float:
    """Return the share of pieces that came or went; 1 where they don't say what changed."""
    if then.sha256 == now.sha256:
        return 0.0
    before, after = set(then.made_from or ()), set(now.made_from or ())
    return len(before ^ after) / len(before | after) if before != after else 1.0


def same_hubs(former: Set[str], now: Set[str], degrees: Mapping[str, int]) -> bool:
    """Whether the best-connected entities of both sets of ids are in both."""
    best = sorted(former | now, key=lambda ref: (-degrees.get(ref, 0), ref))[:HUBS]
    return all(ref in former and ref in now for ref in best)
