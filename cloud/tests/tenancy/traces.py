"""A trace of a tenant's gateway on record."""

from __future__ import annotations

from cloud.domains.signal_trace.models import SignalTrace


def trace_of(trace_id: str, device_id: int, user_id: int, user_name: str, now_ms: int) -> SignalTrace:
    return SignalTrace(
        id=trace_id,
        device_id=device_id,
        user_id=user_id,
        user_name=user_name,
        address="127.0.0.1",
        started_ms=now_ms,
        ended_ms=now_ms,
        why="done",
    )
