"""Published versions: what each one changed, which are kept, and the way back to one.

The history only grows. A rollback is a new version with the contents of an old one, so that
numbers, changes and whoever follows the newest version stay right.
"""

import os
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import polars as pl

from graphrag_assets.errors import NoIndexError, NoVersionError
from graphrag_assets.lock import held
from graphrag_assets.project import Project
from graphrag_assets.states import next_version
from graphrag_assets.store import (
    Connection,
    Store,
    append,
    connect,
    open_published,
    read_table,
    replace,
    select,
    sql,
)

HISTORY = ("index_versions", "index_changes")


def roll_back(project: Project, version: int | None = None) -> int:
    """Publish the contents of a kept version again; return the number of the new version.

    By default those of the version before the one that is current. The working tables stay as
    they are: the next run publishes on top when something has changed. Raises NoVersionError for
    a version that isn't kept, or whose contents are the current ones; RunInProgressError while a
    run goes on.
    """
    store = project.store
    with held(store.work, who=f"graphrag-assets rollback, process {os.getpid()}", timeout=0):
        current = _row_of(store)
        shown = current["restores"] or current["version"]
        wanted = _before(store, shown) if version is None else version
        source, now = store.published(wanted), _row_of(store, wanted)
        origin = now["restores"] or wanted
        if origin == shown:
            raise NoVersionError(wanted, store.kept, f"version {current['version']} already is it")
        with store.transaction() as connection:
            reconcile(connection, store)
            number = next_version(connection, store)
            fields = {"version": number, "created_at": datetime.now(UTC), "run_id": ""}
            cost = {"cost_usd": 0.0, "restores": origin}
            write_version(connection, store, now | fields | cost, contents_of(store, wanted))
            books = {name: read_table(connection, name) for name in ("model_calls", *HISTORY)}
            with store.draft(number, source) as draft, connect(draft, read_only=False) as old:
                for name, rows in books.items():
                    replace(old, name, rows)
    return number


def kept_versions(store: Store) -> pl.DataFrame:
    """Return the rows of index_versions whose files are kept, the newest first."""
    return (
        _history(store).filter(pl.col("version").is_in(store.kept)).sort("version", descending=True)
    )


def contents_of(store: Store, version: int | None = None) -> pl.DataFrame:
    """Return what an analyst would notice of a version, the newest by default: sql/contents.sql."""
    with closing(store.opened(open_published, version)) as connection:
        return select(connection, sql("contents"))


def reconcile(connection: Connection, store: Store) -> None:
    """Make the working history that of the published files.

    A version that a run wrote down but didn't live to publish never was; one that was published
    over a working database that is new, or that a rollback didn't live to write down, was.
    """
    if not store.kept:
        return
    newest = store.kept[-1]
    for table in HISTORY:
        connection.execute(f'DELETE FROM "{table}" WHERE version > ?', [newest])
    known = read_table(connection, "index_versions")["version"]
    if newest in known:
        return
    with closing(store.opened(open_published, newest)) as published:
        for table in HISTORY:
            rows = read_table(published, table)
            append(connection, table, rows.filter(~pl.col("version").is_in(known.implode())))


def write_version(
    connection: Connection, store: Store, row: Mapping[str, Any], now: pl.DataFrame
) -> None:
    """Write down a version and what it changes in the contents of the current one."""
    try:
        before = contents_of(store)
    except NoIndexError:
        before = now.clear()
    append(connection, "index_versions", pl.DataFrame([row]))
    append(connection, "index_changes", changes(before, now, row["version"]))


def changes(before: pl.DataFrame, now: pl.DataFrame, version: int) -> pl.DataFrame:
    """Return what was added, removed and changed between two states of the contents."""
    both = now.join(before, on=["kind", "id"], how="full", coalesce=True, suffix="_before")
    change = (
        pl.when(pl.col("content_before").is_null())
        .then(pl.lit("added"))
        .when(pl.col("content").is_null())
        .then(pl.lit("removed"))
        .otherwise(pl.lit("changed"))
    )
    return (
        both.filter(pl.col("content").ne_missing(pl.col("content_before")))
        .with_columns(
            change=change,
            version=pl.lit(version, pl.Int64),
            title=pl.coalesce("title", "title_before"),
        )
        .sort("kind", "id")
    )


def _row_of(store: Store, version: int | None = None) -> dict[str, Any]:
    """Return a version's own row of index_versions; what older code didn't know is None."""
    return _history(store, version).sort("version").to_dicts()[-1]


def _history(store: Store, version: int | None = None) -> pl.DataFrame:
    """Return index_versions as a published version has it."""
    with closing(store.opened(open_published, version)) as connection:
        return read_table(connection, "index_versions")


def _before(store: Store, version: int) -> int:
    earlier = [number for number in store.kept if number < version]
    if not earlier:
        raise NoVersionError(None, store.kept, f"none before version {version} is kept")
    return earlier[-1]
