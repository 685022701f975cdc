"""settings.toml and the environment -> typed settings. Each default stands here, once.

`GRAPHRAG__SECTION__KEY` in the environment overrides the file. An unknown key is an error.
"""

import codecs
import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from graphrag_assets.errors import SettingsError, did_you_mean

PREFIX = "GRAPHRAG__"
TASKS = ("extraction", "claims", "description", "report", "query", "rater", "judge", "embedding")
EMBEDDING_MODEL = "offline/use-m3"
# those whose vocabulary lies in the litellm wheel: nothing is ever fetched
TokenEncoding = Literal["o200k_base", "cl100k_base", "p50k_base", "o200k_harmony", "p50k_edit"]
Share = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """A table of settings.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class CorpusSettings(Section):
    """Which files are read, and how."""

    root: str = Field("data/input", description="Folder or fsspec URL with the documents.")
    include: list[str] = Field(["**/*"], description="Glob patterns of files to read.")
    exclude: list[str] = Field([], description="Glob patterns of files to leave out.")
    text_column: str = Field(
        "text", description="Column of csv, json, jsonl, parquet with the text."
    )
    title_column: str = Field("title", description="Column with the title.")
    id_column: str = Field(
        "", description="Column that identifies a record; empty: its row number."
    )
    metadata_columns: list[str] = Field([], description="Columns to keep as metadata.")
    prompt_metadata: list[str] = Field(
        [], description="Metadata that stands above a text in its extraction prompt."
    )
    max_file_mb: float = Field(
        200, ge=0, description="Files that are larger aren't read, and say so; 0: no limit."
    )
    encoding: str = Field(
        "",
        description="Encoding of texts without a byte order mark that aren't UTF-8; empty: told.",
    )
    repair_encoding: bool = Field(
        default=False, description="Repair texts that were encoded twice (cafÃ©)."
    )
    longest_run: int = Field(
        2000,
        ge=0,
        description="Longer runs of letters and digits are data, cut out and said so; 0: kept.",
    )
    language: str = Field(
        "auto", description="Language of descriptions and reports; auto: the text's."
    )

    @field_validator("encoding")
    @classmethod
    def _encoding_exists(cls, name: str) -> str:
        try:
            return codecs.lookup(name).name if name else ""
        except LookupError as error:
            problem = f"no encoding is called `{name}`"
            raise ValueError(problem) from error


class TextUnitSettings(Section):
    """How documents are cut."""

    max_tokens: int = Field(
        600, ge=20, description="Longest text unit in tokens; the paper's choice."
    )
    overlap: int = Field(100, ge=0, description="Tokens that two neighbours share.")
    encoding: TokenEncoding = Field(
        "o200k_base", description="tiktoken encoding that counts tokens."
    )

    @model_validator(mode="after")
    def _overlap_fits(self) -> Self:
        if self.overlap >= self.max_tokens:
            problem = f"overlap ({self.overlap}) must be less than max_tokens ({self.max_tokens})"
            raise ValueError(problem)
        return self


class ExtractionSettings(Section):
    """What is read out of a text unit."""

    entity_types: list[str] = Field(
        [], description="Types of entities to look for; empty: those of the domain pack."
    )
    domain: str = Field("general", description="Domain pack in prompts/domains/.")
    gleanings: int = Field(1, ge=0, description="Further rounds that look for what was missed.")
    claims: bool = Field(default=False, description="Also extract claims; doubles the calls.")
    max_failed: Share = Field(
        0.05,
        description="Share of failed text units, or of missing vectors, above which a run fails.",
    )


class ResolutionSettings(Section):
    """Which names are the same entity."""

    similar: Share = Field(0.95, description="Similarity from which two names merge.")
    ask_model: bool = Field(
        default=False,
        description="Ask the extraction model about names nearly that similar (500 pairs at most).",
    )


class CommunitySettings(Section):
    """How the graph is divided."""

    max_community_size: int = Field(10, ge=2, description="Larger communities are split again.")
    seed: int = Field(42, description="Seed of the Leiden algorithm.")


class ReportSettings(Section):
    """What goes into a community report."""

    context_tokens: int = Field(8000, ge=200, description="Budget of a report's context.")
    tolerance: float = Field(
        0.1,
        ge=0,
        le=1,
        description="Share of what a report or a summary was written from that may come or change "
        "before it is written again; what is gone is never tolerated. 0: exact.",
    )


class LayoutSettings(Section):
    """The map."""

    neighbors: int = Field(15, ge=2, description="UMAP neighbours.")
    min_distance: float = Field(0.1, ge=0, le=1, description="UMAP minimum distance.")


class QuerySettings(Section):
    """How questions are answered."""

    method: Literal["auto", "global", "local", "drift", "basic", "source", "lazy"] = Field(
        "auto", description="Default method."
    )
    router: Literal["rules", "model"] = Field(
        "rules", description="Who picks the method of `auto`: rules, or the model of questions."
    )
    level: int = Field(
        2,
        ge=0,
        description="Finest community level of global questions: a coarser one is read "
        "where its reports are more than report_tokens.",
    )
    selection: Literal["all", "embedding", "dynamic"] = Field(
        "all",
        description="Reports that a global question reads: all of a level, the nearest ones, "
        "or those that a rater finds on its way down.",
    )
    context_tokens: int = Field(8000, ge=200, description="Budget of one prompt's context.")
    report_tokens: int = Field(
        12_000, ge=50, description="Most that a global question reads unless told its level."
    )
    history_tokens: int = Field(
        2000, ge=0, description="Budget of earlier turns; the newest are kept."
    )
    max_calls: int = Field(
        24, ge=3, description="Most calls for one question with drift, lazy or dynamic selection."
    )


class StoreSettings(Section):
    """Where the index lies."""

    path: str = Field("data/index", description="Folder of the index.")
    keep_versions: int = Field(3, ge=1, description="Published versions to keep.")
    memo: str = Field("", description="URL of the memo; empty: memo.sqlite beside the index.")


class RunSettings(Section):
    """How and when it runs."""

    executor: Literal["in_process", "multiprocess"] = Field("in_process", description="Executor.")
    schedule: str = Field("", description="Cron expression of scheduled re-indexing; empty: off.")
    sensor: bool = Field(default=False, description="Index again when the corpus changes.")
    budget_usd: float = Field(0, ge=0, description="Most that one run may cost; 0: no limit.")
    pictures: bool = Field(default=True, description="Draw tables for their pages in Dagster.")


class ServeSettings(Section):
    """Limits of `graphrag-assets serve`."""

    concurrency: int = Field(16, ge=1, description="Questions that are answered at once.")
    deadline_seconds: float = Field(
        300, gt=0, description="Longest time that one answer may take, waiting included."
    )
    max_body_kb: int = Field(256, ge=1, description="Largest request that is read.")


class ModelSettings(Section):
    """One litellm model and its limits."""

    model: str = Field("offline/nlp", description="litellm model name.")
    api_base: str = Field("", description="Address of the endpoint, where it isn't the provider's.")
    concurrency: int = Field(32, ge=1, description="Calls in flight.")
    rpm: int = Field(0, ge=0, description="Requests a minute; 0: no limit.")
    tpm: int = Field(0, ge=0, description="Tokens a minute; 0: no limit.")
    deadline_seconds: float = Field(
        180, gt=0, description="Total time of one call with its retries."
    )

    @field_validator("api_base")
    @classmethod
    def _is_address(cls, address: str) -> str:
        if address and not re.match(r"https?://[^/\s]+[^\s]*$", address):
            problem = "an address starts with http:// or https://"
            raise ValueError(problem)
        return address


class Models(Section):
    """Models per task; a task's keys override those of `default`, embedding's its own defaults."""

    default: ModelSettings = ModelSettings()
    extraction: ModelSettings = ModelSettings()
    claims: ModelSettings = ModelSettings()
    description: ModelSettings = ModelSettings()
    report: ModelSettings = ModelSettings()
    query: ModelSettings = ModelSettings()
    rater: ModelSettings = ModelSettings()
    judge: ModelSettings = ModelSettings()
    embedding: ModelSettings = ModelSettings()

    def for_task(self, task: str) -> ModelSettings:
        """Return the model of a task; an embedding model inherits nothing from a chat model."""
        own: ModelSettings = getattr(self, task)
        if task == "embedding":
            values: dict[str, Any] = {"model": EMBEDDING_MODEL}
        else:
            values = self.default.model_dump(exclude_unset=True)
        return ModelSettings.model_validate(values | own.model_dump(exclude_unset=True))


class Settings(Section):
    """All settings of one corpus."""

    corpus: CorpusSettings = CorpusSettings()
    text_units: TextUnitSettings = TextUnitSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    resolution: ResolutionSettings = ResolutionSettings()
    communities: CommunitySettings = CommunitySettings()
    reports: ReportSettings = ReportSettings()
    layout: LayoutSettings = LayoutSettings()
    query: QuerySettings = QuerySettings()
    store: StoreSettings = StoreSettings()
    run: RunSettings = RunSettings()
    serve: ServeSettings = ServeSettings()
    models: Models = Models()


def load_settings(root: Path) -> Settings:
    """Read `root/settings.toml` and the environment; raise SettingsError with each bad key."""
    path = root / "settings.toml"
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig")) if path.exists() else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError, RecursionError) as error:
        raise SettingsError(str(path), [str(error)]) from error
    try:
        return Settings.model_validate(_overlay(values, _environment()))
    except ValidationError as error:
        raise SettingsError(str(path), map(_problem, error.errors())) from error


def find_root() -> Path:
    """Return the folder of the corpus: GRAPHRAG_ROOT, else the working directory."""
    return Path(os.environ.get("GRAPHRAG_ROOT") or ".").resolve()


def access_token() -> str:
    """Return the token that a server asks for: GRAPHRAG_TOKEN; empty: none."""
    return os.environ.get("GRAPHRAG_TOKEN", "").strip()


def child_environment(root: Path) -> dict[str, str]:
    """Return the environment of a Dagster process that works on a project."""
    return {**os.environ, "DAGSTER_HOME": str(root), "GRAPHRAG_ROOT": str(root)}


def template() -> str:
    """Return a settings.toml with every key at its default, as a comment, and its meaning."""
    lines = ["# Settings of this corpus. Every key is optional; these are the defaults."]
    for name, section in Settings.model_fields.items():
        if name == "models":
            continue
        kind = section.annotation
        lines += ["", f"[{name}]"]
        for key, field in kind.model_fields.items():  # type: ignore[union-attr]
            value = json.dumps(field.default, ensure_ascii=False)
            lines.append(f"# {key} = {value}  # {field.description}")
    lines += ["", "# [models.default] for all tasks but embedding; [models.report] … override it."]
    for task in ("default", "embedding"):
        model = ModelSettings(model=EMBEDDING_MODEL) if task == "embedding" else ModelSettings()
        lines += ["", f"[models.{task}]"]
        for key, field in ModelSettings.model_fields.items():
            lines.append(f"# {key} = {json.dumps(getattr(model, key))}  # {field.description}")
    return "\n".join(lines) + "\n"


def _environment() -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in sorted(os.environ.items()):
        if name.startswith(PREFIX):
            *sections, key = name.removeprefix(PREFIX).lower().split("__")
            place = values
            for section in sections:
                place = place.setdefault(section, {})
                if not isinstance(place, dict):
                    raise SettingsError(name, [f"`{section}` is also set to a single value"])
            place[key] = _toml_value(value)
    return values


def _toml_value(text: str) -> object:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def _overlay(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        nested = isinstance(old, dict) and isinstance(value, dict)
        merged[key] = _overlay(old, value) if nested else value  # type: ignore[arg-type]
    return merged


def _problem(error: Mapping[str, Any]) -> str:
    """Return what is wrong with a key, by its name in the environment if it stands there."""
    path = [str(part) for part in error["loc"]]
    *sections, key = path
    variable = PREFIX + "__".join(path).upper()
    name = variable if variable in os.environ else ".".join(path)
    if error["type"] == "extra_forbidden":
        return f"unknown key `{name}`.{did_you_mean(key, _known(sections))}"
    if error["type"] == "model_type":
        return f"`{name}`: must be a table, not {error['input']!r}"
    if error["type"] == "value_error":
        return f"`{name}`: {error['ctx']['error']}"
    return f"`{name}`: {error['msg'].lower()}, not {error['input']!r}"


def _known(sections: list[str]) -> list[str]:
    """Return the keys of a section, which is known: only its keys can be unknown."""
    model: type[BaseModel] = Settings
    for section in sections:
        model = model.model_fields[section].annotation  # type: ignore[assignment]
    return list(model.model_fields)
