"""What the agent's own process uses."""

from __future__ import annotations

import resource
from pathlib import Path

STATM = Path("/proc/self/statm")


def resident_mb() -> float:
    """Resident memory in MB."""
    pages = int(STATM.read_text().split()[1])
    return pages * resource.getpagesize() / 1_000_000
