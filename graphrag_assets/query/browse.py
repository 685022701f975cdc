"""What an index holds, to be looked at: pages of reports, communities and entities, single things.

Every function reads one version. An id may be whole, its first digits, or as answers cite it
(`E12ab34cd`); NotFoundError is raised for one that stands for nothing.
"""

import json
from dataclasses import dataclass
from typing import Any

from graphrag_assets.checks import unfinished
from graphrag_assets.errors import NotFoundError
from graphrag_assets.query.lineage import named
from graphrag_assets.query.reader import Reader
from graphrag_assets.readers import corpus_summary, summary_lines
from graphrag_assets.store import sql

Row = dict[str, Any]


@dataclass(frozen=True)
class Page:
    """Some of many rows, and how many there are."""

    items: list[Row]
    total: int


def reports(reader: Reader, *, level: int | None, limit: int, offset: int) -> Page:
    """Return reports in short, by level and falling importance."""
    return _page(reader, "browse_reports", limit, offset, level=level)


def communities(
    reader: Reader, *, level: int | None, parent: str | None, limit: int, offset: int
) -> Page:
    """Return communities, by level and falling size."""
    if parent is not None:
        _, parent, _ = named(reader, parent, "report")
    return _page(reader, "browse_communities", limit, offset, level=level, parent=parent)


def entities(reader: Reader, *, name: str, kind: str | None, limit: int, offset: int) -> Page:
    """Return entities that have a name with these letters, the best match first."""
    return _page(reader, "browse_entities", limit, offset, name=name.strip(), type=kind)


def report(reader: Reader, ref: str) -> Row:
    """Return a whole report and its children in short."""
    _, ref, _ = named(reader, ref, "report")
    (row,) = reader.ask("one_report", id=ref).to_dicts()
    children = reader.rows(sql("browse_communities"), level=None, parent=ref)
    return {**row, "children": children.to_dicts()}


def entity(reader: Reader, ref: str, *, limit: int) -> Row:
    """Return an entity, its names, communities and claims, and its heaviest relationships."""
    _, ref, _ = named(reader, ref, "entity")
    (row,) = reader.rows("FROM entities WHERE id = $id", id=ref).to_dicts()
    return {
        **row,
        "names": reader.ask("names_of", id=ref)["title"].to_list(),
        "communities": reader.ask("communities_of", id=ref).to_dicts(),
        "claims": reader.ask("claims_of", id=ref).head(limit).to_dicts(),
        "relationships": _page(reader, "browse_neighbours", limit, 0, id=ref).items,
    }


def relationship(reader: Reader, ref: str) -> Row:
    """Return a relationship with the titles of its ends."""
    _, ref, _ = named(reader, ref, "relationship")
    return reader.ask("one_relationship", id=ref).to_dicts()[0]


def document(reader: Reader, ref: str, *, start: int, length: int) -> Row:
    """Return a document, by id or path, with `length` characters of its text from `start`."""
    rows = reader.ask("one_document", id=ref, start=start, length=length).to_dicts()
    if not rows:
        raise NotFoundError(f"No document has the id or the path `{ref}`.")
    return {**rows[0], "metadata": json.loads(rows[0]["metadata"]), "start_char": start}


def summary(reader: Reader) -> Row:
    """Return what a version holds, what it took and what it lacks."""
    version = reader.rows("FROM index_versions ORDER BY version DESC LIMIT 1").to_dicts()[0]
    files = reader.rows("FROM files ORDER BY path")
    return {
        **version,
        "counts": json.loads(version["counts"]),
        "levels": reader.ask("communities_per_level").to_dicts(),
        "stale": reader.ask("stale_reports").height,
        "unfinished": reader.rows(unfinished()).to_dicts(),
        "corpus": corpus_summary(files),
        "corpus_notes": summary_lines(files),
        "took": reader.ask("run_cost", run=version["run_id"]).to_dicts()[0],
    }


def _page(reader: Reader, query: str, limit: int, offset: int, /, **values: object) -> Page:
    rows = reader.rows(f"{sql(query)} LIMIT {limit:d} OFFSET {offset:d}", **values)
    (total,) = reader.rows(f"SELECT count(*) FROM ({sql(query)})", **values).row(0)
    return Page(rows.to_dicts(), int(total))
