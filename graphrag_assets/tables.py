"""The data dictionary: one schema per table, in pipeline order.

DuckDB's DDL and comments, validation, Dagster's column schemas, reference checks and
docs/TABLES.md all derive from these declarations. `metadata={"references": "table.column"}`
declares a foreign key. The books, which no asset makes, are declared in books.py.
"""

from functools import cache

import dataframely as dy
import polars as pl

from graphrag_assets.books import AssetStates, IndexChanges, IndexVersions, ModelCalls


def _made_from() -> dy.List:
    return dy.List(
        dy.String(),
        description="Hashes of the distinct mentions that the description was made from, "
        "and of the recipe where a model summarised them.",
    )


def _link(to: str, description: str, *, key: bool = False, nullable: bool = False) -> dy.String:
    return dy.String(
        primary_key=key, nullable=nullable, description=description, metadata={"references": to}
    )


class Files(dy.Schema):
    """Every file under the corpus root and what became of it."""

    path = dy.String(primary_key=True, description="Path relative to the corpus root, with /.")
    status = dy.String(
        description="indexed, empty, duplicate, needs_ocr, unreadable, unsupported or failed."
    )
    reason = dy.String(nullable=True, description="Why the file isn't indexed, in words.")
    format = dy.String(description="Format it was read as: txt, md, pdf, csv …")
    encoding = dy.String(nullable=True, description="Character encoding; NULL for binary formats.")
    sha256 = dy.String(nullable=True, description="Hash of the bytes; NULL if unreadable.")
    bytes = dy.Int64(description="Size in bytes.")
    modified_at = dy.String(
        nullable=True,
        description="When the file system says that these bytes were written; UTC, ISO 8601.",
    )
    n_documents = dy.Int64(description="Documents read from it.")


class Documents(dy.Schema):
    """A text with a title: a file, or a record of a csv, json, jsonl or parquet file."""

    id = dy.String(primary_key=True, description="Hash of path and record.")
    path = _link("files.path", "File it comes from.")
    record = dy.String(nullable=True, description="Record inside the file, by id or row number.")
    title = dy.String(description="Title column, first heading or file name.")
    text = dy.String(description="Normalised text; all spans count its characters.")
    n_tokens = dy.Int64(description="Length in tokens.")
    sha256 = dy.String(description="Hash of the text.")
    metadata = dy.String(description="JSON object: front matter, header lines, metadata columns.")
    pages = dy.List(
        dy.Struct({"page": dy.Int64(), "start_char": dy.Int64()}),
        description="Where each page begins, for formats that have pages.",
    )


class TextUnits(dy.Schema):
    """A piece of a document that fits a prompt: text = document.text[start_char:end_char]."""

    id = dy.String(primary_key=True, description="Hash of document, text and occurrence.")
    document_id = _link("documents.id", "Document it is cut from.")
    ordinal = dy.Int64(description="Position in the document, from 0.")
    text = dy.String(description="The text.")
    n_tokens = dy.Int64(description="Length in tokens.")
    start_char = dy.Int64(description="First character in the document's text.")
    end_char = dy.Int64(description="One past the last character.")
    sha256 = dy.String(description="Hash of the text; equal texts are extracted once.")


class TextUnitTerms(dy.Schema):
    """Search terms of a text unit: the inverted index that BM25 reads."""

    term = dy.String(primary_key=True, description="Folded word, or two Chinese characters.")
    text_unit_id = _link("text_units.id", "Where it stands.", key=True)
    n = dy.Int64(description="How often.")


class Extractions(dy.Schema):
    """What became of each text unit in extraction, and what the model said about it."""

    text_unit_id = _link("text_units.id", "The text unit.", key=True)
    status = dy.String(description="ok, empty, failed, refused, filtered or truncated.")
    reason = dy.String(nullable=True, description="Why it isn't ok, in words.")
    n_entities = dy.Int64(description="Entities in the reply.")
    n_relationships = dy.Int64(description="Relationships in the reply.")
    gleanings = dy.Int64(description="Further rounds that were made.")
    model = dy.String(description="Model that answered.")
    recipe = dy.String(description="Fingerprint of prompt, model and settings.")
    reply = dy.String(description="JSON object with the parsed entities, relationships and claims.")


class EntityAliases(dy.Schema):
    """Which entity each name in the corpus stands for, and how that was decided."""

    title = dy.String(primary_key=True, description="Name as extracted.")
    type = dy.String(primary_key=True, description="Type as extracted.")
    entity_id = _link("entities.id", "Entity it stands for.")
    method = dy.String(description="exact, normalised, short_form, similar, model or override.")
    score = dy.Float64(description="Similarity to the entity's title, 0 to 1.")


class Names(dy.Schema):
    """What a name stands for where a question or a text says it: entities, documents by title."""

    name = dy.String(primary_key=True, description="Its words in lower case, one space between.")
    kind = dy.String(primary_key=True, description="entity or document.")
    ref_id = dy.String(primary_key=True, description="Id of the entity or document.")
    start = dy.String(description="Its first two words, by which it is looked up.")


class EntityMentions(dy.Schema):
    """One entity in one text unit, as the model wrote it."""

    text_unit_id = _link("text_units.id", "Where.", key=True)
    ordinal = dy.Int64(primary_key=True, description="Position in the reply, from 0.")
    title = dy.String(description="Name as extracted.")
    type = dy.String(description="Type as extracted.")
    description = dy.String(description="What this text unit says about it.")
    entity_id = _link(
        "entities.id", "Entity it became; NULL if the name isn't in the text.", nullable=True
    )


class RelationshipMentions(dy.Schema):
    """One relationship in one text unit, as the model wrote it."""

    text_unit_id = _link("text_units.id", "Where.", key=True)
    ordinal = dy.Int64(primary_key=True, description="Position in the reply, from 0.")
    source_title = dy.String(description="Source as extracted.")
    target_title = dy.String(description="Target as extracted.")
    description = dy.String(description="What this text unit says about the pair.")
    strength = dy.Float64(description="Strength the model gave, 1 to 10.")
    source_id = _link("entities.id", "The end with the smaller id.", nullable=True)
    target_id = _link("entities.id", "The other end.", nullable=True)
    relationship_id = _link(
        "relationships.id",
        "Relationship it became; NULL if an end is unsupported or both are one entity.",
        nullable=True,
    )


class Entities(dy.Schema):
    """A named thing that the corpus speaks of, merged over all its mentions."""

    id = dy.String(primary_key=True, description="Hash of the most used of its normalised names.")
    title = dy.String(min_length=1, description="Most frequent name.")
    type = dy.String(description="Most frequent type.")
    types = dy.List(dy.String(), description="All types it was given.")
    description = dy.String(description="What the corpus says about it.")
    made_from = _made_from()
    n_mentions = dy.Int64(description="Mentions.")
    n_documents = dy.Int64(description="Documents that mention it.")
    degree = dy.Int64(description="Relationships it has.")


class Relationships(dy.Schema):
    """Two entities that the corpus connects; undirected, source_id < target_id."""

    id = dy.String(primary_key=True, description="Hash of its two ends.")
    source_id = _link("entities.id", "The end with the smaller id.")
    target_id = _link("entities.id", "The other end.")
    description = dy.String(description="How they are related.")
    made_from = _made_from()
    weight = dy.Float64(min=0, description="Distinct texts that mention it.")
    strength = dy.Float64(description="Sum of the strengths that the model gave.")
    n_mentions = dy.Int64(description="Mentions.")
    combined_degree = dy.Int64(description="Sum of the degrees of its ends.")


class Claims(dy.Schema):
    """A statement about an entity, with the words of the text that make it."""

    id = dy.String(primary_key=True, description="Hash of text unit and content.")
    text_unit_id = _link("text_units.id", "Where it is made.")
    subject_id = _link("entities.id", "Whom it is about.")
    object_id = _link("entities.id", "Whom it affects.", nullable=True)
    type = dy.String(description="Kind of claim.")
    status = dy.String(description="true, false or suspected.")
    description = dy.String(description="The claim.")
    start_date = dy.String(nullable=True, description="YYYY-MM-DD, or as the text has it.")
    end_date = dy.String(nullable=True, description="YYYY-MM-DD, or as the text has it.")
    quote = dy.String(description="Words of the text.")
    start_char = dy.Int64(nullable=True, description="Quote in the document; NULL if not found.")
    end_char = dy.Int64(nullable=True, description="One past the quote's last character.")


class Communities(dy.Schema):
    """A group of closely connected entities; level 0 is the coarsest (C0)."""

    id = dy.String(primary_key=True, description="Hash of level and members at birth, inherited.")
    level = dy.Int64(description="0 = root = C0.")
    parent_id = _link("communities.id", "Community it is a part of.", nullable=True)
    size = dy.Int64(description="Entities.")
    n_relationships = dy.Int64(description="Relationships inside it.")
    born_in = dy.Int64(description="Index version in which it appeared.")
    event = dy.String(description="kept, grown, split, merged or new, against the last version.")
    fingerprint = dy.String(description="Hash of members and inner relationships.")


class CommunityMembers(dy.Schema):
    """Who belongs to a community."""

    community_id = _link("communities.id", "The community.", key=True)
    entity_id = _link("entities.id", "The entity.", key=True)


class CommunityReports(dy.Schema):
    """What a community is about, with citations."""

    community_id = _link("communities.id", "The community.", key=True)
    level = dy.Int64(description="Level of the community.")
    title = dy.String(description="Title.")
    summary = dy.String(description="Summary; cites elements as [E12ab34cd].")
    findings = dy.List(
        dy.Struct(
            {
                "summary": dy.String(),
                "explanation": dy.String(),
                "citations": dy.List(dy.String()),
            }
        ),
        description="Insights, each with the ids of the elements it cites.",
    )
    rating = dy.Float64(description="Importance, 0 to 10.")
    rating_explanation = dy.String(description="Why.")
    full_content = dy.String(description="The whole report as Markdown.")
    n_tokens = dy.Int64(description="Length of full_content in tokens.")
    status = dy.String(
        description="ok, stale (a little has changed), failed, refused, filtered, truncated; "
        "missing (in an import)."
    )
    reason = dy.String(nullable=True, description="Why it isn't ok, in words.")
    evidence = dy.String(description="Fingerprint of what went into the prompt.")
    model = dy.String(description="Model that wrote it.")
    recipe = dy.String(description="Fingerprint of prompt, model and settings.")
    refreshed_in = dy.Int64(description="Index version in which it was written.")


class ReportEvidence(dy.Schema):
    """What a report rests on: the elements it was written from, and its children's reports."""

    community_id = _link("community_reports.community_id", "The report's community.", key=True)
    kind = dy.String(primary_key=True, description="entity, relationship, claim or report.")
    ref_id = dy.String(primary_key=True, description="Id of the element or child community.")
    included = dy.Bool(
        description="Whether it stood in the prompt, itself or in a child report; "
        "in an imported index, whether the report cites it."
    )
    via = dy.String(description="own, or child: covered by a child's report.")
    sha256 = dy.String(description="Hash of its row in the prompt, when the report was written.")
    n_tokens = dy.Int64(description="Tokens of that row.")
    made_from = dy.List(
        dy.String(), description="What the element was made from then: hashes, with its name's."
    )


def _embedded(key: str) -> dy.String:
    return _link(key, f"The embedded {key}.", key=True)


def _vector() -> dy.Any:
    return dy.Any(description="FLOAT[n]; n is the model's dimension.")


class TextUnitEmbeddings(dy.Schema):
    """Vectors of text units."""

    id = _embedded("text_units.id")
    vector = _vector()
    model = dy.String(description="Model that made the vector.")


class DocumentEmbeddings(dy.Schema):
    """Vectors of documents."""

    id = _embedded("documents.id")
    vector = _vector()
    model = dy.String(description="Model that made the vector.")


class EntityEmbeddings(dy.Schema):
    """Vectors of entities."""

    id = _embedded("entities.id")
    vector = _vector()
    model = dy.String(description="Model that made the vector.")


class RelationshipEmbeddings(dy.Schema):
    """Vectors of relationships."""

    id = _embedded("relationships.id")
    vector = _vector()
    model = dy.String(description="Model that made the vector.")


class ReportEmbeddings(dy.Schema):
    """Vectors of community reports."""

    id = _embedded("community_reports.community_id")
    vector = _vector()
    model = dy.String(description="Model that made the vector.")


class Layout(dy.Schema):
    """Where an entity or document stands on the map."""

    kind = dy.String(primary_key=True, description="entity or document.")
    id = dy.String(primary_key=True, description="Id of the entity or document.")
    x = dy.Float64(description="UMAP coordinate.")
    y = dy.Float64(description="UMAP coordinate.")
    size = dy.Float64(description="Degree of the entity, tokens of the document.")
    community_id = _link(
        "communities.id",
        "Level-0 community (of a document: the one most of its mentions are in).",
        nullable=True,
    )
    fitted = dy.Bool(description="False: placed into an existing map since its last fit.")


TABLES: dict[str, type[dy.Schema]] = {
    "files": Files,
    "documents": Documents,
    "text_units": TextUnits,
    "text_unit_terms": TextUnitTerms,
    "extractions": Extractions,
    "entity_aliases": EntityAliases,
    "names": Names,
    "entity_mentions": EntityMentions,
    "relationship_mentions": RelationshipMentions,
    "relationships": Relationships,
    "entities": Entities,
    "claims": Claims,
    "communities": Communities,
    "community_members": CommunityMembers,
    "community_reports": CommunityReports,
    "report_evidence": ReportEvidence,
    "text_unit_embeddings": TextUnitEmbeddings,
    "document_embeddings": DocumentEmbeddings,
    "entity_embeddings": EntityEmbeddings,
    "relationship_embeddings": RelationshipEmbeddings,
    "report_embeddings": ReportEmbeddings,
    "layout": Layout,
}
BOOKS: dict[str, type[dy.Schema]] = {
    "model_calls": ModelCalls,
    "index_versions": IndexVersions,
    "index_changes": IndexChanges,
    "asset_states": AssetStates,
}
TABLES |= BOOKS


SORTED_BY = {"community_members": ["entity_id"], "relationship_mentions": ["relationship_id"]}


def sort_columns(table: str) -> list[str]:
    """Return the columns in whose order rows lie: the key, or first what questions look for."""
    first = SORTED_BY.get(table, [])
    return [*first, *(key for key in keys(table) if key not in first)]


def keys(table: str) -> list[str]:
    """Return the key columns of a table."""
    return TABLES[table].primary_key()


def columns(table: str) -> dict[str, dy.Column]:
    """Return the columns of a table by name."""
    return TABLES[table].columns()


@cache
def types(table: str) -> pl.Schema:
    """Return the types that a table's columns have as a frame."""
    return TABLES[table].create_empty().schema


def references(table: str) -> dict[str, tuple[str, str]]:
    """Return {column: (table, column) it refers to}."""
    found = {}
    for name, column in columns(table).items():
        if target := (column.metadata or {}).get("references"):
            other, _, key = str(target).partition(".")
            found[name] = (other, key)
    return found


def meaning(table: str) -> str:
    """Return what a table is for, in one line."""
    return (TABLES[table].__doc__ or "").strip().splitlines()[0]
