"""An index made elsewhere -> a published version of ours.

It lives in a root of its own: what a pipeline over files makes, and what another program made,
never mix. Its vectors and its map are made here, by the model of the settings, so that questions
and passages meet in one space; what was embedded once is found again in the memo.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from graphrag_assets.assets import corpus, vectors
from graphrag_assets.assets.publication import publish
from graphrag_assets.database import IndexDatabase
from graphrag_assets.errors import ImportedError
from graphrag_assets.exchange.microsoft.index import read_index
from graphrag_assets.lock import held
from graphrag_assets.models.ledger import Call
from graphrag_assets.project import Project
from graphrag_assets.states import IMPORTED, State, asset_states, next_version, save_states
from graphrag_assets.store import fingerprint, replace
from graphrag_assets.tables import TABLES
from graphrag_assets.text import content_id
from graphrag_assets.warehouse import record_calls

Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class Imported:
    """What came of an import: the version, and what didn't fit as it was."""

    version: int
    notes: tuple[str, ...]


def import_microsoft(project: Project, folder: Path) -> Imported:
    """Publish an index of Microsoft GraphRAG 3 as a version of this project.

    Raises ImportedError if the folder isn't such an index, or the project holds an index of files.
    """
    with held(project.store.work, who="import", timeout=0):
        index = read_index(
            folder,
            project.settings,
            previous=project.store.read("communities", "community_reports"),
            version=_next_version(project),
            recipe=IMPORTED,
        )
        tables = dict(index.tables)
        tables["text_unit_terms"] = corpus.text_unit_terms(tables["text_units"])
        calls = _embed(project, tables)
        run_id = f"import-{content_id(str(folder), datetime.now(UTC).isoformat())[:12]}"
        _write(project, tables, calls, run_id)
        database = IndexDatabase(database=str(project.store.work))
        published = publish(project, database, run_id)
    return Imported(published["version"], index.notes)


def _next_version(project: Project) -> int:
    """Return the version to come; refuse to mix with an index of files."""
    with project.store.connect(read_only=False) as connection:
        states = asset_states(connection)
        if any(state.recipe != IMPORTED for name, state in states.items() if name in TABLES):
            raise ImportedError(
                f"`{project.root}` holds an index of its own files; an imported one would replace "
                "it. Give it a folder of its own: `graphrag-assets --root FOLDER import …`."
            )
        return next_version(connection, project.store)


def _embed(project: Project, tables: Tables) -> dict[str, list[Call]]:
    """Add vectors and map to the tables; return the calls by table."""
    models, settings, calls = project.models, project.settings, {}
    made: Mapping[str, Callable[[], pl.DataFrame]] = {
        "text_unit_embeddings": lambda: vectors.text_unit_embeddings(tables["text_units"], models),
        "document_embeddings": lambda: vectors.document_embeddings(
            tables["text_units"], tables["text_unit_embeddings"]
        ),
        "entity_embeddings": lambda: vectors.entity_embeddings(tables["entities"], models),
        "relationship_embeddings": lambda: vectors.relationship_embeddings(
            tables["relationships"], tables["entities"], models
        ),
        "report_embeddings": lambda: vectors.report_embeddings(tables["community_reports"], models),
    }
    for step, (name, make) in enumerate(made.items()):
        project.progress("embeddings", step, len(made))
        tables[name] = make()
        calls[name] = models.drain()
    project.progress("embeddings", len(made), len(made))
    names = [name for name in vectors.layout.inputs if name != "layout"]
    tables["layout"] = vectors.layout(
        **{name: tables[name] for name in names},
        settings=settings.layout,
        seeds=settings.communities,
        previous_layout=project.store.read("layout")["layout"],
    )
    return calls


def _write(project: Project, tables: Tables, calls: Mapping[str, list[Call]], run_id: str) -> None:
    with project.store.connect(read_only=False) as connection:
        for name, made in calls.items():
            record_calls(connection, made, asset=name, run_id=run_id)
        connection.begin()
        for name, rows in tables.items():
            replace(connection, name, rows)
        states = [
            State(name, fingerprint(connection, name), IMPORTED, {}, settled=True)
            for name in tables
        ]
        save_states(connection, states)
        connection.commit()
