"""Runs that start by themselves."""

import json
import os

import dagster as dg
import pytest

from graphrag_assets.automation import corpus_state, watch
from graphrag_assets.definitions import build
from graphrag_assets.project import Project


@pytest.fixture
def root(tmp_path):
    (tmp_path / "data" / "input").mkdir(parents=True)
    (tmp_path / "data" / "input" / "a.txt").write_text("one", "utf-8")
    (tmp_path / "settings.toml").write_text(
        '[run]\nschedule = "0 2 * * *"\nsensor = true\n', "utf-8"
    )
    return tmp_path


def tick(root, cursor):
    (sensor,) = build(root).sensors
    return sensor(dg.build_sensor_context(cursor=cursor))


def test_the_schedule_and_the_sensor_start_the_index_job(root):
    definitions = build(root)

    assert [schedule.cron_schedule for schedule in definitions.schedules] == ["0 2 * * *"]
    assert [sensor.job_name for sensor in definitions.sensors] == ["index"]


def test_without_settings_nothing_starts_by_itself(tmp_path):
    definitions = build(tmp_path)

    assert not definitions.schedules
    assert not definitions.sensors


def test_a_change_starts_one_run_once_it_has_settled(root):
    first = tick(root, None)
    second = tick(root, first.cursor)
    third = tick(root, second.cursor)

    assert [len(result.run_requests or []) for result in (first, second, third)] == [0, 1, 0]
    assert third.skip_reason.skip_message == "The corpus is as the last run found it."


def test_while_files_arrive_nothing_starts(root):
    cursor = tick(root, tick(root, None).cursor).cursor
    for n in range(3):
        (root / "data" / "input" / f"{n}.txt").write_text("two", "utf-8")
        result = tick(root, cursor)
        cursor = result.cursor

        assert not result.run_requests

    assert len(tick(root, cursor).run_requests) == 1


def test_a_corpus_that_is_gone_is_said_and_starts_nothing(root):
    (root / "data" / "input" / "a.txt").unlink()
    (root / "data" / "input").rmdir()
    result = tick(root, None)

    assert not result.run_requests
    assert "does not exist" in result.skip_reason.skip_message


def test_the_state_tells_names_sizes_and_times(root):
    project = Project.open(root)
    file = root / "data" / "input" / "a.txt"
    states = [corpus_state(project)]
    file.write_text("three", "utf-8")
    states.append(corpus_state(project))
    os.utime(file, (1, 1))
    states.append(corpus_state(project))
    file.rename(file.with_name("b.txt"))
    states.append(corpus_state(project))

    assert len(set(states)) == 4
    assert corpus_state(project) == states[-1]


def test_going_back_to_a_former_state_starts_a_run_too():
    after_a = watch(json.dumps(["a", "a"]), "b").cursor
    after_b = watch(after_a, "b").cursor
    back = watch(after_b, "a").cursor

    assert len(watch(back, "a").run_requests) == 1
