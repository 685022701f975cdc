"""Which table has which picture, and when it is drawn."""

import pytest

from graphrag_assets.pictures import of_tables
from graphrag_assets.pictures.of_tables import CHARTS, as_markdown, kept_picture, picture_of
from graphrag_assets.tables import TABLES
from published_map import island
from table_rows import put


@pytest.fixture
def connection(store):
    with store.transaction() as opened:
        put(opened, **island())
        put(opened, text_units=[{"id": str(i), "n_tokens": n} for i, n in enumerate([0, 10, 99])])
        yield opened


def test_charts_are_of_tables():
    assert TABLES.keys() >= CHARTS


@pytest.mark.parametrize("table", [*sorted(CHARTS), "layout"])
def test_an_empty_table_has_no_picture(store, table):
    with store.connect(read_only=True) as opened:
        assert picture_of(opened, table) is None


def test_every_row_is_in_a_bar(connection):
    for table in ("text_units", "entities", "relationships", "communities", "community_reports"):
        rows = connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]

        assert of_tables._rows(connection, table)["n"].sum() == rows


def test_degrees_are_counted_in_steps_that_double(connection):
    counts = of_tables._rows(connection, "entities").select("label", "n").rows()

    assert counts == [("1", 1), ("2–3", 2), ("4–7", 3)]


def test_the_map_names_communities_by_report_or_else_by_entities(connection):
    put(connection, layout=[
        {"kind": "entity", "id": row["id"], "x": float(i), "community_id": home}
        for i, (row, home) in enumerate(
            zip(island()["layout"][:5], [m["community_id"] for m in island()["community_members"]],
                strict=False))
    ])  # fmt: skip

    titles = of_tables._rows(connection, "map_labels", most=9)["title"].to_list()

    assert titles == ["The north", "Thing 4, Thing 5"]
    assert "The north" in picture_of(connection, "layout")


def test_a_picture_is_drawn_again_only_when_its_table_is_new(connection, tmp_path):
    first = kept_picture(connection, "entities", tmp_path, fresh=True)
    put(connection, entities=[{"id": "a", "title": "One"}])

    assert kept_picture(connection, "entities", tmp_path, fresh=False) == first
    assert kept_picture(connection, "entities", tmp_path, fresh=True) != first


def test_the_picture_of_what_is_gone_goes(connection, tmp_path):
    folder = tmp_path / "pictures"
    kept_picture(connection, "entities", folder, fresh=True)
    put(connection, entities=[])

    assert kept_picture(connection, "entities", folder, fresh=True) is None
    assert list(folder.iterdir()) == []


def test_markdown_carries_the_whole_picture():
    image = "data:image/svg+xml;base64,PHN2Zy8+"

    assert as_markdown("files", "<svg/>") == f"![Files by state]({image})"
