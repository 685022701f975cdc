"""What Dagster shows of a table: its columns, first rows, checks and costs."""

from typing import Any

import dagster as dg
import polars as pl

from graphrag_assets.checks import Verdict
from graphrag_assets.models.ledger import Call
from graphrag_assets.readers import corpus_summary
from graphrag_assets.store import Connection, read_table
from graphrag_assets.tables import columns, keys
from graphrag_assets.text import shortened

CELL = 60


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


def check_result(verdict: Verdict) -> dg.AssetCheckResult:
    blocking = verdict.check.blocking
    return dg.AssetCheckResult(
        check_name=verdict.check.name,
        asset_key=verdict.check.table,
        passed=verdict.passed,
        severity=dg.AssetCheckSeverity.ERROR if blocking else dg.AssetCheckSeverity.WARN,
        metadata={
            "culprits": verdict.culprits.height,
            "first": dg.MetadataValue.md(markdown_table(verdict.culprits.head(5))),
        },
    )


def row_metadata(connection: Connection, table: str) -> dict[str, Any]:
    count = connection.execute(f'SELECT count(*) FROM "{table}"').fetchall()[0][0]
    first: pl.DataFrame = connection.sql(f'FROM "{table}" LIMIT 5').pl()
    shown = {"dagster/row_count": count, "preview": dg.MetadataValue.md(markdown_table(first))}
    if table == "files":
        shown["corpus"] = dg.MetadataValue.json(corpus_summary(read_table(connection, table)))
    return shown


def call_metadata(calls: list[Call]) -> dict[str, Any]:
    if not calls:
        return {}
    paid = [call for call in calls if not call.from_memo]
    costs = [call.cost_usd for call in paid]
    return {
        "model_calls": len(paid),
        "memo_hits": len(calls) - len(paid),
        "prompt_tokens": sum(call.prompt_tokens for call in paid),
        "completion_tokens": sum(call.completion_tokens for call in paid),
        "cost_usd": "unknown" if None in costs else float(sum(cost or 0 for cost in costs)),
    }


def markdown_table(rows: pl.DataFrame) -> str:
    """Return rows as a Markdown table, long values cut."""
    if rows.is_empty():
        return "(none)"
    lines = [list(rows.columns), ["---"] * rows.width]
    lines += [[_cell(value) for value in row] for row in rows.iter_rows()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    text = "" if value is None else str(value).replace("\n", " ").replace("|", "\\|")
    return shortened(text, CELL)
