"""The formats that a published version is written in."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from graphrag_assets.exchange import graphml, jsonl, neo4j, parquet, spreadsheet
from graphrag_assets.exchange.microsoft import export as microsoft
from graphrag_assets.exchange.outputs import whole_file, whole_folder
from graphrag_assets.query.reader import Reader


@dataclass(frozen=True)
class Format:
    """How a version is written: to one file, or to a folder."""

    write: Callable[[Reader, Path], None]
    one_file: bool = False


FORMATS = {
    "graphml": Format(graphml.write, one_file=True),
    "parquet": Format(parquet.write),
    "csv": Format(spreadsheet.write),
    "jsonl": Format(jsonl.write),
    "cypher": Format(neo4j.write),
    "graphrag": Format(microsoft.write),
}


def export(reader: Reader, form: str, output: Path, *, force: bool) -> None:
    """Write a version in a format of FORMATS; raise ExportError if `output` can't be written."""
    output = output.resolve()
    found = FORMATS[form]
    if found.one_file:
        with whole_file(output, force=force) as path:
            found.write(reader, path)
    else:
        about = {"format": form, "version": reader.version}
        with whole_folder(output, about, force=force) as path:
            found.write(reader, path)
