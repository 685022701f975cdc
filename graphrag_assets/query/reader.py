"""Reads of one published version: SQL, vectors as matrices, the graph as a sparse matrix."""

import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from graphrag_assets.store import Connection, open_published, select, sql

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Vector = np.ndarray


@dataclass(frozen=True)
class Vectors:
    """The embeddings of one kind of thing: ids and unit rows."""

    ids: list[str]
    matrix: np.ndarray

    def nearest(self, vector: Vector, k: int) -> list[tuple[str, float]]:
        """Return the k nearest ids with their cosines, best first."""
        if not self.ids:
            return []
        scores = self.matrix @ vector
        top = np.argsort(-scores, kind="stable")[:k]
        return [(self.ids[i], float(scores[i])) for i in top]


@dataclass(frozen=True)
class Graph:
    """Entities and text units as one graph: relationships, and what stands in which text."""

    places: dict[str, int]
    ids: list[str]
    is_text_unit: np.ndarray
    transition: "csr_matrix"
    n_text_units: np.ndarray


class Reader:
    """One published version, safe for many threads."""

    def __init__(self, path: Path) -> None:
        """Open the file of a version."""
        self.path = path
        self.version = int(path.stem)
        self._connection: Connection = open_published(path)
        self._lock = threading.Lock()
        self._vectors: dict[str, Vectors] = {}

    def rows(self, statement: str, **values: object) -> pl.DataFrame:
        """Return the rows of a statement."""
        return select(self._connection.cursor(), statement, **values)

    def ask(self, name: str, **values: object) -> pl.DataFrame:
        """Return the rows of sql/NAME.sql."""
        return self.rows(sql(name), **values)

    def vectors(self, of: str) -> Vectors:
        """Return the embeddings of text_unit, entity, relationship, report; read once."""
        with self._lock:
            if of not in self._vectors:
                rows = self.rows(f"SELECT id, vector FROM {of}_embeddings ORDER BY id")
                matrix = rows["vector"].to_numpy() if rows.height else np.zeros((0, 1))
                norms = np.linalg.norm(matrix, axis=1, keepdims=True)
                self._vectors[of] = Vectors(rows["id"].to_list(), matrix / np.maximum(norms, 1e-9))
            return self._vectors[of]

    @cached_property
    def graph(self) -> Graph:
        """The graph for personalised PageRank; read once."""
        from scipy import sparse  # a quarter of a second that only local search needs

        edges = self.ask("graph_edges")
        units = self.rows("SELECT id FROM text_units ORDER BY id")["id"].to_list()
        entities = self.rows("SELECT id FROM entities ORDER BY id")["id"].to_list()
        ids = [*entities, *units]
        places = {ref: i for i, ref in enumerate(ids)}
        one = np.fromiter((places[ref] for ref in edges["one"]), np.int64, edges.height)
        other = np.fromiter((places[ref] for ref in edges["other"]), np.int64, edges.height)
        weights = edges["weight"].to_numpy()
        size = (len(ids), len(ids))
        adjacency = sparse.coo_matrix((weights, (one, other)), shape=size)
        adjacency = (adjacency + adjacency.T).tocsr()
        total = np.asarray(adjacency.sum(axis=0)).ravel()
        transition = adjacency @ sparse.diags(1 / np.maximum(total, 1e-9))
        contains = edges.filter("contains").group_by("one").len()
        n_text_units = np.ones(len(ids))
        for ref, count in contains.iter_rows():
            n_text_units[places[ref]] = count
        is_text_unit = np.arange(len(ids)) >= len(entities)
        return Graph(places, ids, is_text_unit, transition.tocsr(), n_text_units)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
