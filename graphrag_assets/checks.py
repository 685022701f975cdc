"""What must hold of the tables: a check is a query for the rows that break a law.

References and vectors are checked as tables.py says; the other laws stand in sql/checks, one a
file, with the table they are checked on, whether they block publication, and their meaning in the
first lines.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import polars as pl

from graphrag_assets.errors import UnpublishableError
from graphrag_assets.store import Connection, select, sql, sql_files
from graphrag_assets.tables import TABLES, columns, references


@dataclass(frozen=True)
class Check:
    """A law on a table; `statement` returns its culprits."""

    name: str
    table: str
    blocking: bool
    meaning: str
    statement: str
    refers: frozenset[str] = frozenset()  # both tables of a reference


@dataclass(frozen=True)
class Verdict:
    """What a check found."""

    check: Check
    culprits: pl.DataFrame

    @property
    def passed(self) -> bool:
        """Whether the law holds."""
        return self.culprits.is_empty()


@cache
def all_checks() -> tuple[Check, ...]:
    """Return every check, in the order of their tables."""
    stated = (_read(name) for name in sql_files("checks"))
    found = [*_reference_checks(), *_vector_checks(), *stated]
    order = list(TABLES)
    return tuple(sorted(found, key=lambda check: (order.index(check.table), check.name)))


def checks_on(table: str) -> list[Check]:
    """Return the checks of one table."""
    return [check for check in all_checks() if check.table == table]


def run_check(connection: Connection, check: Check, limits: Mapping[str, object]) -> Verdict:
    """Ask for the culprits; `limits` are the settings that laws name, as $name."""
    used = {name: value for name, value in limits.items() if f"${name}" in check.statement}
    return Verdict(check, select(connection, check.statement, **used))


def broken_laws(
    connection: Connection, checks: Iterable[Check], limits: Mapping[str, object]
) -> UnpublishableError | None:
    """Return the error that names those of the checks that don't hold, with first culprits."""
    verdicts = [run_check(connection, check, limits) for check in checks]
    broken = [verdict for verdict in verdicts if not verdict.passed]
    if not broken:
        return None
    return UnpublishableError(
        (verdict.check.meaning, verdict.culprits.head(3).to_dicts()) for verdict in broken
    )


def with_missing_vectors(statement: str) -> str:
    """Let a statement read missing_vectors (asset, id): what should have a vector and has none.

    No view of the database: versions that older code published have none.
    """
    return f"WITH missing_vectors AS ({sql('missing_vectors')})\n{statement}"


def unfinished() -> str:
    """Return the statement that says what a complete index would have and this one lacks."""
    return with_missing_vectors(sql("unfinished"))


def _reference_checks() -> list[Check]:
    order = list(TABLES)
    return [
        Check(
            name=f"{table}_{column}_exists",
            table=max(table, other, key=order.index),
            blocking=True,
            meaning=f"{table}.{column} stands in {other}.{key}.",
            statement=(
                f'SELECT DISTINCT "{column}" AS missing FROM "{table}" WHERE "{column}" IS NOT NULL'
                f' AND "{column}" NOT IN (SELECT "{key}" FROM "{other}")'
            ),
            refers=frozenset({table, other}),
        )
        for table in TABLES
        for column, (other, key) in references(table).items()
    ]


def _vector_checks() -> list[Check]:
    tables = [table for table in TABLES if "vector" in columns(table)]
    return [_vector_check(table, references(table)["id"][0]) for table in tables]


def _vector_check(table: str, of: str) -> Check:
    missing = f"FROM missing_vectors WHERE asset = '{table}'"
    squares = f'SELECT id, array_inner_product(vector, vector) AS square FROM "{table}"'
    statement = (
        f"SELECT id, 'no vector' AS problem {missing}"
        f' AND (SELECT count(*) {missing}) > $max_failed * (SELECT count(*) FROM "{of}")'
        # a filter of rows with vectors would copy the vectors
        f" UNION ALL (WITH squares AS MATERIALIZED ({squares})"
        " SELECT id, 'not finite' FROM squares WHERE NOT isfinite(square))"
    )
    return Check(
        name=f"{table}_are_complete",
        table=table,
        blocking=True,
        meaning=(
            f"Vectors are finite, and no more of {of} lack one than extraction.max_failed allows."
        ),
        statement=with_missing_vectors(statement),
    )


def _read(name: str) -> Check:
    statement = sql(f"checks/{name}")
    on, blocking, *rest = statement.splitlines()
    meaning = [line.removeprefix("-- ") for line in rest if line.startswith("-- ")]
    return Check(
        name=name,
        table=on.removeprefix("-- on: "),
        blocking=blocking == "-- blocking: yes",
        meaning=" ".join(meaning),
        statement=statement,
    )
