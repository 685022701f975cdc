"""Large blocks that were freed are no longer this process's."""

import subprocess
import sys
from pathlib import Path

import pytest

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
