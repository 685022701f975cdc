"""Rows by key: what the statements of sql/by_key/ find for some values of their first column.

A question looks up a dozen of them, and DuckDB takes one to five milliseconds to plan each, however
little there is to find. Of a small version all rows of a statement are read once instead, by the
first question that needs some of them.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from graphrag_assets.store import sql

SMALL: Final = 2_500  # text units of a version that is kept so: some 50 MB
KEYS: Final = {  # where all keys of a statement stand
    "child_communities": "SELECT id FROM communities",
    "cited_elements": "SELECT id FROM communities",
    "claim_titles": "SELECT id FROM claims",
    "claims_about": "SELECT id FROM entities",
    "communities_of_entities": "SELECT id FROM entities",
    "elements_of_reports": "SELECT id FROM communities",
    "entity_texts": "SELECT id FROM entities",
    "entity_titles": "SELECT id FROM entities",
    "mentions_of_elements": "SELECT id FROM relationships UNION ALL SELECT id FROM claims",
    "names_that_start": "SELECT DISTINCT start FROM names",
    "passages": "SELECT id FROM text_units",
    "relationship_descriptions": "SELECT id FROM relationships",
    "report_summaries": "SELECT id FROM communities",
    "report_texts": "SELECT id FROM communities",
    "report_words": "SELECT id FROM communities",
    "text_units_of_documents": "SELECT id FROM documents",
    "texts_of_text_units": "SELECT id FROM text_units",
}
Row = tuple[Any, ...]
ByKey = Mapping[str, Sequence[Row]]
Run = Callable[..., list[Row]]  # a statement, and its values by name


class TextUnit(NamedTuple):
    """A row of sql/by_key/passages.sql: a text unit, and where it stands in its document."""

    id: str
    document_id: str
    path: str
    title: str
    page: int | None
    turns: Sequence[Mapping[str, int]]
    start_char: int
    n_tokens: int
    text: str

    @property
    def told(self) -> str:
        """The text unit as it stands in a prompt."""
        return f"{self.title} · {self.path}\n{self.text}"


class Lookups:
    """The rows of one version by key, kept if it is small; safe for many threads."""

    def __init__(self, *, keep: bool) -> None:
        """Read nothing yet; with `keep` False, keep nothing of a small version either."""
        self._keep = keep
        self._small: bool | None = None
        self._kept: dict[str, ByKey | None] = {}
        self._lock = threading.Lock()

    def of(self, name: str, keys: Iterable[str], run: Run) -> list[Row]:
        """Return the rows of a statement for some keys, in the order of the keys."""
        wanted = list(dict.fromkeys(keys))
        if not wanted:
            return []
        found = self._whole(name, run)
        if found is None:
            found = _read(name, wanted, run)
        return [row for key in wanted for row in found.get(key, ())]

    def keeps(self, run: Run) -> bool:
        """Whether rows are kept, so that to look them up once more takes no time."""
        with self._lock:
            if self._small is None:
                self._small = self._keep and _is_small(run)
            return self._small

    def _whole(self, name: str, run: Run) -> ByKey | None:
        """Return all rows of a statement, if they are kept."""
        kept = self.keeps(run)
        with self._lock:
            if name not in self._kept:
                self._kept[name] = _read(name, _keys(name, run), run) if kept else None
            return self._kept[name]


def _is_small(run: Run) -> bool:
    ((n_text_units,),) = run("SELECT count(*) FROM text_units")
    return bool(n_text_units <= SMALL)


def _keys(name: str, run: Run) -> list[str]:
    return [key for (key,) in run(KEYS[name])]


def _read(name: str, keys: Sequence[str], run: Run) -> ByKey:
    found: dict[str, list[Row]] = {}
    for row in run(sql(f"by_key/{name}"), keys=keys):
        found.setdefault(row[0], []).append(row)
    return found
