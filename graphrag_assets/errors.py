"""Every error that a user can meet.

    GraphRAGError
    ├── UsageError                 the caller's mistake, exit code 2
    │   ├── SettingsError          settings.toml or the environment says something wrong
    │   ├── CorpusError            the corpus root is missing or holds nothing to index
    │   ├── NoIndexError           nothing has been published yet
    │   ├── OutdatedIndexError     a version of older code, which lacks what today's asks it
    │   ├── NoMapError             nothing of that kind has a place on the map
    │   ├── NoVersionError         a version that isn't kept, or needs no way back
    │   ├── QuestionError          an empty question, an unknown method, a bad filter
    │   │   └── NotFoundError      an id that stands for nothing
    │   ├── ServeError             a server that can't be started this way
    │   ├── SqlError               a statement that is wrong, or that would write
    │   │   └── UnknownNameError   a statement that names what isn't there
    │   ├── ExportError            an export that can't be written where it should go
    │   └── ImportedError          an index of others: unreadable, or to be mixed with ours
    ├── OverloadError              a server that can't answer now
    │   ├── BusyError              too many questions are waiting
    │   └── DeadlineError          an answer would take too long
    ├── ModelError                 a model can't be used
    │   ├── ModelStoppedError      every further call would fail too: key, name, quota
    │   │   └── BudgetExceededError  the next call would cost more than is left, exit code 3
    │   └── ModelCallError         this one call failed
    ├── PromptError                a prompt file lacks a variable, or names an unknown one
    ├── TableError                 rows that don't fit their table
    ├── UnpublishableError         the tables break a law, so that readers keep the last version
    └── RunInProgressError         another run holds the index

Each takes the culprits as data and says what is wrong, which one it is, and the way out.
"""

import difflib
from collections.abc import Iterable


class GraphRAGError(Exception):
    """Base of all errors of this package."""

    exit_code = 1


class UsageError(GraphRAGError):
    """The caller's mistake."""

    exit_code = 2


class SettingsError(UsageError):
    """Settings that can't be used; `problems` has one line each."""

    def __init__(self, source: str, problems: Iterable[str]) -> None:
        """Name the source (a file or the environment) and list its problems."""
        self.problems = list(problems)
        super().__init__(f"{source}: " + "; ".join(self.problems))


class CorpusError(UsageError):
    """No corpus to read."""

    def __init__(self, root: str, reason: str) -> None:
        """Name the root and what is wrong with it."""
        super().__init__(
            f"Corpus root `{root}` {reason}. "
            "Put documents there, or set [corpus] root in settings.toml."
        )


class NoIndexError(UsageError):
    """There is no published index to read."""

    def __init__(self, path: str) -> None:
        """Name the place where the index was looked for."""
        super().__init__(f"No published index at `{path}`. Run `graphrag-assets index` first.")


class OutdatedIndexError(UsageError):
    """A published version that lacks a table or column of today."""

    def __init__(self, version: int) -> None:
        """Name the version."""
        super().__init__(
            f"Index version {version} was published by an older version of graphrag-assets, "
            "and lacks what is asked of it. `graphrag-assets index` publishes it anew."
        )


class NoMapError(UsageError):
    """There is nothing to draw."""

    def __init__(self, kind: str, there: int) -> None:
        """Name the kind (entity or document) and how many of it there are without a place."""
        super().__init__(
            f"None of the {there} things of kind `{kind}` has a place on the map. "
            "Run `graphrag-assets index`, which makes the table `layout`."
        )


class NoVersionError(UsageError):
    """A published version that can't be opened, or gone back to."""

    def __init__(self, version: int | None, kept: Iterable[int], reason: str) -> None:
        """Name the version, if one was asked for, why it can't be had, and those that are kept."""
        which = "There is no version to go back to" if version is None else f"No version {version}"
        listed = ", ".join(map(str, kept))
        super().__init__(
            f"{which}: {reason}. Kept are {listed}: [store] keep_versions says how many."
        )


class QuestionError(UsageError):
    """A question that can't be asked this way."""


class NotFoundError(QuestionError):
    """An id that stands for nothing in this version."""


class ServeError(UsageError):
    """A server that can't be started this way."""


class SqlError(UsageError):
    """A statement that DuckDB refuses."""

    def __init__(self, reason: str) -> None:
        """Quote the database's own reason."""
        super().__init__(f"The statement was refused: {reason}")


class UnknownNameError(SqlError):
    """A statement that names a table or column that isn't there."""


class ExportError(UsageError):
    """An export that can't be written where it should go."""

    def __init__(self, path: str, problem: str) -> None:
        """Name the place and what is wrong with it."""
        super().__init__(f"`{path}` {problem}. Choose another --output, or overwrite with --force.")


class ImportedError(UsageError):
    """An index that was made elsewhere: it can't be read, or would be mixed with one of ours."""


class OverloadError(GraphRAGError):
    """A server that can't answer now."""


class BusyError(OverloadError):
    """More questions are waiting than a server holds."""

    def __init__(self, waiting: int) -> None:
        """Say how many are waiting."""
        super().__init__(
            f"{waiting} questions are waiting already. Ask again in a moment, "
            "or raise [serve] concurrency."
        )


class DeadlineError(OverloadError):
    """An answer that would take longer than a server allows."""

    def __init__(self, seconds: float) -> None:
        """Say how long it may take."""
        super().__init__(
            f"No answer within {seconds:g} seconds. Ask again (what models said is remembered), "
            "ask at a coarser level, or raise [serve] deadline_seconds."
        )


class ModelError(GraphRAGError):
    """A model that can't be used."""


class ModelStoppedError(ModelError):
    """Every further call would fail too (key, model name, quota): the run stops here."""

    def __init__(self, model: str, api_base: str, reason: str) -> None:
        """Name the model, its address and the provider's reason."""
        where = f" at {api_base}" if api_base else ""
        super().__init__(
            f"Model `{model}`{where} can't be used: {reason}. "
            "Check [models.*] in settings.toml and the key in the environment."
        )


class BudgetExceededError(ModelStoppedError):
    """The budget stops the run before it is crossed; running again goes on where it stopped."""

    exit_code = 3

    def __init__(self, model: str, *, budget: float, spent: float, cost: float) -> None:
        """Name the model that is to be asked next, and the three amounts in USD."""
        ModelError.__init__(
            self,
            f"The budget of ${budget:.2f} would be crossed: ${spent:.4f} is spent and the next "
            f"call of `{model}` costs about ${cost:.4f}. What was answered is kept: raise "
            "--budget-usd or [run] budget_usd and run again.",
        )


class ModelCallError(ModelError):
    """One call that failed for good."""


class PromptError(GraphRAGError):
    """A prompt file and its declared variables differ."""

    def __init__(self, prompt: str, problem: str) -> None:
        """Name the prompt and the problem."""
        stop = "" if problem.endswith((".", "?")) else "."
        super().__init__(f"Prompt `{prompt}` {problem}{stop}")


class TableError(GraphRAGError):
    """Rows that don't fit the schema of their table."""

    def __init__(self, table: str, problem: str) -> None:
        """Name the table and the broken rule."""
        super().__init__(f"Table `{table}`: {problem}")


class UnpublishableError(GraphRAGError):
    """The working tables break a law; the published version stays as it was."""

    def __init__(self, broken: Iterable[tuple[str, object]]) -> None:
        """Name each broken law with its first culprits."""
        laws = "; ".join(f"not true: {meaning} {culprits}" for meaning, culprits in broken)
        super().__init__(f"Nothing was published, the last version stays. {laws}")


class RunInProgressError(GraphRAGError):
    """Another run holds the index."""

    def __init__(self, holder: str) -> None:
        """Name the process that holds it."""
        super().__init__(f"Another run is in progress ({holder}). Wait for it, or stop it first.")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return " Did you mean `x`?" for the closest known word, or nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean `{close[0]}`?" if close else ""
