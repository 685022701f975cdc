"""Large blocks that were freed are no longer this process's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphrag_assets.heap import spare_memory

SCRIPT = """
import ctypes, os
from graphrag_assets.heap import spare_memory
spare_memory()
libc = ctypes.CDLL("libc.so.6")
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
for size in (8_000_000, 2_000_000):  # by default, freeing the first would raise the threshold
    libc.free(libc.malloc(size))
before = resident()
blocks = [libc.malloc(2_000_000) for _ in range(20)]
for block in blocks:
    ctypes.memset(block, 1, 2_000_000)
last = libc.malloc(500_000)  # lies above them, were they on the heap
for block in blocks:
    libc.free(block)
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_large_blocks_go_back_to_the_system():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 4_000_000  # of 40


DUCKDB_SCRIPT = """
import os, sys
from graphrag_assets.heap import spare_memory
spare_memory()
import duckdb
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
connection = duckdb.connect(config={"threads": 1})
connection.execute("CREATE TABLE t AS SELECT range(1536)::FLOAT[1536] AS v FROM range(2048)")
connection.execute("SELECT count(*) FROM t WHERE v[1] > 1").fetchall()
before = resident()
connection.execute("SELECT sum(hash(v)) FROM t").fetchall()
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_duckdb_gives_back_what_it_took_for_vectors():
    done = subprocess.run(
        [sys.executable, "-c", DUCKDB_SCRIPT], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 4_000_000  # of 40


def test_what_the_user_set_for_duckdb_stays(monkeypatch):
    monkeypatch.setenv("DUCKDB_JE_MALLOC_CONF", "dirty_decay_ms:0")

    spare_memory()

    assert os.environ["DUCKDB_JE_MALLOC_CONF"] == "dirty_decay_ms:0"
