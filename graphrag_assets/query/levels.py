"""The reports of each level of communities: the paper's C0, C1 …, each covers every entity once."""

from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import polars as pl

from graphrag_assets.query.reader import Reader

_LEVELS: Final[WeakKeyDictionary[Reader, "Levels"]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Levels:
    """Rows (sql/reports_per_level.sql): level, id, own_level, parent_id, size, n_tokens, rating."""

    rows: pl.DataFrame

    @classmethod
    def of(cls, reader: Reader) -> "Levels":
        """Return the levels of an index; read once."""
        if reader not in _LEVELS:
            _LEVELS[reader] = cls(reader.ask("reports_per_level"))
        return _LEVELS[reader]

    @property
    def finest(self) -> int:
        """The deepest level."""
        return int(self.rows["level"].max() or 0)  # type: ignore[arg-type]

    def at(self, level: int) -> pl.DataFrame:
        """Return the reports that cover a level; below the finest there is nothing finer."""
        return self.rows.filter(pl.col("level") == min(level, self.finest))

    def children(self, ids: list[str]) -> pl.DataFrame:
        """Return the reports right below these communities."""
        below = self.rows.filter(pl.col("level") == pl.col("own_level"))
        return below.filter(pl.col("parent_id").is_in(ids))

    def fitting(self, finest: int, coarsest: int, budget: int) -> int | None:
        """Return the finest level, down to `finest`, whose reports are within a budget."""
        sizes = self.rows.group_by("level").agg(pl.col("n_tokens").sum())
        fits = sizes.filter(
            pl.col("n_tokens") <= budget, pl.col("level").is_between(coarsest, finest)
        )
        return None if fits.is_empty() else int(fits["level"].max())  # type: ignore[arg-type]

    def within(self, subtree: pl.DataFrame) -> "Levels":
        """Return the levels of a part of the communities."""
        return Levels(self.rows.join(subtree.select("id"), on="id", how="semi"))
