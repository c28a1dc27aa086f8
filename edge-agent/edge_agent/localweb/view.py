"""What the page shows, as plain values: points once, newest samples and status each second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from edge_agent.forwarding.base import ForwarderStatus
from edge_agent.forwarding.link import LinkState
from edge_agent.model import DeviceState, ExpectedLoad, Sample
from edge_agent.remote.execution import Execution
from edge_agent.store.base import OutboxState
from edge_agent.system.clock import Clock, clock_set
from edge_agent.system.process import resident_bytes
from edge_contract.payloads import Catalog


class PortView(Protocol):
    """One port, as the bus reports it."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def where(self) -> str: ...
    @property
    def enable(self) -> bool: ...
    @property
    def open(self) -> bool: ...
    @property
    def requests(self) -> int: ...
    @property
    def failures(self) -> int: ...
    @property
    def busy_percent(self) -> float: ...
    @property
    def last_error(self) -> str: ...
    @property
    def missed(self) -> int: ...
    @property
    def locked(self) -> bool: ...


@dataclass(frozen=True)
class GatewayView:
    """What runs, as far as it is only looked at. snapshot: values as they are shown.

    capacity_bytes: of the outbox.

    started_ms: of the process; since_ms: when the running version began to run.

    secret_set: whether there is a secret for the cloud. internal_slave: its state, None without one.
    """

    gateway: str
    title: str
    agent: str
    started_ms: int
    since_ms: Callable[[], int]
    catalog: Catalog
    snapshot: Callable[[], Sequence[Sample]]
    ports: Callable[[], Sequence[PortView]]
    slaves: Callable[[], Sequence[DeviceState]]
    outbox: Callable[[], OutboxState]
    collection: Callable[[], dict[str, Any]]
    link: LinkState
    forwarders: Callable[[], Sequence[ForwarderStatus]]
    internal_slave: Callable[[], object] | None
    loop_writes: Callable[[], Sequence[dict[str, Any]]]
    execution: Execution
    clock: Clock
    budget: Callable[[], Sequence[ExpectedLoad]]
    capacity_bytes: int
    secret_set: Callable[[], bool]

    def points(self) -> dict[str, Any]:
        """What does not change while the agent runs."""
        return {"slaves": self.catalog.slaves, "points": self.catalog.points}

    def live(self) -> dict[str, Any]:
        """Rows of point number, time, value, quality; what has no value now is the last good one."""
        return {"t_ms": self.clock.now_ms(), "values": self.snapshot()}

    def status(self) -> dict[str, Any]:
        """Gateway, link, outbox, ports, slaves."""
        now_ms = self.clock.now_ms()
        link = asdict(self.link)
        link.pop("faults")
        return {
            "gateway": {
                "id": self.gateway,
                "title": self.title,
                "agent": self.agent,
                "catalog": self.catalog.hash,
                "uptime_s": max(now_ms - self.started_ms, 0) // 1000,
                "since_ms": self.since_ms(),
                "memory_mb": round(resident_bytes() / 1_000_000, 1),
                "clock_set": clock_set(now_ms),
                "t_ms": now_ms,
            },
            "link": link,
            "secret_set": self.secret_set(),
            "outbox": self.outbox(),
            "forwarders": self.forwarders(),
            "internal_slave": self.internal_slave() if self.internal_slave else None,
            "loop_writes": self.loop_writes(),
            "capacity_bytes": self.capacity_bytes,
            "ports": [_port(port) for port in self.ports()],
            "slaves": self.slaves(),
            "collection": self.collection(),
        }


def _port(port: PortView) -> dict[str, Any]:
    return {
        "name": port.name,
        "type": port.type,
        "where": port.where,
        "enable": port.enable,
        "open": port.open,
        "requests": port.requests,
        "failures": port.failures,
        "busy_percent": round(port.busy_percent, 1),
        "last_error": port.last_error,
        "missed": port.missed,
        "lent": port.locked,
    }
