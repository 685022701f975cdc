"""Reads of one published version: SQL, vectors as matrices, the graph as a sparse matrix."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from graphrag_assets.errors import OutdatedIndexError, UnknownNameError
from graphrag_assets.query.arrays import Arrays, kept
from graphrag_assets.query.document_filter import open_scope
from graphrag_assets.query.graph import PLACES, Graph, graph_arrays
from graphrag_assets.query.lookups import Lookups, Row, TextUnit
from graphrag_assets.query.relations import Relations, relation_arrays
from graphrag_assets.query.vectors import MANY, Vectors, vector_arrays
from graphrag_assets.store import (
    Connection,
    arrays_folder,
    open_published,
    records,
    select,
    sql,
    stream,
)

MAX_SCOPES = 8


class Reader:
    """One published version, or what of it is in scope; safe for many threads."""

    def __init__(self, path: Path, where: str | None = None, whole: "Reader | None" = None) -> None:
        """Open the file of a version; with `where`, as far as such documents tell of the whole."""
        self.path = path
        self.version = int(path.stem)
        self._connection: Connection = (
            open_published(path) if where is None else open_scope(path, where)
        )
        self._folder: Path | None = arrays_folder(path) if where is None else None
        self._whole = whole
        self._lock = threading.RLock()
        self._door = threading.Lock()  # DuckDB refuses two calls on a connection at once
        self._lookups = Lookups(keep=where is None)  # a filter is used for a question or two
        self._scopes: dict[str, Reader] = {}
        self._vectors: dict[str, Vectors] = {}
        self._graph: Graph | None = None
        self._relations: Relations | None = None

    def sql(self, statement: str, *, seconds: float | None = None) -> pl.DataFrame:
        """Return the rows of anybody's statement; raise SqlError for a wrong or too long one."""
        cursor = self._cursor()
        alarm = threading.Timer(seconds or 0, cursor.interrupt)
        if seconds is not None:
            alarm.start()
        try:
            return select(cursor, statement)
        finally:
            alarm.cancel()

    def rows(self, statement: str, **values: object) -> pl.DataFrame:
        """Return the rows of a statement of ours."""
        with self._of_today():
            return select(self._cursor(), statement, **values)

    def ask(self, name: str, **values: object) -> pl.DataFrame:
        """Return the rows of sql/NAME.sql."""
        return self.rows(sql(name), **values)

    def records(self, name: str, **values: object) -> list[Row]:
        """Return the rows of sql/NAME.sql as tuples."""
        return self._tuples(sql(name), **values)

    def look_up(self, name: str, keys: Iterable[str]) -> list[Row]:
        """Return the rows of sql/by_key/NAME.sql for some keys, in the order of the keys."""
        return self._lookups.of(name, keys, self._tuples)

    @property
    def keeps_rows(self) -> bool:
        """Whether rows that are looked up by key are kept: those of a small version."""
        return self._lookups.keeps(self._tuples)

    def passages(self, text_units: Iterable[str]) -> list[TextUnit]:
        """Return text units with their places in documents, in this order."""
        return [TextUnit(*row) for row in self.look_up("passages", text_units)]

    def vectors(self, of: str) -> Vectors:
        """Return the embeddings of text_unit, entity, relationship, report; read once."""
        with self._lock:
            if of not in self._vectors:
                self._vectors[of] = self._read_vectors(of)
            return self._vectors[of]

    @property
    def graph(self) -> Graph:
        """The graph that local search walks; read once."""
        with self._lock:
            if self._graph is None:
                self._graph = Graph.of(kept(self._folder, "graph", self._edges))
            return self._graph

    @property
    def relations(self) -> Relations:
        """The relationships by their ends; read once."""
        graph = self.graph
        with self._lock:
            if self._relations is None:
                arrays = kept(self._folder, "relations", self._ends)
                self._relations = Relations(entities=graph.entities, **arrays)
            return self._relations

    def mentions(self, refs: Iterable[str]) -> dict[str, list[TextUnit]]:
        """Return the text units that mention elements, or are them, in the order of their ids."""
        refs = list(refs)
        of_entities = self.graph.mentions(refs)
        found = [
            *zip(refs, refs, strict=True),
            *zip(of_entities["mentioned"], of_entities["units"], strict=True),
            *self.look_up("mentions_of_elements", refs),
        ]
        units = {unit.id: unit for unit in self.passages(unit for _, unit in found)}
        places: dict[str, list[TextUnit]] = {}
        for ref, unit in sorted(set(found)):
            if unit in units:
                places.setdefault(ref, []).append(units[unit])
        return places

    def scoped(self, where: str) -> "Reader":
        """Return a reader of what documents that meet a condition on their columns tell.

        An element is in scope with one of its passages, a report with all of its elements; what
        is described from other passages too is described by those in scope alone. The readers of
        the latest conditions are kept. Raises QuestionError if the condition can't be used.
        """
        with self._lock:
            scope = self._scopes.pop(where, None) or Reader(self.path, where, self)
            self._scopes[where] = scope
            if len(self._scopes) > MAX_SCOPES:  # whoever still reads the oldest keeps it open
                del self._scopes[next(iter(self._scopes))]
            return scope

    def close(self) -> None:
        """Close the file."""
        for scope in self._scopes.values():
            scope.close()
        with self._door:
            self._connection.close()

    def _tuples(self, statement: str, **values: object) -> list[Row]:
        with self._of_today():
            return records(self._cursor(), statement, **values)

    @contextmanager
    def _of_today(self) -> Iterator[None]:
        """Say what it means that a version lacks what a statement of ours names."""
        try:
            yield
        except UnknownNameError as error:
            raise OutdatedIndexError(self.version) from error

    def _cursor(self) -> Connection:
        """Return a connection for one statement: other threads have theirs."""
        with self._door:
            return self._connection.cursor()

    def _read_vectors(self, of: str) -> Vectors:
        if self._whole is not None:
            ids = self.rows(f"SELECT id FROM {of}_embeddings")["id"]
            return self._whole.vectors(of).only(ids)
        return Vectors.of(kept(self._folder, f"{of}_vectors", lambda: self._embeddings(of)))

    def _embeddings(self, of: str) -> Arrays:
        ids = self.rows(f"SELECT id FROM {of}_embeddings")["id"]
        statement = f"SELECT vector FROM {of}_embeddings"
        pieces = stream(self.path, statement) if len(ids) > MANY else [self.rows(statement)]
        return vector_arrays(ids, pieces)

    def _edges(self) -> Arrays:
        ids = (self.rows(f"SELECT id FROM {table} ORDER BY id") for table in PLACES)
        return graph_arrays(self.ask("graph_edges"), *(rows["id"] for rows in ids))

    def _ends(self) -> Arrays:
        rows = self.ask("relationship_ends")
        return relation_arrays(rows, len(self.graph.entities))
