"""errors.py: each error says what is wrong, which one it is, and the way out."""

import pytest

from graphrag_assets import errors
from graphrag_assets.errors import (
    BudgetExceededError,
    BusyError,
    CorpusError,
    DeadlineError,
    GraphRAGError,
    ModelStoppedError,
    NoIndexError,
    PromptError,
    RunInProgressError,
    SettingsError,
    SqlError,
    TableError,
    UnpublishableError,
    UsageError,
    did_you_mean,
)

ALL = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, GraphRAGError)
]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (SettingsError("settings.toml", ["one", "two"]), "settings.toml: one; two"),
        (
            CorpusError("data/input", "is empty"),
            (
                "Corpus root `data/input` is empty. "
                "Put documents there, or set [corpus] root in settings.toml."
            ),
        ),
        (
            NoIndexError("data/graphrag.duckdb"),
            "No published index at `data/graphrag.duckdb`. Run `graphrag-assets index` first.",
        ),
        (
            BusyError(256),
            (
                "256 questions are waiting already. Ask again in a moment, "
                "or raise [serve] concurrency."
            ),
        ),
        (
            DeadlineError(300.0),
            (
                "No answer within 300 seconds. Ask again (what models said is remembered), "
                "ask at a coarser level, or raise [serve] deadline_seconds."
            ),
        ),
        (SqlError("syntax error"), "The statement was refused: syntax error"),
        (
            ModelStoppedError("openai/x", "", "401"),
            (
                "Model `openai/x` can't be used: 401. "
                "Check [models.*] in settings.toml and the key in the environment."
            ),
        ),
        (
            ModelStoppedError("openai/x", "http://localhost:1", "404"),
            (
                "Model `openai/x` at http://localhost:1 can't be used: 404. "
                "Check [models.*] in settings.toml and the key in the environment."
            ),
        ),
        (
            BudgetExceededError("openai/x", budget=2, spent=1.9, cost=0.2),
            (
                "The budget of $2.00 would be crossed: $1.9000 is spent and the next call of "
                "`openai/x` costs about $0.2000. What was answered is kept: raise --budget-usd or "
                "[run] budget_usd and run again."
            ),
        ),
        (
            PromptError("global_map", "must mention $context"),
            "Prompt `global_map` must mention $context.",
        ),
        (
            PromptError("global_map", "lacks `x`. Did you mean `y`?"),
            "Prompt `global_map` lacks `x`. Did you mean `y`?",
        ),
        (TableError("entities", "id twice"), "Table `entities`: id twice"),
        (
            UnpublishableError([("Ids exist.", ["a"]), ("Spans fit.", ["b", "c"])]),
            (
                "Nothing was published, the last version stays. "
                "not true: Ids exist. ['a']; not true: Spans fit. ['b', 'c']"
            ),
        ),
        (
            RunInProgressError("process 12"),
            "Another run is in progress (process 12). Wait for it, or stop it first.",
        ),
    ],
)
def test_an_error_names_its_culprits_and_the_way_out(error, message):
    assert str(error) == message
    assert isinstance(error, GraphRAGError)


@pytest.mark.parametrize("kind", ALL)
def test_the_callers_mistakes_end_with_2_a_spent_budget_with_3_all_others_with_1(kind):
    expected = 3 if kind is BudgetExceededError else 2 if issubclass(kind, UsageError) else 1

    assert kind.exit_code == expected


@pytest.mark.parametrize("kind", ALL)
def test_every_error_is_drawn_in_the_tree_under_its_base(kind):
    lines = (errors.__doc__ or "").splitlines()
    depth = {
        name: line.index(name)
        for line in lines
        for name in [line.strip(" │├└─").split(" ")[0]]
        if name.endswith("Error")
    }

    assert kind.__name__ in depth
    if kind is not GraphRAGError:
        assert depth[kind.__name__] == depth[kind.__base__.__name__] + 4


def test_problems_can_be_read_one_by_one():
    assert SettingsError("settings.toml", iter(["one", "two"])).problems == ["one", "two"]


@pytest.mark.parametrize(
    ("word", "suggestion"),
    [("rott", " Did you mean `root`?"), ("root", " Did you mean `root`?"), ("zzz", ""), ("", "")],
)
def test_the_closest_known_word_is_suggested(word, suggestion):
    assert did_you_mean(word, ["root", "include"]) == suggestion
    assert did_you_mean(word, []) == ""
