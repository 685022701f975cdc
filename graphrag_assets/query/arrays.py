"""Arrays that are made of a version once; large ones lie beside its file and are mapped from there.

A process that asks one question of a million text units then reads what it needs, not gigabytes.
"""

import mmap
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

Arrays = Mapping[str, np.ndarray]
LARGE = 64_000_000  # bytes


def kept(folder: Path | None, name: str, make: Callable[[], Arrays]) -> Arrays:
    """Return what `make` makes; large arrays are kept in folder/name for whoever asks next.

    Without a folder, or where it can't be written, they stay in memory.
    """
    place = folder / name if folder else None
    if place and (found := _mapped(place)):
        return found
    made = make()
    if place is None or sum(array.nbytes for array in made.values()) < LARGE:
        return made
    try:
        _write(place, made)
    except OSError:  # a folder that can't be written, a full disk
        return made
    return _mapped(place) or made


def forgotten(array: np.ndarray) -> None:
    """Let go of what was read of a mapped array: it stays in the system's memory, not in ours."""
    mapped = array.base
    if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
        mapped.madvise(mmap.MADV_DONTNEED)


def places_of(ids: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where wanted ids stand among ids in ascending order, and which of them do.

    Both as long as `wanted`; the place of one that stands nowhere means nothing.
    """
    places = np.searchsorted(ids, wanted)
    known = places < len(ids)
    known[known] = ids[places[known]] == wanted[known]
    return places, known


def smallest(values: np.ndarray, k: int) -> np.ndarray:
    """Return the places of the k smallest values, in no order."""
    if k >= len(values):
        return np.arange(len(values))
    return np.argpartition(values, k)[:k]


def _mapped(place: Path) -> Arrays:
    """Map the arrays of a place; none if there are none, or if their version has just gone."""
    try:
        return {path.stem: np.load(path, mmap_mode="r") for path in place.glob("*.npy")}
    except FileNotFoundError:
        return {}


def _write(place: Path, arrays: Arrays) -> None:
    partial = place.with_name(f"{place.name}.{os.getpid()}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    try:
        for name, array in arrays.items():
            np.save(partial / f"{name}.npy", array)
        if not place.exists():
            partial.rename(place)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
