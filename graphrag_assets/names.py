"""Names as people write them -> keys that say when two are the same."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import polars as pl

QUOTES = "\"'“”‘’«»「」『』《》`"
QUOTED_PART = re.compile(r"[\"“”«»「」『』《》]|['’]\s|\s['‘]")
ALIKE = str.maketrans(
    {**dict.fromkeys("’‘ʼ", "'"), **dict.fromkeys("‐‑‒–—−", "-"), **dict.fromkeys("•‧・", "·")}
)
ARTICLES = re.compile(r"^the\s+(?=\S)")
HONORIFICS = re.compile(
    r"^(?:(?:mr|ms|dr|prof|professor|sir|judge|justice|captain|capt|president|minister|senator)"
    r"\.?\s+)+(?=\S)"
)
HONORIFICS_ZH = re.compile(r"(?<=.)(?:先生|女士|博士|教授|法官|船长|主席|总统|部长)$")
OTHER_PERSON = re.compile(r"^(?:mrs|miss|lady|lord|madame?|mme)\.?\s+(?=\S)")
LEGAL_FORMS = re.compile(
    r"(?:[\s,]+(?:inc|incorporated|ltd|limited|llc|llp|plc|corp|corporation|company|gmbh|ag|s\.?a|b\.?v|co)"
    r"\.?)+$"
)
LEGAL_FORMS_ZH = re.compile(r"(?<=..)(?:股份有限公司|有限责任公司|有限公司)$")
DISAMBIGUATION = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
SIGNS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
WORD = re.compile(rf"[{SIGNS}]|[^\W_{SIGNS}]+")
BETWEEN_SIGNS = re.compile(rf"(?<=[{SIGNS}]) (?=[{SIGNS}])")
POSSESSIVE = re.compile(r"'s$")


@lru_cache(50_000)
def clean_name(name: str) -> str:
    """Return a name without outer quotes and with single spaces; "Q" Branch keeps its quotes."""
    name = " ".join(name.split())
    inner = name.strip(QUOTES + " ")
    return name if QUOTED_PART.search(inner) else inner


def fold(text: str) -> str:
    """Return a text in which case, width, white space and kinds of dashes don't distinguish."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(ALIKE)
    return " ".join(text.split()).casefold()


@lru_cache(50_000)
def name_key(name: str) -> str:
    """Return what makes names the same: case, "the", legal forms and width don't.

    Punctuation that distinguishes (C++, .NET, AT&T) stays.
    """
    folded = fold(name)
    key = folded.lstrip(QUOTES + " ").rstrip(QUOTES + " .,;:")
    for pattern in (POSSESSIVE, ARTICLES, LEGAL_FORMS, LEGAL_FORMS_ZH):
        key = pattern.sub("", key)
    return key.strip() or folded


def person_key(name: str) -> str:
    """Return the key of a person's name without titles that don't distinguish people.

    Mrs, Miss and Lady stay: they often name somebody else than the bare surname does.
    """
    key = name_key(name)
    return HONORIFICS_ZH.sub("", HONORIFICS.sub("", key)) or key


def other_person(key: str) -> bool:
    """Whether a title says that this may be somebody else than the bare name: Mrs Hale."""
    return OTHER_PERSON.match(key) is not None


def name_parts(key: str) -> tuple[str, ...]:
    """Return the parts of a name: words, or what stands between the dots of 玛拉·埃利森."""
    return tuple(part for part in re.split(r"[\s·]+", key) if part)


def words(text: str) -> list[str]:
    """Return the words by which names are found in a text: D'Arc is D, Arc; 玛拉 is 玛, 拉."""
    return WORD.findall(unicodedata.normalize("NFKC", text))


def written(said: Iterable[str]) -> str:
    """Return words as a text: 玛 and 拉 are 玛拉 again."""
    return BETWEEN_SIGNS.sub("", " ".join(said))


def spoken_names(name: str) -> set[str]:
    """Return the ways to write a name, as words: with "the" and (film), and without."""
    written = (name, name_key(name), DISAMBIGUATION.sub("", name))
    return {" ".join(words(way)).casefold() for way in written} - {""}


def with_key(frame: pl.DataFrame, column: str, key: str) -> pl.DataFrame:
    """Add the key of each name; every distinct name is folded once."""
    return frame.join(
        _keys(frame[column].drop_nulls().unique()),
        left_on=column,
        right_on="name",
        how="left",
        maintain_order="left",
    ).rename({"key": key})


def _keys(names: Iterable[str]) -> pl.DataFrame:
    distinct = list(names)
    return pl.DataFrame(
        {"name": distinct, "key": [name_key(name) for name in distinct]},
        schema={"name": pl.String, "key": pl.String},
    )
