"""Counters of the link, for /metrics."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

MESSAGES = Counter("edge_link_messages", "Messages taken from the broker", ["message"])
DROPPED = Counter("edge_link_dropped", "Messages dropped, by reason", ["reason"])
INVALID = Counter("edge_link_invalid", "Messages that break the contract", ["message"])
BATCHES = Counter("edge_link_batches", "Batches committed for the first time", ["lane"])
SAMPLES = Counter("edge_link_samples", "Samples written to the time series")
UNSTORED_SAMPLES = Counter(
    "edge_link_samples_not_filed", "Samples kept as evidence only, by reason", ["reason"]
)
DUPLICATES = Counter("edge_link_duplicates", "Batches that had been committed before")
QUARANTINED = Counter("edge_link_quarantined", "Batches put into quarantine")
QUARANTINE_DROPPED = Counter("edge_link_quarantine_dropped", "Oldest quarantined batches, dropped for room")
COMMIT_FAILURES = Counter("edge_link_landing_failures", "Groups of batches that could not be committed")
COMMIT_SECONDS = Histogram("edge_link_commit_seconds", "Time to commit one group of batches")
GAP_CHECKS_GIVEN_UP = Counter(
    "edge_link_looks_given_up", "Words of gateways about their streams that could not be written down"
)
STREAMS_FORGOTTEN = Counter("edge_link_streams_forgotten", "Streams that are not remembered any longer")
WAITING = Gauge("edge_link_waiting_batches", "Batches that wait for their catalog")
LIMITED = Counter("edge_link_limited", "Messages above a gateway's allowance, dropped", ["message"])
UNSTORED_BATCHES = Gauge("edge_link_unfiled_batches", "Batches committed and not yet stored")
TIMESERIES_FAILURES = Counter(
    "edge_link_timeseries_failures", "Writes to the time series that must be repeated"
)
DROPPED_UNIDENTIFIED = Counter(
    "edge_link_unidentified_dropped",
    "Connections to the embedded broker that had to make room unidentified",
)
BROKER_FAILURES = Counter(
    "edge_link_broker_failures", "Packets that the embedded broker could not handle, as the client was gone"
)
CONNECTED = Gauge("edge_link_connected", "1 while the broker is connected")
HOOK_FAILURES = Counter("edge_link_hook_failures", "Hooks that raised or took too long", ["hook"])
