"""Bars: one for each count, short enough to be shown in place, labels as text."""

import re
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.pictures.charts import IN_PLACE, TALLEST, bar_chart

SVG = "{http://www.w3.org/2000/svg}"


def counts(*rows):
    return pl.DataFrame(rows, schema={"panel": str, "label": str, "n": int}, orient="row")


def bars(svg):
    path = next(ET.fromstring(svg).iter(f"{SVG}path")).get("d")
    return [int(high) for high in re.findall(r"v-(\d+)", path)]


def said(svg):
    return [node.text for node in ET.fromstring(svg).iter(f"{SVG}text")]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=30).filter(any))
def test_every_count_is_a_bar_in_proportion(numbers):
    drawn = bars(bar_chart(counts(*(("", str(i), n) for i, n in enumerate(numbers)))))
    wanted = [TALLEST * n / max(numbers) for n in numbers if n]

    assert drawn == pytest.approx(wanted, abs=1)


@given(st.integers(1, 24), st.integers(1, 10**6))
def test_a_chart_of_usual_size_is_shown_in_place(n, most):
    assert len(bar_chart(counts(*(("", str(1000 + i), most) for i in range(n))))) <= IN_PLACE


def test_four_levels_are_shown_in_place():
    rows = [(f"C{level}", f"{2**i}–{2 ** (i + 1) - 1}", 5) for level in range(4) for i in range(5)]

    assert len(bar_chart(counts(*rows)).encode()) <= IN_PLACE


def test_a_chart_too_large_for_that_has_all_its_labels():
    svg = bar_chart(counts(*((f"C{level}", str(i), 7) for level in range(9) for i in range(9))))

    assert len(svg) > IN_PLACE
    assert said(svg).count("7") == 81 + 9  # each number, and each seventh label


def test_a_panel_has_its_own_scale():
    assert bars(bar_chart(counts(("C0", "1", 2), ("C1", "1", 200)))) == [TALLEST, TALLEST]


def test_labels_are_text():
    assert said(bar_chart(counts(("", "<script> & co", 1)))) == ["<script> & co", "1"]
