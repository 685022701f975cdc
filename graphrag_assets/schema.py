"""The database's own schema, brought to that of tables.py whenever a database is opened.

What was made by an older version of the code is changed in place: views are made again, columns
come and go. A table whose key changed, or the type of a column, is made anew and empty, for its
asset to fill; the books, which no asset can fill, are cast.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import duckdb
import polars as pl

from graphrag_assets.frames import Incoming
from graphrag_assets.tables import BOOKS, TABLES, columns, keys, meaning, references

Connection = duckdb.DuckDBPyConnection
ANY = "vector"  # a type that depends on the rows


@dataclass(frozen=True)
class Shape:
    """What a database says of a table."""

    comment: str
    types: Mapping[str, str]
    comments: Mapping[str, str]


def bring_up_to_date(connection: Connection, views: Mapping[str, str]) -> None:
    """Make tables and views what tables.py and the statements in sql/views say, at once or not."""
    if is_up_to_date(connection, views):
        return
    connection.begin()  # one write to disk instead of hundreds
    there = _shapes(connection)
    for table in TABLES:
        if table not in there:
            make_table(connection, table, TABLES[table].create_empty())
        elif there[table] != _wanted()[table]:
            _change(connection, table, there[table], _wanted()[table])
    for name, statement in views.items():
        connection.execute(statement)
        connection.execute(f'COMMENT ON VIEW "{name}" IS {quoted(statement)}')
    connection.commit()


def is_up_to_date(connection: Connection, views: Mapping[str, str]) -> bool:
    """Whether a database has the tables and views of this version of the code."""
    query = "SELECT view_name, comment FROM duckdb_views() WHERE NOT internal"
    there = dict(connection.execute(query).fetchall())
    return there == dict(views) and _shapes(connection).items() >= _wanted().items()


def make_table(connection: Connection, table: str, rows: pl.DataFrame) -> None:
    """Make a table anew, empty, with the types of these rows."""
    lines = [
        f'"{name}" {kind}' + ("" if columns(table)[name].nullable else " NOT NULL")
        for name, kind in types_of(connection, rows).items()
    ]
    connection.execute(f'CREATE OR REPLACE TABLE "{table}" ({", ".join(lines)})')
    _comment(connection, table)


def has_table(connection: Connection, table: str) -> bool:
    """Whether a database has a table."""
    query = "SELECT count(*) FROM duckdb_tables() WHERE table_name = ?"
    return bool(connection.execute(query, [table]).fetchall()[0][0])


def types_of(connection: Connection, rows: pl.DataFrame) -> dict[str, str]:
    """Return DuckDB's types of a frame's columns."""
    connection.register("incoming", Incoming(rows.clear()))
    types = column_types(connection, "incoming")
    connection.unregister("incoming")
    return types


def column_types(connection: Connection, table: str) -> dict[str, str]:
    """Return DuckDB's types of a table's columns."""
    described = connection.execute(f'DESCRIBE "{table}"').fetchall()
    return {row[0]: "FLOAT[1]" if row[1] == '"NULL"' else row[1] for row in described}


def quoted(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


@cache
def merge_statement(table: str) -> str:
    """Return what makes a table hold the rows of `incoming`, touching only those that differ."""
    rest = [name for name in columns(table) if name not in keys(table)]
    same = " AND ".join(f't."{key}" = n."{key}"' for key in keys(table))
    differs = " OR ".join(f't."{name}" IS DISTINCT FROM n."{name}"' for name in rest) or "false"
    return f"""
        MERGE INTO "{table}" t USING incoming n ON {same}
        WHEN MATCHED AND ({differs}) THEN UPDATE BY NAME
        WHEN NOT MATCHED BY TARGET THEN INSERT BY NAME
        WHEN NOT MATCHED BY SOURCE THEN DELETE
        RETURNING merge_action"""


@cache
def _wanted() -> dict[str, Shape]:
    with duckdb.connect() as connection:
        for table in TABLES:
            make_table(connection, table, TABLES[table].create_empty())
        return _shapes(connection)


def _shapes(connection: Connection) -> dict[str, Shape]:
    query = (
        "SELECT table_name, column_name, data_type, c.comment, t.comment "
        "FROM duckdb_columns() c JOIN duckdb_tables() t USING (table_name) ORDER BY column_index"
    )
    shapes: dict[str, Shape] = {}
    for table, column, kind, comment, about in connection.execute(query).fetchall():
        shape = shapes.setdefault(table, Shape(about or "", {}, {}))
        shape.types[column] = ANY if column == ANY else kind  # type: ignore[index]
        shape.comments[column] = comment or ""  # type: ignore[index]
    return shapes


def _change(connection: Connection, table: str, there: Shape, wanted: Shape) -> None:
    """Bring one table from an older shape to that of today."""
    gone = there.types.keys() - wanted.types.keys()
    new = [name for name in wanted.types if name not in there.types]
    other = [
        name
        for name in there.types.keys() & wanted.types.keys()
        if there.types[name] != wanted.types[name]
    ]
    if _key_changed(table, there) or (other and table not in BOOKS):
        make_table(connection, table, TABLES[table].create_empty())
        _forget_state(connection, table)
        return
    for name in gone:
        connection.execute(f'ALTER TABLE "{table}" DROP COLUMN "{name}"')
    for name in new:
        connection.execute(f'ALTER TABLE "{table}" ADD COLUMN "{name}" {wanted.types[name]}')
    for name in other:
        kind = wanted.types[name]
        connection.execute(
            f'ALTER TABLE "{table}" ALTER "{name}" SET DATA TYPE {kind} '
            f'USING TRY_CAST("{name}" AS {kind})'
        )
    _comment(connection, table)
    if new or gone:
        _forget_state(connection, table)


def _key_changed(table: str, there: Shape) -> bool:
    told = there.comment.rpartition("Key: ")[2]
    before = told.removesuffix(".").split(", ") if told != there.comment else keys(table)
    return before != keys(table) or not there.types.keys() >= set(keys(table))


def _forget_state(connection: Connection, table: str) -> None:
    """Let the table's asset make it again in the next run."""
    if table not in BOOKS and has_table(connection, "asset_states"):
        connection.execute('DELETE FROM asset_states WHERE "table" = ?', [table])


def _comment(connection: Connection, table: str) -> None:
    about = f"{meaning(table)} Key: {', '.join(keys(table))}."
    connection.execute(f'COMMENT ON TABLE "{table}" IS {quoted(about)}')
    for name, column in columns(table).items():
        comment = column.description or ""
        if name in references(table):
            comment += " -> " + ".".join(references(table)[name])
        connection.execute(f'COMMENT ON COLUMN "{table}"."{name}" IS {quoted(comment)}')
