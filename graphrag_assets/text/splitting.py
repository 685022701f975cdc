"""Cut a text into text units where its content says so: an edit moves only the cuts near it.

The text is taken as atoms (sentences, or pieces of long ones). Each has an order: the worth of a
cut before it, then a hash of its text. A cut is where no lower order is near. Neighbouring parts
that fit together are joined once, and parts that are still too long divided.

What an edit can change, in cores (text units without their overlap): a place is a cut if its order
is the lowest within `reach`, so those farther than that from the edit stay, and at most three are
nearer. Of the others only the first on either side can be joined or parted by it, as what is
left out depends on its two neighbours alone. So six cores at most are new, if none of them had to
be divided, and in real prose nearly always one or two: measured in ADR 19.
"""

import hashlib
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from graphrag_assets.errors import SettingsError
from graphrag_assets.text.sentences import PARAGRAPH, PIECE, breaks, joined, skip_space
from graphrag_assets.text.tokens import count_tokens

_LONGEST_TOKEN = 128  # characters; no vocabulary has a longer one
_HASH_BITS = 48
_WORD = re.compile(r"\s{0,64}[^\s,;，、；：]{1,48}[,;，、；：]{0,48}|\s{1,64}|[,;，、；：]{1,48}")
_WORDS_A_PIECE = 8
_SHORTEST_PIECE = 24  # characters
_LONGEST_SIGN = 32  # characters that a reader sees as one


@dataclass(frozen=True)
class Span:
    """One text unit of a text: text[start:end], and how many tokens that is."""

    start: int
    end: int
    n_tokens: int


class _Atoms:
    """What is not cut: sentences or pieces of them, each with the white space before it.

    As columns of machine integers, since a long text has millions. Atom i is
    text[bounds[i]:bounds[i + 1]], at[i + 1] - at[i] tokens long. orders[i] is that of a cut before
    it; both ends of the text have the lowest.
    """

    def __init__(self, start: int) -> None:
        self.bounds = array("q", [start])
        self.at = array("q", [0])
        self.orders = array("q")

    def add(self, end: int, n_tokens: int, order: int) -> None:
        self.orders.append(order if self.orders else -1)
        self.bounds.append(end)
        self.at.append(self.at[-1] + n_tokens)

    def close(self) -> None:
        self.orders.append(-1)

    def __len__(self) -> int:
        return len(self.bounds) - 1


@dataclass(frozen=True)
class _Budget:
    """What a text unit may hold; a core is a text unit without its overlap."""

    max_tokens: int
    overlap: int
    encoding: str

    @cached_property
    def core(self) -> int:
        return self.max_tokens - self.overlap // 2

    @cached_property
    def atom(self) -> int:
        return max(self.core // 5, min(16, self.core))


def split(text: str, *, max_tokens: int, overlap: int, encoding: str) -> list[Span]:
    """Return text units of at most `max_tokens` that share about `overlap` with the one before.

    Together they hold all that isn't white space. Only a single character may exceed the limit.
    """
    if overlap >= max_tokens:
        problem = f"overlap ({overlap}) must be less than max_tokens ({max_tokens})"
        raise SettingsError("[text_units]", [problem])
    if len(text) <= _LONGEST_TOKEN * max_tokens:
        whole = _span(text, 0, len(text), encoding)
        if whole.n_tokens <= max_tokens:
            return [whole] if whole.n_tokens else []
    budget = _Budget(max_tokens, overlap, encoding)
    atoms = _atoms(text, budget)
    if not atoms:
        return []
    return list(_units(text, atoms, _cores(atoms, limit=budget.core), budget))


def _span(text: str, start: int, end: int, encoding: str) -> Span:
    """Return the span without outer white space, measured."""
    stripped = text[start:end].strip()
    start = min(skip_space(text, start), end)
    return Span(start, start + len(stripped), count_tokens(stripped, encoding))


def _atoms(text: str, budget: _Budget) -> _Atoms:
    begin = skip_space(text, 0)
    atoms = _Atoms(begin)
    for (start, worth), (stop, _) in pairwise(chain(breaks(text), [(len(text), PARAGRAPH)])):
        end = start + len(text[start:stop].rstrip())
        rank = worth
        for right, n_tokens in _pieces(text, begin, end, budget):
            atoms.add(right, n_tokens, _order(rank, text[begin:right]))
            begin, rank = right, PIECE
    atoms.close()
    return atoms


def _order(worth: int, body: str) -> int:
    """Return the preference for a cut before this text, lower is better."""
    raw = body.strip().encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(raw, digest_size=_HASH_BITS // 8).digest()
    return (worth << _HASH_BITS) | int.from_bytes(digest, "big")


def _pieces(text: str, start: int, end: int, budget: _Budget) -> Iterator[tuple[int, int]]:
    """Yield end and tokens of a sentence, or of its pieces if it is too long for an atom."""
    n_tokens = budget.atom + 1
    if end - start <= _LONGEST_TOKEN * budget.atom:
        n_tokens = count_tokens(text[start:end], budget.encoding)
    if n_tokens <= budget.atom:
        yield end, n_tokens
        return
    left = start
    for match in _WORD.finditer(text, start, end):
        right = match.end()
        if right == end or _piece_ends(text, left, match, budget):
            yield from _halves(text, left, right, budget)
            left = right


def _piece_ends(text: str, left: int, word: re.Match[str], budget: _Budget) -> bool:
    """Whether a piece ends with this word: decided by the word, by length only if none says so."""
    size = word.end() - left
    if size > 64 * budget.atom:
        return True
    if size < _SHORTEST_PIECE:
        return False
    wanted = size > budget.atom or _order(0, word.group()) % _WORDS_A_PIECE == 0
    return wanted and not joined(text, word.end())


def _halves(text: str, start: int, end: int, budget: _Budget) -> Iterator[tuple[int, int]]:
    """Yield end and tokens of the piece, or of its halves' halves until each fits or is a sign."""
    n_tokens = count_tokens(text[start:end], budget.encoding)
    middle = _middle(text, start, end)
    if middle is None and n_tokens > budget.core and end - start > 1:
        middle = (start + end) // 2
    if middle is None or n_tokens <= budget.atom:
        yield end, n_tokens
        return
    yield from _halves(text, start, middle, budget)
    yield from _halves(text, middle, end, budget)


def _middle(text: str, start: int, end: int) -> int | None:
    """Return a place near the middle where no sign is cut."""
    middle = (start + end) // 2
    near = (middle + side * step for step in range(_LONGEST_SIGN) for side in (1, -1))
    return next((i for i in near if start < i < end and not joined(text, i)), None)


def _cores(atoms: _Atoms, *, limit: int) -> list[tuple[int, int]]:
    """Return the text units without their overlaps, as ranges of atoms."""
    at, orders = atoms.at, atoms.orders
    found = _minima(orders, at, reach=limit * 3 // 10)
    cuts = _joint([0, *found, len(atoms)], orders, at, limit=limit)
    starts = [start for a, b in pairwise(cuts) for start in _divide(orders, at, a, b, limit=limit)]
    return list(pairwise([*starts, len(atoms)]))


def _minima(orders: Sequence[int], at: Sequence[int], *, reach: int) -> list[int]:
    """Return where no lower order stands within `reach` tokens, on either side."""
    found: list[int] = []
    lower = [(0, False)]  # rising orders, and whether none as low was within reach before
    for here in range(1, len(orders)):
        while orders[lower[-1][0]] > orders[here]:
            passed, clear = lower.pop()
            if clear and at[here] - at[passed] >= reach:
                found.append(passed)
        lower.append((here, at[here] - at[lower[-1][0]] >= reach))
    return sorted(found)


def _joint(cuts: list[int], orders: Sequence[int], at: Sequence[int], *, limit: int) -> list[int]:
    """Leave out each cut that is worse than both its neighbours, if the parts fit one text unit."""
    kept = [
        cut
        for before, cut, after in zip(cuts, cuts[1:], cuts[2:], strict=False)
        if at[after] - at[before] > limit or orders[cut] <= max(orders[before], orders[after])
    ]
    return [cuts[0], *kept, cuts[-1]]


def _divide(
    orders: Sequence[int], at: Sequence[int], a: int, b: int, *, limit: int
) -> Iterator[int]:
    """Yield the starts of as few parts as can be of what lies between two cuts."""
    yield a
    while at[b] - at[a] > limit:
        rest = at[b] - at[a]
        least = max(rest - limit if rest <= 2 * limit else limit // 2, limit // 4)
        most = min(limit, rest - limit // 4)
        near = range(
            bisect_left(at, at[a] + least, a + 1, b), bisect_right(at, at[a] + most, a + 1, b)
        )
        farthest = max(bisect_right(at, at[a] + limit, a + 1, b) - 1, a + 1)
        a = min(near, key=lambda i: (orders[i], -i)) if near else farthest
        yield a


def _units(
    text: str, atoms: _Atoms, cores: list[tuple[int, int]], budget: _Budget
) -> Iterator[Span]:
    """Yield each core with its overlap, measured on its own text."""
    floor = 0
    for a, b in cores:
        size = atoms.at[b] - atoms.at[a]
        room = min(budget.overlap, budget.max_tokens - size)
        first = _reach(atoms, a, floor=floor, room=room)
        yield from _within(text, atoms, range(first, b), core=a, budget=budget)
        floor = a


def _reach(atoms: _Atoms, start: int, *, floor: int, room: int) -> int:
    """Return where the overlap before an atom begins, at a sentence if one begins in that room."""
    at, orders = atoms.at, atoms.orders
    first = bisect_left(at, at[start] - room, floor, start)
    is_sentence = (i for i in range(first, start) if orders[i] >> _HASH_BITS < PIECE)
    return next(is_sentence, first)


def _within(text: str, atoms: _Atoms, unit: range, *, core: int, budget: _Budget) -> Iterator[Span]:
    """Yield the unit; should it have more tokens than its atoms, with less overlap or in two."""
    span = _span(text, atoms.bounds[unit[0]], atoms.bounds[unit[-1] + 1], budget.encoding)
    if span.n_tokens <= budget.max_tokens or len(unit) == 1:
        if span.n_tokens:
            yield span
    elif unit[0] < core:
        yield from _within(text, atoms, unit[1:], core=core, budget=budget)
    else:
        half = len(unit) // 2
        yield from _within(text, atoms, unit[:half], core=core, budget=budget)
        yield from _within(text, atoms, unit[half:], core=core + half, budget=budget)
