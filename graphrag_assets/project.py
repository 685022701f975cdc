"""One corpus: its folder, and what is opened from there."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from graphrag_assets.models.client import Models
from graphrag_assets.models.memo import Memo
from graphrag_assets.prompts import Prompts
from graphrag_assets.resolution import Overrides, load_overrides
from graphrag_assets.settings import Settings, load_settings
from graphrag_assets.store import Store

Progress = Callable[[str, int, int], None]  # label, done, total


def silent(label: str, done: int, total: int) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True)
class Project:
    """A corpus with its settings, prompts, store and models."""

    root: Path
    settings: Settings
    progress: Progress = field(default=silent, compare=False)
    name: str = ""  # before its asset keys, where one Dagster shows several corpora

    @classmethod
    def open(
        cls,
        root: Path,
        progress: Progress = silent,
        *,
        budget_usd: float | None = None,
        name: str = "",
    ) -> "Project":
        """Read the settings of a folder; a budget given here stands above theirs."""
        settings = load_settings(root.resolve())
        if budget_usd is not None:
            run = settings.run.model_copy(update={"budget_usd": budget_usd})
            settings = settings.model_copy(update={"run": run})
        return cls(root.resolve(), settings, progress, name)

    @cached_property
    def prompts(self) -> Prompts:
        """The project's prompts."""
        return Prompts.of(self.root)

    @cached_property
    def store(self) -> Store:
        """The project's index."""
        folder = self.root / self.settings.store.path
        return Store(folder, folder.parent / "graphrag.duckdb")

    @cached_property
    def overrides(self) -> Overrides:
        """What a person decided about names."""
        return load_overrides(self.root / "data" / "aliases.toml")

    @cached_property
    def models(self) -> Models:
        """The project's models, with their memo."""
        where = self.settings.store.memo or str(self.store.folder / "memo.sqlite")
        budget = self.settings.run.budget_usd
        return Models(self.settings.models, memo=Memo(where), budget_usd=budget)
