"""Dagster <-> store: makes Dagster assets of plain functions from tables to tables.

The parameters of such a function say what it needs:
- named after a table: that table, as a frame;
- `previous_TABLE`: what the asset itself wrote last time;
- annotated with a section of the settings: that section;
- `models`, `prompts`, `overrides`, `encoding`, `output_language`, `root`, `version`, `progress`:
  the project's own.

An asset whose inputs, code, prompts, models and settings are those of its last materialisation
isn't computed again (early cutoff); one whose output comes out equal stops the change there.
"""

import hashlib
import inspect
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import dagster as dg
import polars as pl

from graphrag_assets.ahead import Work, directly
from graphrag_assets.checks import checks_on, run_check
from graphrag_assets.database import IndexDatabase
from graphrag_assets.metadata import (
    asset_key,
    call_metadata,
    check_result,
    picture_metadata,
    row_metadata,
)
from graphrag_assets.models.client import Models
from graphrag_assets.models.ledger import Call
from graphrag_assets.project import Project
from graphrag_assets.settings import ExtractionSettings, Section, Settings
from graphrag_assets.states import State, asset_states, next_version, refuse_imported, save_states
from graphrag_assets.store import (
    Connection,
    append,
    fingerprint,
    read_table,
    replace,
)
from graphrag_assets.tables import TABLES

PREVIOUS = "previous_"
AGAIN = ("failed", "refused", "truncated")  # what the next run asks for again
Result = Mapping[str, pl.DataFrame]
Computed = tuple[dict[str, pl.DataFrame], float]  # tables, and the seconds that they took


@dataclass(frozen=True)
class TableAsset:
    """A function from tables to tables, and what else decides its result."""

    function: Callable[..., pl.DataFrame | Result]
    tables: tuple[str, ...]
    prompts: tuple[str, ...]
    tasks: tuple[str, ...]
    code: str
    source: bool
    long: bool
    priority: int
    asks_if: str
    after: tuple[str, ...]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        """Call the plain function."""
        return self.function(*args, **kwargs)

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @property
    def group(self) -> str:
        """The Dagster group: the file the function stands in."""
        return self.function.__module__.rpartition(".")[2]

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """What the function asks for."""
        return inspect.signature(self.function).parameters

    @property
    def inputs(self) -> list[str]:
        """The tables it reads."""
        return [name for name in self.parameters if name in TABLES]

    @property
    def sections(self) -> dict[str, type[Section]]:
        """The sections of the settings it reads, by parameter."""
        kinds = {name: parameter.annotation for name, parameter in self.parameters.items()}
        return {
            name: kind
            for name, kind in kinds.items()
            if isinstance(kind, type) and issubclass(kind, Section)
        }

    def recipe(self, project: Project) -> str:
        """Return a fingerprint of all but the tables that decides the result."""
        sections = [_section(project.settings, kind) for kind in self.sections.values()]
        asks = not self.asks_if or any(getattr(s, self.asks_if, False) for s in sections)
        parts = [self.code, project.prompts.fingerprint(*(self.prompts if asks else ()))]
        parts += [section.model_dump_json() for section in sections]
        parts += [
            repr(project.prompts.domain(s.domain))
            for s in sections
            if isinstance(s, ExtractionSettings)
        ]
        parts += [project.models.recipe(task) for task in (self.tasks if asks else ())]
        single = {
            "overrides": repr(project.overrides),
            "encoding": project.settings.text_units.encoding,
            "output_language": project.settings.corpus.language,
        }
        parts += [value for name, value in single.items() if name in self.parameters]
        return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:16]

    @property
    def purpose(self) -> str:
        """What the function does, for its tables' pages in Dagster."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    def upstream(self, table: str) -> list[str]:
        """Return what must be there first: the inputs, and what a table's checks refer to."""
        referred = frozenset[str]().union(*(check.refers for check in checks_on(table)))
        return sorted({*self.inputs, *referred} - {*self.tables})


def table_asset(
    *tables: str,
    prompts: tuple[str, ...] = (),
    tasks: tuple[str, ...] = (),
    code: str = "1",
    source: bool = False,
    long: bool = False,
    priority: int = 0,
    asks_if: str = "",
    after: tuple[str, ...] = (),
) -> Callable[[Callable[..., pl.DataFrame | Result]], TableAsset]:
    """Make an asset of a function; it returns its table, or a dict where it makes several.

    `code` is raised when the function's result changes; a `source` reads the outside world and
    is computed in every run. What asks models or is `long` begins ahead of Dagster, which takes
    steps that are ready by falling `priority`. `asks_if` names the setting without which it asks
    no model at all; `after` names tables that it lets go first though it doesn't read them.
    """

    def decorate(function: Callable[..., pl.DataFrame | Result]) -> TableAsset:
        takes_long = long or bool(tasks)
        return TableAsset(
            function, tables, prompts, tasks, code, source, takes_long, priority, asks_if, after
        )

    return decorate


@dataclass(frozen=True)
class Begun:
    """A step whose inputs are read; its tables may still be computed."""

    inputs: Mapping[str, str]  # fingerprints
    models: Models  # those that the function asks, with the ledger of this step alone
    kept: Mapping[str, str]  # fingerprints of its tables, where nothing needs to be computed
    computed: Future[Computed] | None


@dataclass(frozen=True)
class Step:
    """One materialisation of a table asset."""

    asset: TableAsset
    project: Project
    database: IndexDatabase
    run_id: str
    recipe: str

    def materialise(self) -> list[dg.MaterializeResult[None]]:
        """Compute and write the tables, unless nothing they depend on has changed."""
        return self.finish(self.begin(directly))

    def begin(self, perform: Callable[[Work[Computed]], Future[Computed]]) -> Begun:
        """Read the inputs and compute the tables, by `directly` or `aside`."""
        models = self.project.models.apart()
        with self.database.get_connection() as connection:
            states = asset_states(connection)
            refuse_imported(states)
            inputs = {
                name: states[name].fingerprint for name in self.asset.inputs if name in states
            }
            if self._settled(states, inputs):
                kept = {table: states[table].fingerprint for table in self.asset.tables}
                return Begun(inputs, models, kept, None)
            arguments = self._arguments(connection, states, models)
        return Begun(inputs, models, {}, perform(partial(self._compute, arguments)))

    def finish(self, begun: Begun) -> list[dg.MaterializeResult[None]]:
        """Write the tables once they are computed, and what that took in any case."""
        if begun.computed is None:
            with self.database.get_connection() as connection:
                return list(self._results(connection, begun.kept, {}, recomputed=False))
        if not begun.computed.done():
            self.database.rest()
        try:
            rows, seconds = begun.computed.result()
        except BaseException:  # what was paid for before the failure is written down
            with self.database.get_connection() as connection:
                self._record(connection, begun.models.drain())
            raise
        calls = begun.models.drain()
        with self.database.get_connection() as connection:
            self._record(connection, calls)  # for good, even if the rows break the schema
            connection.begin()
            again = any(call.status in AGAIN for call in calls)
            missing = {name: again or _lacks(frame) for name, frame in rows.items()}
            # what is written needn't stay in memory while it is checked
            touched = {name: replace(connection, name, rows.pop(name)) for name in list(rows)}
            took = {"computed_seconds": round(seconds, 3), **call_metadata(calls)}
            made = {table: fingerprint(connection, table) for table in self.asset.tables}
            results = list(self._results(connection, made, touched, recomputed=True, took=took))
            states = [self._state(result, begun.inputs, missing) for result in results]
            save_states(connection, states)
            connection.commit()
        return results

    def _settled(self, states: Mapping[str, State], inputs: Mapping[str, str]) -> bool:
        mine = [states.get(table) for table in self.asset.tables]
        return not self.asset.source and all(
            state and state.settled and state.recipe == self.recipe and state.inputs == inputs
            for state in mine
        )

    def _arguments(
        self, connection: Connection, states: Mapping[str, State], models: Models
    ) -> dict[str, Any]:
        given = {
            "models": lambda: models,
            "prompts": lambda: self.project.prompts,
            "root": lambda: self.project.root,
            "overrides": lambda: self.project.overrides,
            "encoding": lambda: self.project.settings.text_units.encoding,
            "output_language": lambda: self.project.settings.corpus.language,
            "version": lambda: next_version(connection, self.project.store),
            "progress": lambda: partial(self.project.progress, self.asset.name),
        }
        arguments: dict[str, Any] = {}
        for name in self.asset.parameters:
            if name in self.asset.sections:
                arguments[name] = _section(self.project.settings, self.asset.sections[name])
            elif name in given:
                arguments[name] = given[name]()  # type: ignore[no-untyped-call]
            elif name.startswith(PREVIOUS):
                arguments[name] = self._previous(connection, states, name.removeprefix(PREVIOUS))
            else:
                arguments[name] = read_table(connection, name)
        return arguments

    def _previous(
        self, connection: Connection, states: Mapping[str, State], table: str
    ) -> pl.DataFrame:
        """Return the asset's last output; that of a source is a cache, void with its recipe."""
        state = states.get(table)
        void = self.asset.source and (state is None or state.recipe != self.recipe)
        return TABLES[table].create_empty() if void else read_table(connection, table)

    def _compute(self, arguments: Mapping[str, Any]) -> Computed:
        start = time.monotonic()
        rows = self.asset.function(**arguments)
        tables = {self.asset.tables[0]: rows} if isinstance(rows, pl.DataFrame) else rows
        return dict(tables), time.monotonic() - start

    def _record(self, connection: Connection, calls: list[Call]) -> None:
        record_calls(connection, calls, asset=self.asset.name, run_id=self.run_id)

    def _results(
        self,
        connection: Connection,
        fingerprints: Mapping[str, str],
        touched: Mapping[str, Mapping[str, int]],
        *,
        recomputed: bool,
        took: Mapping[str, Any] | None = None,
    ) -> Iterator[dg.MaterializeResult[None]]:
        limits = self.project.settings.extraction.model_dump()
        for table in self.asset.tables:
            verdicts = [run_check(connection, check, limits) for check in checks_on(table)]
            key = asset_key(self.project, table)
            yield dg.MaterializeResult(
                asset_key=key,
                data_version=dg.DataVersion(fingerprints[table]),
                check_results=[check_result(verdict, key) for verdict in verdicts],
                metadata={
                    "recomputed": recomputed,
                    **self._picture(connection, table, fresh=recomputed),
                    **row_metadata(self.project, connection, table),
                    **touched.get(table, {}),
                    **(took or {}),
                },
            )

    def _picture(self, connection: Connection, table: str, *, fresh: bool) -> dict[str, Any]:
        if not self.project.settings.run.pictures:
            return {}
        folder = self.project.store.folder / "pictures"
        return picture_metadata(connection, table, folder, fresh=fresh)

    def _state(
        self,
        result: dg.MaterializeResult[None],
        inputs: Mapping[str, str],
        missing: Mapping[str, bool],
    ) -> State:
        table = dg.AssetKey.from_coercible(result.asset_key or "").path[-1]
        return State(
            table=table,
            fingerprint=result.data_version.value if result.data_version else "",
            recipe=self.recipe,
            inputs=dict(inputs),
            settled=not missing[table] and sound(result),
        )


def _lacks(rows: pl.DataFrame) -> bool:
    """Whether something is missing that the next run asks for again."""
    return "status" in rows.columns and bool(rows["status"].is_in(AGAIN).any())


def record_calls(connection: Connection, calls: Sequence[Call], *, asset: str, run_id: str) -> None:
    """Write down calls that an asset made in a run."""
    if calls:
        rows = pl.DataFrame([vars(call) for call in calls], infer_schema_length=None)
        append(
            connection, "model_calls", rows.with_columns(asset=pl.lit(asset), run_id=pl.lit(run_id))
        )


def sound(result: dg.MaterializeResult[None]) -> bool:
    """Whether a table holds so well that it needn't be computed again."""
    return all(map(_tolerable, result.check_results or ()))


def _tolerable(check: dg.AssetCheckResult) -> bool:
    """Whether a verdict is no reason to compute a table again: it holds, or only warns."""
    return check.passed or check.severity is dg.AssetCheckSeverity.WARN


def _section(settings: Settings, kind: type[Section]) -> Section:
    for name in Settings.model_fields:
        if isinstance(section := getattr(settings, name), kind):
            return section
    raise LookupError(kind)
