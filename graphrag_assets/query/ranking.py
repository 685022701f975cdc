"""From a question to ranked text units: vectors, BM25, and a walk over the graph."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from graphrag_assets.query.reader import Graph, Reader, Vector
from graphrag_assets.text import terms

RRF = 60
DAMPING = 0.5
STEPS = 30
N_FACTS = 10
N_ENTITIES = 10
N_TEXT_UNITS = 50
TEXT_UNIT_WEIGHT = 0.05

Ranked = list[tuple[str, float]]


def lexical(reader: Reader, question: str, k: int) -> Ranked:
    """Rank text units by BM25."""
    asked = sorted(set(terms(question)))
    return list(reader.ask("bm25", terms=asked, k=k).iter_rows()) if asked else []


def fused(rankings: Iterable[Ranked]) -> Ranked:
    """Fuse rankings by reciprocal rank (Cormack et al. 2009): 1 / (60 + rank), summed."""
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, (ref, _) in enumerate(ranking):
            scores[ref] += 1 / (RRF + rank + 1)
    return _sorted(scores)


def hybrid(reader: Reader, question: str, vector: Vector, k: int) -> Ranked:
    """Rank text units by vectors and BM25, fused."""
    dense = reader.vectors("text_unit").nearest(vector, k)
    return fused([dense, lexical(reader, question, k)])[:k]


def walk(reader: Reader, question: str, vector: Vector) -> tuple[Ranked, Ranked]:
    """Rank text units and entities by personalised PageRank from what the question names.

    As HippoRAG 2: the walk restarts at the entities of the best facts (relationships), weighted
    by the fact's similarity over the number of texts that mention the entity, and, lightly, at
    the text units that the question matches.
    """
    graph = reader.graph
    restart = np.zeros(len(graph.ids))
    for ref, weight in _entry_entities(reader, question, vector).items():
        restart[graph.places[ref]] += weight / graph.n_text_units[graph.places[ref]]
    if restart.sum() > 0:
        restart /= restart.sum()
    matched = hybrid(reader, question, vector, N_TEXT_UNITS)
    for ref, score in matched:
        restart[graph.places[ref]] += TEXT_UNIT_WEIGHT * score / matched[0][1]
    scores = _page_rank(graph, restart)
    units = {graph.ids[i]: float(scores[i]) for i in np.flatnonzero(graph.is_text_unit)}
    entities = {graph.ids[i]: float(scores[i]) for i in np.flatnonzero(~graph.is_text_unit)}
    return _sorted(units), _sorted(entities)


def local(reader: Reader, question: str, vector: Vector, k: int) -> tuple[Ranked, Ranked]:
    """Rank text units (walk, vectors and BM25, fused) and entities for a local answer."""
    units, entities = walk(reader, question, vector)
    direct = hybrid(reader, question, vector, N_TEXT_UNITS)
    return fused([units[:N_TEXT_UNITS], direct])[:k], entities


def facts(reader: Reader, vector: Vector, k: int) -> Ranked:
    """Rank relationships by similarity to the question."""
    return reader.vectors("relationship").nearest(vector, k)


def _entry_entities(reader: Reader, question: str, vector: Vector) -> dict[str, float]:
    entry: dict[str, float] = defaultdict(float)
    best = facts(reader, vector, N_FACTS)
    ends = reader.rows(
        "SELECT id, source_id, target_id FROM relationships"
        " WHERE id IN (SELECT unnest($ids::VARCHAR[]))",
        ids=[ref for ref, _ in best],
    )
    of_fact = {row[0]: row[1:] for row in ends.iter_rows()}
    for ref, score in best:
        for end in of_fact[ref]:
            entry[end] = max(entry[end], score)
    for ref, score in reader.vectors("entity").nearest(vector, N_ENTITIES):
        entry[ref] = max(entry[ref], score)
    for ref in _named(reader, question):
        entry[ref] = max(entry[ref], 1.0)
    return entry


def _named(reader: Reader, question: str) -> Sequence[str]:
    """Return the entities that a question calls by a name of theirs."""
    return reader.ask("named_entities", question=question.casefold())["entity_id"].to_list()


def _page_rank(graph: Graph, restart: np.ndarray) -> np.ndarray:
    if restart.sum() == 0:
        return restart
    restart = restart / restart.sum()
    scores = restart
    for _ in range(STEPS):
        scores = DAMPING * (graph.transition @ scores) + (1 - DAMPING) * restart
    return scores


def _sorted(scores: Mapping[str, float]) -> Ranked:
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
