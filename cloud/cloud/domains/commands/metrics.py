"""Counters of commands, for /metrics."""

from __future__ import annotations

from prometheus_client import Counter

FINISHED = Counter(
    "edge_commands_finished", "Commands that ended, by state; late: a result after the end", ["state"]
)
