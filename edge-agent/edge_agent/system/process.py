"""What the agent's own process uses."""

from __future__ import annotations

import contextlib
import ctypes
import resource
from pathlib import Path

STATM = Path("/proc/self/statm")


def resident_mb() -> float:
    """Resident memory in MB."""
    pages = int(STATM.read_text().split()[1])
    return pages * resource.getpagesize() / 1_000_000


def give_back_memory() -> None:
    """Return freed memory to the system: glibc keeps a large block for ever once it was used."""
    with contextlib.suppress(OSError, AttributeError):  # another C library has no such call, and no such habit
        ctypes.CDLL(None).malloc_trim(0)
