"""Cut a text into text units where its content says so: an edit moves only the cuts near it.

The text is taken as atoms (sentences, or pieces of long ones). Each has an order: the worth of a
cut before it, then a hash of its text. A cut is where no lower order is near. Neighbouring parts
that fit together are joined once, and parts that are still too long divided.
"""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

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


class _Atom(NamedTuple):
    """What is not cut: a sentence or a piece of one, with the white space before it."""

    start: int
    end: int
    n_tokens: int
    order: int


@dataclass(frozen=True)
class _Budget:
    """What a text unit may hold; a core is a text unit without its overlap."""

    max_tokens: int
    overlap: int
    encoding: str

    @property
    def core(self) -> int:
        return self.max_tokens - self.overlap // 2

    @property
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


def _atoms(text: str, budget: _Budget) -> list[_Atom]:
    atoms: list[_Atom] = []
    for (start, rank), (stop, _) in pairwise([*breaks(text), (len(text), PARAGRAPH)]):
        end = start + len(text[start:stop].rstrip())
        begin = atoms[-1].end if atoms else start
        for piece, (left, right, n_tokens) in enumerate(_pieces(text, begin, end, budget)):
            order = _order(PIECE if piece else rank, text[left:right])
            atoms.append(_Atom(left, right, n_tokens, order))
    return atoms


def _order(worth: int, body: str) -> int:
    """Return the preference for a cut before this text, lower is better."""
    raw = body.strip().encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(raw, digest_size=_HASH_BITS // 8).digest()
    return (worth << _HASH_BITS) | int.from_bytes(digest, "big")


def _pieces(text: str, start: int, end: int, budget: _Budget) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and tokens of a sentence, or of its pieces if it is too long for an atom."""
    n_tokens = budget.atom + 1
    if end - start <= _LONGEST_TOKEN * budget.atom:
        n_tokens = count_tokens(text[start:end], budget.encoding)
    if n_tokens <= budget.atom:
        yield start, end, n_tokens
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


def _halves(text: str, start: int, end: int, budget: _Budget) -> Iterator[tuple[int, int, int]]:
    """Yield the piece in halves of halves until each fits an atom, or is one sign."""
    n_tokens = count_tokens(text[start:end], budget.encoding)
    middle = _middle(text, start, end)
    if middle is None and n_tokens > budget.core and end - start > 1:
        middle = (start + end) // 2
    if middle is None or n_tokens <= budget.atom:
        yield start, end, n_tokens
        return
    yield from _halves(text, start, middle, budget)
    yield from _halves(text, middle, end, budget)


def _middle(text: str, start: int, end: int) -> int | None:
    """Return a place near the middle where no sign is cut."""
    middle = (start + end) // 2
    near = (middle + side * step for step in range(_LONGEST_SIGN) for side in (1, -1))
    return next((i for i in near if start < i < end and not joined(text, i)), None)


def _cores(atoms: list[_Atom], *, limit: int) -> list[tuple[int, int]]:
    """Return the text units without their overlaps, as ranges of atoms."""
    at = [0, *accumulate(atom.n_tokens for atom in atoms)]
    orders = [-1, *(atom.order for atom in atoms[1:]), -1]  # both ends are lowest
    cuts = _joint([0, *_minima(orders, at, reach=limit // 5), len(atoms)], orders, at, limit=limit)
    starts = [start for a, b in pairwise(cuts) for start in _divide(orders, at, a, b, limit=limit)]
    return list(pairwise([*starts, len(atoms)]))


def _minima(orders: list[int], at: list[int], *, reach: int) -> list[int]:
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


def _joint(cuts: list[int], orders: list[int], at: list[int], *, limit: int) -> list[int]:
    """Leave out each cut that is worse than both its neighbours, if the parts fit one text unit."""
    kept = [
        cut
        for before, cut, after in zip(cuts, cuts[1:], cuts[2:], strict=False)
        if at[after] - at[before] > limit or orders[cut] <= max(orders[before], orders[after])
    ]
    return [cuts[0], *kept, cuts[-1]]


def _divide(orders: list[int], at: list[int], a: int, b: int, *, limit: int) -> Iterator[int]:
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
    text: str, atoms: list[_Atom], cores: list[tuple[int, int]], budget: _Budget
) -> Iterator[Span]:
    """Yield each core with its overlap, measured on its own text."""
    floor = 0
    for a, b in cores:
        size = sum(atom.n_tokens for atom in atoms[a:b])
        room = min(budget.overlap, budget.max_tokens - size)
        first = _reach(atoms, a, floor=floor, room=room)
        yield from _within(text, atoms, range(first, b), core=a, budget=budget)
        floor = a


def _reach(atoms: list[_Atom], start: int, *, floor: int, room: int) -> int:
    """Return where the overlap before an atom begins, at a sentence if one begins in that room."""
    first = sentence = start
    while first > floor and atoms[first - 1].n_tokens <= room:
        first -= 1
        room -= atoms[first].n_tokens
        if atoms[first].order >> _HASH_BITS < PIECE:
            sentence = first
    return sentence if sentence < start else first


def _within(
    text: str, atoms: list[_Atom], unit: range, *, core: int, budget: _Budget
) -> Iterator[Span]:
    """Yield the unit; should it have more tokens than its atoms, with less overlap or in two."""
    span = _span(text, atoms[unit[0]].start, atoms[unit[-1]].end, budget.encoding)
    if span.n_tokens <= budget.max_tokens or len(unit) == 1:
        if span.n_tokens:
            yield span
    elif unit[0] < core:
        yield from _within(text, atoms, unit[1:], core=core, budget=budget)
    else:
        half = len(unit) // 2
        yield from _within(text, atoms, unit[:half], core=core, budget=budget)
        yield from _within(text, atoms, unit[half:], core=core + half, budget=budget)
