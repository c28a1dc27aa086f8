"""The domains with events: the on-offline log notes, alarms are made, and what browsers are told is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cloud.core.scope import Scope
from cloud.domains.alarms.codes import OwnLevel
from cloud.domains.alarms.event_publisher import EventPublisher
from cloud.domains.alarms.handlers import OutageEvents
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.service import AlarmService
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.models import User
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device, DeviceShare
from cloud.realtime.audience import Audience
from edge_contract.payloads import State

from ...conftest import BOOT, GATEWAY, DomainServices, hello

MAY = frozenset({"Event", "DeviceMonitor_Online"})
LEVELS = {201: OwnLevel("Urgent", "#ff0000"), 7: OwnLevel("Mild", "#00ff00")}


class Scene:
    """Domain services and the alarms' own; told: what browsers were told, in order."""

    def __init__(self, services: DomainServices) -> None:
        self.services, self.clock, self.database = services, services.clock, services.database
        self.told: list[dict[str, Any]] = []
        self.users_told: list[tuple[int, dict[str, Any]]] = []
        self.restart()

    def restart(self) -> None:
        """Every service anew, as after a restart of the process."""
        self.publisher = EventPublisher(self._audience, lambda *_: None)
        self.publisher.publish = lambda event: self.told.append(event.message)  # type: ignore[method-assign]
        noted = OutageEvents(self.publisher, clock=self.clock).noted
        services = self.services
        services.presence = PresenceService(
            self.database, services._changed, services._cleared, noted=noted, clock=self.clock
        )
        services.outages = OutageService(self.database, noted=noted, clock=self.clock)
        services.devices = DeviceService(self.database, services.presence, services._streams)
        self.alarms = AlarmService(
            self.database,
            self._levels,
            self.publisher,
            lambda user, message: self.users_told.append((user, message)),
            services._changed,
            clock=self.clock,
        )

    async def come(self) -> None:
        await self.services.presence.hello(GATEWAY, hello())

    async def go(self) -> None:
        await self.services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))

    async def notify(self, *, on: bool = True, delay_s: int = 0, device_id: int = 1) -> None:
        """The settings of a gateway."""
        async with self.database.session() as session:
            device = await session.get_one(Device, device_id)
            device.offline_notify, device.offline_alarm_delay_s = on, delay_s
            await session.commit()

    async def user(self, name: str, parent: CurrentUser | None = None) -> CurrentUser:
        async with self.database.session() as session:
            row = User(user_name=name, password_hash="x", user_type=1, created_ms=self.clock())
            session.add(row)
            await session.flush()
            row.path = f"{parent.scope.path if parent else '/'}{row.id}/"
            await session.commit()
        return CurrentUser(row.id, name, 1, MAY, "", Scope(row.id, row.path))

    async def give(self, device_id: int, owner: CurrentUser) -> None:
        async with self.database.session() as session:
            (await session.get_one(Device, device_id)).owner_id = owner.id
            await session.commit()

    async def share(self, device_id: int, user: CurrentUser, *, writes: bool) -> None:
        async with self.database.session() as session:
            session.add(
                DeviceShare(device_id=device_id, user_id=user.id, role="visitor", writes=writes, created_ms=1)
            )
            await session.commit()

    async def alarm(self, **columns: Any) -> int:
        """An event that somebody made; the number."""
        words = {"at_ms": self.clock(), "noted_ms": self.clock(), "alarm_type": 1, "device_id": 1}
        async with self.database.session() as session:
            row = AlarmEvent(**{**words, **columns})
            session.add(row)
            await session.commit()
        return row.id

    async def _levels(self) -> Mapping[int, OwnLevel]:
        return LEVELS

    async def _audience(self, device_id: int) -> Audience:
        return Audience()


@pytest.fixture
def scene(services: DomainServices) -> Scene:
    return Scene(services)
