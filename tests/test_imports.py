"""imports.py: nothing looks for garbage while modules are imported."""

import gc

import pytest

from graphrag_assets.imports import imports


def test_the_collector_rests_during_imports_and_works_again_afterwards():
    with imports():
        during = gc.isenabled()
    gc.unfreeze()

    assert (during, gc.isenabled()) == (False, True)


def test_the_collector_works_again_after_an_import_that_failed():
    with pytest.raises(ImportError), imports():
        raise ImportError
    gc.unfreeze()

    assert gc.isenabled()
