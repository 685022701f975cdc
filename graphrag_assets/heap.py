"""What allocators keep of memory that was given back."""

import ctypes
import os
from contextlib import suppress

MMAP_THRESHOLD, ARENA_MAX = -3, -8  # parameters of glibc's mallopt
LARGE = 1_000_000  # bytes: such blocks go back to the system when they are freed
ARENAS = 2  # heaps that threads share
# DuckDB's allocator keeps freed blocks for later, but not those of the size of columns of vectors
DUCKDB = {"DUCKDB_JE_MALLOC_CONF": "oversize_threshold:1000000"}


def spare_memory() -> None:
    """Let allocators keep less: 130 of 490 MB after dividing a million relationships.

    By default glibc raises its threshold to the largest block it has seen, and gives each thread a
    heap of its own. Other C libraries are left as they are. DuckDB's must not be loaded yet: it
    looks at the environment then.
    """
    os.environ |= {name: value for name, value in DUCKDB.items() if name not in os.environ}
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(MMAP_THRESHOLD, LARGE)
        libc.mallopt(ARENA_MAX, ARENAS)
