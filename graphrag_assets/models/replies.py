"""What a model must answer, one schema per prompt. Every list and string is bounded.

Small models run on for ever in an unbounded schema, so the bounds are part of the contract.
Reading is tolerant (tolerance.py): strings and lists beyond their bounds are cut, nulls become
defaults, items that can't be used are left out, and each of these is noted.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from graphrag_assets.models import tolerance

Name = Annotated[str, Field(min_length=1, max_length=200), tolerance.name(200)]
MaybeName = Annotated[str, Field(max_length=200), tolerance.title(200)]
Line = Annotated[str, Field(max_length=1000), tolerance.text(1000)]
Sentence = Annotated[str, Field(max_length=1000), tolerance.said(1000)]
Text = Annotated[str, Field(max_length=6000), tolerance.said(6000)]
Paragraph = Annotated[str, Field(max_length=6000), tolerance.text(6000)]
Date = Annotated[str, Field(max_length=30), tolerance.text(30)]


class Reply(BaseModel):
    """Base of all structured replies."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _fields(cls, data: Any) -> Any:  # noqa: ANN401
        return tolerance.as_fields(data, tuple(cls.model_fields))


class ExtractedEntity(Reply):
    """A name that the text unit speaks of."""

    name: Name
    type: Annotated[str, Field(max_length=60), tolerance.kind(60, "unknown")] = "unknown"
    description: Line = ""


class ExtractedRelationship(Reply):
    """Two names that the text unit connects."""

    source: Name
    target: Name
    description: Line = ""
    weight: Annotated[float, Field(ge=1, le=10), tolerance.inside(1, 10, 1)] = 1


class Extraction(Reply):
    """Reply to extract_graph and continue_extraction."""

    entities: Annotated[
        list[ExtractedEntity], Field(max_length=100), tolerance.items(ExtractedEntity, 100)
    ] = []
    relationships: Annotated[
        list[ExtractedRelationship],
        Field(max_length=150),
        tolerance.items(ExtractedRelationship, 150),
    ] = []


class ExtractedClaim(Reply):
    """A factual statement about an entity, with the words that make it."""

    subject: Name
    object: MaybeName = ""
    type: Annotated[str, Field(max_length=100), tolerance.kind(100, "statement")] = "statement"
    status: Annotated[
        Literal["TRUE", "FALSE", "SUSPECTED"],
        tolerance.choice(("TRUE", "FALSE", "SUSPECTED"), "SUSPECTED"),
    ] = "SUSPECTED"
    description: Line = ""
    start_date: Date = ""
    end_date: Date = ""
    quote: Line = ""


class ExtractedClaims(Reply):
    """Reply to extract_claims."""

    claims: Annotated[
        list[ExtractedClaim], Field(max_length=60), tolerance.items(ExtractedClaim, 60)
    ] = []


class SameNames(Reply):
    """Reply to resolve_entities: the numbers of the pairs that are one and the same thing."""

    same: Annotated[list[int], Field(max_length=50), tolerance.numbers(50)]


class Description(Reply):
    """Reply to summarize_description."""

    description: Text


class Finding(Reply):
    """One insight of a report; its text cites elements as [E12ab34, R56cd78]."""

    summary: Sentence
    explanation: Paragraph = ""


class Report(Reply):
    """Reply to community_report."""

    title: Annotated[str, Field(max_length=200), tolerance.said(200), tolerance.title(200)]
    summary: Text
    rating: Annotated[float, Field(ge=0, le=10), tolerance.clamped(0, 10, 0)] = 0
    rating_explanation: Line = ""
    findings: Annotated[list[Finding], Field(max_length=20), tolerance.items(Finding, 20)] = []


class Point(Reply):
    """One partial answer; its text cites sources as [P12ab34]."""

    answer: Paragraph
    score: Annotated[float, Field(ge=0, le=100), tolerance.clamped(0, 100, 0)] = 0


class Points(Reply):
    """Reply to global_map."""

    points: Annotated[list[Point], Field(max_length=20), tolerance.items(Point, 20)] = []


class Rating(Reply):
    """Reply to rate_relevance: 0 = says nothing on the question, 5 = answers it."""

    rating: Annotated[int, Field(ge=0, le=5), tolerance.clamped(0, 5, 0, whole=True)] = 0
    reason: Line = ""


class FollowUp(Reply):
    """A question whose answer would help, and how much."""

    question: Line
    score: Annotated[float, Field(ge=0, le=100), tolerance.clamped(0, 100, 0)] = 0


class Step(Reply):
    """Reply to drift_primer and drift_follow_up: a partial answer, and what to ask next."""

    answer: Paragraph = ""
    score: Annotated[float, Field(ge=0, le=100), tolerance.clamped(0, 100, 0)] = 0
    follow_ups: Annotated[list[FollowUp], Field(max_length=10), tolerance.items(FollowUp, 10)] = []


class Questions(Reply):
    """Reply to question_corpus, question_next and question_split."""

    questions: Annotated[list[FollowUp], Field(max_length=20), tolerance.items(FollowUp, 20)] = []


class StandaloneQuestion(Reply):
    """Reply to question_standalone."""

    question: Line


class Route(Reply):
    """Reply to question_route: a method, for global a level, and why."""

    method: Annotated[
        Literal["global", "local", "drift", "basic"],
        tolerance.choice(("global", "local", "drift", "basic"), "local"),
    ] = "local"
    level: Annotated[int, Field(ge=0, le=9), tolerance.clamped(0, 9, 0, whole=True)] = 0
    reason: Line = ""
