"""What each table was last made from: the memory behind the early cutoff."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

import polars as pl

from graphrag_assets.errors import ImportedError
from graphrag_assets.store import Connection, Store, read_table, replace

IMPORTED = "imported"  # the recipe of a table that another program made


@dataclass(frozen=True)
class State:
    """What a table was last made from."""

    table: str
    fingerprint: str
    recipe: str
    inputs: dict[str, str]
    settled: bool


def asset_states(connection: Connection) -> dict[str, State]:
    """Return the state of each table that was ever made."""
    rows = read_table(connection, "asset_states").to_dicts()
    return {row["table"]: State(**{**row, "inputs": json.loads(row["inputs"])}) for row in rows}


def refuse_imported(states: Mapping[str, State]) -> None:
    """Raise ImportedError where another program's index stands: files would replace half of it."""
    if any(state.recipe == IMPORTED for state in states.values()):
        raise ImportedError(
            "This index was imported; it isn't made from files here. Index yours in a folder of "
            "their own, bring a newer one with `graphrag-assets import`, or delete the index first."
        )


def next_version(connection: Connection, store: Store) -> int:
    """Return the number that the next published version will have."""
    written: list[int] = read_table(connection, "index_versions")["version"].to_list()
    return max([0, *written, *store.kept]) + 1


def save_states(connection: Connection, states: Iterable[State]) -> None:
    """Write down what tables were made from."""
    kept = asset_states(connection) | {state.table: state for state in states}
    rows = [{**asdict(state), "inputs": json.dumps(state.inputs)} for state in kept.values()]
    replace(connection, "asset_states", pl.DataFrame(rows))
