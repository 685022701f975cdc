"""A published version -> the Parquet files that Microsoft GraphRAG 3 reads.

Their vectors aren't written: they live in a vector store of theirs, made by their own
`generate_text_embeddings` with the model that their questions are embedded by.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq

from graphrag_assets.context import BRACKETS, marker
from graphrag_assets.exchange.microsoft.schemas import DATASETS, SCHEMAS
from graphrag_assets.query.reader import Reader

FINDING: pl.DataType = pl.Struct({"explanation": pl.String, "summary": pl.String})
REPORT: dict[str, pl.DataType | type[pl.DataType]] = {
    "id": pl.String,
    "title": pl.String,
    "summary": pl.String,
    "full_content": pl.String,
    "rank": pl.Float64,
    "rating_explanation": pl.String,
    "findings": pl.List(FINDING),
    "full_content_json": pl.String,
}
Numbers = Mapping[str, tuple[str, int]]  # marker -> their data set and row number


def write(reader: Reader, folder: Path) -> None:
    """Write documents, text_units, entities, relationships, communities, reports, covariates."""
    for name, rows in tables(reader).items():
        schema = SCHEMAS[name]
        pq.write_table(
            rows.select(schema.names).to_arrow().cast(schema), folder / f"{name}.parquet"
        )


def tables(reader: Reader) -> dict[str, pl.DataFrame]:
    """Return their tables; one without rows is left out if they leave it out."""
    found = {
        name: reader.ask(f"exchange/microsoft_{name}")
        for name in ("documents", "text_units", "entities", "relationships", "communities")
    }
    claims = reader.ask("exchange/microsoft_claims")
    titles = found["entities"].select("id", "title")
    numbers = _numbers(found | {"claims": claims})
    found["relationships"] = _titled(found["relationships"], titles, "source_id", "source")
    found["relationships"] = _titled(found["relationships"], titles, "target_id", "target")
    found["community_reports"] = _reports(reader, found["communities"], numbers)
    if claims.height:
        claims = _titled(claims, titles, "subject_id", "subject_id")
        found["covariates"] = _titled(claims, titles, "object_id", "object_id").with_columns(
            pl.col("object_id").fill_null("NONE")
        )
    return found


def _titled(rows: pl.DataFrame, titles: pl.DataFrame, key: str, name: str) -> pl.DataFrame:
    """Return rows with the titles of the entities in a column of ids."""
    known = titles.rename({"id": key, "title": "_title"})
    named = rows.join(known, on=key, how="left", maintain_order="left")
    return named.drop(key).rename({"_title": name})


def _numbers(found: Mapping[str, pl.DataFrame]) -> Numbers:
    kinds = {
        "entities": "entity",
        "relationships": "relationship",
        "claims": "claim",
        "communities": "report",
        "text_units": "text_unit",
    }
    return {
        marker(kind, ref): (DATASETS[kind], number)
        for name, kind in kinds.items()
        for ref, number in found[name].select("id", "human_readable_id").iter_rows()
    }


def _reports(reader: Reader, communities: pl.DataFrame, numbers: Numbers) -> pl.DataFrame:
    rows = [_report(row, numbers) for row in reader.ask("exchange/microsoft_reports").to_dicts()]
    shared = ["id", "human_readable_id", "community", "level", "parent", "children"]
    return (
        communities.select(*shared, "period", "size")
        .join(pl.DataFrame(rows, schema=REPORT), on="id")
        .sort("community", descending=True)  # as theirs: the deepest level first
    )


def _report(row: Mapping[str, Any], numbers: Numbers) -> dict[str, Any]:
    told = {
        name: _their_citations(row[name], numbers) for name in ("title", "summary", "full_content")
    }
    findings = [
        {name: _their_citations(finding[name], numbers) for name in ("explanation", "summary")}
        for finding in row["findings"]
    ]
    whole = {
        "title": told["title"],
        "summary": told["summary"],
        "findings": findings,
        "rating": row["rank"],
        "rating_explanation": row["rating_explanation"],
    }
    text = json.dumps(whole, ensure_ascii=False, indent=4)
    return {**row, **told, "findings": findings, "full_content_json": text}


def _their_citations(text: str, numbers: Numbers) -> str:
    """Return a text that cites rows as they do: [Data: Entities (5, 7); Reports (2)]."""
    return BRACKETS.sub(lambda match: _cite(match[1], numbers), text)


def _cite(markers: str, numbers: Numbers) -> str:
    sets: dict[str, list[int]] = {}
    for name in re.findall(r"[A-Z][0-9a-f]{6,32}", markers):
        if name in numbers:
            dataset, number = numbers[name]
            sets.setdefault(dataset, []).append(number)
    return f" [Data: {'; '.join(_listed(sets))}]" if sets else ""


def _listed(sets: Mapping[str, Iterable[int]]) -> list[str]:
    return [f"{name} ({', '.join(map(str, sorted(rows)))})" for name, rows in sets.items()]
