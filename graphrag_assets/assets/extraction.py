"""Text units -> what a model reads out of them -> mentions -> which names are the same."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from graphrag_assets.assets.doubts import TASK, Judge
from graphrag_assets.mentions import (
    assign_entities,
    claim_rows,
    entity_rows,
    relationship_rows,
)
from graphrag_assets.models.client import Models, Outcome, Request
from graphrag_assets.models.replies import (
    ExtractedClaims,
    ExtractedEntity,
    ExtractedRelationship,
    Extraction,
)
from graphrag_assets.names import name_key, spoken_names
from graphrag_assets.prompts import Message, Prompts, language_name
from graphrag_assets.resolution import Overrides, resolve_aliases
from graphrag_assets.settings import CorpusSettings, ExtractionSettings, ResolutionSettings
from graphrag_assets.text import header_rows, language, shortened
from graphrag_assets.warehouse import table_asset

PROMPTS = ("extract_graph", "continue_extraction", "check_extraction", "extract_claims")
TASKS = ("extraction", "claims")
CONTINUED = "columns of the table that the text continues"
MOST_TOLD = 300  # characters of one line about a text


@dataclass(frozen=True)
class Reading:
    """What became of one text in extraction."""

    status: str
    reason: str | None
    extraction: Extraction
    claims: ExtractedClaims
    gleanings: int


@dataclass(frozen=True)
class Reader:
    """Asks the model about one text after the other."""

    models: Models
    prompts: Prompts
    settings: ExtractionSettings
    language: str

    async def read(self, text: str, about: str, subject: str) -> Reading:
        """Extract, glean, then extract claims about what was found.

        `about` stands above the text in the prompts; the text itself stays as it is.
        """
        tongue = language(text) if self.language == "auto" else self.language
        outcome, rounds = await self._extract(text, about, subject, tongue)
        extraction = merge_rounds(rounds)
        claims = ExtractedClaims()
        if self.settings.claims and extraction.entities:
            told = await self._claims(text, about, subject, tongue, extraction)
            claims = told.reply or claims
            outcome = outcome if outcome.status != "ok" else _as_extraction(told)
        empty = outcome.status == "ok" and not extraction.entities
        return Reading(
            status="empty" if empty else outcome.status,
            reason=outcome.reason,
            extraction=extraction,
            claims=claims,
            gleanings=max(0, len(rounds) - 1),
        )

    async def _extract(
        self, text: str, about: str, subject: str, tongue: str
    ) -> tuple[Outcome[Extraction], list[Extraction]]:
        """Return how it ended, and the replies of all rounds.

        A first reply that was cut off is continued, whatever the number of gleanings; it counts
        as whole once a continuation was answered in full.
        """
        domain = self.prompts.domain(self.settings.domain)
        messages = self.prompts.render(
            "extract_graph",
            text=text,
            entity_types=", ".join(self.settings.entity_types or domain.entity_types),
            examples=domain.examples(tongue),
            language=language_name(tongue),
        )
        messages = _told(messages, about)
        ask = partial(Request, "extraction", schema=Extraction, subject=subject)
        first = await self.models.chat(ask("extract_graph", messages))
        rounds = [first.reply] if first.reply else []
        cut_off = first.status == "truncated"
        for gleaning in range(max(self.settings.gleanings, cut_off) if rounds else 0):
            messages = _answered(messages, rounds[-1])
            if gleaning and not await self._anything_left(messages, subject):
                break
            messages += self.prompts.render("continue_extraction")
            more = await self.models.chat(ask("continue_extraction", messages))
            if cut_off and more.status == "ok":
                first = replace(first, status="ok", reason="cut off, then continued")
            if not (more.reply and (more.reply.entities or more.reply.relationships)):
                break
            rounds.append(more.reply)
        return first, rounds

    async def _anything_left(self, messages: tuple[Message, ...], subject: str) -> bool:
        question = messages + self.prompts.render("check_extraction")
        ask: Request[str] = Request(
            "extraction", "check_extraction", question, schema=None, subject=subject
        )
        said = await self.models.chat(ask)
        return str(said.reply or "").strip(" *_\"'`").casefold().startswith(("y", "是"))

    async def _claims(
        self, text: str, about: str, subject: str, tongue: str, extraction: Extraction
    ) -> Outcome[ExtractedClaims]:
        messages = self.prompts.render(
            "extract_claims",
            text=text,
            entities="\n".join(entity.name for entity in extraction.entities),
            language=language_name(tongue),
        )
        messages = _told(messages, about)
        return await self.models.chat(
            Request("claims", "extract_claims", messages, schema=ExtractedClaims, subject=subject)
        )


def merge_rounds(rounds: Iterable[Extraction]) -> Extraction:
    """Return the union of an extraction's rounds; what a later round repeats is dropped."""
    entities: dict[tuple[str, str], ExtractedEntity] = {}
    relationships: dict[tuple[str, ...], ExtractedRelationship] = {}
    for extraction in rounds:
        for entity in extraction.entities:
            entities.setdefault((name_key(entity.name), entity.type.casefold()), entity)
        for link in extraction.relationships:
            ends = sorted((name_key(link.source), name_key(link.target)))
            relationships.setdefault((*ends, link.description), link)
    return Extraction.model_construct(
        entities=list(entities.values()), relationships=list(relationships.values())
    )


@table_asset("extractions", prompts=PROMPTS, tasks=TASKS, priority=-2)
def extractions(
    text_units: pl.DataFrame,
    documents: pl.DataFrame,
    settings: ExtractionSettings,
    corpus: CorpusSettings,
    models: Models,
    prompts: Prompts,
    progress: Callable[[int, int], None],
) -> pl.DataFrame:
    """Read entities, relationships and claims out of each distinct text, once.

    Texts are distinct if they differ, or what stands above them in the prompt does.
    """
    told = text_units.with_columns(about=prefaces(text_units, documents, corpus.prompt_metadata))
    distinct = told.unique(["sha256", "about"], keep="first", maintain_order=True)
    reader = Reader(models, prompts, settings, corpus.language)
    jobs = [
        partial(reader.read, *row) for row in distinct.select("text", "about", "id").iter_rows()
    ]
    readings = models.map(jobs, progress=lambda done: progress(done, len(jobs)))
    rows = pl.DataFrame(
        [_row(reading) for reading in readings], schema=ROW, infer_schema_length=None
    )
    found = rows.with_columns(
        sha256=distinct["sha256"],
        about=distinct["about"],
        model=pl.lit(models.model("extraction")),
        recipe=pl.lit(f"{prompts.fingerprint(*PROMPTS)}-{models.recipe('extraction')}"),
    )
    places = told.select("sha256", "about", text_unit_id="id")
    return places.join(found, on=["sha256", "about"]).drop("about")


def prefaces(text_units: pl.DataFrame, documents: pl.DataFrame, keys: Sequence[str]) -> pl.Series:
    """Return what a prompt says above each text: metadata, the header of a table it continues."""
    whole = documents.select("id", "text", "metadata").iter_rows()
    facts = {name: (text, _facts(metadata, keys)) for name, text, metadata in whole}
    continued = set(text_units.filter(pl.col("start_char") > 0)["document_id"])
    tables = {name: header_rows(facts[name][0]) for name in continued}
    found = []
    for document_id, start in text_units.select("document_id", "start_char").iter_rows():
        header = tables[document_id].at(start) if start else None
        lines = [*facts[document_id][1], *([f"{CONTINUED}: {header}"] if header else [])]
        told = "\n".join(map(_one_line, lines))
        found.append(f"<document>\n{told}\n</document>" if told else "")
    return pl.Series(found, dtype=pl.String)


def _facts(metadata: str, keys: Sequence[str]) -> list[str]:
    values = json.loads(metadata) if keys else {}
    plain = {key: values[key] for key in keys if values.get(key) not in (None, "", [])}
    return [
        f"{key}: {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in plain.items()
    ]


def _one_line(told: str) -> str:
    """Return a line that can't end the block that it stands in, nor fill the prompt."""
    line = " ".join(told.split()).replace("<", "‹").replace(">", "›")
    return shortened(line, MOST_TOLD)


def _told(messages: tuple[Message, ...], about: str) -> tuple[Message, ...]:
    *before, last = messages
    return (*before, Message(last.role, f"{about}\n\n{last.content}" if about else last.content))


@table_asset("entity_aliases", prompts=("resolve_entities",), tasks=(TASK,), asks_if="ask_model")
def entity_aliases(
    extractions: pl.DataFrame,
    text_units: pl.DataFrame,
    settings: ResolutionSettings,
    overrides: Overrides,
    models: Models,
    prompts: Prompts,
    progress: Callable[[int, int], None],
) -> pl.DataFrame:
    """Decide which names are the same entity."""
    return resolve_aliases(
        entity_rows(extractions, text_units),
        similar=settings.similar,
        overrides=overrides,
        decide=Judge(models, prompts, progress).decide if settings.ask_model else None,
    )


@table_asset("names", priority=-3)
def names(entity_aliases: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """List the ways to say each entity's names and each document's title, as words."""
    said = pl.concat(
        [
            entity_aliases.select(title="title", kind=pl.lit("entity"), ref_id="entity_id"),
            documents.select(title="title", kind=pl.lit("document"), ref_id="id"),
        ]
    )
    titles = said["title"].unique()
    ways = pl.DataFrame(
        {"title": titles, "name": [sorted(spoken_names(title)) for title in titles]},
        schema={"title": pl.String, "name": pl.List(pl.String)},
    ).explode("name")
    spoken = said.join(ways.filter(pl.col("name").str.len_chars() > 1), on="title")
    first_two = pl.col("name").str.split(" ").list.head(2).list.join(" ")
    return spoken.with_columns(start=first_two).unique(["name", "kind", "ref_id"]).sort("name")


@table_asset("entity_mentions")
def entity_mentions(
    extractions: pl.DataFrame, text_units: pl.DataFrame, entity_aliases: pl.DataFrame
) -> pl.DataFrame:
    """Name the entity of each mention."""
    return assign_entities(entity_rows(extractions, text_units), entity_aliases)


@table_asset("relationship_mentions")
def relationship_mentions(extractions: pl.DataFrame, entity_mentions: pl.DataFrame) -> pl.DataFrame:
    """Resolve the ends of each relationship mention."""
    return relationship_rows(extractions, entity_mentions)


@table_asset("claims", long=True, priority=-1)
def claims(
    extractions: pl.DataFrame, entity_mentions: pl.DataFrame, text_units: pl.DataFrame
) -> pl.DataFrame:
    """Resolve the entities of each claim and find its quote in the document."""
    return claim_rows(extractions, entity_mentions, text_units)


ROW = {
    "status": pl.String,
    "reason": pl.String,
    "n_entities": pl.Int64,
    "n_relationships": pl.Int64,
    "gleanings": pl.Int64,
    "reply": pl.String,
}


def _row(reading: Reading) -> dict[str, object]:
    reply = Reply.model_construct(**dict(reading.extraction), **dict(reading.claims))
    return {
        "status": reading.status,
        "reason": reading.reason,
        "n_entities": len(reply.entities),
        "n_relationships": len(reply.relationships),
        "gleanings": reading.gleanings,
        "reply": reply.model_dump_json(),
    }


class Reply(Extraction, ExtractedClaims):
    """All that a model said about one text."""


def _answered(messages: tuple[Message, ...], reply: Extraction) -> tuple[Message, ...]:
    return (*messages, Message("assistant", reply.model_dump_json()))


def _as_extraction(told: Outcome[ExtractedClaims]) -> Outcome[Extraction]:
    reason = told.reason and f"claims: {told.reason}"
    return Outcome(status=told.status, reply=None, reason=reason)
