"""Who may ask: with a token, without one, from where."""

import pytest
from starlette.testclient import TestClient

from graphrag_assets.errors import ServeError
from graphrag_assets.serve.access import check_reachable, is_loopback
from graphrag_assets.serve.app import build_app

TOKEN = "s3cret-žeton"


@pytest.fixture
def guarded(indexed):
    """Return a client of a server with a token, that doesn't send it."""
    app = build_app(indexed, token=TOKEN, with_sql=False)
    with TestClient(app, base_url="http://kb.example") as client:
        yield client


def bearer(token):
    return {"Authorization": f"Bearer {token}".encode()}


class TestAToken:
    @pytest.mark.parametrize("path", ["/status", "/reports", "/search?question=x", "/nothing"])
    @pytest.mark.parametrize(
        "headers",
        [
            {},
            bearer(""),
            bearer("wrong"),
            bearer(TOKEN + "x"),
            bearer(TOKEN[:-1]),
            {"Authorization": TOKEN.encode()},
            {"Authorization": b"Basic " + TOKEN.encode()},
        ],
    )
    def test_that_is_missing_or_wrong_is_401(self, guarded, path, headers):
        response = guarded.get(path, headers=headers)

        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
        assert "GRAPHRAG_TOKEN" in response.json()["hint"]

    @pytest.mark.parametrize("path", ["/ask", "/ask/stream", "/mcp"])
    def test_is_wanted_before_anything_is_read(self, guarded, path):
        assert guarded.post(path, content=b"{").status_code == 401

    def test_that_is_right_opens_every_route_under_any_name(self, guarded):
        response = guarded.get("/status", headers=bearer(TOKEN))

        assert response.status_code == 200

    @pytest.mark.parametrize("path", ["/", "/health", "/docs", "/openapi.json"])
    def test_isn_t_needed_for_what_holds_nothing_of_the_index(self, guarded, path):
        assert guarded.get(path).status_code == 200

    @pytest.mark.parametrize("path", ["/docs/assets/../../status", "/docs/assets/%2e%2e/status"])
    def test_isn_t_got_round_by_a_path(self, guarded, path):
        assert guarded.get(path).status_code in {401, 404}


class TestWithoutAToken:
    @pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "[::1]:8000", "LOCALHOST:1"])
    def test_this_machine_may_ask(self, client, host):
        assert client.get("/status", headers={"Host": host}).status_code == 200

    @pytest.mark.parametrize(
        "host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.7", "", "[", "localhost.evil"]
    )
    def test_a_name_that_was_pointed_here_may_not(self, client, host):
        response = client.get("/status", headers={"Host": host})

        assert response.status_code == 421
        assert "GRAPHRAG_TOKEN" in response.json()["hint"]

    @pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9"])
    @pytest.mark.parametrize("path", ["/ask", "/mcp"])
    def test_pages_of_other_sites_may_not(self, client, path, origin):
        response = client.post(path, json={"question": "x"}, headers={"Origin": origin})

        assert response.status_code == 403

    def test_its_own_page_may(self, client):
        headers = {"Origin": "http://127.0.0.1:8000"}

        assert client.get("/status", headers=headers).status_code == 200

    def test_no_site_is_given_leave_to_read(self, client):
        asked = {"Origin": "http://127.0.0.1:8000", "Access-Control-Request-Method": "POST"}
        response = client.options("/ask", headers=asked)

        assert response.status_code == 405
        assert "access-control-allow-origin" not in response.headers


class TestAnAddress:
    @pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost"])
    def test_of_this_machine_needs_no_token(self, host):
        check_reachable(host, "")

        assert is_loopback(host)

    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3"])
    def test_that_others_reach_needs_one(self, host):
        with pytest.raises(ServeError, match="GRAPHRAG_TOKEN"):
            check_reachable(host, "")
        check_reachable(host, TOKEN)

    def test_that_doesn_t_exist_is_named(self):
        with pytest.raises(ServeError, match="no host"):
            check_reachable("no host at all", "")


class TestResponses:
    def test_are_not_guessed_at_and_not_kept(self, client):
        for path in ("/", "/status", "/nothing"):
            headers = client.get(path).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "no-store"

    def test_to_wrong_paths_and_methods_have_the_same_form(self, client):
        for response in (client.get("/nothing"), client.delete("/ask"), client.put("/status")):
            assert response.status_code in {404, 405}
            assert set(response.json()) == {"error", "hint"}
