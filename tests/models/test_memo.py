"""What was paid for once is found again, by many processes, after a kill."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.errors import SettingsError
from graphrag_assets.models import memo
from graphrag_assets.models.memo import Memo
from graphrag_assets.prompts import Message

HELLO = (Message("user", "Hello"),)


def test_what_is_put_is_got_and_nothing_else(tmp_path):
    store = Memo(tmp_path / "deep" / "memo.sqlite")
    store.put_many({"a": b"1", "b": b"2"})

    assert store.get_many(["a", "b", "c"]) == {"a": b"1", "b": b"2"}
    assert store.get_many([]) == {}
    store.close()


def test_what_stands_there_already_stays(tmp_path):
    store = Memo(tmp_path / "memo.sqlite")
    store.put_many({"a": b"1"})
    store.put_many({"a": b"2", "b": b"3"})

    assert store.get_many(["a", "b"]) == {"a": b"1", "b": b"3"}
    store.close()


def test_thousands_of_keys_are_got_at_once():
    store = Memo.none()
    items = {f"key {n}": str(n).encode() for n in range(2345)}
    store.put_many(items)

    assert store.get_many(items) == items


def test_a_path_and_a_url_are_the_same_memo(tmp_path):
    by_path = Memo(str(tmp_path / "memo.sqlite"))
    by_url = Memo(f"sqlite:///{tmp_path}/memo.sqlite")
    by_path.put_many({"a": b"1"})

    assert by_url.get_many(["a"]) == {"a": b"1"}
    by_path.close()
    by_url.close()


def test_nothing_is_touched_before_the_first_use(tmp_path):
    Memo(tmp_path / "memo.sqlite")

    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_memo_is_named(tmp_path):
    path = tmp_path / "memo.sqlite"
    path.write_bytes(b"something else altogether" * 100)
    with pytest.raises(SettingsError, match=r"memo.sqlite: file is not a database"):
        Memo(path).get_many(["a"])


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://me:secret@host/db", "neither sqlite nor postgresql"),
        ("postgresql+nosuch://me:secret@host/db", "nosuch"),
        ("://", "neither a path nor a URL"),
    ],
)
def test_a_memo_that_cant_be_opened_is_told_without_its_password(url, words):
    with pytest.raises(SettingsError, match=words) as caught:
        Memo(url)

    assert "secret" not in str(caught.value)


def test_postgres_ignores_what_stands_there_already():
    sql = str(memo._insert("postgresql"))

    assert "ON CONFLICT DO NOTHING" in sql


def test_a_key_changes_with_each_thing_that_a_reply_depends_on():
    keys = {
        memo.reply_key("m", HELLO, {"temperature": 0}, "s"),
        memo.reply_key("other", HELLO, {"temperature": 0}, "s"),
        memo.reply_key("m", (Message("system", "Hello"),), {"temperature": 0}, "s"),
        memo.reply_key("m", (*HELLO, *HELLO), {"temperature": 0}, "s"),
        memo.reply_key("m", HELLO, {"temperature": 1}, "s"),
        memo.reply_key("m", HELLO, {"temperature": 0}, None),
        memo.vector_key("m", "Hello"),
        memo.vector_key("other", "Hello"),
        memo.dimension_key("m"),
    }

    assert len(keys) == 9
    assert memo.vector_key("m", "\ud800") != memo.vector_key("m", "?")


def test_a_key_is_the_same_in_every_process_and_version():
    expected = "5158587d9df3"

    assert memo.reply_key("m", HELLO, {"b": 1, "a": 2}, None)[:12] == expected


@given(st.recursive(st.none() | st.integers(-9, 9) | st.text(), st.lists, max_leaves=9))
def test_json_comes_back_as_it_was(value):
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return
    assert memo.unpack(memo.pack(value)) == value


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1))
def test_vectors_come_back_as_they_were(values):
    vector = np.array(values, dtype=np.float32)

    assert np.array_equal(memo.unpack_vector(memo.pack_vector(vector)), vector)


def test_what_was_never_packed_is_told():
    with pytest.raises(ValueError, match="incorrect header"):
        memo.unpack(b"half a rep")


WRITER = """
import sys
from graphrag_assets.models.memo import Memo
store = Memo(sys.argv[1])
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    store.put_many({f"key {number}": b"x" * 500, "shared": b"same"})
    print(number, flush=True)
"""


def start_writer(path: Path, start: int, stop: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(start), str(stop)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_many_processes_write_at_once(tmp_path):
    path = tmp_path / "memo.sqlite"
    writers = [start_writer(path, 40 * n, 40 * n + 50) for n in range(4)]
    for writer in writers:
        writer.communicate()
    store = Memo(path)

    assert [writer.returncode for writer in writers] == [0] * 4
    assert len(store.get_many([f"key {n}" for n in range(170)])) == 170
    store.close()


def test_what_was_put_survives_a_kill(tmp_path):
    path = tmp_path / "memo.sqlite"
    process = start_writer(path, 0, 10**9)
    assert process.stdout is not None
    with process.stdout:
        told = [int(process.stdout.readline()) for _ in range(20)]
        process.send_signal(signal.SIGKILL)
        told += [int(line) for line in process.stdout]
    process.wait()
    store = Memo(path)

    assert len(store.get_many([f"key {number}" for number in told])) == len(told)
    store.put_many({"after": b"1"})
    store.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_a_reader_doesnt_wait_for_a_writer(tmp_path):
    path = tmp_path / "memo.sqlite"
    store = Memo(path)
    store.put_many({"a": b"1"})
    writer = sqlite3.connect(path)
    writer.execute("BEGIN IMMEDIATE")
    started = time.monotonic()

    assert store.get_many(["a"]) == {"a": b"1"}
    assert time.monotonic() - started < memo.BUSY_SECONDS
    writer.rollback()
    writer.close()
    store.close()
