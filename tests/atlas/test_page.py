"""The page: what its blocks hold, what bounds them, and that text stays text."""

import base64
import hashlib
import re

import polars as pl
import pytest

from graphrag_assets.atlas import map_page, texts
from graphrag_assets.atlas.points import read_points
from graphrag_assets.atlas.texts import read_texts
from published_map import EVIL, arrays, block, island, publish, ref


@pytest.fixture
def page(store):
    return map_page(publish(store, **island()), kind="entity", title="Island")


@pytest.fixture
def evil(store):
    return map_page(publish(store, **island(EVIL)), kind="entity", title=EVIL).html


def test_a_page_has_every_place_and_title(page):
    found = arrays(page.html)

    assert found["x"].tolist() == [0, 1, 2, 3, 0]
    assert found["y"].tolist() == [0, 0, 0, 0, 5]
    assert block(page.html, "names")["titles"] == [f"Thing {i}" for i in range(5)]
    assert (page.points, page.unplaced, page.communities) == (5, 1, 3)


def test_a_thing_leads_to_its_passages(page):
    found, passages = arrays(page.html), block(page.html, "passages")
    first = found["places"][: found["place_ends"][0]]

    assert found["total"].tolist() == [2, 1, 1, 1, 1]
    assert [passages["text"][row] for row in first] == ["Passage 0.", "Passage 1."]
    assert [passages["page"][row] for row in first] == [1, 2]
    assert passages["path"][0] == "a.pdf"


def test_what_a_report_cites_leads_to_its_passages(page):
    cited, passages = block(page.html, "cited"), block(page.html, "passages")
    by_marker = dict(zip(cited["marker"], range(2), strict=True))
    relationship, claim = (
        by_marker["a" * 0 + "R" + ref("r", 0)[:8]],
        by_marker["C" + ref("c", 0)[:8]],
    )

    assert cited["title"][relationship] == "Thing 0 — Thing 1"
    assert cited["quote"][claim] == "said"
    assert [passages["text"][row] for row in cited["places"][claim]] == ["Passage 2."]


def test_a_report_is_found_by_its_community(page):
    reports = block(page.html, "reports")
    names = block(page.html, "names")["communities"]

    assert [names[row] for row in reports["row"]] == ["The north"]
    assert reports["findings"][0][0]["summary"] == "Found"


@pytest.mark.parametrize(
    ("bound", "what"), [("REPORT_CHARS", "reports"), ("PASSAGE_CHARS", "passages")]
)
def test_texts_that_find_no_room_are_counted(store, monkeypatch, bound, what):
    reader = publish(store, **island())
    monkeypatch.setattr(texts, bound, 15)
    found = read_texts(reader, read_points(reader, "entity"))

    assert found.left_out[what] == {"reports": 1, "passages": 2}[what]
    assert found.passages["text"].str.len_chars().sum() <= texts.PASSAGE_CHARS


def test_long_descriptions_share_their_room(monkeypatch):
    monkeypatch.setattr(texts, "ABOUT_CHARS", 1000)
    cut = texts._cut(pl.Series(["a" * 500, "short"] * 5))

    assert cut.str.len_chars().to_list() == [100, 5] * 5
    assert cut[0].endswith("…")


def test_text_from_documents_is_in_the_page_only_inside_blocks(evil):
    outside = re.sub(r'id="block-\w+">[A-Za-z0-9+/=]*</script>', "", evil)

    assert "<img" not in outside
    assert "hacked" in outside  # the page's title, escaped
    assert outside.count("&lt;/script&gt;&lt;img") == outside.count("hacked")
    assert EVIL in block(evil, "names")["titles"][0]


def test_nothing_runs_but_the_script_that_the_policy_names(page):
    policy = re.search(r'Security-Policy" content="([^"]*)"', page.html)[1]
    script = re.search(r"<script>(.*)</script>", page.html, re.DOTALL)[1]
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

    assert f"script-src &#x27;sha256-{hashed}&#x27;" in policy
    assert "default-src &#x27;none&#x27;" in policy
    assert "unsafe" not in policy


def test_a_page_names_no_address(page):
    assert re.findall(r"(?:https?:)?//[a-z]+\.", page.html) == []
    assert not re.search(r'(?:src|href)="(?!#)', page.html)


def test_the_same_index_gives_the_same_page(store):
    reader = publish(store, **island())
    pages = {map_page(reader, kind="entity", title="Island").html for _ in range(2)}

    assert len(pages) == 1


def test_a_page_of_documents_shows_how_they_begin(store):
    page = map_page(publish(store, **island()), kind="document", title="Island")

    assert block(page.html, "about")["points"] == ["x" * 50]
    assert arrays(page.html)["total"].tolist() == [3]
