"""Communities -> reports, bottom-up: a parent is packed with its children's reports."""

from collections.abc import Callable
from dataclasses import dataclass
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


@table_asset(
    "community_reports", "report_evidence", prompts=("community_report",), tasks=("report",)
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
    """Write a report for each community, the deepest level first.

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
    written: dict[str, dict[str, Any]] = {}
    evidence: dict[str, Evidence] = {}
    for level in sorted(communities["level"].unique(), reverse=True):
        here = {
            community: graph.evidence(community, written, evidence, settings.context_tokens)
            for community in graph.at(level)
        }
        kept = {community: held for community in here if (held := former.kept(here[community]))}
        asked = [here[community] for community in here if community not in kept]
        jobs = [partial(writer.write, one) for one in asked]
        answers = models.map(
            jobs, progress=partial(_report, progress, len(written), communities.height)
        )
        written |= {row["community_id"]: row for row in answers}
        written |= {community: report for community, (report, _) in kept.items()}
        evidence |= here | {community: rested for community, (_, rested) in kept.items()}
    return {
        "community_reports": pl.DataFrame(
            list(written.values()), schema=previous_community_reports.schema
        ),
        "report_evidence": pl.DataFrame(
            list(evidence_rows(evidence)), schema=EVIDENCE, orient="row"
        ).unique(["community_id", "kind", "ref_id"]),
    }


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
        report = outcome.reply or Report(title=evidence.name or "?", summary="")
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


def _report(progress: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    progress(before + done, total)


def _markdown(title: str, summary: str, findings: list[dict[str, Any]]) -> str:
    parts = [f"# {title}", summary]
    parts += [f"## {finding['summary']}\n\n{finding['explanation']}" for finding in findings]
    return "\n\n".join(part.strip() for part in parts)
