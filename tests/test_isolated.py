"""isolated: work in a process of its own."""

import os
from functools import partial

import numpy as np
import pytest

from graphrag_assets.imports import imports
from graphrag_assets.isolated import isolated


def test_what_is_asked_is_returned():
    found = isolated(partial(np.add, np.arange(3), 1))

    assert found.tolist() == [1, 2, 3]


def test_it_is_another_process():
    assert isolated(os.getpid) != os.getpid()


def test_what_is_raised_there_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        isolated(partial(divmod, 1, 0))


def test_what_is_printed_is_no_answer():
    assert isolated(partial(print, "hello")) is None


def after_imports() -> str:
    """Import what holds on to standard output, so that nobody flushes it at the end."""
    with imports():
        import numba  # noqa: F401
    return "there"


def test_an_answer_arrives_after_imports(monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)

    assert isolated(after_imports) == "there"


def test_an_end_without_an_answer_is_told():
    with pytest.raises(RuntimeError, match="ended with 9"):
        isolated(partial(os._exit, 9))
