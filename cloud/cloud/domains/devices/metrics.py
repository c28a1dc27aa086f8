"""Counters of devices, for /metrics."""

from __future__ import annotations

from prometheus_client import Counter

CATALOG_FAULTS = Counter("edge_catalog_faults", "Catalogs and points of them that were not taken")
