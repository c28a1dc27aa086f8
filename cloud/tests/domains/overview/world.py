"""Gateways in every state, of two factories, and the landing page's service over them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from cloud.domains.alarms.event_publisher import EventPublisher
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.reports import AlarmReports
from cloud.domains.alarms.service import AlarmService
from cloud.domains.configuration.models import ConfigurationStateRow, Deployment
from cloud.domains.forwarding.models import ForwardingTarget
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import DataPoint, Device, DeviceShare, OnOfflineLog, SlaveDevice
from cloud.domains.options.service import OptionService
from cloud.domains.overview.platform import PlatformService
from cloud.domains.overview.schemas import Overview
from cloud.domains.overview.service import OverviewService
from cloud.domains.overview.values import ValueService
from cloud.domains.telemetry.service import TelemetryService
from cloud.realtime.audience import Audience
from cloud.timeseries.base import TimeSeries

from ...conftest import DomainServices
from ..tenants import tree

OWN_LEVELS: dict[int, Any] = {}

STATES = {
    "well": {"online": True},
    "well-2": {"online": True, "asleep_until_ms": 2**52},
    "partly": {"online": True},
    "mute": {"online": True},
    "alarm": {"online": True, "open_alarms": 1},
    "away": {"online": False, "reason": "link_lost"},
    "stopped": {"online": False, "reason": "stopped"},
    "never": {"online": False, "reason": "never_connected", "first_online_ms": None, "last_ms": None},
    "shut": {"online": False, "reason": "disabled", "disabled": True},
    "filling": {"online": True, "hours_left": 3.5, "backlog_batches": 9},
    "clock": {"online": True, "clock_set": False},
}
"""By the serial number, of factory x; factory y has one of each too."""

SILENT_SLAVES = {"partly": 1, "mute": 2, "away": 2}
"""Of two slaves of each gateway."""


@dataclass
class World:
    services: DomainServices
    users: dict[str, CurrentUser]
    service: OverviewService
    options: OptionService
    alarms: AlarmService
    ids: dict[str, int]

    async def ask(self, user: str) -> Overview:
        """With completeness: asked again while it is being counted."""
        async with asyncio.timeout(30):
            found = await self.service.overview(self.users[user])
            while found.counting:
                await asyncio.sleep(0.05)
                found = await self.service.overview(self.users[user])
        return found


async def _nobody(device_id: int) -> Audience:
    return Audience()


async def _own() -> dict[int, Any]:
    return OWN_LEVELS


async def _changed(device_id: int) -> None:
    """Nobody watches."""


async def _pushed(gateway: str, values: Any) -> None:
    """Nobody watches."""


async def build(services: DomainServices, series: TimeSeries, folder: Any) -> World:
    """Fill the database; person-x sees two gateways by a share, one of the other factory too."""
    users = await tree(services.database)
    now = services.clock()
    ids: dict[str, int] = {}
    async with services.database.session() as session:
        for side in ("x", "y"):
            for name, state in STATES.items():
                ids[f"{name}-{side}"] = await _gateway(
                    session, users[f"factory-{side}"].id, name, side, state, now
                )
        for name in ("well-x", "away-x", "mute-y"):
            share = {"device_id": ids[name], "user_id": users["person-x"].id, "role": "visitor"}
            session.add(DeviceShare(**share, writes=False, created_ms=0))
        await session.commit()
    alarms = AlarmService(
        services.database,
        _own,
        EventPublisher(_nobody, lambda *_: None),
        lambda *_: None,
        _changed,
        clock=services.clock,
    )
    options = OptionService(services.database, clock=services.clock)
    telemetry = TelemetryService(series, services.devices, _pushed, clock=services.clock)
    platform = PlatformService(
        services.database, "sqlite:///" + str(folder / "a.db"), folder, None, clock=services.clock
    )
    if not str(services.database.engine.url).startswith("sqlite"):
        platform = PlatformService(services.database, "postgresql://", folder, None, clock=services.clock)
    service = OverviewService(
        services.database,
        services.presence,
        services.devices,
        alarms,
        AlarmReports(services.database, _own, clock=services.clock),
        services.outages,
        options,
        ValueService(services.database, options, telemetry),
        platform,
    )
    return World(services, users, service, options, alarms, ids)


async def _gateway(session: Any, owner: int, name: str, side: str, state: dict[str, Any], now: int) -> int:
    columns = {"first_online_ms": 1, "last_ms": now - 1000 - len(name), "since_ms": now - 60_000, **state}
    device = Device(
        gateway_id=f"{name}-{side}", title=f"Gateway {name} {side}", owner_id=owner, secret_hash="",
        created_ms=1, longitude=120.0 if name in ("well", "away") else None, latitude=30.0, **columns,
    )  # fmt: skip
    session.add(device)
    await session.flush()
    for number in range(2):
        silent = number < SILENT_SLAVES.get(name, 0)
        slave = SlaveDevice(
            device_id=device.id, name=f"s{number}", title=f"Slave {number}", protocol="modbus_tcp",
            port="lan",
            address="1", online=not silent, reason="no_answer" if silent else "ok", since_ms=now - 30_000,
        )  # fmt: skip
        session.add(slave)
        await session.flush()
        for limit in (None, 10.0):
            session.add(
                DataPoint(
                    device_id=device.id, slave_id=slave.id, name=f"p{limit}", title=f"{name} {number}",
                    kind="num", rw="readonly", data_type="float", unit="bar", period_ms=1000, record=0,
                    max=limit,
                )
            )  # fmt: skip
    if name in ("alarm", "away"):
        event = {"at_ms": now - 5000, "noted_ms": now - 5000, "device_id": device.id}
        session.add(AlarmEvent(**event, alarm_type=1 if name == "alarm" else 4, title=f"Alarm of {side}"))
    if name == "away":
        session.add(
            OnOfflineLog(device_id=device.id, offline_ms=now - 60_000, noted_ms=now, reason="link_lost")
        )
    if name in ("well", "well-2"):
        deployed = {"id": f"{name}-{side}", "device_id": device.id, "hash": "h", "confirm_s": 60}
        state_of = "reverted" if name == "well" else "switched"
        session.add(
            Deployment(
                **deployed, state=state_of, healthy_share=0.5, user_id=owner, user_name="u",
                created_ms=now - 1000, expires_ms=now,
            )
        )  # fmt: skip
    if name in ("well", "away", "mute"):
        session.add(target(device.id, "bureau", trouble=name != "mute"))
        session.add(target(device.id, "usb", trouble=False))
    if name == "filling":
        session.add(ConfigurationStateRow(device_id=device.id, draft="d", draft_ms=now - 2000))
    return device.id


def target(device_id: int, name: str, *, trouble: bool) -> ForwardingTarget:
    return ForwardingTarget(
        device_id=device_id, name=name, kind="hj212", condition="down", since_ms=1, reason="no answer",
        waiting_batches=0, waiting_bytes=0, waiting_records=0, lost_batches=0, delivered=0, late=0,
        repeated=0, given_up=0, failed=0, last_ack_ms=0, next_try_ms=0, rejects=[], reported_ms=1,
        trouble_since_ms=1, in_trouble=trouble,
    )  # fmt: skip


async def device_of(world: World, name: str) -> Device:
    async with world.services.database.reading() as session:
        return (await session.scalars(select(Device).where(Device.gateway_id == name))).one()
