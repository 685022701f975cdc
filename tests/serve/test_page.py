"""The page and the description of the API: nothing comes from elsewhere."""

import re
from importlib import resources

PAGE = (resources.files("graphrag_assets") / "serve" / "page.html").read_text("utf-8")


def test_the_page_asks_for_nothing_from_elsewhere():
    assert re.findall(r"(?:https?:)?//[\w.-]+\.\w+", PAGE) == []
    assert re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=\"(?!data:)", PAGE) == []


def test_the_page_writes_no_html():
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", PAGE)


def test_only_the_page_s_own_script_runs(client):
    policy = client.get("/").headers["content-security-policy"]

    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy


def test_the_api_s_page_works_offline(client):
    page = client.get("/docs").text
    addresses = re.findall(r"(?:src|href)=\"([^\"]+)\"", page)

    assert addresses
    assert all(client.get(address).status_code == 200 for address in addresses)
    assert all(address.startswith("/docs/assets/") for address in addresses)


def test_every_route_says_what_it_takes_and_gives(client):
    found = client.get("/openapi.json").json()

    assert set(found["paths"]) == {
        "/ask",
        "/ask/stream",
        "/changes",
        "/communities",
        "/documents/{ref}",
        "/entities",
        "/entities/{ref}",
        "/health",
        "/lineage/{ref}",
        "/relationships/{ref}",
        "/reports",
        "/reports/{ref}",
        "/search",
        "/sql",
        "/status",
        "/suggestions",
    }
    for path, methods in found["paths"].items():
        for method in methods.values():
            assert method["description"], path
            assert method["responses"]["200"]["content"], path
            for parameter in method.get("parameters", []):
                assert parameter["description"], (path, parameter["name"])
    assert found["components"]["schemas"]["Answer"]["properties"]["citations"]
    assert found["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
