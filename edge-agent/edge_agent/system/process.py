"""What the agent's own process uses."""

from __future__ import annotations

import contextlib
import ctypes
import resource
from pathlib import Path

M_MMAP_THRESHOLD = -3
LARGE_BYTES = 1024 * 1024
STATM = Path("/proc/self/statm")
IO = Path("/proc/self/io")


def resident_bytes() -> int:
    """Resident memory (proc(5), statm)."""
    return int(STATM.read_text().split()[1]) * resource.getpagesize()


def written_bytes() -> int | None:
    """Bytes that this process caused to be written to storage (proc(5), write_bytes); None when not counted.

    Pages of a file, its write-ahead log and the checkpoint count as often as they are written; memory file
    systems do not count.
    """
    try:
        lines = IO.read_text().splitlines()
    except OSError:
        return None
    counts = dict(line.split(": ") for line in lines)
    return int(counts["write_bytes"]) if "write_bytes" in counts else None


def return_large_blocks() -> None:
    """Make every large block go back to the system when it is freed.

    glibc otherwise raises its limit after the first one and keeps later ones for ever; checking a password
    takes 19 MB.
    """
    with contextlib.suppress(OSError, AttributeError):  # another C library has no such call and no such habit
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
