"""The page in a real browser: headless Chromium, asked what it shows."""

import html
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from graphrag_assets.atlas import map_page
from graphrag_assets.store import Store
from published_map import EVIL, island, publish, ref

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
ELSEWHERE = "level=1&theme=dark&search=ing%203"
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium on the path")


@pytest.fixture(scope="module")
def look(tmp_path_factory, _empty_database):
    """Return what the browser's document looks like after the page has opened at an address."""
    folder = tmp_path_factory.mktemp("pages")

    @cache
    def page(evil: str, kind: str) -> str:
        store = Store(Path(tempfile.mkdtemp(dir=folder)), folder / "graphrag.duckdb")
        store.work.parent.mkdir()
        shutil.copyfile(_empty_database, store.work)
        path = store.folder / "map.html"
        made = map_page(publish(store, **island(evil)), kind=kind, title="Island")
        path.write_text(made.html, encoding="utf-8")
        return path.as_uri()

    @cache
    def opened(address: str = "", evil: str = "", kind: str = "entity") -> str:
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=1500",
             f"--user-data-dir={folder / 'profile'}", "--window-size=1280,800", "--dump-dom",
             f"{page(evil, kind)}#{address}"],
            capture_output=True, text=True, check=True, timeout=120,
        )  # fmt: skip
        return done.stdout

    return opened


def state(dom: str) -> dict[str, str]:
    body = re.search(r"<body([^>]*)>", dom)[1]
    return dict(re.findall(r'data-(\w+)="([^"]*)"', body))


def content(dom: str) -> str:
    """Return the text of the panel."""
    article = re.search(r"<article.*?</article>", dom, re.DOTALL)[0]
    return html.unescape(re.sub(r"<[^>]+>", " ", article))


def test_the_map_opens_and_names_its_communities(look):
    dom = look()

    assert state(dom)["ready"] == "true"
    assert state(dom)["points"] == "5"
    assert "The north: community of 4, open its report" in dom
    assert "1 entity of the index without a place on the map." in dom


def test_the_level_says_which_communities_are_named(look):
    dom = look(ELSEWHERE)

    assert state(dom)["level"] == "1"
    assert "Community b0000002: community of 2" in dom


def test_a_community_opens_its_report_with_sources(look):
    text = content(look(f"community={ref('k', 0)[:8]}"))

    assert "The north" in text
    assert "rated 7.5 of 10" in text
    assert "Found" in text
    assert "E0000" not in text  # citations are numbered buttons


def test_citations_say_what_they_lead_to(look):
    dom = look(f"community={ref('k', 0)[:8]}")

    assert 'aria-label="Source 1, entity: Thing 0"' in dom
    assert 'aria-label="Source 2, relationship: Thing 0 — Thing 1"' in dom
    assert 'aria-label="Source 3, claim: rumour"' in dom


def test_an_entity_opens_with_relationships_and_passages(look):
    text = content(look("point=0"))

    assert "What thing 0 is." in text
    assert "They meet." in text
    assert "a.pdf" in text
    assert "page 2" in text
    assert "Passage 1." in text


def test_search_finds_by_any_part_of_a_name(look):
    dom = look(ELSEWHERE)

    assert re.findall(r'id="result-\d+"[^>]*>([^<]*)', dom) == ["Thing 3"]


def test_titles_are_text_whatever_they_say(look):
    for address in (f"community={ref('k', 0)[:8]}&search=thing", "point=0"):
        dom = look(address, evil=EVIL)

        assert state(dom)["ready"] == "true"
        assert "hacked" not in state(dom)
        assert "<img" not in dom


def test_the_theme_is_taken_from_the_address(look):
    assert state(look(ELSEWHERE))["theme"] == "dark"


def test_every_control_has_a_name(look):
    controls = re.findall(r"<(?:button|input)[^>]*>", look())

    assert len(controls) > 6
    assert [c for c in controls if 'aria-label="' not in c] == []


def test_documents_have_a_map_too(look):
    dom = look("point=0", kind="document")

    assert state(dom)["points"] == "1"
    assert "3 passages" in content(dom)
