"""A slave's state as the pulse reports it. Pure."""

from __future__ import annotations

from edge_agent.model import DeviceState, RequestState
from edge_contract.bus_health import FaultCount, SlaveRequests
from edge_contract.limits import MAX_TEXT
from edge_contract.payloads import SlaveHealth


def health_of(state: DeviceState) -> SlaveHealth:
    """State of a slave as the contract has it; texts cut to MAX_TEXT characters."""
    return SlaveHealth(
        name=state.slave,
        online=state.online,
        last_good_ms=state.last_good_ms,
        reason=state.reason[:MAX_TEXT],
        bus=None if state.bus is None else _requests(state.bus),
    )


def _requests(bus: RequestState) -> SlaveRequests:
    return SlaveRequests(
        requests=bus.requests,
        failures=bus.failures,
        mean_ms=bus.mean_ms,
        max_ms=bus.max_ms,
        since_ms=max(bus.since_ms, 0),
        faults=[
            FaultCount(kind=fault.kind, code=fault.code, count=fault.count, last_ms=max(fault.last_ms, 0))
            for fault in bus.faults
        ],
    )
