"""The still map: places become pixels, names text."""

import base64
import io
import re
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
from PIL import Image

from graphrag_assets.pictures.constellation import SIZE, draw_map
from graphrag_assets.pictures.raster import GROUND, picture

SVG = "{http://www.w3.org/2000/svg}"


def points(xy, communities=None):
    n = len(xy)
    return pl.DataFrame(
        {
            "id": [str(i) for i in range(n)],
            "x": [float(x) for x, _ in xy],
            "y": [float(y) for _, y in xy],
            "size": [1.0] * n,
            "community_id": communities or [None] * n,
        },
        schema_overrides={"community_id": pl.String},
    )


def labels(*rows):
    schema = {"community_id": str, "x": float, "y": float, "n": int, "title": str}
    return pl.DataFrame(rows, schema=schema, orient="row")


NO_LINES = pl.DataFrame(schema={"source_id": pl.String, "target_id": pl.String})


def pixels(svg):
    data = re.search(r"image/webp;base64,([^\"]+)", svg)[1]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")).astype(int)


def names(svg):
    texts = ET.fromstring(svg).iter(f"{SVG}text")
    return [" ".join(part.text for part in text) for text in texts]


def bright(image, left, top):
    return image[top - 3 : top + 4, left - 3 : left + 4].max() > 100


def test_points_stand_where_the_map_has_them_upside_up():
    image = pixels(draw_map(points([(0, 0), (0, 10), (10, 0)]), NO_LINES, labels()))
    middle, half = (SIZE[0] // 2, SIZE[1] // 2), SIZE[1] // 2 - 60

    assert bright(image, middle[0] - half, middle[1] + half)  # (0, 0): left, below
    assert bright(image, middle[0] - half, middle[1] - half)  # (0, 10): left, above
    assert bright(image, middle[0] + half, middle[1] + half)
    assert not bright(image, middle[0] + half, middle[1] - half)


def test_a_line_leaves_light_between_its_ends():
    two = points([(0, 0), (10, 0)], ["a", "a"])
    line = pl.DataFrame({"source_id": ["0"], "target_id": ["1"]})
    with_line, without = (pixels(draw_map(two, lines, labels())) for lines in (line, NO_LINES))
    middle = (SIZE[1] // 2, SIZE[0] // 2)

    assert with_line[middle].sum() > without[middle].sum()


@pytest.mark.parametrize("xy", [[(3, 4)], [(1, 1), (1, 1)], [(0, 0), (1e9, 1e-9)]])
def test_odd_maps_are_drawn_too(xy):
    assert pixels(draw_map(points(xy), NO_LINES, labels())).max() > 100


def test_names_are_text_in_any_script_and_none_covers_another():
    svg = draw_map(
        points([(0, 0), (10, 10)]),
        NO_LINES,
        labels(
            ("a", 0, 0, 9, "赤壁之戰 & <b>"), ("b", 0, 0, 5, "Covered"), ("c", 10, 10, 1, "Far")
        ),
    )

    assert names(svg) == ["赤壁之戰 & <b>", "Far"]


def test_a_picture_of_nothing_is_ground():
    nothing = picture(
        size=(8, 4), xy=np.zeros((0, 2)), radii=np.zeros(0), colours=np.zeros((0, 3)),
        lines=np.zeros((0, 2), dtype=np.int64), shine=np.zeros(0),
    )  # fmt: skip

    assert np.array_equal(nothing, np.broadcast_to(GROUND, (4, 8, 3)))


def test_what_lies_outside_is_left_out():
    seen = picture(
        size=(8, 8), xy=np.full((1, 2), 99.0), radii=np.ones(1), colours=np.full((1, 3), 255.0),
        lines=np.zeros((0, 2), dtype=np.int64), shine=np.zeros(0),
    )  # fmt: skip

    assert np.allclose(seen, GROUND)
