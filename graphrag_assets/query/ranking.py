"""From a question to ranked text units: vectors, BM25, and a walk over the graph."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple

from graphrag_assets.query.graph import DAMPING, Graph, Ranked, Weights
from graphrag_assets.query.named import Named, named_in
from graphrag_assets.query.reader import Reader
from graphrag_assets.query.vectors import Vector
from graphrag_assets.text import terms

RRF = 60
BM25_ROWS = 200_000
BM25_LIKELY = 2_000
N_FACTS = 20
N_TOLD = 10  # of these, where the walk starts
N_ENTITIES = 10
N_TEXT_UNITS = 50
N_REPORTS = 20
TITLED, MENTIONED = 0.7, 0.3  # of the walk's start at what the question names
MATCHING, TOLD = 0.8, 0.2  # of its start at what the question's other words find
N_TITLED, N_MATCHING = 10, 5  # text units whose own names are followed
FOLLOWED = 0.5  # share of a text unit's chance that goes to the documents it names


def lexical(reader: Reader, question: str, k: int) -> Ranked:
    """Rank text units by BM25."""
    asked = sorted(set(terms(question)))
    if not asked:
        return []
    values = {"terms": asked, "k": k, "budget": BM25_ROWS, "likely": BM25_LIKELY + k}
    return reader.records("bm25", **values)


def fused(rankings: Iterable[Ranked]) -> Ranked:
    """Fuse rankings by reciprocal rank (Cormack et al. 2009): 1 / (60 + rank), summed."""
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, (ref, _) in enumerate(ranking):
            scores[ref] += 1 / (RRF + rank + 1)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def hybrid(reader: Reader, question: str, vector: Vector, k: int) -> Ranked:
    """Rank text units by vectors and BM25, fused."""
    dense = reader.vectors("text_unit").nearest(vector, k)
    return fused([dense, lexical(reader, question, k)])[:k]


class Worded(NamedTuple):
    """What a question's words find, before its vector is known."""

    matching: Ranked  # text units by BM25
    named: Named
    titled: Mapping[str, float]  # text units of the documents that it names
    share: float  # of its words, that stand in names


class Found(NamedTuple):
    """What a local question finds, each the best first."""

    units: Ranked
    entities: Ranked
    facts: Ranked  # relationships, by similarity alone


def worded(reader: Reader, question: str) -> Worded:
    """Return what a question's words find: it can be looked for while the question is embedded."""
    (named,) = named_in(reader, question)
    return Worded(
        lexical(reader, question, N_TEXT_UNITS),
        named,
        _titled(reader, [named])[0],
        _share_of_names(reader, question, named.rest),
    )


def local(reader: Reader, words: Worded, vector: Vector, k: int) -> Found:
    """Rank text units and entities by personalised PageRank from what the question is about.

    As HippoRAG 2 (Gutiérrez et al. 2025), with names in the place of its filter: the walk starts
    at the documents and entities that the question names, in so far as names account for its
    words; else at the text units that match it and at the entities of the best facts. From the
    text units at the start it also steps to the documents whose titles stand in them.
    """
    graph = reader.graph
    facts = reader.vectors("relationship").nearest(vector, N_FACTS)
    dense = reader.vectors("text_unit").nearest(vector, N_TEXT_UNITS)
    matching = fused([dense, words.matching])[:N_TEXT_UNITS]
    by_name, by_words = words.share, 1 - words.share
    restart = graph.together(
        by_name * TITLED * graph.text_unit_weights(words.titled),
        by_name * MENTIONED * graph.entity_weights(_mentioned(words.named)),
        by_words * MATCHING * graph.text_unit_weights(_above_least(matching)),
        by_words * TOLD * graph.entity_weights(_told(reader, vector, facts[:N_TOLD])),
    )
    first = [*best_of(words.titled, N_TITLED), *(ref for ref, _ in matching[:N_MATCHING])]
    scores = graph.page_rank(_followed(reader, graph, restart, list(dict.fromkeys(first))))
    return Found(*graph.best(scores, max(k, N_TEXT_UNITS)), facts)


def behind_reports(reader: Reader, question: str, vector: Vector, k: int) -> Ranked:
    """Rank the text units that the reports nearest to a question rest on.

    First those that match it, in that order; then the others, by the similarity of the reports
    and their shares in them.
    """
    nearest = dict(reader.vectors("report").nearest(vector, N_REPORTS))
    behind: dict[str, float] = defaultdict(float)
    entities = (ref for (ref,) in reader.records("evidence_of_reports", ids=list(nearest)))
    known = reader.graph.mentions(entities)
    for report, unit, share in reader.records("report_text_units", ids=list(nearest), **known):
        behind[unit] += nearest[report] * share
    by_reports = sorted(behind.items(), key=lambda pair: (-pair[1], pair[0]))
    matching = [ref for ref, _ in hybrid(reader, question, vector, N_TEXT_UNITS) if ref in behind]
    order = dict.fromkeys([*matching, *(ref for ref, _ in by_reports)])
    return [(ref, 1 / rank) for rank, ref in enumerate(order, 1)][:k]


def _titled(reader: Reader, named: Sequence[Named]) -> list[dict[str, float]]:
    """Return, for each text, the text units of the documents it names; each name weighs 1."""
    ids = {ref for one in named for refs in one.documents.values() for ref in refs}
    units: dict[str, list[str]] = defaultdict(list)
    for document, unit in reader.look_up("text_units_of_documents", sorted(ids)):
        units[document].append(unit)
    return [_spread(one.documents, units) for one in named]


def _spread(
    names: Mapping[str, Sequence[str]], units: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    weights: dict[str, float] = defaultdict(float)
    for documents in names.values():
        for document in documents:
            for unit in units.get(document, ()):
                weights[unit] += 1 / len(documents) / len(units[document])
    return weights


def _mentioned(named: Named) -> dict[str, float]:
    """Return the entities that a text names; each name weighs 1."""
    weights: dict[str, float] = defaultdict(float)
    for refs in named.entities.values():
        for ref in refs:
            weights[ref] += 1 / len(refs)
    return weights


def _told(reader: Reader, vector: Vector, facts: Ranked) -> dict[str, float]:
    """Return the ends of the facts nearest to a question, and the entities nearest to it."""
    best = dict(facts)
    weights = dict(reader.vectors("entity").nearest(vector, N_ENTITIES))
    for ref, ends in reader.relations.ends(best).items():
        for end in ends:
            weights[end] = max(weights.get(end, 0.0), best[ref])
    return {ref: max(weight, 0.0) for ref, weight in weights.items()}


def _above_least(ranked: Ranked) -> dict[str, float]:
    least = ranked[-1][1] if len(ranked) > 1 else 0.0
    return {ref: score - least for ref, score in ranked}


def _share_of_names(reader: Reader, question: str, rest: str) -> float:
    """Return which share of a question's terms, by inverse frequency, stands in its names."""
    asked = set(terms(question))
    left = asked & set(terms(rest))
    if left == asked:
        return 0.0
    rows = reader.records("term_counts", terms=sorted(asked))
    found = {term: log(1 + (size - n + 0.5) / (n + 0.5)) for term, n, size in rows}
    unseen = max(found.values(), default=1.0)
    part, whole = (sum(found.get(t, unseen) for t in sorted(some)) for some in (left, asked))
    return 1 - part / whole


def best_of(weights: Mapping[str, float], k: int) -> list[str]:
    """Return the k ids that weigh most."""
    return sorted(weights, key=lambda ref: (-weights[ref], ref))[:k]


def _followed(reader: Reader, graph: Graph, restart: Weights, units: list[str]) -> Weights:
    """Return the restart with the step from text units to the documents that they name."""
    named = names_of(reader, units)
    steps = [restart]
    for ref, titled in zip(named, _titled(reader, list(named.values())), strict=True):
        titled.pop(ref, None)
        chance = DAMPING * FOLLOWED * restart.at(graph.place_of(ref))
        steps.append(chance * graph.text_unit_weights(titled))
    return graph.together(*steps)


def names_of(reader: Reader, units: Sequence[str]) -> dict[str, Named]:
    """Return what text units name, by id."""
    texts: dict[str, str] = dict(reader.look_up("texts_of_text_units", units))
    return dict(zip(texts, named_in(reader, *texts.values(), proper=True), strict=True))
