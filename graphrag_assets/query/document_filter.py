"""A filter of documents -> a connection on which every table holds only what they tell.

The filter is a condition on the columns of `documents`, written by whoever asks: it is parsed,
and run where nothing can be written and no file or address be opened.
"""

import json
import re
from pathlib import Path
from typing import Any

from graphrag_assets.errors import QuestionError, SqlError
from graphrag_assets.store import Connection, open_attached, select, sql, sql_files
from graphrag_assets.tables import TABLES, columns

QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
FORBIDDEN = re.compile(r";|--|/\*|\$")
MAX_LENGTH = 2_000
EXAMPLE = "metadata ->> 'year' >= '2023'"


def open_scope(path: Path, where: str) -> Connection:
    """Open a version as far as documents that meet a condition tell of it.

    Raises QuestionError for a condition that isn't one on documents, or that none of them meets.
    """
    connection = open_attached({"whole": path})
    try:
        _check(connection, where)
        _choose(connection, where)
        _create(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: Connection, where: str) -> None:
    """Refuse what isn't one condition: another statement, a comment, a subquery."""
    if len(where) > MAX_LENGTH:
        raise _refused(where[:50] + "…", f"it is longer than {MAX_LENGTH:,} characters")
    if found := FORBIDDEN.search(QUOTED.sub("''", where)):
        raise _refused(where, f"it contains `{found[0]}`")
    parsed, plain = _parsed(connection, where), _parsed(connection, "true")
    condition = parsed.pop("where_clause", None)
    plain.pop("where_clause")
    if parsed != plain:
        raise _refused(where, "it is more than a condition")
    if any(part.get("class") == "SUBQUERY" for part in _parts(condition)):
        raise _refused(where, "it contains a subquery")


def _parsed(connection: Connection, where: str) -> dict[str, Any]:
    written = f"SELECT id FROM documents WHERE ({where}\n)"
    row = select(connection, "SELECT json_serialize_sql($written)", written=written).row(0)
    tree = json.loads(row[0])
    if tree["error"]:
        raise _refused(where, tree["error_message"])
    (one,) = tree["statements"]
    node: dict[str, Any] = one["node"]
    return node


def _parts(tree: object) -> list[dict[str, Any]]:
    """Return all objects of a parsed statement."""
    if isinstance(tree, list):
        return [part for branch in tree for part in _parts(branch)]
    if isinstance(tree, dict):
        return [tree, *_parts(list(tree.values()))]
    return []


def _choose(connection: Connection, where: str) -> None:
    try:
        select(
            connection,
            f"CREATE TABLE chosen AS SELECT id FROM ({sql('scope/conditions')}) WHERE ({where}\n)",
        )
    except SqlError as error:
        raise _refused(where, str(error.__cause__).splitlines()[0]) from error
    if not select(connection, "FROM chosen LIMIT 1").height:
        raise QuestionError(f"No document meets the filter `{where}`.")


def _create(connection: Connection) -> None:
    connection.execute(sql("scope/in_scope"))
    connection.execute(sql("scope/tables"))
    views = select(connection, "SELECT view_name FROM duckdb_views() WHERE NOT internal")
    for table in TABLES.keys() - set(views["view_name"]):
        connection.execute(f'CREATE VIEW "{table}" AS FROM whole."{table}"')
    for view in sql_files("views"):
        connection.execute(sql(f"views/{view}"))


def _refused(where: str, reason: str) -> QuestionError:
    return QuestionError(
        f"`{where}` can't filter: {reason}. A filter is a condition on the columns of documents "
        f"({', '.join(columns('documents'))}) or the modified_at of their files, for example: "
        f"{EXAMPLE}"
    )
