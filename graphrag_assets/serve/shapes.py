"""What is sent and received over HTTP: types, limits and meanings for OpenAPI."""

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

from graphrag_assets.query.question import LONGEST

T = TypeVar("T")
Level = Annotated[int | None, Field(ge=0, le=100, description="Community level; 0 = coarsest.")]


class Turn(BaseModel):
    """An earlier question with its answer."""

    question: str = Field(max_length=LONGEST, description="What was asked.")
    answer: str = Field(max_length=100_000, description="What was answered.")


class Ask(BaseModel):
    """A question. Only `question` is needed; what is left out is as settings.toml says."""

    model_config = {"extra": "forbid"}

    question: str = Field(description=f"At most {LONGEST} characters, in any language.")
    method: str | None = Field(
        None, description="auto, global, local, drift, basic, source or lazy."
    )
    level: Level = None
    selection: str | None = Field(
        None, description="Which reports a global question reads: all, embedding or dynamic."
    )
    history: list[Turn] = Field([], max_length=100, description="Earlier turns, oldest first.")
    where: str | None = Field(
        None, max_length=2000, description="Filter on documents: path, title, metadata."
    )
    community: str | None = Field(
        None, max_length=64, description="Id of a community: only its subtree is read."
    )


class Versioned(BaseModel):
    """What was read from one whole version of the index."""

    index_version: int = Field(description="Version that was read.")


class Page(Versioned, Generic[T]):
    """Some of many rows."""

    items: list[T] = Field(description="From `offset`, at most `limit`.")
    total: int = Field(description="How many there are.")


class Place(BaseModel):
    """A text unit that a method would read."""

    id: str = Field(description="Text unit.")
    document_id: str
    title: str = Field(description="Title of the document.")
    path: str
    score: float = Field(description="Comparable within one answer only.")


class Found(Versioned):
    """Text units, the best first."""

    items: list[Place]


class Suggestions(Versioned):
    """Questions that the corpus answers."""

    questions: list[str]


class ReportInShort(BaseModel):
    """A community report without its findings."""

    id: str = Field(description="Its community's id.")
    level: int
    title: str
    summary: str = Field(description="Cites elements as [E12ab34cd].")
    rating: float = Field(description="Importance, 0 to 10.")
    status: str = Field(description="ok, stale, failed, refused, filtered or truncated.")
    parent_id: str | None
    n_entities: int


class Finding(BaseModel):
    """One insight of a report."""

    summary: str
    explanation: str
    citations: list[str] = Field(description="Ids of the elements it cites.")


class Community(BaseModel):
    """A group of closely connected entities, with the title of its report."""

    id: str
    level: int
    parent_id: str | None
    n_entities: int
    n_relationships: int
    born_in: int = Field(description="Version in which it appeared.")
    event: str = Field(description="kept, grown, split, merged or new, against the last version.")
    title: str
    rating: float


class Report(ReportInShort, Versioned):
    """A whole community report."""

    findings: list[Finding]
    rating_explanation: str
    full_content: str = Field(description="The whole report as Markdown.")
    reason: str | None = Field(description="Why it isn't ok.")
    model: str
    refreshed_in: int = Field(description="Version in which it was written.")
    n_relationships: int
    children: list[Community]


class EntityInShort(BaseModel):
    """A named thing."""

    id: str
    title: str
    type: str
    description: str
    n_mentions: int
    n_documents: int
    degree: int = Field(description="Relationships it has.")


class Neighbour(BaseModel):
    """A relationship of an entity, with its other end."""

    id: str = Field(description="Relationship.")
    entity_id: str = Field(description="The other end.")
    title: str = Field(description="The other end's.")
    type: str = Field(description="The other end's.")
    description: str
    weight: float = Field(description="Distinct texts that mention it.")
    combined_degree: int


class Membership(BaseModel):
    """A community that an entity is in."""

    level: int
    id: str
    title: str


class Claim(BaseModel):
    """A statement about an entity, with the words of the text."""

    id: str
    type: str
    status: str = Field(description="true, false or suspected.")
    description: str
    start_date: str | None
    end_date: str | None
    quote: str
    subject: str
    object: str | None


class Entity(EntityInShort, Versioned):
    """A named thing with what it is connected to."""

    types: list[str]
    names: list[str] = Field(description="How the corpus calls it.")
    communities: list[Membership] = Field(description="From the coarsest.")
    claims: list[Claim]
    relationships: list[Neighbour] = Field(description="The heaviest first.")


class Relationship(Versioned):
    """Two entities that the corpus connects."""

    id: str
    source_id: str
    target_id: str
    source: str
    target: str
    description: str
    weight: float = Field(description="Distinct texts that mention it.")
    strength: float
    n_mentions: int
    combined_degree: int


class Span(BaseModel):
    """Characters of a document."""

    path: str
    page: int | None
    start_char: int
    end_char: int
    text: str


class Lineage(Versioned):
    """A thing and the passages it rests on."""

    kind: Literal["report", "entity", "relationship", "claim", "text_unit"]
    id: str
    title: str
    passages: list[Span]
    total: int = Field(description="How many passages there are.")


class DocumentPage(BaseModel):
    """Where a page begins."""

    page: int
    start_char: int


class Document(Versioned):
    """A document with a part of its text."""

    id: str
    path: str
    record: str | None
    title: str
    n_tokens: int
    n_chars: int = Field(description="Length of the whole text.")
    metadata: dict[str, Any]
    pages: list[DocumentPage] | None
    start_char: int = Field(description="Where `text` begins.")
    text: str


class Change(BaseModel):
    """A thing that came, went or changed."""

    kind: str
    id: str
    title: str
    change: Literal["added", "removed", "changed"]


class Changes(Versioned):
    """What is new between two versions."""

    since: int
    until: int
    items: list[Change]
    total: int


class LevelSize(BaseModel):
    """How many communities cover the entities at a level."""

    level: int
    communities: int


class Unfinished(BaseModel):
    """What a complete index would have and this one lacks."""

    kind: str
    id: str
    status: str
    reason: str | None


class Status(Versioned):
    """What the newest version holds, took and lacks."""

    status: Literal["complete", "partial"]
    created_at: datetime
    run_id: str
    cost_usd: float | None = Field(description="Null = unknown.")
    counts: dict[str, int] = Field(description="Rows per table.")
    levels: list[LevelSize]
    stale: int = Field(description="Reports that a little of what they rest on has changed under.")
    unfinished: list[Unfinished]
    corpus: dict[str, Any] = Field(description="Files by what became of them.")
    corpus_notes: list[str]
    took: dict[str, float | None] = Field(description="Calls, tokens and cost of its run.")


class Health(BaseModel):
    """Whether questions can be asked."""

    status: Literal["ok", "no_index"]
    index_version: int | None


class Statement(BaseModel):
    """A statement in DuckDB's SQL that reads."""

    model_config = {"extra": "forbid"}

    query: str = Field(min_length=1, max_length=20_000)
    limit: int = Field(1000, ge=1, le=10_000, description="Most rows that are returned.")


class Rows(Versioned):
    """Rows of a statement."""

    columns: list[str]
    rows: list[list[Any]]
