"""Runs that start by themselves: on a schedule, or when the corpus changes."""

import hashlib
import json
from collections.abc import Sequence

import dagster as dg

from graphrag_assets.errors import CorpusError
from graphrag_assets.project import Project
from graphrag_assets.readers.discovery import find_files

SECONDS = 60


def schedules(project: Project, job: str) -> Sequence[dg.ScheduleDefinition]:
    """Return the schedule of [run] schedule, or none."""
    cron = project.settings.run.schedule
    return (
        [
            dg.ScheduleDefinition(
                job_name=job, cron_schedule=cron, default_status=dg.DefaultScheduleStatus.RUNNING
            )
        ]
        if cron
        else []
    )


def sensors(project: Project, job: str) -> Sequence[dg.SensorDefinition]:
    """Return the sensor that watches the corpus, where [run] sensor is on."""
    if not project.settings.run.sensor:
        return []

    @dg.sensor(
        job_name=job,
        name="corpus_changed",
        minimum_interval_seconds=SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
    )
    def corpus_changed(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        """Start one run for each new state of the corpus, once it has stopped changing."""
        try:
            state = corpus_state(project)
        except CorpusError as error:
            return dg.SensorResult(skip_reason=str(error))
        return watch(context.cursor, state)

    return [corpus_changed]


def corpus_state(project: Project) -> str:
    """Return a fingerprint of the corpus that needs no file to be read: names, sizes, times."""
    corpus = project.settings.corpus
    files = find_files(
        corpus.root, base=project.root, include=corpus.include, exclude=corpus.exclude
    )
    listed = json.dumps([[file.path, file.size, file.stamp] for file in files])
    return hashlib.sha256(listed.encode()).hexdigest()[:32]


def watch(cursor: str | None, state: str) -> dg.SensorResult:
    """Return what to do about a state: nothing, wait until it settles, or run.

    The cursor remembers the state that was seen last and the one that a run was started for.
    """
    seen, started = json.loads(cursor) if cursor else (None, None)
    if state == started:
        return dg.SensorResult(skip_reason="The corpus is as the last run found it.")
    if state != seen:
        return dg.SensorResult(
            skip_reason="The corpus is changing: looking again.",
            cursor=json.dumps([state, started]),
        )
    return dg.SensorResult(run_requests=[dg.RunRequest()], cursor=json.dumps([state, state]))
