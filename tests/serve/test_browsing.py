"""What the index holds, over HTTP."""

import pytest


def title_of(client, name):
    return client.get("/entities", params={"name": name}).json()["items"][0]


class TestReports:
    def test_are_listed_by_level_and_importance(self, client):
        found = client.get("/reports", params={"level": 0}).json()

        assert found["total"] == len(found["items"]) > 1
        assert {item["level"] for item in found["items"]} == {0}
        ratings = [item["rating"] for item in found["items"]]
        assert ratings == sorted(ratings, reverse=True)

    def test_come_in_pages_that_together_are_all(self, client):
        everything = client.get("/reports").json()
        pages = [
            client.get("/reports", params={"limit": 2, "offset": offset}).json()
            for offset in range(0, everything["total"], 2)
        ]

        assert [item for page in pages for item in page["items"]] == everything["items"]
        beyond = client.get("/reports", params={"offset": 1000}).json()
        assert (beyond["items"], beyond["total"]) == ([], everything["total"])

    def test_one_has_findings_and_children(self, client):
        child = next(r for r in client.get("/reports").json()["items"] if r["parent_id"])
        whole = client.get(f"/reports/{child['parent_id']}").json()

        assert whole["full_content"].startswith("# ")
        assert whole["findings"]
        assert child["id"] in {one["id"] for one in whole["children"]}
        assert client.get(f"/reports/P{whole['id'][:12]}").json() == whole

    def test_communities_are_listed_by_parent(self, client):
        parent = next(c for c in client.get("/communities").json()["items"] if c["parent_id"])
        of = {"parent": parent["parent_id"], "level": parent["level"]}
        found = client.get("/communities", params=of).json()["items"]

        assert parent["id"] in {one["id"] for one in found}
        assert {one["parent_id"] for one in found} == {parent["parent_id"]}


class TestEntities:
    def test_are_found_by_a_part_of_a_name_whatever_its_case(self, client):
        found = client.get("/entities", params={"name": "ISLAND"}).json()["items"]

        assert {one["title"] for one in found} == {"Island Bank", "Gull Island"}
        assert found[0]["title"] == "Island Bank"

    def test_are_found_by_type(self, client):
        found = client.get("/entities", params={"type": "Event"}).json()["items"]

        assert [one["title"] for one in found] == ["Great Fire"]

    @pytest.mark.parametrize("name", ["%", "_", "' OR 1=1 --", "🙂", "\x00"])
    def test_no_name_is_a_pattern_or_a_statement(self, client, name):
        response = client.get("/entities", params={"name": name})

        assert (response.status_code, response.json()["items"]) == (200, [])

    def test_one_has_names_relationships_communities_and_claims(self, client):
        whole = client.get(f"/entities/{title_of(client, 'Emil Frost')['id']}").json()

        assert "Emil Frost" in whole["names"]
        assert len(whole["relationships"]) == whole["degree"]
        assert "Tar Works" in {one["title"] for one in whole["relationships"]}
        assert [one["level"] for one in whole["communities"]] == list(
            range(len(whole["communities"]))
        )
        assert whole["claims"]

    def test_a_relationship_names_both_ends(self, client):
        whole = client.get(f"/entities/{title_of(client, 'Emil Frost')['id']}").json()
        found = client.get(f"/relationships/{whole['relationships'][0]['id']}").json()

        assert "Emil Frost" in {found["source"], found["target"]}


class TestLineage:
    def test_of_an_entity_is_the_passages_that_mention_it(self, client):
        marker = f"E{title_of(client, 'Kaja Lund')['id'][:8]}"
        found = client.get(f"/lineage/{marker}").json()

        assert (found["kind"], found["title"]) == ("entity", "Kaja Lund")
        assert all("Kaja Lund" in passage["text"] for passage in found["passages"])
        assert found["total"] == len(found["passages"])

    def test_of_a_report_leads_to_documents(self, client):
        report = client.get("/reports").json()["items"][0]
        found = client.get(f"/lineage/{report['id']}", params={"limit": 1}).json()
        span = found["passages"][0]
        document = client.get(f"/documents/{span['path']}").json()

        assert document["text"][span["start_char"] : span["end_char"]] == span["text"]
        assert (len(found["passages"]), found["total"] >= 1) == (1, True)

    @pytest.mark.parametrize("path", ["lineage", "entities", "relationships", "reports"])
    @pytest.mark.parametrize("ref", ["E00000000", "nothing", "%27%20OR%201=1", "[]"])
    def test_of_an_unknown_id_is_404(self, client, path, ref):
        response = client.get(f"/{path}/{ref}")

        assert response.status_code == 404
        assert set(response.json()) == {"error", "hint"}


class TestDocuments:
    def test_are_read_in_part(self, client):
        whole = client.get("/documents/01-light.txt").json()
        part = client.get("/documents/01-light.txt", params={"start": 4, "length": 5}).json()
        by_id = client.get(f"/documents/{whole['id']}").json()

        assert part["text"] == whole["text"][4:9] == "Brook"
        assert (part["start_char"], part["n_chars"]) == (4, len(whole["text"]))
        assert by_id == whole

    @pytest.mark.parametrize("path", ["nothing.txt", "..%2F..%2Fetc%2Fpasswd", "a/b/c"])
    def test_unknown_is_404(self, client, path):
        assert client.get(f"/documents/{path}").status_code == 404


class TestTheVersion:
    def test_has_a_status(self, client):
        found = client.get("/status").json()

        assert (found["status"], found["index_version"]) == ("complete", 1)
        assert found["counts"]["documents"] == 6
        assert found["unfinished"] == []

    def test_has_changes(self, client):
        found = client.get("/changes", params={"limit": 3}).json()

        assert (found["since"], found["until"], len(found["items"])) == (0, 1, 3)
        assert {one["change"] for one in found["items"]} == {"added"}
        assert found["total"] > 3

    def test_is_healthy(self, client):
        assert client.get("/health").json() == {"status": "ok", "index_version": 1}

    def test_that_isn_t_there_is_503_with_the_way_out(self, project):
        from starlette.testclient import TestClient

        from graphrag_assets.serve.app import build_app

        app = build_app(project, token="", with_sql=False)
        with TestClient(app, base_url="http://127.0.0.1") as client:
            assert client.get("/health").json() == {"status": "no_index", "index_version": None}
            for response in (client.get("/status"), client.post("/ask", json={"question": "x"})):
                assert response.status_code == 503
                assert "graphrag-assets index" in response.json()["hint"]
            assert client.post("/sql", json={"query": "select 1"}).status_code == 404


class TestSql:
    def test_gives_rows_of_any_type(self, client):
        query = """SELECT 1 AS n, 'x' AS s, NULL AS nothing, 'nan'::DOUBLE AS nan, [1, 2] AS many,
            {'a': DATE '2031-01-02'} AS struct, 1.5::DECIMAL AS d"""
        found = client.post("/sql", json={"query": query}).json()

        assert found["columns"][:3] == ["n", "s", "nothing"]
        assert found["rows"][0][:6] == [1, "x", None, None, [1, 2], {"a": "2031-01-02"}]

    def test_gives_the_first_rows(self, client):
        query = {"query": "FROM range(100)", "limit": 5}

        assert client.post("/sql", json=query).json()["rows"] == [[0], [1], [2], [3], [4]]

    @pytest.mark.parametrize(
        "query",
        [
            "DELETE FROM entities",
            "FROM read_text('/etc/passwd')",
            "COPY entities TO '/tmp/x.csv'",
            "ATTACH '/tmp/x.duckdb'",
            "SET enable_external_access = true",
            "selec",
        ],
    )
    def test_reads_only(self, client, query):
        response = client.post("/sql", json={"query": query})

        assert response.status_code == 422
        assert "refused" in response.json()["error"]
