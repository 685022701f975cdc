"""The HTTP app: routes, pages, the MCP endpoint, and who may ask."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import Any, Final

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer
from fastapi_offline import FastAPIOffline
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware import Middleware

from graphrag_assets.project import Project
from graphrag_assets.serve.access import ASSETS, Access
from graphrag_assets.serve.asking import asking_routes
from graphrag_assets.serve.body import BodyLimit
from graphrag_assets.serve.browsing import browsing_routes
from graphrag_assets.serve.page import page_routes
from graphrag_assets.serve.problems import Problem, tell_problems
from graphrag_assets.serve.searching import searching_routes, sql_routes
from graphrag_assets.serve.service import Service
from graphrag_assets.serve.tools import build_tools

ABOUT: Final = """\
Questions about one collection of documents, answered from one whole version of its index, with
citations down to the character. Everything reads; nothing writes.

Errors are `{"error": what is wrong, "hint": the way out}`. If the server has a token, send it as
`Authorization: Bearer TOKEN`. The same functions are MCP tools at `/mcp`.
"""
PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": Problem, "description": meaning}
    for status, meaning in {
        401: "The token is missing or wrong.",
        404: "An id that stands for nothing.",
        413: "The request is too large.",
        422: "Something in the request can't be used.",
        502: "A model failed.",
        503: "No index is published yet, the models can't be used, or too many wait.",
        504: "It would take too long.",
    }.items()
}


def build_app(project: Project, *, token: str, with_sql: bool) -> FastAPI:
    """Return the app of a project; a token is asked for unless it is empty."""
    most = project.settings.serve.max_body_kb * 1024
    service = Service(project)
    tools = build_tools(service, with_sql=with_sql)
    endpoint = tools.streamable_http_app(  # Access has looked at Host and Origin already
        stateless_http=True,
        json_response=True,
        max_request_body_size=most,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app: FastAPI = FastAPIOffline(
        redoc_url=None,
        static_url=ASSETS.rstrip("/"),
        title="graphrag-assets",
        version=version("graphrag-assets"),
        description=ABOUT,
        responses=PROBLEMS,
        dependencies=[Depends(HTTPBearer(auto_error=False, description="GRAPHRAG_TOKEN"))],
        middleware=[Middleware(Access, token=token), Middleware(BodyLimit, most=most)],
        lifespan=_lifespan(service, tools),
    )
    tell_problems(app)
    for routes in (asking_routes, searching_routes, browsing_routes):
        app.include_router(routes(service))
    if with_sql:
        app.include_router(sql_routes(service))
    app.include_router(page_routes())
    app.router.routes.extend(endpoint.routes)
    return app


def _lifespan(service: Service, tools: MCPServer[Any]) -> Any:  # noqa: ANN401
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        """Get ready while the first requests come; close at the end."""
        warming = asyncio.create_task(service.ready())
        async with tools.session_manager.run():
            yield
        warming.cancel()
        with suppress(asyncio.CancelledError):
            await warming
        await asyncio.to_thread(service.close)

    return lifespan
