"""The methods of answering by name: how each ranks text units, and how each answers."""

from collections.abc import Callable, Coroutine
from typing import Final as Constant
from typing import NamedTuple

from graphrag_assets.query import (
    basic_search,
    drift_search,
    global_search,
    lazy_search,
    local_search,
    source_search,
)
from graphrag_assets.query.answer import Draft, Final
from graphrag_assets.query.engine import Engine
from graphrag_assets.query.graph import Ranked
from graphrag_assets.query.question import Question


class Method(NamedTuple):
    """A way to answer: all but the last call, and what it would read."""

    answer: Callable[[Engine, Question], Coroutine[None, None, Draft | Final]]
    rank: Callable[[Engine, str, int], Coroutine[None, None, Ranked]]


METHODS: Constant[dict[str, Method]] = {
    "global": Method(global_search.answer, global_search.rank),
    "local": Method(local_search.answer, local_search.rank),
    "drift": Method(drift_search.answer, local_search.rank),
    "basic": Method(basic_search.answer, basic_search.rank),
    "source": Method(source_search.answer, basic_search.rank),
    "lazy": Method(lazy_search.answer, basic_search.rank),
}
AUTO: Constant = "auto"
NAMES: Constant = (AUTO, *METHODS)
