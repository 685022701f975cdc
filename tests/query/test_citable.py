"""query/citable.py: reports whose elements share their first digits cite by longer short ids."""

from types import SimpleNamespace

from graphrag_assets.context import Item, Markers
from graphrag_assets.query.citable import citable

ONE, OTHER = "12ab34cd" + "1" * 24, "12ab34cd" + "2" * 24
LONG = "E12ab34cd22222222"


def engine(*rows):
    """Return an engine whose reports rest on these elements."""
    reader = SimpleNamespace(look_up=lambda *_: rows)
    return SimpleNamespace(markers=Markers(), reader=reader, encoding="o200k_base")


def report(number: int, text: str) -> Item:
    return Item("report", f"{number:032x}", text, 9)


def test_each_report_cites_its_own_element():
    a, b = report(1, "A\nIt burned [E12ab34cd]."), report(2, "B\nIt sank [E12ab34cd].")
    found, known = citable(engine((a.id, "entity", ONE), (b.id, "entity", OTHER)), [a, b])

    assert [one.text for one in found] == [a.text, f"B\nIt sank [{LONG}]."]
    assert known["E12ab34cd"] == ("entity", ONE, "")
    assert known[LONG] == ("entity", OTHER, "")


def test_a_longer_short_id_is_read_back():
    a = report(1, f"A\nIt burned [E12ab34cd]. It sank [{LONG}].")
    found, known = citable(engine((a.id, "entity", ONE), (a.id, "entity", OTHER)), [a])

    assert found == [a]
    assert (known["E12ab34cd"][1], known[LONG][1]) == (ONE, OTHER)


def test_what_a_report_does_not_rest_on_is_not_known():
    a = report(1, "A\nIt burned [E12ab34cd, E00000000].")
    _, known = citable(engine((a.id, "entity", ONE)), [a])

    assert set(known) == {a.marker, "E12ab34cd"}
