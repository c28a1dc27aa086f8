"""Counters of the audit, for /metrics."""

from __future__ import annotations

from prometheus_client import Counter

WRITTEN = Counter("edge_audit_written", "Rows of the audit that were written")
DROPPED = Counter("edge_audit_dropped", "Changing requests without a row, by reason", ["reason"])
