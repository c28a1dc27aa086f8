"""Counters of the time series, for /metrics."""

from __future__ import annotations

from prometheus_client import Counter

TOO_LATE = Counter(
    "edge_samples_too_late",
    "Samples of a time whose samples are deleted: added to the levels, or refused",
    ["levels"],
)

MAX_LOGGED = 1000
"""Series of which it is logged that samples came too late, each once."""
