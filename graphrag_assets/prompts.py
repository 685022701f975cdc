"""Prompts: Markdown files with `$variable`, a line `---` between instructions and data.

A project's own `prompts/NAME.md` replaces the shipped one. What each prompt must mention is
declared here, so that a misspelt variable is found before a model is paid.
"""

import hashlib
import os
import re
import string
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from graphrag_assets.errors import PromptError, SettingsError, did_you_mean

PROMPTS: dict[str, frozenset[str]] = {
    "extract_graph": frozenset({"entity_types", "examples", "language", "text"}),
    "continue_extraction": frozenset(),
    "check_extraction": frozenset(),
    "extract_claims": frozenset({"entities", "language", "text"}),
    "resolve_entities": frozenset({"pairs"}),
    "summarize_description": frozenset({"name", "descriptions", "language", "max_tokens"}),
    "community_report": frozenset({"context", "language"}),
    "global_map": frozenset({"context", "language", "question"}),
    "global_reduce": frozenset({"context", "language", "question"}),
    "local_answer": frozenset({"context", "language", "question"}),
    "basic_answer": frozenset({"context", "language", "question"}),
    "rate_relevance": frozenset({"context", "question"}),
    "drift_primer": frozenset({"context", "language", "question"}),
    "drift_follow_up": frozenset({"context", "language", "main_question", "question"}),
    "question_corpus": frozenset({"context", "language", "n_questions"}),
    "question_next": frozenset({"context", "conversation", "language", "n_questions"}),
    "question_route": frozenset({"question"}),
    "question_split": frozenset({"language", "question"}),
    "question_standalone": frozenset({"conversation", "question"}),
}
SEPARATOR = "\n---\n"
TAG = re.compile(r"^</?(\w+)>$", re.MULTILINE)  # on a line of its own, around a value
GENERAL_TYPES = ("person", "organization", "place", "event")  # of a pack that names none
LANGUAGES = {"en": "English", "zh": "Chinese (中文)", "ja": "Japanese", "ko": "Korean"}


@dataclass(frozen=True)
class Message:
    """One turn of a conversation with a model."""

    role: str
    content: str


@dataclass(frozen=True)
class Prompts:
    """The prompts of one project: its own files first, then the shipped ones."""

    root: Path
    _texts: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, root: Path) -> "Prompts":
        """Return a project's prompts; raise PromptError for a file of its own that none reads."""
        for path in sorted((root / "prompts").glob("*.md")):
            if path.stem not in PROMPTS and path.stem.lower() != "readme":
                hint = did_you_mean(path.stem, PROMPTS)
                raise PromptError(path.stem, f"isn't asked by anything: {path}.{hint}")
        return cls(root)

    def text(self, name: str) -> str:
        """Return a prompt's file; raise PromptError if its variables aren't the declared ones."""
        if name not in PROMPTS:
            raise PromptError(name, f"doesn't exist.{did_you_mean(name, PROMPTS)}")
        try:
            text = self._read(f"{name}.md")
        except UnicodeDecodeError as error:
            raise PromptError(name, f"isn't UTF-8: {error}") from error
        return _checked(name, text)

    def render(self, name: str, /, **values: str) -> tuple[Message, ...]:
        """Return the messages of a prompt: system (above the line ---) and user (below).

        A value can't close the tags that the prompt puts around it: its own are written ‹/text>.
        """
        text = self.text(name)
        system, _, user = text.rpartition(SEPARATOR)
        if missing := PROMPTS[name] - values.keys():
            raise PromptError(name, f"has no value for ${', $'.join(sorted(missing))}")
        if unknown := values.keys() - PROMPTS[name]:
            word = min(unknown)
            raise PromptError(name, f"has no variable ${word}.{did_you_mean(word, PROMPTS[name])}")
        tags = _tags(text)
        values = {key: tags.sub(" ‹", value) for key, value in values.items()}
        parts = (("system", system), ("user", user))
        return tuple(
            Message(role, string.Template(part).substitute(values).strip())
            for role, part in parts
            if part.strip()
        )

    def variables(self, name: str) -> frozenset[str]:
        """Return the variables that a prompt must be given."""
        return PROMPTS[name]

    def fingerprint(self, *names: str) -> str:
        """Return a hash of these prompts' files: what makes their assets stale when edited."""
        text = "\x00".join(self.text(name) for name in sorted(names))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def domain(self, name: str) -> "Domain":
        """Return a domain pack of prompts/domains/; raise SettingsError if there is none."""
        file = f"domains/{name}.toml"
        try:
            return _pack(self._read(file))
        except PromptError as error:
            raise SettingsError(
                "settings.toml", [f"extraction.domain: no pack `{name}` in prompts/domains/"]
            ) from error
        except ValueError as error:
            raise SettingsError(str(_find(self.root, file)), [str(error)]) from error

    def _read(self, file: str) -> str:
        """Return a file's text. It is read once: a run asks with what it began with."""
        if file not in self._texts:
            self._texts[file] = _find(self.root, file).read_text(encoding="utf-8-sig")
        return self._texts[file]


@dataclass(frozen=True)
class Domain:
    """A domain pack: types of entities, and examples of good extractions by language."""

    entity_types: tuple[str, ...]
    by_language: Mapping[str, str]

    def examples(self, language: str) -> str:
        """Return the example in a language, else the English one."""
        return self.by_language.get(language, self.by_language.get("en", "")).strip()


def language_name(code: str) -> str:
    """Return how a prompt names a language."""
    return LANGUAGES.get(code, code)


def shipped() -> Path:
    """Return the folder with what this package ships: prompts, settings, the sample."""
    package = Path(__file__).parent
    wheel = package / "_project"
    return wheel if wheel.exists() else package.parent


def sample_folder() -> Path:
    """Return the folder of the sample corpus, in a checkout or in the installed package."""
    wheel = shipped() / "sample"
    return wheel if wheel.exists() else shipped() / "data" / "sample"


@lru_cache
def _pack(text: str) -> Domain:
    """Return what a domain pack says; raise ValueError (TOML's and UTF-8's errors are one, too)."""
    pack = tomllib.loads(text)
    types, examples = pack.get("entity_types", []), pack.get("examples", {})
    if not isinstance(types, list) or not all(isinstance(kind, str) for kind in types):
        message = 'entity_types needs a list of words: ["person", …]'
        raise ValueError(message)
    if not isinstance(examples, dict) or not all(isinstance(e, str) for e in examples.values()):
        message = '[examples] needs one text a language: en = "…"'
        raise ValueError(message)
    return Domain(tuple(types) or GENERAL_TYPES, examples)


def _find(root: Path, name: str) -> Path:
    for folder in (root / "prompts", shipped() / "prompts"):
        for wanted, fits in ((folder, folder.is_dir()), (folder / name, (folder / name).is_file())):
            if not fits and os.path.lexists(wanted):
                raise PromptError(name, f"can't be read: `{wanted}` is something else")
        if (folder / name).is_file():
            return folder / name
    raise PromptError(name, f"has no file in {root / 'prompts'}")


@lru_cache
def _tags(template: str) -> re.Pattern[str]:
    """Return a pattern for the first sign of the tags that a template has lines of."""
    names = "|".join(sorted(set(TAG.findall(template)))) or "(?!)"
    return re.compile(rf"<(?=\s*/?\s*(?:{names})\b[^<>]*>)", re.IGNORECASE)


@lru_cache
def _checked(name: str, text: str) -> str:
    template = string.Template(text)
    if not template.is_valid():
        raise PromptError(name, "has a $ without a variable's name; write $$ for the sign itself")
    used = set(template.get_identifiers())
    if missing := PROMPTS[name] - used:
        raise PromptError(name, f"must mention ${', $'.join(sorted(missing))}")
    if unknown := used - PROMPTS[name]:
        word = min(unknown)
        raise PromptError(name, f"names unknown ${word}.{did_you_mean(word, PROMPTS[name])}")
    return text
