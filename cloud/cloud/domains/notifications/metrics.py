"""Counters and gauges of notifications."""

from __future__ import annotations

from prometheus_client import Counter, Gauge

WAITING = Gauge("edge_notifications_waiting", "Messages that wait to be sent, by state", ["state"])
OLDEST_S = Gauge("edge_notifications_oldest_seconds", "Age of the oldest message that is due and not sent")
ENDED = Counter(
    "edge_notifications_ended", "Messages by channel, end and reason", ["channel", "state", "reason"]
)
OVERFLOWED = Counter(
    "edge_notifications_overflowed", "Alarm changes that nobody is told of, because the outbox was full"
)
"""MAX_OUTBOX was reached."""
