"""Counters of tunnels, for /metrics."""

from __future__ import annotations

from prometheus_client import Counter, Gauge

OPEN = Gauge("edge_tunnels_open", "Tunnels that are open")
STRAYS = Counter("edge_tunnel_strays", "Frames that cannot be read or belong to no tunnel", ["reason"])
REFUSED = Counter("edge_tunnel_strangers", "Connections that a tunnel's listener refused", ["reason"])
