"""The texts of the page, within bounds: reports, what they cite, and the passages behind.

A page of a large index would grow with its corpus, so each sort of text has a share. Reports go
in from the coarsest level, the largest communities first; passages in the order in which readers
meet them: those that reports cite, then those of the best connected things. What stays out is
counted, and the page says so.
"""

from dataclasses import dataclass

import polars as pl

from graphrag_assets.atlas.points import Points
from graphrag_assets.query.reader import Reader

REPORT_CHARS = 8_000_000
PASSAGE_CHARS = 8_000_000
ABOUT_CHARS = 8_000_000  # descriptions of points, and as much again of lines
LONGEST_ABOUT, SHORTEST_ABOUT = 1_200, 80
PLACES = 4  # passages shown of one thing


@dataclass(frozen=True, eq=False)
class Texts:
    """Everything that is read on the page."""

    reports: pl.DataFrame  # row (of the community), summary, findings, rating, …
    cited: pl.DataFrame  # marker, title, about, quote, total, places (rows of passages)
    about: pl.Series  # description of each point
    line_about: pl.Series  # description of each line
    places: pl.DataFrame  # of each point: total, places (rows of passages)
    passages: pl.DataFrame  # path, title, page, start_char, end_char, text
    left_out: dict[str, int]  # reports and passages that found no room


def read_texts(reader: Reader, points: Points) -> Texts:
    """Return the texts that fit."""
    written = points.communities.drop_nulls("summary").filter(pl.col("summary") != "")
    length = (
        pl.col("summary").str.len_chars()
        + pl.col("findings")
        .list.eval(
            pl.element().struct.field("summary").str.len_chars()
            + pl.element().struct.field("explanation").str.len_chars()
        )
        .list.sum()
    )
    reports = written.filter(length.cum_sum() <= REPORT_CHARS)
    cited = reader.ask("map/cited", ids=reports["id"].to_list())
    of_cited = reader.ask("map/places_of_cited", ids=cited["id"].to_list(), most=PLACES)
    of_points = reader.ask(
        "map/places_of_entities" if points.kind == "entity" else "map/places_of_documents",
        most=PLACES,
    )
    mine = points.frame.select(ref_id="id").join(of_points, on="ref_id", maintain_order="left")
    wanted = pl.concat([of_cited, mine]).unique("text_unit_id", keep="first", maintain_order=True)
    passages = _passages(reader, wanted["text_unit_id"])
    return Texts(
        reports=reports,
        cited=cited.join(_rows_of(of_cited, passages), on="id", how="left", maintain_order="left"),
        about=_cut(points.frame["about"]),
        line_about=_cut(points.lines["about"]),
        places=points.frame.select("id").join(
            _rows_of(of_points, passages), on="id", how="left", maintain_order="left"
        ),
        passages=passages,
        left_out={
            "reports": written.height - reports.height,
            "passages": wanted.height - passages.height,
        },
    )


def _passages(reader: Reader, wanted: pl.Series) -> pl.DataFrame:
    """Return text units in the order wanted, as many as there is room for, each with its row."""
    room = reader.rows(
        "SELECT id AS text_unit_id, length(text) AS chars FROM text_units ORDER BY id"
    )
    kept = (
        wanted.to_frame()
        .join(room, on="text_unit_id", maintain_order="left")
        .filter(pl.col("chars").cum_sum() <= PASSAGE_CHARS)
    )
    texts = reader.ask("map/passages", ids=kept["text_unit_id"].to_list())
    return (
        kept.select(id="text_unit_id")
        .join(texts, on="id", maintain_order="left")
        .with_row_index("row")
    )


def _rows_of(places: pl.DataFrame, passages: pl.DataFrame) -> pl.DataFrame:
    """Return for each thing how many passages it has, and the rows of those on the page."""
    rows = passages.select(text_unit_id="id", row="row")
    return (
        places.join(rows, on="text_unit_id", how="left", maintain_order="left")
        .group_by("ref_id", maintain_order=True)
        .agg(pl.col("total").first(), places=pl.col("row").drop_nulls())
        .rename({"ref_id": "id"})
    )


def _cut(texts: pl.Series) -> pl.Series:
    """Cut texts so that together they keep their share."""
    most = min(LONGEST_ABOUT, max(SHORTEST_ABOUT, ABOUT_CHARS // max(len(texts), 1)))
    short = pl.when(pl.col("t").str.len_chars() > most).then(
        pl.col("t").str.slice(0, most - 1) + "…"
    )
    return texts.alias("t").to_frame().select(short.otherwise(pl.col("t"))).to_series()
