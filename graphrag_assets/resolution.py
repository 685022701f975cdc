"""Which names are the same entity.

A name is a title with a type. Names merge, surest first, by
1. exact: the same key (case, articles, legal forms and width don't distinguish);
2. short_form: a surname, initials, or a part of an organisation's name, that only one longer
   name has;
3. similar: nearly the same letters, same type, same digits;
4. model: somewhat the same letters, and a model says that they are the same (a setting);
and never against an override. The decision is a table: deciding again needs no new extraction.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import polars as pl
from rapidfuzz import fuzz

from graphrag_assets.errors import SettingsError
from graphrag_assets.likeness import UNKNOWN, Link, Name, initialled, near, short_forms, titled
from graphrag_assets.names import name_key
from graphrag_assets.text import content_id, shortened, terms

COMPLETE_LINK = 0.75
MIN_UNITS = 2
SHARED_WORDS = 0.05
DOUBTFUL = 0.8  # similarity from which a model may be asked
MOST_DOUBTS = 500
MOST_SAID, MOST_TOLD = 3, 400  # descriptions and characters of one name


@dataclass(frozen=True)
class Overrides:
    """What a person decided, in data/aliases.toml: groups of names."""

    same: tuple[tuple[str, ...], ...] = ()
    different: tuple[tuple[str, ...], ...] = ()


def load_overrides(path: Path) -> Overrides:
    """Read `same` and `different`, lists of groups of names; raise SettingsError if malformed."""
    if not path.is_file():
        return Overrides()
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(str(path), [str(error)]) from error
    problems = [_override_problem(key, value) for key, value in values.items()]
    if any(problems):
        raise SettingsError(str(path), filter(None, problems))
    return Overrides(**{key: tuple(map(tuple, groups)) for key, groups in values.items()})


def _override_problem(key: str, value: object) -> str:
    """Return what is wrong with an entry of data/aliases.toml, or nothing."""
    if key not in ("same", "different"):
        return f"unknown key `{key}`, not same or different"
    if isinstance(value, list) and all(map(_is_group, value)):
        return ""
    return f'`{key}` must be a list of groups of names: {key} = [["Ida Holm", "I. Holm"]]'


def _is_group(group: object) -> bool:
    return isinstance(group, list) and all(isinstance(name, str) for name in group)


def resolve_aliases(
    mentions: pl.DataFrame,
    *,
    similar: float,
    overrides: Overrides,
    decide: Callable[[Sequence["Doubt"]], Sequence[bool]] | None = None,
) -> pl.DataFrame:
    """Return title, type, entity_id, method and score for every supported name.

    `mentions` has text_unit_id, title, type, description, key, supported. The same name with
    different types is one entity with several types, unless nothing else about it is the same.
    `decide` is asked about pairs that are nearly similar, the most similar of them.
    The result doesn't depend on the order of rows.
    """
    rows = part_homonyms(mentions.filter("supported"))
    names = _names(rows)
    groups = Groups(names, _forbidden(overrides))
    surest_first = (
        _overridden(overrides, names),
        titled(names),
        initialled(names),
        short_forms(names),
        near(names, similar),
    )
    for link in chain.from_iterable(surest_first):
        groups.join(link)
    if decide is not None and (doubts := _doubts(rows, groups, similar)):
        for doubt, same in zip(doubts, decide(doubts), strict=True):
            if same:
                groups.join(doubt.link)
    return _table(rows, groups)


def _doubts(rows: pl.DataFrame, groups: "Groups", similar: float) -> list["Doubt"]:
    """Return the pairs that are neither joined nor surely different, the most similar first."""
    links = [
        replace(link, method="model")
        for link in near(groups.names, min(DOUBTFUL, similar))
        if groups.may_join(link)
    ]
    told = dict(
        rows.filter(pl.col("description") != "")
        .sort("title", "description")
        .group_by("key", maintain_order=True)
        .agg(pl.col("description").unique(maintain_order=True).head(MOST_SAID).str.join(" "))
        .iter_rows()
    )
    titles = dict(rows.group_by("key").agg(pl.col("title").mode().min()).iter_rows())

    def line(key: str) -> str:
        said = " ".join(told.get(key, "").split()).replace("|", "/")
        named = f"{titles[key]} ({groups.names[key].type}): {said}"
        return shortened(named, MOST_TOLD).replace("<", "‹").replace(">", "›")

    return [Doubt(link, line(link.one), line(link.other)) for link in links[:MOST_DOUBTS]]


def part_homonyms(rows: pl.DataFrame) -> pl.DataFrame:
    """Give a name that means different things a key per type.

    It does where two of its types stand in several text units each, beside no common name and
    with next to no common word in their descriptions.
    """
    known = rows.filter(pl.col("type") != UNKNOWN)
    uses = known.group_by("key", "type").agg(
        units=pl.col("text_unit_id").unique(), words=pl.col("description")
    )
    uses = uses.filter(pl.col("units").list.len() >= MIN_UNITS)
    uses = uses.filter(pl.len().over("key") > 1).sort("key", "type")
    if uses.is_empty():
        return rows
    beside = dict(rows.group_by("text_unit_id").agg(pl.col("key").unique()).iter_rows())
    apart = set()
    for (key,), group in uses.group_by("key", maintain_order=True):
        contexts = [_context(str(key), use, beside) for use in group.iter_rows(named=True)]
        if not any(_alike(*pair) for pair in combinations(contexts, 2)):
            apart.add(key)
    own = pl.concat_str("key", pl.lit(" ("), "type", pl.lit(")"))
    return rows.with_columns(
        pl.when(pl.col("key").is_in(list(apart))).then(own).otherwise("key").alias("key")
    )


@dataclass(frozen=True)
class Doubt:
    """Two names that are alike, but not so much that they are the same for sure."""

    link: Link
    one: str  # the name, its type and what is said of it, on one line
    other: str


class Groups:
    """Union-find over names that never joins what must stay apart."""

    def __init__(self, names: Mapping[str, Name], forbidden: set[frozenset[str]]) -> None:
        """Start with every name alone."""
        self.names = names
        self.forbidden = forbidden
        self.members = {key: {key} for key in names}
        self.how: dict[str, Link] = {}

    def may_join(self, link: Link) -> bool:
        """Whether two groups are two, and no pair of members is forbidden or far too different."""
        one, other = self.members[link.one], self.members[link.other]
        return one is not other and not any(self._apart(a, b, link) for a in one for b in other)

    def join(self, link: Link) -> None:
        """Join two groups unless they must stay apart."""
        if not self.may_join(link):
            return
        one, other = self.members[link.one], self.members[link.other]
        one |= other
        for key in other:
            self.members[key] = one
        self.how.setdefault(link.other if link.one in self.how else link.one, link)

    def leader(self, key: str) -> str:
        """Return the name that gives its group the id: the most used, so that others may come."""
        return min(self.members[key], key=lambda member: (-self.names[member].n, member))

    def _apart(self, one: str, other: str, link: Link) -> bool:
        if frozenset((one, other)) in self.forbidden:
            return True
        if link.method != "similar" or self._surely_short(one) or self._surely_short(other):
            return False
        return fuzz.token_sort_ratio(one, other) / 100 < COMPLETE_LINK

    def _surely_short(self, key: str) -> bool:
        """Whether a name came in by another way than its letters: they needn't be like others'."""
        return key in self.how and self.how[key].method != "similar"


def _names(rows: pl.DataFrame) -> dict[str, Name]:
    grouped = rows.group_by("key").agg(
        pl.col("type").filter(pl.col("type") != UNKNOWN).alias("types"),
        pl.col("text_unit_id").unique().alias("units"),
    )
    return {
        key: Name(key, _majority(types), frozenset(units))
        for key, types, units in sorted(grouped.iter_rows())
    }


def _context(
    key: str, use: Mapping[str, Any], beside: Mapping[str, list[str]]
) -> tuple[set[str], set[str]]:
    neighbours = {other for unit in use["units"] for other in beside[unit]} - {key}
    words = {word for text in use["words"] for word in terms(text)} - set(terms(key))
    return neighbours, words


def _alike(one: tuple[set[str], set[str]], other: tuple[set[str], set[str]]) -> bool:
    shared = len(one[1] & other[1]) / max(1, len(one[1] | other[1]))
    return bool(one[0] & other[0]) or shared > SHARED_WORDS


def _majority(types: Iterable[str]) -> str:
    counts = Counter(types)
    return min(counts, key=lambda kind: (-counts[kind], kind)) if counts else UNKNOWN


def _overridden(overrides: Overrides, names: Mapping[str, Name]) -> Iterator[Link]:
    for group in overrides.same:
        first, *rest = [key for name in group if (key := name_key(name)) in names] or [""]
        yield from (Link(key, first, "override", 1.0) for key in rest)


def _forbidden(overrides: Overrides) -> set[frozenset[str]]:
    return {
        frozenset((name_key(one), name_key(other)))
        for group in overrides.different
        for one, other in combinations(group, 2)
    }


def _table(rows: pl.DataFrame, groups: Groups) -> pl.DataFrame:
    keys = list(groups.names)
    links = [groups.how.get(key) for key in keys]
    decided = pl.DataFrame(
        {
            "key": keys,
            "entity_id": [content_id(groups.leader(key)) for key in keys],
            "method": [link.method if link else "exact" for link in links],
            "score": [link.score if link else 1.0 for link in links],
        },
        schema={"key": pl.String, "entity_id": pl.String, "method": pl.String, "score": pl.Float64},
    )
    aliases = rows.select("title", "type", "key").unique().join(decided, on="key")
    return aliases.sort("title", "type").drop("key")
