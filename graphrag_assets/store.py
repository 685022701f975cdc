"""The only door to DuckDB: tables from tables.py, locked connections, replace, publish.

Work happens in `work/index.duckdb`; readers only ever see `versions/NNNN.duckdb`, of which
`graphrag.duckdb` is the newest. A connection lives for one read or one write, never for a call
to a model: DuckDB has one writing process or many reading ones.
"""

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import dataframely as dy
import duckdb
import polars as pl
from filelock import FileLock, Timeout

from graphrag_assets.errors import NoIndexError, RunInProgressError, SqlError, TableError
from graphrag_assets.tables import TABLES, columns, keys, meaning, references

Connection = duckdb.DuckDBPyConnection
FORMAT = {"storage_compatibility_version": "v1.5.0"}  # read by DuckDB 1.5 and 2
LOCK_TIMEOUT = 600.0  # seconds
OWN = "this"  # the index that is asked, beside others
SANDBOX = {"enable_external_access": "false", "lock_configuration": "true"}


@dataclass(frozen=True)
class Store:
    """The index of one corpus on disk."""

    folder: Path
    current: Path

    @property
    def work(self) -> Path:
        """The working database."""
        return self.folder / "work" / "index.duckdb"

    @property
    def versions(self) -> Path:
        """The folder of published versions."""
        return self.folder / "versions"

    def connect(self, *, read_only: bool) -> AbstractContextManager[Connection]:
        """Open the working database."""
        return connect(self.work, read_only=read_only)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open the working database for one change that happens whole or not at all."""
        with self.connect(read_only=False) as connection:
            connection.begin()
            yield connection
            connection.commit()

    def read(self, *tables: str) -> dict[str, pl.DataFrame]:
        """Return whole tables, ordered by key."""
        with self.connect(read_only=True) as connection:
            return {table: read_table(connection, table) for table in tables}

    def publish(self, version: int) -> Path:
        """Copy the working database to a version, make it the current one, atomically."""
        with self.connect(read_only=False) as connection:
            connection.execute("CHECKPOINT")
        self.versions.mkdir(parents=True, exist_ok=True)
        for left in self.versions.glob("*.partial"):  # by a publication that was killed
            left.unlink()
        target = self.versions / f"{version:04d}.duckdb"
        with self.connect(read_only=True):  # no writer while the file is copied
            _copy_durably(self.work, target)
        _link(target, self.current)
        return target

    def forget(self, keep: int) -> None:
        """Remove all but the newest published versions."""
        for path in sorted(self.versions.glob("*.duckdb"))[:-keep]:
            path.unlink()

    def published(self, version: int | None = None) -> Path:
        """Return the file of a version, or of the newest; raise NoIndexError if there is none."""
        found = sorted(self.versions.glob("*.duckdb"))
        if version is not None:
            found = [path for path in found if int(path.stem) == version]
        if not found:
            raise NoIndexError(str(self.versions))
        return found[-1]


@cache
def run_lock(work: Path) -> FileLock:
    """Return this process's lock on a working database: one run at a time, whoever starts it."""
    return FileLock(work.with_suffix(".lock"), thread_local=False)


@contextmanager
def held(work: Path, *, timeout: float) -> Iterator[None]:
    """Hold the lock on a working database; raise RunInProgressError if another process keeps it."""
    work.parent.mkdir(parents=True, exist_ok=True)
    lock = run_lock(work)
    try:
        lock.acquire(timeout=timeout)
    except Timeout as error:
        raise RunInProgressError(f"it holds {lock.lock_file}") from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def connect(path: Path, *, read_only: bool) -> Iterator[Connection]:
    """Open a working database, waiting while another process holds it; close it at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    read_only = read_only and path.exists()
    config = {} if read_only else FORMAT
    connection = _connect_patiently(path, read_only=read_only, config=config)
    try:
        if not read_only:
            create_tables(connection)
        yield connection
    finally:
        connection.close()  # an open transaction rolls back here


def open_published(path: Path, others: Mapping[str, Path] | None = None) -> Connection:
    """Open a published version for reading, with no access to files or network from SQL.

    `others` are versions of other indexes: NAME.TABLE reads them.
    """
    if not others:
        return _connect_patiently(path, read_only=True, config=SANDBOX)
    connection = duckdb.connect()  # a process opens a file with one configuration only
    try:
        for name, other in {OWN: path, **others}.items():
            connection.execute(f'ATTACH {_quoted(str(other))} AS "{name}" (READ_ONLY)')
        connection.execute(f"USE {OWN}")
        for setting, value in SANDBOX.items():
            connection.execute(f"SET {setting} = {value}")
    except duckdb.Error as error:
        connection.close()
        raise SqlError(str(error)) from error
    return connection


def create_tables(connection: Connection) -> None:
    """Create the tables and views that are missing, with their comments."""
    query = "SELECT table_name FROM duckdb_tables()"
    missing = TABLES.keys() - {name for (name,) in connection.execute(query).fetchall()}
    if not missing:
        return
    connection.begin()  # all or none, and one write to disk instead of hundreds
    for table in missing:
        _create(connection, table, TABLES[table].create_empty())
    for view in sql_files("views"):
        connection.execute(sql(f"views/{view}"))
    connection.commit()


def read_table(connection: Connection, table: str) -> pl.DataFrame:
    """Return a table ordered by its key; an empty one if the database has none yet."""
    if not _has(connection, table):
        return TABLES[table].create_empty()
    order = ", ".join(f'"{key}"' for key in keys(table))
    return _frame(connection.sql(f'FROM "{table}" ORDER BY {order}'))


def replace(connection: Connection, table: str, rows: pl.DataFrame) -> dict[str, int]:
    """Make a table hold exactly these rows, touching only those that differ.

    Returns how many rows were inserted, updated, deleted, unchanged. Raises TableError for rows
    that don't fit the schema.
    """
    rows = validate(table, rows)
    _fit(connection, table, rows)
    if not connection.execute(f'FROM "{table}" LIMIT 1').fetchall():  # a merge takes more memory
        append(connection, table, rows)
        return {"inserted": rows.height, "updated": 0, "deleted": 0, "unchanged": 0}
    connection.register("incoming", rows.to_arrow())
    done = Counter(action for (action,) in connection.execute(_merge_statement(table)).fetchall())
    connection.unregister("incoming")
    touched = {"inserted": done["INSERT"], "updated": done["UPDATE"], "deleted": done["DELETE"]}
    return touched | {"unchanged": rows.height - done["INSERT"] - done["UPDATE"]}


def append(connection: Connection, table: str, rows: pl.DataFrame) -> None:
    """Add rows to a table that only grows."""
    connection.register("incoming", validate(table, rows).to_arrow())
    connection.execute(f'INSERT INTO "{table}" BY NAME FROM incoming')
    connection.unregister("incoming")


def fingerprint(connection: Connection, table: str) -> str:
    """Return a hash of a table's content, whatever the order of its rows."""
    query = f'SELECT count(*), sum(hash(t)), bit_xor(hash(t)) FROM "{table}" t'
    count, total, mix = connection.execute(query).fetchall()[0]
    return f"{count}-{int(total or 0) % 2**64:016x}{mix or 0:016x}"


def select(connection: Connection, statement: str, **values: object) -> pl.DataFrame:
    """Return the rows of a statement; raise SqlError with DuckDB's reason."""
    try:
        relation = connection.sql(statement, params=values or None)
        return pl.DataFrame() if relation is None else _frame(relation)
    except duckdb.Error as error:
        raise SqlError(str(error)) from error


def validate(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the table's columns in order; raise TableError where they don't fit."""
    try:
        return TABLES[table].validate(rows.select(list(columns(table))), cast=True)
    except (dy.exc.ValidationError, pl.exceptions.PolarsError) as error:
        raise TableError(table, str(error)) from error


@cache
def sql(name: str) -> str:
    """Return the statement in sql/NAME.sql."""
    return (resources.files("graphrag_assets") / "sql" / f"{name}.sql").read_text("utf-8")


@cache
def sql_files(folder: str) -> Sequence[str]:
    """Return the names of the statements in a folder of sql/, in order."""
    found = (resources.files("graphrag_assets") / "sql" / folder).iterdir()
    return sorted(path.name.removesuffix(".sql") for path in found if path.name.endswith(".sql"))


def _connect_patiently(path: Path, *, read_only: bool, config: Mapping[str, str]) -> Connection:
    deadline, delay = time.monotonic() + LOCK_TIMEOUT, 0.02
    while True:
        try:
            return duckdb.connect(str(path), read_only=read_only, config=dict(config))
        except duckdb.IOException as error:
            if "lock" not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(delay * random.uniform(0.5, 1.5))  # noqa: S311
        delay = min(delay * 1.6, 1.0)


def _has(connection: Connection, table: str) -> bool:
    query = "SELECT count(*) FROM duckdb_tables() WHERE table_name = ?"
    return bool(connection.execute(query, [table]).fetchall()[0][0])


def _frame(relation: duckdb.DuckDBPyRelation) -> pl.DataFrame:
    frame: pl.DataFrame = relation.pl()
    dates = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Datetime)]
    return frame.with_columns(pl.col(name).dt.convert_time_zone("UTC") for name in dates)


def _create(connection: Connection, table: str, rows: pl.DataFrame) -> None:
    connection.register("incoming", rows.to_arrow())
    lines = [
        f'"{name}" {kind}' + ("" if columns(table)[name].nullable else " NOT NULL")
        for name, kind in _types(connection, "incoming").items()
    ]
    connection.unregister("incoming")
    connection.execute(f'CREATE OR REPLACE TABLE "{table}" ({", ".join(lines)})')
    connection.execute(f'COMMENT ON TABLE "{table}" IS {_quoted(meaning(table))}')
    for name, column in columns(table).items():
        comment = column.description or ""
        if name in references(table):
            comment += " -> " + ".".join(references(table)[name])
        connection.execute(f'COMMENT ON COLUMN "{table}"."{name}" IS {_quoted(comment)}')


def _fit(connection: Connection, table: str, rows: pl.DataFrame) -> None:
    """Create the table anew where its column types aren't those of the rows any more."""
    connection.register("incoming", rows.to_arrow())
    wanted = _types(connection, "incoming")
    connection.unregister("incoming")
    if not _has(connection, table) or (rows.height and _types(connection, table) != wanted):
        _create(connection, table, rows.clear())


def _types(connection: Connection, table: str) -> dict[str, str]:
    described = connection.execute(f'DESCRIBE "{table}"').fetchall()
    return {row[0]: "FLOAT[1]" if row[1] == '"NULL"' else row[1] for row in described}


def _merge_statement(table: str) -> str:
    rest = [name for name in columns(table) if name not in keys(table)]
    same = " AND ".join(f't."{key}" = n."{key}"' for key in keys(table))
    differs = " OR ".join(f't."{name}" IS DISTINCT FROM n."{name}"' for name in rest) or "false"
    return f"""
        MERGE INTO "{table}" t USING incoming n ON {same}
        WHEN MATCHED AND ({differs}) THEN UPDATE BY NAME
        WHEN NOT MATCHED BY TARGET THEN INSERT BY NAME
        WHEN NOT MATCHED BY SOURCE THEN DELETE
        RETURNING merge_action"""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _copy_durably(source: Path, target: Path) -> None:
    partial = target.with_suffix(f".{os.getpid()}.partial")
    try:
        shutil.copyfile(source, partial)
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _link(target: Path, current: Path) -> None:
    partial = current.with_suffix(f".{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    partial.parent.mkdir(parents=True, exist_ok=True)
    try:
        partial.hardlink_to(target)
    except OSError:  # a file system without hard links
        shutil.copyfile(target, partial)
    partial.replace(current)
