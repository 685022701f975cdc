"""Errors as HTTP has them: a status, what is wrong, and the way out."""

from collections.abc import Sequence
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from graphrag_assets.errors import (
    BusyError,
    DeadlineError,
    GraphRAGError,
    ModelCallError,
    ModelError,
    NoIndexError,
    NotFoundError,
    OutdatedIndexError,
    QuestionError,
    SqlError,
)
from graphrag_assets.text import shortened

SEE_DOCS: Final = "/docs says what this route takes."
KINDS: Final[Sequence[tuple[type[GraphRAGError], int, str]]] = (  # the first that fits
    (NotFoundError, 404, "/search, /entities and /reports give ids."),
    (QuestionError, 422, SEE_DOCS),
    (SqlError, 422, "docs/TABLES.md names the tables and columns."),
    (OutdatedIndexError, 503, "Run `graphrag-assets index`; this server will find the result."),
    (NoIndexError, 503, "Run `graphrag-assets index`; this server will find the result."),
    (BusyError, 503, "Ask again in a moment."),
    (DeadlineError, 504, "Ask at a coarser level, or raise [serve] deadline_seconds."),
    (ModelCallError, 502, "Ask again; `graphrag-assets check` tests the models."),
    (ModelError, 503, "`graphrag-assets check` tests the models."),
    (GraphRAGError, 500, "The server's log says more."),
)
BY_STATUS: Final = {
    401: "Send `Authorization: Bearer TOKEN` with the server's GRAPHRAG_TOKEN.",
    404: "/docs lists the routes.",
    405: "/docs lists the routes and their methods.",
    413: "Send less, or raise [serve] max_body_kb.",
}
RETRY_SECONDS: Final = "5"
LONGEST: Final = 2000


class Problem(BaseModel):
    """What went wrong."""

    error: str = Field(description="What is wrong, and with what.")
    hint: str = Field(description="The way out.")


def problem(error: GraphRAGError) -> tuple[int, Problem]:
    """Return the HTTP status of an error of ours, and what is told of it."""
    status, hint = next((status, hint) for kind, status, hint in KINDS if isinstance(error, kind))
    return status, Problem(error=shortened(str(error), LONGEST), hint=hint)


def refusal(status: int, error: str, hint: str | None = None) -> JSONResponse:
    """Return a response that says what is wrong, and the way out."""
    error = error.encode("utf-8", "replace").decode()  # it may quote half a character
    told = Problem(error=error, hint=hint or BY_STATUS.get(status, SEE_DOCS))
    headers = {"Retry-After": RETRY_SECONDS} if status == 503 else None  # noqa: PLR2004
    return JSONResponse(told.model_dump(), status, headers)


def tell_problems(app: FastAPI) -> None:
    """Let an app answer every error with a Problem."""
    app.exception_handler(GraphRAGError)(_ours)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(HTTPException)(_http)
    app.exception_handler(Exception)(_unexpected)


async def _ours(_: Request, error: GraphRAGError) -> JSONResponse:
    status, told = problem(error)
    return refusal(status, told.error, told.hint)


async def _invalid(_: Request, error: RequestValidationError) -> JSONResponse:
    """Name each field that is wrong; what was sent isn't repeated: it may be anything."""
    return refusal(422, "; ".join(_field(one) for one in error.errors()[:5]))


def _field(error: dict[str, Any]) -> str:
    if error["type"] == "json_invalid":
        return f"The body isn't JSON: {error['ctx']['error']}"
    return f"`{'.'.join(map(str, error['loc'][1:])) or error['loc'][0]}`: {error['msg']}"


async def _http(_: Request, error: HTTPException) -> JSONResponse:
    return refusal(error.status_code, str(error.detail))


async def _unexpected(_: Request, __: Exception) -> JSONResponse:
    """Say nothing of it but that it happened; the server logs it."""
    return refusal(500, "Something unexpected happened.", "The server's log says more.")
