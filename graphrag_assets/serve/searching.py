"""Routes that find passages, questions to ask, and rows."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from graphrag_assets.query import Index
from graphrag_assets.serve import shapes
from graphrag_assets.serve.asking import turns
from graphrag_assets.serve.rows import plain
from graphrag_assets.serve.service import Service

Count = Annotated[int, Query(ge=1, le=200, description="How many.")]


def searching_routes(service: Service) -> APIRouter:
    """Return the routes that find passages and questions to ask."""
    routes = APIRouter(tags=["questions"])

    @routes.get("/search")
    async def search(
        question: Annotated[str, Query(description="What is looked for.")],
        method: Annotated[str, Query(max_length=20, description="As of /ask.")] = "local",
        k: Count = 10,
        where: Annotated[str | None, Query(max_length=2000, description="As of /ask.")] = None,
    ) -> shapes.Found:
        """Return the text units that a method would read; only the embedding model is called.

        `/lineage/{id}` gives their text.
        """
        version, rows = await service.consult(retrieve, question, method=method, k=k, where=where)
        return shapes.Found.model_validate({"index_version": version, "items": rows})

    @routes.get("/suggestions")
    async def suggestions(k: Count = 5) -> shapes.Suggestions:
        """Return questions that one could ask of this corpus."""
        version, questions = await service.consult(suggest, k=k)
        return shapes.Suggestions(index_version=version, questions=questions)

    @routes.post("/suggestions")
    async def next_suggestions(history: list[shapes.Turn], k: Count = 5) -> shapes.Suggestions:
        """Return questions that one could ask next, after earlier turns."""
        version, questions = await service.consult(suggest, k=k, history=turns(history))
        return shapes.Suggestions(index_version=version, questions=questions)

    return routes


def sql_routes(service: Service) -> APIRouter:
    """Return the route that takes SQL: reads only, without files or network."""
    routes = APIRouter(tags=["index"])

    @routes.post("/sql")
    async def sql(statement: shapes.Statement) -> shapes.Rows:
        """Return the first rows of a statement that reads."""
        version, rows = await service.sql(statement.query, limit=statement.limit)
        return shapes.Rows(index_version=version, columns=rows.columns, rows=plain(rows))

    return routes


def retrieve(index: Index, /, question: str, **how: Any) -> tuple[int, list[dict[str, Any]]]:  # noqa: ANN401
    """Return the version and the text units that a method would read."""
    return index.version, index.retrieve(question, **how).to_dicts()


def suggest(index: Index, /, **how: Any) -> tuple[int, list[str]]:  # noqa: ANN401
    """Return the version and questions to ask."""
    return index.version, index.suggest(**how)
