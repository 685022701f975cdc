"""Communities -> reports, bottom-up: a parent is packed with its children's reports."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import polars as pl

from graphrag_assets.context import cited, keep_known
from graphrag_assets.evidence import EVIDENCE, Evidence, Graph, Rows, evidence_rows
from graphrag_assets.former import Former
from graphrag_assets.models.client import Models, Outcome, Request
from graphrag_assets.models.replies import Report
from graphrag_assets.prompts import Prompts, language_name
from graphrag_assets.settings import ReportSettings
from graphrag_assets.text import count_tokens, language
from graphrag_assets.warehouse import Result, table_asset

ANSWER = 1200  # tokens of a long report


@table_asset(
    "community_reports",
    "report_evidence",
    prompts=("community_report",),
    tasks=("report",),
    priority=-4,
)
def community_reports(
    communities: pl.DataFrame,
    community_members: pl.DataFrame,
    entities: pl.DataFrame,
    relationships: pl.DataFrame,
    claims: pl.DataFrame,
    settings: ReportSettings,
    encoding: str,
    output_language: str,
    models: Models,
    prompts: Prompts,
    previous_community_reports: pl.DataFrame,
    previous_report_evidence: pl.DataFrame,
    version: int,
    progress: Callable[[int, int], None],
) -> Result:
    """Write a report for each community, after those of its sub-communities.

    A report whose evidence and recipe are the same as before is kept as it is; one whose evidence
    changed a little is kept and marked stale (former.py).
    """
    rows = Rows(entities, relationships, claims, encoding)
    graph = Graph(communities, community_members, rows)
    recipe = f"{prompts.fingerprint('community_report')}-{models.recipe('report')}"
    former = Former(
        previous_community_reports,
        previous_report_evidence,
        rows,
        frozenset(graph.levels),
        recipe,
        settings.tolerance,
    )
    writer = Writer(models, prompts, output_language, encoding, recipe, version)
    around = prompts.render("community_report", context="", language=output_language)
    taken = sum(count_tokens(message.content, encoding) for message in around)
    budget = fitting(settings.context_tokens, models.context_tokens("report"), taken)
    hierarchy = Hierarchy(graph, writer, former, budget)
    levels = sorted(communities["level"].unique(), reverse=True)
    jobs = [partial(hierarchy.report, one) for level in levels for one in graph.at(level)]
    models.map(jobs, progress=lambda done: progress(done, len(jobs)))
    written, evidence = hierarchy.written, hierarchy.evidence
    return {
        "community_reports": pl.DataFrame(
            list(written.values()), schema=previous_community_reports.schema
        ),
        "report_evidence": pl.DataFrame(
            list(evidence_rows(evidence)), schema=EVIDENCE, orient="row"
        ).unique(["community_id", "kind", "ref_id"]),
    }


def fitting(budget: int, limit: int | None, around: int) -> int:
    """Return a context's budget that leaves room in the model for the prompt and the answer.

    Other tokenizers count otherwise, so a tenth stays free.
    """
    return budget if limit is None else max(1, min(budget, limit * 9 // 10 - around - ANSWER))


@dataclass(frozen=True)
class Hierarchy:
    """Reports bottom-up: each is begun as soon as those of its sub-communities are there.

    Sub-communities must be asked for first: whoever waits holds one of the workers.
    """

    graph: Graph
    writer: "Writer"
    former: Former
    budget: int
    written: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    ends: dict[str, asyncio.Future[None]] = field(default_factory=dict)

    async def report(self, community: str) -> None:
        """Keep or write the report of a community."""
        end = self.ends[community] = asyncio.get_running_loop().create_future()
        try:
            for child in self.graph.children.get(community, ()):
                await self.ends[child]
            await self._keep_or_write(community)
        except Exception as error:
            end.set_exception(error)  # a parent that waits meets the same end
            end.exception()  # nobody need wait
            raise
        end.set_result(None)

    async def _keep_or_write(self, community: str) -> None:
        found = self.graph.evidence(community, self.written, self.evidence, self.budget)
        row, rested = self.former.kept(found) or (await self.writer.write(found), found)
        self.written[community], self.evidence[community] = row, rested


@dataclass(frozen=True)
class Writer:
    """Asks a model for reports and checks what they cite."""

    models: Models
    prompts: Prompts
    language: str
    encoding: str
    recipe: str
    version: int

    async def write(self, evidence: Evidence) -> dict[str, Any]:
        """Return the row of one report."""
        tongue = language(evidence.context) if self.language == "auto" else self.language
        messages = self.prompts.render(
            "community_report", context=evidence.context, language=language_name(tongue)
        )
        outcome = await self.models.chat(
            Request(
                "report",
                "community_report",
                messages,
                schema=Report,
                subject=evidence.community_id,
            )
        )
        return self._row(evidence, outcome)

    def _row(self, evidence: Evidence, outcome: Outcome[Report]) -> dict[str, Any]:
        report = outcome.reply or Report.model_construct(title=evidence.name or "?", summary="")
        known = evidence.known
        summary, removed = keep_known(report.summary, known)
        findings = []
        for finding in report.findings:
            headline, unknown = keep_known(finding.summary, known)
            explanation, more = keep_known(finding.explanation, known)
            removed += unknown + more
            refs = [known[short] for short in cited(f"{headline} {explanation}")]
            findings.append({"summary": headline, "explanation": explanation, "citations": refs})
        content = _markdown(report.title, summary, findings) if outcome.reply else ""
        note = f"{removed} citations of unknown ids were removed" if removed else None
        return {
            "community_id": evidence.community_id,
            "level": evidence.level,
            "title": report.title,
            "summary": summary,
            "findings": findings,
            "rating": report.rating,
            "rating_explanation": report.rating_explanation,
            "full_content": content,
            "n_tokens": count_tokens(content, self.encoding),
            "status": outcome.status,
            "reason": outcome.reason or note,
            "evidence": evidence.fingerprint,
            "model": self.models.model("report"),
            "recipe": self.recipe,
            "refreshed_in": self.version,
        }


def _markdown(title: str, summary: str, findings: list[dict[str, Any]]) -> str:
    parts = [f"# {title}", summary]
    parts += [f"## {finding['summary']}\n\n{finding['explanation']}" for finding in findings]
    return "\n\n".join(part.strip() for part in parts)
