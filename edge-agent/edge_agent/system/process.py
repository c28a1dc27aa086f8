"""What the agent's own process uses."""

from __future__ import annotations

import contextlib
import ctypes
import resource
from pathlib import Path

M_MMAP_THRESHOLD = -3
LARGE_BYTES = 1024 * 1024
STATM = Path("/proc/self/statm")


def resident_mb() -> float:
    """Resident memory in MB."""
    pages = int(STATM.read_text().split()[1])
    return pages * resource.getpagesize() / 1_000_000


def return_large_blocks() -> None:
    """Make every large block go back to the system when it is freed.

    glibc otherwise raises its limit after the first one and keeps later ones for ever; checking a password
    takes 19 MB.
    """
    with contextlib.suppress(OSError, AttributeError):  # another C library has no such call and no such habit
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
