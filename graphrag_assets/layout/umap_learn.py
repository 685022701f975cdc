"""umap-learn, for a process of its own: it imports and compiles for seconds."""

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from graphrag_assets.imports import imports

Indices: TypeAlias = npt.NDArray[np.int32]
Points: TypeAlias = npt.NDArray[np.float32]

EPOCHS, EPOCHS_OF_LARGE, LARGE = 500, 200, 10_000  # as umap-learn has it
FURTHEST, STEPS = 3.0, 300  # where the curve of nearness is fitted
UNUSED = {  # by the optimiser: what the modules that it stands in import for the rest of umap
    "umap.distances": ("euclidean",),
    "sklearn": (),
    "sklearn.utils": (),
    "sklearn.utils.validation": ("check_is_fitted",),
}


@dataclass(frozen=True, eq=False)
class Problem:
    """What UMAP optimises: n places, and how near the ends of m edges want to be."""

    start: Points  # (n, 2)
    head: Indices  # (m,)
    tail: Indices  # (m,)
    weight: Points  # (m,) in (0, 1]


class Compiled(Protocol):
    """A function that numba compiles when it is called."""

    def enable_caching(self) -> None:
        """Keep the machine code in files, or raise RuntimeError."""


def optimised(problems: Sequence[Problem], *, min_distance: float, seed: int) -> list[Points]:
    """Return the places (n, 2) that UMAP finds for each problem, deterministic under the seed."""
    layouts = _layouts()
    for function in (layouts.clip, layouts._nb_optimize_layout_euclidean_single_epoch):  # noqa: SLF001
        keep_compiled(function)
    curve = nearness(min_distance)
    return [_optimised(layouts.optimize_layout_euclidean, p, curve, seed) for p in problems]


def _optimised(
    optimise: Callable[..., Points], problem: Problem, curve: tuple[float, float], seed: int
) -> Points:
    epochs = EPOCHS if len(problem.start) <= LARGE else EPOCHS_OF_LARGE
    strong = problem.weight >= problem.weight.max() / epochs
    weight = problem.weight[strong]
    places = problem.start.copy()
    return optimise(
        places,
        places,
        problem.head[strong],
        problem.tail[strong],
        epochs,
        len(places),
        epochs / np.float64(epochs * (weight / weight.max())),  # how many apart an edge pulls
        *curve,
        np.random.RandomState(seed).randint(-(2**31) + 1, 2**31 - 1, 3).astype(np.int64),
        move_other=True,
    )


def nearness(min_distance: float) -> tuple[float, float]:
    """Return a and b such that 1 / (1 + a d^2b) is 1 up to the minimum distance, then fades."""
    from scipy.optimize import curve_fit

    distance = np.linspace(0, FURTHEST, STEPS)
    wanted = np.where(distance < min_distance, 1.0, np.exp(min_distance - distance))
    (a, b), _ = curve_fit(lambda d, a, b: 1 / (1 + a * d ** (2 * b)), distance, wanted)
    return float(a), float(b)


def approximate_neighbours(unique: Points, k: int, *, seed: int) -> tuple[Indices, Points]:
    """Return the k nearest of each vector (u, d) by NN-descent, itself first: (u, k) each."""
    from umap.umap_ import nearest_neighbors

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a seed means one thread
        random = np.random.RandomState(seed)
        index, distance, _ = nearest_neighbors(unique, k, "euclidean", {}, False, random)  # noqa: FBT003
    return index, distance


def _layouts() -> ModuleType:
    """Return umap.layouts, imported without what the optimiser doesn't use, where that works.

    scikit-learn and umap's distances take .8 of 1.3 CPU seconds, and 60 MB.
    """
    _without_init()
    with imports(), suppress(ImportError, AttributeError), _stand_ins(UNUSED):
        return import_module("umap.layouts")
    return import_module("umap.layouts")


@contextmanager
def _stand_ins(modules: Mapping[str, Sequence[str]]) -> Iterator[None]:
    """Put empty modules with some names in place of others for the time of an import."""
    real = {name: sys.modules[name] for name in modules if name in sys.modules}
    for name, members in modules.items():
        sys.modules[name] = ModuleType(name)
        vars(sys.modules[name]).update(dict.fromkeys(members))
    try:
        yield
    finally:
        for name in modules:
            del sys.modules[name]
        sys.modules.update(real)


def _without_init() -> None:
    """Let parts of umap be imported without its `__init__`.

    That imports pynndescent, which compiles for 13 CPU seconds the first time and takes 120 MB,
    for approximate neighbours. A small map doesn't need any.
    """
    found = None if "umap" in sys.modules else find_spec("umap")
    if found:
        sys.modules["umap"] = module_from_spec(found)


def keep_compiled(function: Compiled) -> None:
    """Let numba keep a function's machine code beside its source or in the user's cache folder.

    The second process loads it. Where neither folder can be written, it compiles again.
    """
    with suppress(RuntimeError):  # numba: no locator available
        function.enable_caching()
