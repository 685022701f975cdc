"""Which of the encodings that give each byte a letter a text is in, by the letters of languages.

The bytes of a Polish text are letters in a dozen encodings, but the letters of Polish in one only.
A capital inside a word, or a sign between letters, tells against an encoding as well.
"""

import re
from collections import Counter
from collections.abc import Set
from typing import Final

LATIN: Final = {
    "de": "äöüß",
    "fr": "àâæçèéêëîïôœùûüÿ",
    "es": "áéíñóúü",
    "pt": "àáâãçéêíóôõú",
    "it": "àèéìòù",
    "nl": "éëèïöüó",
    "sv": "åäöé",
    "da": "æøåé",
    "is": "áéíóúýþæöð",
    "ca": "àçèéíïòóúü",
    "pl": "ąćęłńóśźż",
    "cs": "áčďéěíňóřšťúůýž",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "hu": "áéíóöőúüű",
    "sl": "čšžćđ",
    "ro": "ăâîşţșț",
    "tr": "çğıİöşüâîû",
}
CYRILLIC: Final = {
    "ru": "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
    "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
}
# the commonest first: it counts where two give the same letters
ALPHABETIC: Final = {
    "cp1252": "de fr es pt it nl sv da is ca",
    "cp1250": "pl cs sk hu sl ro de",
    "iso8859_2": "pl cs sk hu sl ro de",
    "cp1254": "tr",
    "iso8859_15": "fr de es pt it sv da",
    "mac_roman": "de fr es pt it sv da is",
    "cp850": "de fr es pt it sv da",
    "cp437": "de fr es it sv",
    "cp852": "pl cs sk hu sl ro",
    "cp857": "tr",
    "cp1251": "ru uk sr be",
    "koi8_r": "ru",
    "koi8_u": "uk",
    "cp866": "ru",
    "iso8859_5": "ru sr be",
    "mac_cyrillic": "ru uk sr be",
}
OF_WRITING: Final = frozenset("„“”‚‘’‹›«»–—…€§°·№¿¡º\u00a0")
LETTERS: Final = {
    language: frozenset(letters + letters.upper())
    for language, letters in (LATIN | CYRILLIC).items()
}
INNER: Final = re.compile(r"(?<=[^\W\d_])[^\x00-\x7f](?=[^\W\d_])")  # between letters
MIXED: Final = re.compile(r"[\u0400-\u04ff][A-Za-z]|[A-Za-z][\u0400-\u04ff]")
SURE: Final = 0.95
SAMPLE: Final = 200_000


def likest_alphabet(data: bytes) -> str | None:
    """Return the encoding in which nearly all letters are those of one language; else None."""
    sample = data[:SAMPLE]
    found = {encoding: _likeness(sample, encoding) for encoding in ALPHABETIC}
    best = max(found, key=lambda encoding: found[encoding])
    return best if found[best][0] >= SURE else None


def _likeness(data: bytes, encoding: str) -> tuple[float, float]:
    """Return which share of the signs a language has, and which share of its letters occurs."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return 0.0, 0.0
    signs = Counter(sign for sign in text if not sign.isascii())
    if not signs:
        return 0.0, 0.0
    odd = sum(map(_is_odd, INNER.finditer(text))) + len(MIXED.findall(text))
    of_languages = (LETTERS[language] for language in ALPHABETIC[encoding].split())
    return max(
        (
            (_known(signs, letters | OF_WRITING) - odd) / signs.total(),
            _spread(letters & signs.keys(), letters),
        )
        for letters in of_languages
    )


def _spread(found: Set[str], letters: frozenset[str]) -> float:
    """Return which share of its letters occurs; one alone may be anybody's."""
    return len(found) / len(letters) if len(found) > 1 else 0.0


def _known(signs: Counter[str], letters: frozenset[str]) -> int:
    return sum(count for sign, count in signs.items() if sign in letters)


def _is_odd(found: re.Match[str]) -> bool:
    """Whether a sign between letters is none, or a capital behind a small letter."""
    sign, before = found[0], found.string[found.start() - 1]
    return (not sign.isalpha() and sign not in "’·") or (sign.isupper() and before.islower())
