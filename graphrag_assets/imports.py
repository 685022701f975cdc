"""Imports without the garbage collector."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def imports() -> Iterator[None]:
    """Import without looking for garbage: there is none, and looking takes a fifth of the time.

    What was imported stays, so that later looks need not go through it either.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
