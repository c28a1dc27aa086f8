"""Traces on both databases: two factories with a gateway each, on a clock that stands still."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.signal_trace.models import SignalTrace
from cloud.domains.signal_trace.service import SignalTraceService
from cloud.link import LinkDown
from edge_contract.fields import ControlMessage
from edge_contract.trace import TraceEntry, TraceKind, TraceReport

from ...conftest import DomainServices, hello
from ..tenants import tree

HERE = "192.0.2.1"


@dataclass
class Office:
    """sent: seconds that each gateway was asked for; pushed: to which user. pulses: which take traces."""

    services: DomainServices
    users: dict[str, CurrentUser]
    devices: dict[str, int] = field(default_factory=dict)
    now: list[float] = field(default_factory=lambda: [1000.0])
    sent: list[tuple[str, int, str]] = field(default_factory=list)
    pushed: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    barred: set[int] = field(default_factory=set)
    is_broker_away: bool = False
    pulses: dict[str, bool] = field(default_factory=lambda: {"gw-x": True, "gw-y": True})

    def __post_init__(self) -> None:
        self.service = self.again()

    def again(self) -> SignalTraceService:
        """A process that has just begun."""
        return SignalTraceService(
            self.services.database,
            self.services.devices,
            self,
            self._send,
            user_now=self._user_now,
            clock=self.services.clock,
            monotonic=lambda: self.now[0],
        )

    @property
    def x(self) -> CurrentUser:
        return self.users["factory-x"]

    @property
    def enterprise(self) -> CurrentUser:
        return self.users["enterprise-x"]

    @property
    def y(self) -> CurrentUser:
        return self.users["factory-y"]

    def push_user(self, user_id: int, message: dict[str, Any]) -> None:
        self.pushed.append((user_id, message))

    def states(self, user: CurrentUser) -> list[tuple[str, str]]:
        """State and end of a user's traces as he got them."""
        return [
            (message["state"], message["why"])
            for number, message in self.pushed
            if number == user.id and message["type"] == "strace_state"
        ]

    def entries(self, user: CurrentUser) -> list[int]:
        """Numbers of the entries that a user got."""
        return [
            entry["seq"]
            for number, message in self.pushed
            if number == user.id and message["type"] == "strace"
            for entry in message["entries"]
        ]

    async def pass_s(self, seconds: float) -> None:
        """The periodic job looks every second meanwhile."""
        for _ in range(round(seconds)):
            self.now[0] += 1
            self.services.clock.pass_s(1)
            for gateway, takes in self.pulses.items():
                self.service.taken(gateway, takes)
            await self.service.check()

    def report(self, gateway: str, *numbers: int) -> None:
        entries = [
            TraceEntry(seq=seq, t_ms=seq, kind=TraceKind.LOG, code="warning", text=f"line {seq}")
            for seq in numbers
        ]
        upto = numbers[-1] if numbers else 0
        self.service.report(gateway, TraceReport(since_ms=1, upto=upto, entries=entries))

    async def rows(self) -> list[SignalTrace]:
        page = await self.service.page(self.users["platform-x"].scope, 1, 20, "", None)
        async with self.services.database.reading() as session:
            return [await session.get_one(SignalTrace, row.trace) for row in page.rows]

    async def _send(self, gateway: str, message: ControlMessage) -> None:
        if self.is_broker_away:
            raise LinkDown("broker is away")
        self.sent.append((gateway, getattr(message, "seconds", -1), getattr(message, "by", "")))

    async def _user_now(self, user_id: int) -> CurrentUser | None:
        found = next(user for user in self.users.values() if user.id == user_id)
        return None if user_id in self.barred else found


@pytest.fixture
async def office(services: DomainServices) -> Office:
    users = await tree(services.database)
    made = Office(services, users)
    for name in ("x", "y"):
        await services.claims.claim(f"gw-{name}", f"Pump {name}", owner=f"factory-{name}")
        await services.presence.hello(f"gw-{name}", hello())
        device_id = await services.devices.id_of(f"gw-{name}")
        assert device_id is not None
        made.devices[name] = device_id
        made.service.taken(f"gw-{name}", True)
    return made
