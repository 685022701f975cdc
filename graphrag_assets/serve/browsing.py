"""Routes that show what the index holds."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from graphrag_assets.errors import NoIndexError
from graphrag_assets.query import Index, browse
from graphrag_assets.query.lineage import changes_between, trace
from graphrag_assets.query.reader import Reader
from graphrag_assets.serve import shapes
from graphrag_assets.serve.service import Service

Id = Annotated[
    str, Path(max_length=64, description="Whole, its first digits, or as answers cite it.")
]
Limit = Annotated[int, Query(ge=1, le=500, description="Most items of a page.")]
Offset = Annotated[int, Query(ge=0, le=1_000_000_000, description="Items to skip.")]
Level = Annotated[int | None, Query(ge=0, le=100, description="Only this level; 0 = coarsest.")]
Row = dict[str, Any]
Read = Callable[..., Awaitable[Row]]  # of a function of a reader, with its arguments


def browsing_routes(service: Service) -> APIRouter:
    """Return the routes that show what the index holds."""

    async def read(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Row:  # noqa: ANN401
        return await service.read(versioned, function, *args, **kwargs)

    routes = APIRouter(tags=["index"])
    _communities(routes, read)
    _elements(routes, read)
    _sources(routes, read)
    _version(routes, read)
    return routes


def _communities(routes: APIRouter, read: Read) -> None:

    @routes.get("/reports", response_model=shapes.Page[shapes.ReportInShort])
    async def reports(level: Level = None, limit: Limit = 50, offset: Offset = 0) -> Row:
        """List reports by level and falling importance."""
        return await read(browse.reports, level=level, limit=limit, offset=offset)

    @routes.get("/reports/{ref}", response_model=shapes.Report)
    async def report(ref: Id) -> Row:
        """Show a whole report."""
        return await read(browse.report, ref)

    @routes.get("/communities", response_model=shapes.Page[shapes.Community])
    async def communities(
        level: Level = None,
        parent: Annotated[
            str | None, Query(max_length=64, description="Only this community's parts.")
        ] = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Row:
        """List communities by level and falling size."""
        page = {"limit": limit, "offset": offset}
        return await read(browse.communities, level=level, parent=parent, **page)


def _elements(routes: APIRouter, read: Read) -> None:
    @routes.get("/entities", response_model=shapes.Page[shapes.EntityInShort])
    async def entities(
        name: Annotated[str, Query(max_length=200, description="Part of a name it has.")] = "",
        kind: Annotated[
            str | None, Query(alias="type", max_length=64, description="Only this type.")
        ] = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Row:
        """List entities by name, the best match first."""
        return await read(browse.entities, name=name, kind=kind, limit=limit, offset=offset)

    @routes.get("/entities/{ref}", response_model=shapes.Entity)
    async def entity(ref: Id, limit: Limit = 50) -> Row:
        """Show an entity, with its heaviest relationships."""
        return await read(browse.entity, ref, limit=limit)

    @routes.get("/relationships/{ref}", response_model=shapes.Relationship)
    async def relationship(ref: Id) -> Row:
        """Show a relationship."""
        return await read(browse.relationship, ref)


def _sources(routes: APIRouter, read: Read) -> None:
    @routes.get("/lineage/{ref}", response_model=shapes.Lineage)
    async def lineage(ref: Id, limit: Limit = 50) -> Row:
        """Show the passages behind a report, an entity, a relationship, a claim, a text unit."""
        return await read(passages, ref, limit=limit)

    @routes.get("/documents/{ref:path}", response_model=shapes.Document)
    async def document(
        ref: Annotated[str, Path(max_length=4096, description="Id or path.")],
        start: Annotated[int, Query(ge=0, le=1_000_000_000, description="First character.")] = 0,
        length: Annotated[int, Query(ge=0, le=200_000, description="Characters.")] = 20_000,
    ) -> Row:
        """Show a document and a part of its text."""
        return await read(browse.document, ref, start=start, length=length)


def _version(routes: APIRouter, read: Read) -> None:
    @routes.get("/changes", response_model=shapes.Changes)
    async def changes(
        since: Annotated[int | None, Query(description="Older version.")] = None,
        until: Annotated[int | None, Query(description="Newer version.")] = None,
        limit: Limit = 500,
        offset: Offset = 0,
    ) -> Row:
        """Say what came, went and changed; by default in the newest version."""
        return await read(changed, since=since, until=until, limit=limit, offset=offset)

    @routes.get("/status", response_model=shapes.Status)
    async def status() -> Row:
        """Say what the newest version holds, what it took and what it lacks."""
        return await read(browse.summary)

    @routes.get("/health")
    async def health() -> shapes.Health:
        """Say whether questions can be asked; needs no token."""
        try:
            found = await read(lambda _: {})
        except NoIndexError:
            return shapes.Health(status="no_index", index_version=None)
        return shapes.Health(status="ok", **found)


def passages(reader: Reader, ref: str, *, limit: int) -> Row:
    """Return the lineage of an id with its first passages."""
    found = trace(reader, ref)
    return {
        "kind": found.kind,
        "id": found.id,
        "title": found.title,
        "passages": found.passages.head(limit).to_dicts(),
        "total": found.passages.height,
    }


def changed(
    reader: Reader, *, since: int | None, until: int | None, limit: int, offset: int
) -> Row:
    """Return what came, went and changed between two versions; by default in the newest."""
    until = reader.version if until is None else until
    since = until - 1 if since is None else since
    rows = changes_between(reader, since, until)
    items = rows.slice(offset, limit).to_dicts()
    return {"since": since, "until": until, "items": items, "total": rows.height}


def versioned(index: Index, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Row:  # noqa: ANN401
    found = function(index.reader, *args, **kwargs)
    row = asdict(found) if isinstance(found, browse.Page) else found
    return {**row, "index_version": index.version}
