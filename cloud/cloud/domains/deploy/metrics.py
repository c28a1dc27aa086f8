"""Counters of deployments, for /metrics."""

from __future__ import annotations

from prometheus_client import Counter

FINISHED = Counter("edge_deployments_finished", "Deployments and checks that ended, by state", ["state"])
REFUSED = Counter(
    "edge_deploy_refused", "Receipts and reported configurations that were not taken, by reason", ["reason"]
)
LOCAL_EDITS = Counter("edge_local_edits", "Configurations that were changed on the gateway itself")
