"""Counters of devices, for /metrics."""

from __future__ import annotations

from prometheus_client import Counter, Gauge

CATALOG_FAULTS = Counter("edge_catalog_faults", "Catalogs and points of them that were not taken")
POINTS_FORGOTTEN = Counter(
    "edge_points_forgotten", "Removed points deleted with their history, because a gateway had too many"
)

TO_END = Gauge("edge_link_sessions_to_end", "Sessions of revoked gateways that the broker still has to end")
