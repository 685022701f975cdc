"""The reports of the last run, and which of them still hold."""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from graphrag_assets.evidence import Evidence, Rows, Source, elements_of
from graphrag_assets.reuse import lost, same_hubs, share_changed

NONE = "there is none"
LOST = "something that it read is gone"
LOST_BELOW = "something that a report it read had read is gone"
CHANGED = "more came or changed than is tolerated"
HUB_CHANGED = "a well-connected entity came or went"


@dataclass(frozen=True)
class Verdict:
    """Whether a former report holds: what it rests on, the share that changed, and objections."""

    rests_on: Evidence
    changed: float = 0.0
    against: str = ""


@dataclass(frozen=True)
class Former:
    """The reports and their evidence as the last run left them.

    `tolerance` is the share of a report's evidence, in tokens, that may change before it is
    written again; 0: none.
    """

    reports: pl.DataFrame
    evidence: pl.DataFrame
    rows: Rows
    communities: frozenset[str]
    recipe: str
    tolerance: float

    def kept(self, now: Evidence) -> tuple[dict[str, Any], Evidence] | None:
        """Return the former report of a community with what it rests on; None: write it again.

        It is kept as it is where a new one would be asked the same, and marked stale where that
        differs by less than the tolerance. It is never kept where something that it rests on is
        gone: what a document said goes with the document.
        """
        verdict = self.verdict(now)
        if verdict.against:
            return None
        report = self._reports[now.community_id]
        if verdict.rests_on is now:
            again = {"status": "ok", "reason": None} if report["status"] == "stale" else {}
            return report | again, now
        since = report["refreshed_in"]
        reason = f"{verdict.changed:.1%} of its evidence changed since version {since}"
        return report | {"status": "stale", "reason": reason}, verdict.rests_on

    def verdict(self, now: Evidence) -> Verdict:
        """Say whether the former report of a community still holds, and what speaks against it."""
        report = self._reports.get(now.community_id)
        if not report or report["status"] not in {"ok", "stale"} or report["recipe"] != self.recipe:
            return Verdict(now, against=NONE)
        if report["evidence"] == now.fingerprint:
            return Verdict(now)
        then = _with_children_of_today(self._evidence(now), now)
        before, after = _elements(then), {ref: self.rows.sources[ref] for ref in now.covers}
        share = share_changed(before, after)
        return Verdict(then, share, self._against(then, share, before, after))

    def _against(
        self,
        then: Evidence,
        share: float,
        before: Mapping[str, Source],
        after: Mapping[str, Source],
    ) -> str:
        if lost((then.rests_on[ref] for ref in then.included & then.own), self._there):
            return LOST
        if lost((then.rests_on[ref] for ref in then.included - then.own), self._there):
            return LOST_BELOW
        if share >= self.tolerance:
            return CHANGED
        same = same_hubs(_entities(before), _entities(after), self.rows.degrees)
        return "" if same else HUB_CHANGED

    def _evidence(self, now: Evidence) -> Evidence:
        """Return a community's evidence with what its former report rests on and still exists."""
        first, count = self._places.get(now.community_id, (0, 0))
        sources, included, own = {}, set(), set()
        for row in self._sorted.slice(first, count).iter_rows(named=True):
            ref, made = row["ref_id"], row["made_from"]
            if not row["included"] and ref not in self._there:
                continue
            made = None if made is None or row["sha256"] is None else tuple(made)
            sources[ref] = Source(row["kind"], ref, row["sha256"], row["n_tokens"], made)
            if row["included"]:
                included.add(ref)
            if row["via"] == "own":
                own.add(ref)
        return replace(now, rests_on=sources, included=frozenset(included), own=frozenset(own))

    @cached_property
    def _reports(self) -> dict[str, dict[str, Any]]:
        return {row["community_id"]: row for row in self.reports.to_dicts()}

    @cached_property
    def _sorted(self) -> pl.DataFrame:
        return self.evidence.sort("community_id", "kind", "ref_id")

    @cached_property
    def _places(self) -> dict[str, tuple[int, int]]:
        """{community: first row and number of rows of its evidence}."""
        runs = (
            self._sorted.with_row_index()
            .group_by("community_id")
            .agg(first=pl.col("index").min(), count=pl.len())
        )
        return {community: (first, count) for community, first, count in runs.iter_rows()}

    @cached_property
    def _there(self) -> Mapping[str, Source]:
        """All that exists today: elements, and communities for the reports on them."""
        reports = {one: Source("report", one, "", 0, ()) for one in self.communities}
        return ChainMap(dict(self.rows.sources), reports)


def _with_children_of_today(then: Evidence, now: Evidence) -> Evidence:
    """Return former evidence that rests on what its children's reports rest on today.

    It does if each report that was read is word for word what it was, whether kept or written
    again: the parent read those words and nothing else.
    """
    read = [source for source in then.rests_on.values() if source.kind == "report"]
    today = [now.below.get(source.id) for source in read]
    told = [
        one.evidence
        for one, source in zip(today, read, strict=True)
        if one and one.report.sha256 == source.sha256
    ]
    if not read or len(told) < len(read):
        return then
    own = {ref: source for ref, source in then.rests_on.items() if ref in then.own}
    rests_on = {**elements_of(told), **own}
    included = (then.included & then.own).union(*(child.included for child in told))
    return replace(then, rests_on=rests_on, included=included & rests_on.keys())


def _elements(evidence: Evidence) -> dict[str, Source]:
    return {ref: one for ref, one in evidence.rests_on.items() if one.kind != "report"}


def _entities(sources: Mapping[str, Source]) -> set[str]:
    return {ref for ref, source in sources.items() if source.kind == "entity"}
