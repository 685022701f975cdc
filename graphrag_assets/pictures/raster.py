"""Points and lines -> pixels, by adding up: lines and glow add light, discs cover it.

Colours lie one behind the other, (3, height, width), until all is drawn.
"""

import io
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]
Rows = npt.NDArray[np.int64]

GROUND = np.array([13.0, 17.0, 23.0], np.float32)
STEPS_AT_ONCE = 500_000
COARSE = 4  # the glow is made on a ground so many times smaller
SOFTNESS = 4.0  # of its edge, in coarse pixels


def picture(
    *, size: tuple[int, int], xy: Floats, radii: Floats, colours: Floats, lines: Rows, shine: Floats
) -> Floats:
    """Return pixels (height, width, 3) from 0 to 255.

    xy (n, 2) and radii (n,) in pixels, colours (n, 3); lines (m, 2) are rows of points, shine (m,)
    says how bright each is, in the colour of its first end.
    """
    light = _lines(size, xy, colours, lines, shine)
    light += _glow(size, xy, radii, colours)
    light += GROUND[:, None, None]
    colour, cover = _discs(size, xy, radii, colours)
    light *= 1 - cover
    light += colour
    return np.clip(light, 0, 255, out=light).transpose(1, 2, 0)


def webp(pixels: Floats) -> bytes:
    """Return pixels as WebP: a fifth of the bytes of a PNG with a palette."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(np.rint(pixels).astype(np.uint8)).save(file, "WEBP", quality=84, method=3)
    return file.getvalue()


def _lines(
    size: tuple[int, int], xy: Floats, colours: Floats, lines: Rows, shine: Floats
) -> Floats:
    """Walk along each line in steps of about a pixel and leave some light at each."""
    start, stop = xy[lines[:, 0]], xy[lines[:, 1]]
    ink = colours[lines[:, 0]] * shine[:, None]
    steps = np.ceil(np.abs(stop - start).max(axis=1, initial=0)).astype(np.int64) + 1
    stride = (stop - start) / np.maximum(steps - 1, 1)[:, None]
    light = np.zeros((3, size[1], size[0]), np.float32)
    for part in np.array_split(np.arange(len(lines)), steps.sum() // STEPS_AT_ONCE + 1):
        many = steps[part]
        along = (np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)).astype(np.float32)
        places = [
            np.repeat(first, many) + np.repeat(each, many) * along
            for first, each in zip(_columns(start[part]), _columns(stride[part]), strict=True)
        ]
        inks = (np.repeat(colour, many) for colour in _columns(ink[part]))
        light += _added(size, np.stack(places, axis=1), inks)
    return _tamed(light, 90)


def _glow(size: tuple[int, int], xy: Floats, radii: Floats, colours: Floats) -> Floats:
    width, height = size
    small = (width // COARSE, height // COARSE)
    light = _added(small, xy / COARSE, colours.T * radii**2)
    soft = _spread(height, small[1]) @ light @ _spread(width, small[0]).T  # colour by colour
    return _tamed(0.28 * soft, 60)


def _spread(fine: int, coarse: int) -> Floats:
    """Return how much of each coarse cell's light comes to each fine pixel of a line: (f, c)."""
    apart = (np.arange(fine)[:, None] + 0.5) * coarse / fine - 0.5 - np.arange(coarse)
    bell = np.exp(-0.5 * (apart / SOFTNESS) ** 2)
    return np.asarray(bell / bell.sum(axis=1, keepdims=True), np.float32)


def _tamed(light: Floats, most: float) -> Floats:
    """Bend light so that crowds don't burn out."""
    light /= light + most
    light *= most
    return light


def _discs(
    size: tuple[int, int], xy: Floats, radii: Floats, colours: Floats
) -> tuple[Floats, Floats]:
    """Return what the discs add (3, height, width) and how much they cover (height, width)."""
    whole = np.rint(radii)
    places, inks = [np.zeros((0, 2))], [np.zeros((0, 4))]
    for radius in np.unique(whole):
        mine = whole == radius
        reach = int(radius) + 1
        across, down = np.mgrid[-reach : reach + 1, -reach : reach + 1].reshape(2, -1)
        edge = np.clip(radius + 0.5 - np.hypot(across, down), 0, 1)
        stamp = np.stack([across, down], axis=1)[edge > 0]
        edge = edge[edge > 0]
        places.append((xy[mine][:, None] + stamp).reshape(-1, 2))
        ink = np.c_[np.repeat(colours[mine], len(edge), axis=0), np.ones(len(places[-1]))]
        inks.append(ink * np.tile(edge, mine.sum())[:, None])
    total = _added(size, np.concatenate(places), np.concatenate(inks).T)
    colour, covered = total[:3], total[3]
    cover = np.minimum(covered, 1) * 0.9
    colour *= cover / np.maximum(covered, 1e-9)
    return colour, cover


def _added(size: tuple[int, int], places: Floats, amounts: Iterable[Floats]) -> Floats:
    """Add c amounts (n,) to the pixels at places (n, 2): float32 (c, height, width)."""
    width, height = size
    x, y = np.rint(places.T).astype(np.int64)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    pixels = y[inside] * width + x[inside]
    light = (np.bincount(pixels, amount[inside], width * height) for amount in amounts)
    return np.stack([one.astype(np.float32) for one in light]).reshape(-1, height, width)


def _columns(rows: Floats) -> Iterable[Floats]:
    """Return columns, each in one piece: float32."""
    return np.ascontiguousarray(rows.T, np.float32)
