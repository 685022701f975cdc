"""What Dagster shows of a table: its columns, first rows, checks and costs."""

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from graphrag_assets.checks import Verdict
from graphrag_assets.models.ledger import Call, Usage
from graphrag_assets.origins import origins
from graphrag_assets.pictures.of_tables import as_markdown, kept_picture
from graphrag_assets.project import Project
from graphrag_assets.readers import corpus_summary
from graphrag_assets.store import Connection, read_table
from graphrag_assets.tables import columns, keys
from graphrag_assets.text import shortened

IN_PLACE = 1000  # characters from which on Dagster hides Markdown behind a link
PREVIEWS = ((5, 44), (5, 34), (5, 22), (5, 14), (5, 10), (3, 10), (2, 8))  # rows, longest cell


def column_schema(table: str) -> dg.TableSchema:
    """Return a table's columns as Dagster shows them."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                name,
                str(column.dtype),
                description=column.description,
                constraints=dg.TableColumnConstraints(
                    nullable=column.nullable, unique=keys(table) == [name]
                ),
            )
            for name, column in columns(table).items()
        ]
    )


def asset_key(project: Project, table: str) -> dg.AssetKey:
    """Return a table's asset key, with the project's name where it has one."""
    return dg.AssetKey([project.name, table] if project.name else [table])


def column_lineage(project: Project, table: str) -> dg.TableColumnLineage:
    """Return which columns of other tables each column comes from, as Dagster shows it."""
    return dg.TableColumnLineage(
        {
            column: [dg.TableColumnDep(asset_key(project, other), name) for other, name in pairs]
            for column, pairs in origins(table).items()
        }
    )


def check_result(verdict: Verdict, key: dg.AssetKey) -> dg.AssetCheckResult:
    blocking = verdict.check.blocking
    metadata: dict[str, Any] = {"law": verdict.check.meaning, "culprits": verdict.culprits.height}
    if not verdict.passed:
        metadata["first"] = dg.MetadataValue.md(markdown_table(verdict.culprits))
    return dg.AssetCheckResult(
        check_name=verdict.check.name,
        asset_key=key,
        passed=verdict.passed,
        severity=dg.AssetCheckSeverity.ERROR if blocking else dg.AssetCheckSeverity.WARN,
        description=_finding(verdict),
        metadata=metadata,
    )


def _finding(verdict: Verdict) -> str:
    """Say what a check found in one sentence, with the first row that breaks the law."""
    if verdict.passed:
        return "It holds."
    count = verdict.culprits.height
    first = verdict.culprits.row(0, named=True)
    row = ", ".join(f"{name} = {shortened(str(value), 60)}" for name, value in first.items())
    return f"{count:,} {'row breaks' if count == 1 else 'rows break'} it; the first: {row}."


def row_metadata(project: Project, connection: Connection, table: str) -> dict[str, Any]:
    count = connection.execute(f'SELECT count(*) FROM "{table}"').fetchall()[0][0]
    first = pl.DataFrame(connection.sql(f'FROM "{table}" LIMIT 5'))
    shown = {
        "dagster/row_count": count,
        "dagster/column_lineage": column_lineage(project, table),
        "preview": dg.MetadataValue.md(markdown_table(first)),
    }
    if table == "files":
        shown["corpus"] = dg.MetadataValue.json(corpus_summary(read_table(connection, table)))
    return shown


def picture_metadata(
    connection: Connection, table: str, folder: Path, *, fresh: bool
) -> dict[str, Any]:
    """Return the picture of a table, if it has one; pictures lie in the folder between runs."""
    drawn = kept_picture(connection, table, folder, fresh=fresh)
    return {"picture": dg.MetadataValue.md(as_markdown(table, drawn))} if drawn else {}


def call_metadata(calls: list[Call]) -> dict[str, Any]:
    if not calls:
        return {}
    took = asdict(Usage.of(calls))
    cost = took["cost_usd"]
    shown = "unknown" if cost is None else float(cost)
    return {"model_calls": took.pop("calls"), **took, "cost_usd": shown}


def markdown_table(rows: pl.DataFrame) -> str:
    """Return the first rows as a Markdown table, so many and so long that it is shown in place."""
    if rows.is_empty():
        return "(none)"
    tables = (_table(rows.head(most), cell) for most, cell in PREVIEWS)
    return next((table for table in tables if len(table) < IN_PLACE), _table(rows.head(1), 8))


def _table(rows: pl.DataFrame, cell: int) -> str:
    lines = [list(rows.columns), ["-"] * rows.width]
    lines += [[_cell(value, cell) for value in row] for row in rows.iter_rows()]
    return "\n".join("|".join(["", *line, ""]) for line in lines)


def _cell(value: object, most: int) -> str:
    """Return a value as Markdown shows it: one line that doesn't wrap, no markup, its end cut."""
    text = "" if value is None else "\u00a0".join(str(value)[: 4 * most].split())
    return re.sub(r"([\\|`*_<>\[\]#])", r"\\\1", shortened(text, most))
