"""Edit scripts of a small corpus, and the laws that an index keeps whatever happened to it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import strategies as st

from graphrag_assets.assets.publication import CONTENTS
from graphrag_assets.checks import all_checks, broken_laws
from graphrag_assets.models import client
from graphrag_assets.network.graph import modularity
from graphrag_assets.project import Project
from graphrag_assets.store import open_published, select
from pipeline import STABLE, contents, index_once
from small_corpus import CORPUS, NAMES, SETTINGS, reader, write_project

READING = {"extract_graph", "continue_extraction", "extract_claims", "summarize_description"}
TOLERANT = SETTINGS.replace("[models.default]", "[reports]\ntolerance = 0.9\n[models.default]", 1)
FILES = [*CORPUS, "07-new.txt", "08-new.txt"]

names = st.sampled_from(sorted(NAMES))
sentences = st.tuples(names, st.sampled_from(["met", "left", "blamed", "paid"]), names)
texts = st.lists(sentences, min_size=1, max_size=4).map(
    lambda said: " ".join(f"{' '.join(words)}." for words in said)
)
files = st.sampled_from(FILES)
edit = st.one_of(
    st.tuples(st.just("write"), files, texts),
    st.tuples(st.just("add to"), files, texts),
    st.tuples(st.just("delete"), files, st.none()),
    st.tuples(st.just("rename"), files, files),
    st.tuples(st.just("duplicate"), files, files),
    st.tuples(st.just("re-add"), files, st.none()),
)
scripts = st.lists(st.lists(edit, min_size=1, max_size=3), min_size=1, max_size=2)


def edited(corpus: Mapping[str, str], edits: list[tuple[str, str, str | None]]) -> dict[str, str]:
    """Return a corpus after some edits; one that makes no sense does nothing."""
    after = dict(corpus)
    for kind, file, what in edits:
        if kind == "write":
            after[file] = str(what)
        elif kind == "re-add" and file in CORPUS:
            after[file] = CORPUS[file]
        elif file in after:
            _edit(after, kind, file, str(what))
    return after or {FILES[0]: CORPUS[FILES[0]]}


def _edit(after: dict[str, str], kind: str, file: str, what: str) -> None:
    if kind == "add to":
        after[file] += f" {what}"
    elif kind == "delete":
        del after[file]
    elif kind == "rename":
        after[what] = after.pop(file)
    else:
        after[what] = after[file]


@contextmanager
def scripted() -> Iterator[list]:
    """Let every project ask one scripted model; give what it was asked."""
    transport = reader()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "LitellmTransport", lambda: transport)
        yield transport.history


def bring(root: Path, corpus: Mapping[str, str], settings: str = TOLERANT) -> Project:
    """Make a folder hold a corpus, index it once, and see that its laws hold."""
    for file in (root / "data" / "input").glob("*"):
        if file.name not in corpus:
            file.unlink()
    project = Project.open(write_project(root, corpus, settings=settings))
    index_once(project)
    limits = project.settings.extraction.model_dump()
    with project.store.connect(read_only=True) as connection:
        assert broken_laws(connection, all_checks(), limits) is None
    return project


def everything_said(project: Project) -> str:
    """Return all that the published tables say, but for the books."""
    connection = open_published(project.store.published())
    try:
        tables = [select(connection, f'FROM "{table}"') for table in CONTENTS]
    finally:
        connection.close()
    return "\n".join(table.drop("vector", strict=False).write_json() for table in tables)


def same_tables(project: Project, other: Project) -> list[str]:
    """Return the pure tables in which two projects differ."""
    one, two = contents(project), contents(other)
    return [table for table in STABLE if not one[table].equals(two[table])]


def quality(project: Project) -> float:
    """Return the modularity of level 0."""
    found = project.store.read("relationships", "communities", "community_members")
    top = found["communities"].filter(level=0)
    members = found["community_members"].join(top, left_on="community_id", right_on="id")
    return modularity(found["relationships"], members.select("entity_id", "community_id"))
