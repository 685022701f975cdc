"""The page at `/`: ask, read, follow citations. One file, nothing from elsewhere."""

import re
from functools import cache
from importlib import resources

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from graphrag_assets.text import csp_source


def page_routes() -> APIRouter:
    """Return the route of the page."""
    routes = APIRouter()

    @routes.get("/", include_in_schema=False)
    async def page() -> HTMLResponse:
        text, policy = _page()
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    return routes


@cache
def _page() -> tuple[str, str]:
    """Return the page, and a policy under which only its own script and style work."""
    text = (resources.files("graphrag_assets") / "serve" / "page.html").read_text("utf-8")
    hashes = {
        tag: csp_source(match[1])
        for tag in ("script", "style")
        if (match := re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL))
    }
    policy = (
        f"default-src 'none'; script-src {hashes['script']}; style-src {hashes['style']}; "
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    return text, policy
