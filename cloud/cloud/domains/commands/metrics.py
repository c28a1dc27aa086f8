"""Counters of commands, for /metrics."""

from __future__ import annotations

from prometheus_client import Counter

FOREIGN = Counter("edge_command_results_foreign", "Results of gateways for commands that are not their own")
FINISHED = Counter(
    "edge_commands_finished", "Commands that ended, by state; late: a result after the end", ["state"]
)
