"""Large blocks that were freed are no longer this process's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphrag_assets.heap import spare_memory

START = """
import ctypes, os
from graphrag_assets.heap import spare_memory
spare_memory()
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
"""
C_LIBRARY = """
libc = ctypes.CDLL("libc.so.6")
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
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
DUCKDB = """
import duckdb
connection = duckdb.connect(config={"threads": 1})
connection.execute("CREATE TABLE t AS SELECT range(1536)::FLOAT[1536] AS v FROM range(2048)")
connection.execute("SELECT count(*) FROM t WHERE v[1] > 1").fetchall()
before = resident()
connection.execute("SELECT sum(hash(v)) FROM t").fetchall()
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
@pytest.mark.parametrize("work", [C_LIBRARY, DUCKDB], ids=["C library", "DuckDB"])
def test_large_blocks_go_back_to_the_system(work):
    done = subprocess.run(
        [sys.executable, "-c", START + work], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 4_000_000  # of 40


def test_what_the_user_set_for_duckdb_stays(monkeypatch):
    monkeypatch.setenv("DUCKDB_JE_MALLOC_CONF", "dirty_decay_ms:0")

    spare_memory()

    assert os.environ["DUCKDB_JE_MALLOC_CONF"] == "dirty_decay_ms:0"
