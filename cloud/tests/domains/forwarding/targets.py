"""Ledgers with the alarms of their targets."""

from __future__ import annotations

from typing import Any

from cloud.core.events import AlarmsAnnounced
from cloud.domains.alarms.event_publisher import Announce, EventPublisher, unannounced
from cloud.domains.alarms.system_alarms import SystemAlarms
from cloud.domains.forwarding.service import ForwardingService

from ...conftest import DomainServices


async def _nobody(_device: int) -> Any:
    return None


def ledgers_of(services: DomainServices, announce: Announce = unannounced) -> ForwardingService:
    publisher = EventPublisher(_nobody, lambda *_: None)
    alarms = SystemAlarms(publisher, announce, clock=services.clock)
    return ForwardingService(services.database, services.devices, alarms, clock=services.clock)


class Announced:
    """What people were told: change and why."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, str]] = []

    async def __call__(self, event: AlarmsAnnounced) -> None:
        self.changes += [(change.change, change.why) for change in event.changes]
