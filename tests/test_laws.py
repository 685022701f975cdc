"""The laws of an index whose corpus changes, for edit scripts that nobody chose.

`pytest tests/test_laws.py --hypothesis-profile=thorough` tries many more.
"""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings

from edits import (
    READING,
    bring,
    edited,
    everything_said,
    quality,
    same_tables,
    scripted,
    scripts,
)
from pipeline import index_once
from small_corpus import CORPUS, NAMES

settings.register_profile("thorough", max_examples=1000)
EXAMPLES = settings().max_examples // 50  # 2 by default


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(scripts)
def test_an_index_is_that_of_its_corpus_whatever_happened_to_it(script):
    with tempfile.TemporaryDirectory() as folder, scripted() as asked:
        root, corpus = Path(folder) / "changing", CORPUS
        bring(root, corpus)
        for edits in script:
            corpus = edited(corpus, edits)
            project = bring(root, corpus)
            _nothing_is_said_of_what_is_gone(project, corpus)
        _a_second_run_does_nothing(project, asked)
        _what_was_read_before_costs_nothing(root, asked)
        project = bring(root, corpus)

        scratch = bring(Path(folder) / "scratch", corpus)
        assert same_tables(project, scratch) == []
        assert quality(project) >= 0.99 * quality(scratch) - 1e-9


def _nothing_is_said_of_what_is_gone(project, corpus):
    told, text = everything_said(project), "\n".join(corpus.values())

    assert [name for name in NAMES if name in told] == [name for name in NAMES if name in text]


def _a_second_run_does_nothing(project, asked):
    before = len(asked)
    again = index_once(project)
    made = {key.path[-1] for key in again["recomputed"]}

    assert len(asked) == before
    assert made <= {"files", "documents"}
    assert not again["published"]


def _what_was_read_before_costs_nothing(root, asked):
    before = len(asked)
    bring(root, CORPUS)

    assert [ask.prompt for ask in asked[before:] if ask.prompt in READING] == []
