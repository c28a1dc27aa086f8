"""What a store tells about batches that it holds no longer or that travel differently."""

from __future__ import annotations

EVICTED_TOLD = 100
"""Ranges of evicted batches that the pulse tells."""
LATE_REMEMBERED = 1000
"""Late batches of this process; far fewer are on their way at a time."""
