"""The only door to DuckDB: tables from tables.py, locked connections, replace, publish.

Work happens in `work/index.duckdb`; readers only ever see `versions/NNNN.duckdb`, of which
`graphrag.duckdb` is the newest. A connection lives for one read or one write, never for a call
to a model: DuckDB has one writing process or many reading ones.
"""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import dataframely as dy
import duckdb
import polars as pl

from graphrag_assets.errors import (
    NoIndexError,
    NoVersionError,
    SqlError,
    TableError,
    UnknownNameError,
)
from graphrag_assets.frames import Incoming, in_order, pieces_in_order, taken
from graphrag_assets.opening import open_patiently, spared
from graphrag_assets.schema import (
    bring_up_to_date,
    column_types,
    has_table,
    is_up_to_date,
    make_table,
    merge_statement,
    quoted,
    types_of,
)
from graphrag_assets.tables import TABLES, columns, keys, sort_columns, types

Connection = duckdb.DuckDBPyConnection
T = TypeVar("T")
FORMAT = {"storage_compatibility_version": "v1.5.0"}  # read by DuckDB 1.5 and 2
LOCK_TIMEOUT = 600.0  # seconds
PIECE = 100_000  # rows
STREAM_MEMORY = "1GB"
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

    @property
    def kept(self) -> list[int]:
        """The published versions whose files are there, the oldest first."""
        return sorted(int(path.stem) for path in self.versions.glob("*.duckdb"))

    def publish(self, version: int) -> Path:
        """Copy the working database to a version, make it the current one, atomically."""
        with self.connect(read_only=False) as connection:
            connection.execute("CHECKPOINT")
        with self.connect(read_only=True), self.draft(version, self.work):
            pass  # no writer while the file is copied
        return self.path_of(version)

    @contextmanager
    def draft(self, version: int, source: Path) -> Iterator[Path]:
        """Copy a database; what it is once the block ends becomes a version, the current one."""
        self.versions.mkdir(parents=True, exist_ok=True)
        for left in self.versions.glob("*.partial*"):  # by a publication that was killed
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        partial = self.versions / f"{version:04d}.{os.getpid()}.partial"
        try:
            shutil.copyfile(source, partial)
            yield partial
            with partial.open("rb+") as file:
                os.fsync(file.fileno())
            target = self.path_of(version)
            _remove_arrays(target)  # of a former one so numbered
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        self.make_current(version)

    def make_current(self, version: int) -> None:
        """Let data/graphrag.duckdb be a version that is kept, atomically."""
        _link(self.path_of(version), self.current)

    def is_current(self, version: int) -> bool:
        """Whether data/graphrag.duckdb is a version, or a copy of it that is no older."""
        try:
            made, current = self.path_of(version).stat(), self.current.stat()
        except FileNotFoundError:
            return False
        return current.st_ino == made.st_ino or current.st_mtime_ns >= made.st_mtime_ns

    def forget(self, keep: int) -> None:
        """Remove all but the newest published versions."""
        for version in self.kept[:-keep]:
            self.path_of(version).unlink()
            _remove_arrays(self.path_of(version))

    def path_of(self, version: int) -> Path:
        """Return where the file of a version is, or would be."""
        return self.versions / f"{version:04d}.duckdb"

    def published(self, version: int | None = None) -> Path:
        """Return the file of a version, or of the newest.

        Raises NoIndexError if nothing is published, NoVersionError if that version isn't kept.
        """
        kept = self.kept
        if not kept:
            raise NoIndexError(str(self.versions))
        if version is not None and version not in kept:
            raise NoVersionError(version, kept, "it isn't kept")
        return self.path_of(kept[-1] if version is None else version)

    def opened(self, opener: Callable[[Path], T], version: int | None = None) -> T:
        """Open the file of a version, or of the newest: of a newer one if that has just gone.

        Raises as `published`, and what the opener raises of a file that is there.
        """
        while True:
            path = self.published(version)
            try:
                return opener(path)
            except (NoIndexError, NoVersionError, FileNotFoundError):
                if path.exists():
                    raise


def arrays_folder(version: Path) -> Path:
    """Return where questions keep what they made of a version: it goes when the version goes."""
    return version.with_suffix(".arrays")


def _remove_arrays(version: Path) -> None:
    """Remove a version's arrays; whoever maps them meanwhile finds all of them or none."""
    folder = arrays_folder(version)
    gone = folder.with_name(f"{folder.name}.{os.getpid()}.partial")
    with suppress(OSError):
        folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def connect(path: Path, *, read_only: bool) -> Iterator[Connection]:
    """Open a working database, waiting while another process holds it.

    It is closed at the end; an open transaction rolls back then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    there = _open_as_it_is(path) if read_only else None
    with closing(there or _open_to_write(path)) as connection:
        yield connection


def open_published(path: Path) -> Connection:
    """Open a published version for reading, with no access to files or network from SQL.

    Raises NoIndexError if it was removed meanwhile.
    """
    try:
        return _connect_patiently(path, read_only=True, config=SANDBOX)
    except duckdb.IOException as error:
        raise NoIndexError(str(path)) from error


def open_attached(
    versions: Mapping[str, Path], *, use: str | None = None, memory: str | None = None
) -> Connection:
    """Open an empty database in memory with published versions beside it, read-only.

    NAME.TABLE reads a version; without a name, a table is that of the one to `use`. SQL has no
    access to files or network, as from a version alone. Raises NoIndexError if one was removed
    meanwhile, SqlError if it can't be opened.
    """
    if gone := [path for path in versions.values() if not path.exists()]:
        raise NoIndexError(str(gone[0]))
    config: dict[str, Any] = {"memory_limit": memory} if memory else {}
    connection = duckdb.connect(config=config)  # a process opens a file with one of them only
    try:
        for name, path in versions.items():
            connection.execute(f'ATTACH {quoted(str(path))} AS "{name}" (READ_ONLY)')
        if use is not None:
            connection.execute(f'USE "{use}"')
        for setting, value in SANDBOX.items():
            connection.execute(f"SET {setting} = {value}")
    except duckdb.Error as error:
        connection.close()
        raise SqlError(str(error)) from error
    return connection


def read_table(connection: Connection, table: str) -> pl.DataFrame:
    """Return a table ordered by its key; an empty one if the database has none yet.

    In a version that older code published, columns may be missing: they are NULL.
    """
    if not has_table(connection, table):
        return TABLES[table].create_empty()
    # DuckDB would sort in thrice the memory
    rows = in_order(taken(connection.sql(f'FROM "{table}"')), keys(table))
    wanted = types(table)
    missing = [
        pl.lit(None, wanted[name]).alias(name) for name in wanted if name not in rows.columns
    ]
    return rows.with_columns(missing).select(list(wanted))


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
    incoming = Incoming(rows)  # noqa: F841 - see append
    done = Counter(action for (action,) in connection.execute(merge_statement(table)).fetchall())
    touched = {"inserted": done["INSERT"], "updated": done["UPDATE"], "deleted": done["DELETE"]}
    return touched | {"unchanged": rows.height - done["INSERT"] - done["UPDATE"]}


def append(connection: Connection, table: str, rows: pl.DataFrame) -> None:
    """Add rows to a table, in its order: DuckDB then finds few of them in few blocks.

    It finds a frame by its variable's name; one that was registered would stay until the commit.
    """
    for piece in pieces_in_order(validate(table, rows), sort_columns(table)):
        incoming = Incoming(piece)  # noqa: F841
        connection.execute(f'INSERT INTO "{table}" BY NAME FROM incoming')


def fingerprint(connection: Connection, table: str) -> str:
    """Return a hash of a table's content, whatever the order of its rows."""
    query = f'SELECT count(*), sum(h), bit_xor(h) FROM (SELECT hash(*COLUMNS(*)) h FROM "{table}")'
    count, total, mix = connection.execute(query).fetchall()[0]
    return f"{count}-{int(total or 0) % 2**64:016x}{mix or 0:016x}"


def select(connection: Connection, statement: str, **values: object) -> pl.DataFrame:
    """Return the rows of a statement; raise SqlError with DuckDB's reason."""
    with _refused():
        relation = connection.sql(statement, params=values or None)
        return pl.DataFrame() if relation is None else taken(relation)


def records(connection: Connection, statement: str, **values: object) -> list[tuple[Any, ...]]:
    """Return the rows of a statement as tuples: for few of them, in half the time of a frame."""
    with _refused():
        return connection.execute(statement, values or None).fetchall()


@contextmanager
def _refused() -> Iterator[None]:
    try:
        yield
    except (duckdb.BinderException, duckdb.CatalogException) as error:
        raise UnknownNameError(str(error)) from error
    except duckdb.Error as error:
        raise SqlError(str(error)) from error


def stream(path: Path, statement: str) -> Iterator[pl.DataFrame]:
    """Yield the rows of a statement on a version in pieces.

    On a connection of its own: what it reads neither stands in memory as a whole nor stays there.
    """
    connection = open_attached({OWN: path}, use=OWN, memory=STREAM_MEMORY)
    try:
        for batch in connection.sql(statement).to_arrow_reader(PIECE):
            yield pl.DataFrame(pl.from_arrow(batch))
    finally:
        connection.close()


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
def views() -> Mapping[str, str]:
    """Return the statements that make the views, by name."""
    return {name: sql(f"views/{name}") for name in sql_files("views")}


@cache
def sql_files(folder: str) -> Sequence[str]:
    """Return the names of the statements in a folder of sql/, in order."""
    found = (resources.files("graphrag_assets") / "sql" / folder).iterdir()
    return sorted(path.name.removesuffix(".sql") for path in found if path.name.endswith(".sql"))


def _open_as_it_is(path: Path) -> Connection | None:
    """Open a database for reading, unless it must be made or changed first."""
    if not path.exists():
        return None
    connection = spared(_connect_patiently(path, read_only=True), path)
    if is_up_to_date(connection, views()):
        return connection
    connection.close()
    return None


def _open_to_write(path: Path) -> Connection:
    connection = spared(_connect_patiently(path, read_only=False, config=FORMAT), path)
    try:
        bring_up_to_date(connection, views())
    except duckdb.Error:
        connection.close()
        raise
    return connection


def _connect_patiently(
    path: Path, *, read_only: bool, config: Mapping[str, str] = MappingProxyType({})
) -> Connection:
    return open_patiently(path, read_only=read_only, config=config, timeout=LOCK_TIMEOUT)


def _fit(connection: Connection, table: str, rows: pl.DataFrame) -> None:
    """Create the table anew where its column types aren't those of the rows any more."""
    wanted = types_of(connection, rows)
    if not has_table(connection, table) or (
        rows.height and column_types(connection, table) != wanted
    ):
        make_table(connection, table, rows.clear())


def _link(target: Path, current: Path) -> None:
    partial = current.with_suffix(f".{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    partial.parent.mkdir(parents=True, exist_ok=True)
    try:
        partial.hardlink_to(target)
    except OSError:  # a file system without hard links
        shutil.copyfile(target, partial)
    partial.replace(current)
