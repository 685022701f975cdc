"""The entity graph as GraphML (graphml.graphdrawing.org), which Gephi, networkx and igraph read.

Entities have a label (Gephi's name for the title), their community at each level and their place
on the map. What XML 1.0 can't say (control characters) becomes U+FFFD.
"""

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from graphrag_assets.query.reader import Reader

HEAD = """\
<?xml version="1.0" encoding="UTF-8"?><!-- written by graphrag-assets, index version {version} -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns \
http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
TYPES: dict[type[pl.DataType], str] = {pl.Int64: "long", pl.Int32: "long", pl.Float64: "double"}
UNSAYABLE = r"[^\t\n\r\x20-\x{D7FF}\x{E000}-\x{FFFD}\x{10000}-\x{10FFFF}]"
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"}


def write(reader: Reader, path: Path) -> None:
    """Write the entity graph of a version to a file."""
    vertices = _with_communities(reader)
    edges = reader.ask("exchange/graph_relationships")
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(HEAD.format(version=reader.version))
        file.writelines(_keys("node", vertices.drop("id")))
        file.writelines(_keys("edge", edges.drop("id", "source_id", "target_id")))
        file.write('<graph id="entities" edgedefault="undirected">\n')
        for part in vertices.iter_slices():
            file.writelines(_elements(part, "node", {"id": "id"}))
        ends = {"id": "id", "source": "source_id", "target": "target_id"}
        for part in edges.iter_slices():
            file.writelines(_elements(part, "edge", ends))
        file.write("</graph>\n</graphml>\n")


def _with_communities(reader: Reader) -> pl.DataFrame:
    vertices = reader.ask("exchange/graph_entities")
    vertices = vertices.with_columns(label="title")
    for (level,), members in reader.ask("exchange/graph_communities").group_by(
        "level", maintain_order=True
    ):
        column = members.select("id", pl.col("community_id").alias(f"community_{level}"))
        vertices = vertices.join(column, on="id", how="left", maintain_order="left")
    return vertices


def _keys(domain: str, rows: pl.DataFrame) -> Iterable[str]:
    return (
        f'<key id="{domain}_{name}" for="{domain}" attr.name="{name}" '
        f'attr.type="{TYPES.get(type(dtype), "string")}"/>\n'
        for name, dtype in rows.schema.items()
    )


def _elements(rows: pl.DataFrame, tag: str, attributes: dict[str, str]) -> Iterable[str]:
    """Return one element a row; what is NULL has no data."""
    shown = rows.select(_escaped(name, dtype) for name, dtype in rows.schema.items())
    head = [pl.format(f' {attribute}="{{}}"', column) for attribute, column in attributes.items()]
    data = [
        pl.format(f'<data key="{tag}_{name}">{{}}</data>', name).fill_null("")
        for name in rows.columns
        if name not in attributes.values()
    ]
    parts = [pl.lit(f"<{tag}"), *head, pl.lit(">"), *data, pl.lit(f"</{tag}>\n")]
    return iter(shown.select(pl.concat_str(parts)).to_series())


def _escaped(name: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if dtype != pl.String:
        return column.cast(pl.String)
    column = column.str.replace_all(UNSAYABLE, "\ufffd")
    for sign, escape in ESCAPES.items():
        column = column.str.replace_all(sign, escape, literal=True)
    return column
