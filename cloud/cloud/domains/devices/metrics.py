"""Counters of devices, for /metrics."""

from __future__ import annotations

from prometheus_client import Counter, Gauge

CATALOG_FAULTS = Counter("edge_catalog_faults", "Catalogs and points of them that were not taken")

TO_END = Gauge("edge_link_sessions_to_end", "Sessions of revoked gateways that the broker still has to end")
