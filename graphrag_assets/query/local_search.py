"""Answers about single things: what the question names, and what is connected to it."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from graphrag_assets.context import HEADING_TOKENS, Item, pack
from graphrag_assets.query.answer import Draft, Final, Known
from graphrag_assets.query.citable import citable
from graphrag_assets.query.engine import Engine, aside
from graphrag_assets.query.graph import Ranked
from graphrag_assets.query.likest import likest
from graphrag_assets.query.lookups import Row
from graphrag_assets.query.question import Question
from graphrag_assets.query.ranking import N_TITLED, Worded, best_of, local, names_of, worded
from graphrag_assets.query.subtree import Subtree
from graphrag_assets.query.titles import names_of_relationships
from graphrag_assets.query.vectors import Vector

N_TEXT_UNITS = 50
N_ENTITIES = 20
N_BETWEEN = 20
N_REPORTS = 5
N_CLAIMS = 200
N_LIKELY = 20  # text units, by words alone: most of what will be told
N_READ = 10  # of these: most of those whose names will be followed
HEAD_START = 0.002  # seconds: a request is written before a thread takes the interpreter
SHARES = {  # of the context's tokens
    "report": 0.1,
    "entity": 0.1,
    "relationship": 0.12,
    "claim": 0.08,
    "text_unit": 0.6,
}


async def rank(engine: Engine, question: str, k: int) -> Ranked:
    """Rank text units by what the question names and what is connected to it."""
    words, vector = await _read(engine, question)
    found = await aside(local, engine.reader, words, vector, k)
    return found.units[:k]


async def answer(engine: Engine, question: Question) -> Draft | Final:
    """Answer from passages, entities, relationships, claims and reports, each in its share."""
    items, known = await context(engine, question, engine.settings.context_tokens)
    return engine.final("local_answer", question.text, items, known)


async def context(engine: Engine, question: Question, budget: int) -> tuple[list[Item], Known]:
    """Return what a local answer is written from, each kind of rows in its share of the budget."""
    words, vector = await _read(engine, question.text)
    return await aside(_context, engine, question, budget, words, vector)


async def _read(engine: Engine, question: str) -> tuple[Worded, Vector]:
    """Return what a question's words find, and its vector: both are sought at once."""
    vector = asyncio.ensure_future(engine.embed(question))
    words, _ = await asyncio.gather(_words(engine, question, vector), vector)
    return words, vector.result()


async def _words(engine: Engine, question: str, vector: asyncio.Future[Vector]) -> Worded:
    """Return what a question's words find; while its vector is away, get likely passages ready."""
    await asyncio.sleep(HEAD_START)
    words = await aside(worded, engine.reader, question)
    if not vector.done():
        await aside(_get_ready, engine, words)
    return words


def _get_ready(engine: Engine, words: Worded) -> None:
    """Read what the walk will start from and what will be told, as far as words tell.

    The words of texts and the tokens of lines are remembered. Of a large version nothing is: its
    rows would be read twice.
    """
    if not engine.reader.keeps_rows:
        return
    matching = [ref for ref, _ in words.matching[:N_LIKELY]]
    likely = list(dict.fromkeys([*best_of(words.titled, N_TITLED), *matching]))
    names_of(engine.reader, likely[:N_READ])
    budget = _share("text_unit", engine.settings.context_tokens)
    engine.apart(engine.reader).passages(likely, budget)


def _context(
    engine: Engine, question: Question, budget: int, words: Worded, vector: Vector
) -> tuple[list[Item], Known]:
    found = local(engine.reader, words, vector, N_TEXT_UNITS)
    subtree = Subtree.of(engine.reader, question.community)
    near = [ref for ref, _ in subtree.kept(found.entities)[:N_ENTITIES]]
    told = [ref for ref, _ in found.facts]
    units = _units(engine, found.units, vector, subtree)
    rows = {
        "report": _reports(engine, near, question),
        "entity": engine.reader.look_up("entity_texts", near),
        "relationship": _relationships(engine, near, told, subtree),
        "claim": _claims(engine, near),
        "text_unit": engine.passage_rows(units, _share("text_unit", budget)),
    }
    items = [
        item
        for kind, of_kind in rows.items()
        for item in pack(engine.items(kind, of_kind), _share(kind, budget) - HEADING_TOKENS)
    ]
    return citable(engine, items)


def _share(kind: str, budget: int) -> int:
    """Return the tokens of a kind of rows."""
    return int(SHARES[kind] * budget)


def _units(engine: Engine, ranked: Ranked, vector: Vector, subtree: Subtree) -> list[str]:
    """Return text units; in a subtree, the nearest ones of it follow those that were found."""
    kept = subtree.kept(ranked)
    if subtree.ids is not None:
        kept += likest(engine.reader.vectors("text_unit"), vector, subtree.ids)[:N_TEXT_UNITS]
    return list(dict.fromkeys(ref for ref, _ in kept))


def _reports(engine: Engine, entities: Sequence[str], question: Question) -> list[Row]:
    """Return reports of the communities that the entities lie in: of the subtree, if limited."""
    level = engine.settings.level if question.level is None else question.level
    if question.community is None:
        return _reports_about(engine, entities, level)
    subtree = engine.reader.ask("community_subtree", id=question.community)
    rows = _reports_about(engine, entities, max(level, int(subtree["level"][0]) + 1))
    inside = set(subtree["id"])
    return [row for row in rows if row[0] in inside]


def _reports_about(engine: Engine, entities: Sequence[str], level: int) -> list[Row]:
    """Return reports of the communities, at a level, that hold most of these entities.

    A community that wasn't split down to that level is carried down.
    """
    rows = engine.reader.look_up("communities_of_entities", entities)  # the coarsest first
    finest = {entity: community for entity, own_level, community in rows if own_level <= level}
    hits = Counter(finest.values())
    order = sorted(hits, key=lambda community: (-hits[community], community))
    return engine.reader.look_up("report_summaries", order)[:N_REPORTS]


def _claims(engine: Engine, entities: Sequence[str]) -> list[Row]:
    """Return claims about the entities, by date; without one last."""
    rows = engine.reader.look_up("claims_about", entities)
    ordered = sorted(rows, key=lambda row: (row[3] is None, row[3] or "", row[1]))
    return [(ref, text) for _, ref, text, _ in ordered[:N_CLAIMS]]


def _relationships(
    engine: Engine, entities: Sequence[str], told: Sequence[str], subtree: Subtree
) -> list[Row]:
    """Return the facts nearest to the question, then those between the entities.

    In a subtree only the latter: their ends are known to lie in it.
    """
    between = engine.reader.relations.between(entities, N_BETWEEN)
    first = told if subtree.ids is None else []
    names = names_of_relationships(engine.reader, [*first, *between])
    described = engine.reader.look_up("relationship_descriptions", names)
    return [(ref, f"{names[ref]}: {description}") for ref, description in described]
