"""Routes that answer questions, whole or in pieces."""

from collections.abc import AsyncIterator
from typing import Any, Final

from fastapi import APIRouter, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import TypeAdapter

from graphrag_assets.errors import GraphRAGError
from graphrag_assets.query import Answer
from graphrag_assets.query.index import Options
from graphrag_assets.query.question import Turn
from graphrag_assets.serve import shapes
from graphrag_assets.serve.attended import attended
from graphrag_assets.serve.problems import Problem, problem, refusal
from graphrag_assets.serve.service import Service

ANSWER: Final = TypeAdapter(Answer)
MODEL_FAILED: Final = 502
CLIENT_LEFT: Final = 499  # read by nobody
STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": (
            'Events: `text` with `{"text": "…"}`, any number of times; then one `answer` with the '
            'whole Answer, or one `error` with `{"status": 502, "error": "…", "hint": "…"}`. '
            "The texts joined are the answer's text. A line `: ping` every 15 seconds."
        )
    }
}


def asking_routes(service: Service) -> APIRouter:
    """Return the routes that answer questions."""
    routes = APIRouter(tags=["questions"])

    @routes.post("/ask", response_model=Answer)
    async def ask(asked: shapes.Ask, request: Request) -> Response:
        """Answer a question, with citations resolved to path, page and characters."""
        answer = await attended(request, service.ask(asked.question, **options(asked)))
        if answer is None:
            return Response(status_code=CLIENT_LEFT)
        if answer.status == "failed":
            failed = unanswered(answer)
            return refusal(MODEL_FAILED, failed.error, failed.hint)
        return Response(ANSWER.dump_json(answer), media_type="application/json")

    @routes.post("/ask/stream", response_class=EventSourceResponse, responses=STREAM)
    async def ask_in_pieces(asked: shapes.Ask) -> AsyncIterator[ServerSentEvent]:
        """Answer a question while it is written, as Server-Sent Events."""
        try:
            async for piece in service.stream(asked.question, **options(asked)):
                yield _event(piece)
        except GraphRAGError as error:
            yield _failed(*problem(error))

    return routes


def options(asked: shapes.Ask) -> Options:
    """Return how a question is to be asked, as an Index takes it."""
    return {
        "method": asked.method,
        "level": asked.level,
        "selection": asked.selection,
        "history": turns(asked.history),
        "where": asked.where,
        "community": asked.community,
    }


def turns(history: list[shapes.Turn]) -> list[Turn | Answer]:
    """Return earlier turns as an Index takes them."""
    return [(turn.question, turn.answer) for turn in history]


def unanswered(answer: Answer) -> Problem:
    """Return why models failed to answer."""
    hint = "Ask again; `graphrag-assets check` tests the models."
    return Problem(error=answer.reason or "The model failed.", hint=hint)


def _event(piece: str | Answer) -> ServerSentEvent:
    if isinstance(piece, str):
        return ServerSentEvent(event="text", data={"text": piece})
    if piece.status == "failed":
        return _failed(MODEL_FAILED, unanswered(piece))
    return ServerSentEvent(event="answer", raw_data=ANSWER.dump_json(piece).decode())


def _failed(status: int, told: Problem) -> ServerSentEvent:
    return ServerSentEvent(event="error", data={"status": status, **told.model_dump()})
