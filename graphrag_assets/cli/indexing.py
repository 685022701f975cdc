"""Commands that make an index."""

import json
import os
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from graphrag_assets.cli.app import FAILED, PARTIAL, app, err, out
from graphrag_assets.console.plans import print_estimate, print_verdicts
from graphrag_assets.console.runs import print_summary, progress_bars
from graphrag_assets.imports import imports
from graphrag_assets.project import Project
from graphrag_assets.prompts import sample_folder, shipped
from graphrag_assets.settings import child_environment, template


@app.command()
def init(
    context: typer.Context,
    sample: Annotated[bool, typer.Option("--sample", help="Bring the sample corpus.")] = False,
    prompts: Annotated[bool, typer.Option("--prompts", help="Bring the prompts, to edit.")] = False,
) -> None:
    """Make a folder ready: settings.toml, dagster.yaml, workspace.yaml, data/input/."""
    root: Path = context.obj
    (root / "data" / "input").mkdir(parents=True, exist_ok=True)
    texts = {
        name: (shipped() / name).read_text("utf-8") for name in ("dagster.yaml", "workspace.yaml")
    }
    texts["settings.toml"] = (
        (shipped() / "settings.toml").read_text("utf-8") if sample else template()
    )
    for name, text in texts.items():
        if (root / name).exists():
            out.print(f"{name} is there already: left as it is")
        else:
            (root / name).write_text(text, encoding="utf-8")
            out.print(f"wrote {name}")
    if sample:
        shutil.copytree(sample_folder(), root / "data" / "sample", dirs_exist_ok=True)
    if prompts:
        shutil.copytree(shipped() / "prompts", root / "prompts", dirs_exist_ok=True)
    where = "data/sample is the corpus" if sample else "put documents into data/input"
    out.print(f"Ready: {where}, then run `graphrag-assets index`.")


@app.command()
def check(context: typer.Context) -> None:
    """See whether settings, prompts and models work: one tiny call per model."""
    from graphrag_assets.check import check as verdicts

    found = verdicts(Project.open(context.obj))
    print_verdicts(out, found)
    raise typer.Exit(0 if all(verdict.ok for verdict in found) else FAILED)


@app.command()
def estimate(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell what `index` would take: calls, tokens, cost, minutes. No model is asked."""
    from graphrag_assets.estimate import estimate as estimated

    found = estimated(Project.open(context.obj))
    if as_json:
        whole = asdict(found) | {"total": asdict(found.total)}
        typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))
    else:
        print_estimate(out, found)


@app.command()
def index(
    context: typer.Context,
    budget_usd: Annotated[
        float | None, typer.Option(min=0, help="Most that this run may cost; 0: no limit.")
    ] = None,
) -> None:
    """Bring the index to the corpus: read what changed, publish a new version."""
    with imports():
        from graphrag_assets.run import run_index

    root: Path = context.obj
    project = Project.open(root)
    with progress_bars(err) as progress:
        run = run_index(root, progress, budget_usd=budget_usd)
    status = print_summary(out, project, run)
    raise typer.Exit(PARTIAL if status == "partial" else 0)


@app.command()
def ui(
    context: typer.Context,
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 3000,
) -> None:
    """Open the Dagster UI: materialise, schedule, inspect lineage."""
    root: Path = context.obj
    Project.open(root)
    command = [sys.executable, "-m", "dagster", "dev", "-h", "127.0.0.1", "-p", str(port)]
    out.print(f"Dagster UI on http://127.0.0.1:{port}, stop it with Ctrl-C")
    os.chdir(root)
    os.execve(sys.executable, command, child_environment(root))
