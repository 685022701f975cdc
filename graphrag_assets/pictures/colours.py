"""The colour of a community: its direction on the map.

Hue is the angle of the community's middle around the middle of the map, so that it stays when
the map does, neighbours are alike, and a part of a community looks like the whole. Neighbours
by angle take turns in three tones.
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
TONES = 3
LIGHTNESS = np.array([0.74, 0.82, 0.67])  # OKLCH, on dark ground
CHROMA = 0.145
DARKEST = 0.0031308  # below, sRGB is linear


def hues(centres: Floats) -> Floats:
    """Return the hue of each centre (n, 2), in degrees (n,)."""
    if not len(centres):
        return np.zeros(0)
    away = centres - np.median(centres, axis=0)
    return np.degrees(np.arctan2(away[:, 1], away[:, 0])) % 360


def tones(hue: Floats) -> npt.NDArray[np.uint8]:
    """Return which of three tones (n,) each hue (n,) takes: neighbours differ."""
    order = np.argsort(hue, kind="stable")
    found = np.empty(len(hue), dtype=np.uint8)
    found[order] = np.arange(len(hue)) % TONES
    return found


def on_dark(hue: Floats, tone: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return sRGB colours (n, 3) that stand out on a dark ground."""
    return _srgb(LIGHTNESS[tone], np.full(len(hue), CHROMA), np.radians(hue))


def _srgb(lightness: Floats, chroma: Floats, angle: Floats) -> npt.NDArray[np.uint8]:
    """OKLCH to sRGB (Ottosson 2020), each (n,) to (n, 3)."""
    a, b = chroma * np.cos(angle), chroma * np.sin(angle)
    lms = np.stack(
        [
            lightness + 0.3963377774 * a + 0.2158037573 * b,
            lightness - 0.1055613458 * a - 0.0638541728 * b,
            lightness - 0.0894841775 * a - 1.2914855480 * b,
        ]
    )
    to_linear = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.7076147010],
        ]
    )
    linear = np.clip((to_linear @ lms**3).T, 0, 1)
    gamma = np.where(linear > DARKEST, 1.055 * linear ** (1 / 2.4) - 0.055, 12.92 * linear)
    return np.asarray(np.rint(gamma * 255), np.uint8)
