"""Chinese names: what the finders propose, weighed, and put in their places in the text.

The longest form wins a place. A part of a name (埃利森), a bare kind (委员会) or a company without
its suffix stands for the one whole name that it can mean here.
"""

# ruff: noqa: PLR2004 - the lengths of words are what these rules are about

import re
from collections import defaultdict
from collections.abc import Iterator

from graphrag_assets.models.offline import words_zh as words
from graphrag_assets.models.offline.finders_zh import Found, propose
from graphrag_assets.models.offline.names import Name, Span

_GENERIC_ENDS = ("码头", "外码头", "口", "港口", "海岸", "展览", "紧急会议", "会议", "夏季会议")
_MIN_WEIGHT = 2.0


def find(text: str) -> list[Name]:
    """Return the names of a Chinese text."""
    votes: dict[str, defaultdict[str, float]] = {}
    for found in propose(text):
        if _is_form(found):
            votes.setdefault(found.text, defaultdict(float))[found.kind] += found.weight
    kinds = {
        form: _kind(count) for form, count in votes.items() if max(count.values()) >= _MIN_WEIGHT
    }
    weights = {form: sum(votes[form].values()) for form in kinds}
    for form in _overlong(text, kinds, weights):
        del kinds[form]
    return _placed(text, kinds)


def _is_form(found: Found) -> bool:
    form = found.text
    return (
        len(form) >= 2
        and form not in words.NO_NAMES
        and form not in words.COMMON
        and form not in words.ROLES
    )


def _kind(votes: defaultdict[str, float]) -> str:
    return max(sorted(votes), key=lambda kind: votes[kind])


def _overlong(text: str, kinds: dict[str, str], weights: dict[str, float]) -> list[str]:
    """Return forms that are another name with a word too many before or behind it."""
    drop = []
    for form, kind in kinds.items():
        for other, other_kind in kinds.items():
            if other == form or other not in form or len(form) - len(other) > 5:
                continue
            behind = form.startswith(other) and form[len(other) :] in _GENERIC_ENDS
            before = (
                form.endswith(other)
                and "·" not in form
                and kind == other_kind
                and kind in ("vessel", "person", "product")
                and weights[other] > weights[form]
                and text.count(other) > text.count(form)
            )
            if behind or before:
                drop.append(form)
                break
    return drop


def _placed(text: str, kinds: dict[str, str]) -> list[Name]:
    aliases = _aliases(kinds)
    spans: dict[str, list[Span]] = {}
    taken = [False] * len(text)
    for form in sorted({*kinds, *aliases}, key=lambda form: (-len(form), form)):
        for match in re.finditer(re.escape(form), text):
            if any(taken[match.start() : match.end()]):
                continue
            taken[match.start() : match.end()] = [True] * len(form)
            if whole := aliases.get(form, form):
                spans.setdefault(whole, []).append(match.span())
    _inner_places(kinds, spans)
    return [Name(form, kinds[form], tuple(sorted(set(places)))) for form, places in spans.items()]


def _inner_places(kinds: dict[str, str], spans: dict[str, list[Span]]) -> None:
    """Add the town in the name of its council: 隼角镇 in 隼角镇议会."""
    for form, own in list(spans.items()):
        inner = re.match(r".{2,4}?[镇市县省]", form)
        if inner and kinds[form] == "organization" and len(form) > len(inner[0]):
            place = inner[0]
            if kinds.setdefault(place, "place") == "place":
                places = [(start, start + len(place)) for start, _ in own]
                spans.setdefault(place, []).extend(places)


def _aliases(kinds: dict[str, str]) -> dict[str, str]:
    """Return part -> whole name; a part of several names stands for none (empty)."""
    owners: dict[str, set[str]] = {}
    for form, kind in kinds.items():
        for part in _parts(form, kind):
            owners.setdefault(part, set()).add(form)
    aliases = {}
    for part, wholes in owners.items():
        if part in kinds and kinds[part] not in ("person", "organization", "place"):
            continue
        if len(wholes) == 1:
            aliases[part] = next(iter(wholes))
        elif part in kinds or all(kinds[whole] == "person" for whole in wholes):
            aliases[part] = ""
    return _unchained(aliases)


def _unchained(aliases: dict[str, str]) -> dict[str, str]:
    """Let the part of a part stand for the whole: 合作社 for 渔民合作社 for 隼角渔民合作社."""
    return {part: aliases.get(whole, whole) for part, whole in aliases.items()}


def _parts(form: str, kind: str) -> Iterator[str]:
    if kind == "person" and "·" in form:
        yield from (part for part in form.split("·") if len(part) > 1)
    elif kind == "person" and form[:2] in words.DOUBLE_SURNAMES:
        return
    elif kind == "event":
        yield from (
            form.removeprefix(first) for first in words.EVENT_FIRST if form.startswith(first)
        )
    elif kind == "organization":
        yield from _parts_of_organization(form)


def _parts_of_organization(form: str) -> Iterator[str]:
    fits = [suffix for suffix in words.ORGANIZATION if form.endswith(suffix)]
    suffix = max(fits, key=len, default="")
    stem = form[: -len(suffix)] if suffix else form[:-2]
    if len(suffix) > 2 and len(stem) > 1:
        yield suffix
        yield from (stem[at:] + suffix for at in range(2, len(stem) - 1))
    if suffix in ("公司", "集团"):
        yield stem
        yield from (stem[:-cut] for cut in (2, 3) if len(stem) - cut > 2)
    elif (suffix in words.SHORT_ORGANIZATION or not suffix) and len(stem) > 1:
        yield stem
