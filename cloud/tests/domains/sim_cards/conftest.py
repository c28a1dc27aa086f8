"""SIM cards on both databases: two factories, a gateway of each, and what alarms were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from cloud.core.events import AlarmsAnnounced
from cloud.domains.alarms.event_publisher import EventPublisher
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.system_alarms import SystemAlarms
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.sim_cards.importing import CardImportService
from cloud.domains.sim_cards.models import SimCard, SimCardUsage
from cloud.domains.sim_cards.reports import CardReports
from cloud.domains.sim_cards.schemas import SimCardBody
from cloud.domains.sim_cards.service import SimCardService
from edge_contract.cellular import LinkBytes, ModemState

from ...conftest import DomainServices
from ..tenants import tree

ZONE = ZoneInfo("Asia/Shanghai")
CARD, OTHER = "89860012345678901234", "89860012345678905678"
MINUTE_MS = 60_000
SINCE_MS = 1_780_000_000_000


@dataclass
class Scene:
    """devices: numbers of the gateways gw-x and gw-y, of the factories x and y."""

    services: DomainServices
    users: dict[str, CurrentUser]
    devices: dict[str, int]
    announced: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.database, self.clock = self.services.database, self.services.clock
        publisher = EventPublisher(self._nobody, lambda *_: None)
        alarms = SystemAlarms(publisher, self._announce, clock=self.clock)
        self.cards = SimCardService(self.database, alarms, ZONE, clock=self.clock)
        self.files = CardImportService(self.database, self.cards, clock=self.clock)
        self.reports = CardReports(self.database, alarms, ZONE, clock=self.clock)

    @property
    def x(self) -> CurrentUser:
        return self.users["factory-x"]

    @property
    def y(self) -> CurrentUser:
        return self.users["factory-y"]

    @property
    def platform(self) -> CurrentUser:
        return self.users["platform-x"]

    async def _nobody(self, _device: int) -> Any:
        return None

    async def _announce(self, event: AlarmsAnnounced) -> None:
        self.announced += [(change.change, change.why) for change in event.changes]

    async def add(self, user: CurrentUser, iccid: str = CARD, **fields: Any) -> int:
        row = await self.cards.create(user, SimCardBody.model_validate({"iccid": iccid, **fields}))
        return row.id

    async def report(self, gateway: str, iccid: str | None = None, *links: LinkBytes) -> None:
        """A report that is written. iccid: None without a word of the modem."""
        modem = None
        if iccid is not None:
            modem = ModemState(imei="490154203237518", iccid=iccid, signal=17, read_ms=self.clock())
        self.reports.said(gateway, modem, list(links) or None)
        await self.reports.write()

    async def stored(self, card_id: int) -> SimCard:
        async with self.database.reading() as session:
            return await session.get_one(SimCard, card_id)

    async def usage(self, card_id: int) -> list[tuple[str, int, int]]:
        query = select(SimCardUsage).where(SimCardUsage.card_id == card_id).order_by(SimCardUsage.day)
        async with self.database.reading() as session:
            rows: Sequence[SimCardUsage] = (await session.scalars(query)).all()
        return [(row.day.isoformat(), row.received, row.sent) for row in rows]

    async def alarms(self) -> list[AlarmEvent]:
        async with self.database.reading() as session:
            return list(await session.scalars(select(AlarmEvent).order_by(AlarmEvent.id)))

    async def open_alarms(self, gateway: str) -> int:
        async with self.database.reading() as session:
            return (await session.get_one(Device, self.devices[gateway])).open_alarms


def link(received: int, sent: int = 0, *, since_ms: int = SINCE_MS, cellular: bool = True) -> LinkBytes:
    name = "wwan0" if cellular else "eth0"
    return LinkBytes(interface=name, cellular=cellular, since_ms=since_ms, received=received, sent=sent)


@pytest.fixture
async def scene(services: DomainServices) -> Scene:
    users = await tree(services.database)
    for name in ("x", "y"):
        await services.claims.claim(f"gw-{name}", f"Pump {name}", owner=f"factory-{name}")
    async with services.database.reading() as session:
        rows = await session.execute(select(Device.gateway_id, Device.id))
        devices = {row[0]: row[1] for row in rows}
    return Scene(services, users, devices)
