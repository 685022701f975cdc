"""Why the last run of an index wrote reports again, and how many of them it had to.

    python benchmarks/rewrites.py ROOT

Compares the two newest versions of the index in ROOT. Printed per reason and level: reports and
the tokens of their prompts. Who has read something that is gone can't be kept by a system that is
exact; what the other reasons take can be saved by tolerance and by communities that move less.
"""

import argparse
from contextlib import closing
from pathlib import Path

import polars as pl

from graphrag_assets.evidence import Graph, Rows
from graphrag_assets.former import LOST, LOST_BELOW, Former
from graphrag_assets.project import Project
from graphrag_assets.store import open_published, read_table

TABLES = (
    *("communities", "community_members", "entities", "relationships", "claims"),
    *("community_reports", "report_evidence", "model_calls"),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    project = Project.open(parser.parse_args().root)
    before, now = (tables(project.store.path_of(one)) for one in project.store.kept[-2:])
    found = reasons(before, now, project.settings, project.store.kept[-1])
    by = found.group_by("why", "level").agg(reports=pl.len(), tokens=pl.col("tokens").sum())
    with pl.Config(tbl_formatting="MARKDOWN", tbl_hide_dataframe_shape=True, tbl_rows=-1):
        pl.Config.set_tbl_hide_column_data_types(active=True).set_fmt_str_lengths(80)
        print(by.sort("why", "level"))
        floor = found.filter(pl.col("why").is_in([LOST, LOST_BELOW]))
        print(
            f"\n{len(found)} of {len(now['community_reports'])} reports: {sum(found['tokens']):,}"
        )
        print(f"The floor: {len(floor)} reports, {sum(floor['tokens']):,} tokens")


def reasons(before, now, settings, version):
    """Return level, why and tokens of each report that was written in this version."""
    rows = Rows(now["entities"], now["relationships"], now["claims"], settings.text_units.encoding)
    graph = Graph(now["communities"], now["community_members"], rows)
    reports = {row["community_id"]: row for row in now["community_reports"].to_dicts()}
    former = Former(
        before["community_reports"],
        before["report_evidence"],
        rows,
        frozenset(graph.levels),
        now["community_reports"]["recipe"][0],
        settings.reports.tolerance,
    )
    calls = now["model_calls"].sort("created_at")
    last = calls.filter(task="report", run_id=calls["run_id"][-1], from_memo=False)
    paid = dict(last.group_by("subject").agg(pl.col("prompt_tokens").sum()).iter_rows())
    evidence, found = {}, []
    for level in sorted(now["communities"]["level"].unique(), reverse=True):
        for one in graph.at(level):
            read = graph.evidence(one, reports, evidence, settings.reports.context_tokens)
            verdict = former.verdict(read)
            again = reports[one]["refreshed_in"] == version
            evidence[one] = read if again else verdict.rests_on
            if again:
                found.append(
                    (level, verdict.against or "this code would keep it", paid.get(one, 0))
                )
    return pl.DataFrame(found, schema=["level", "why", "tokens"], orient="row")


def tables(path):
    with closing(open_published(path)) as connection:
        return {name: read_table(connection, name) for name in TABLES}


if __name__ == "__main__":
    main()
