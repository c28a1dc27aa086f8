"""Delivery ledgers, and targets of drafts."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import GatewayDeleted, TargetsSaid
from cloud.core.services import Services
from cloud.domains.alarms.system_alarms import SystemAlarms
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.devices.service import DeviceService
from cloud.domains.forwarding import endpoints
from cloud.domains.forwarding.forwarders import ForwarderService
from cloud.domains.forwarding.service import WRITE_S, ForwardingService
from cloud.domains.points.editing import Editing


def build(build: Build) -> None:
    services = build.services
    services.add(ForwardingService(build.database, services[DeviceService], services[SystemAlarms]))
    services.add(ForwarderService(services[Editing]))


def periodic(services: Services) -> Sequence[Job]:
    return (Periodic(WRITE_S, services[ForwardingService].write),)


def handlers(bus: EventBus, services: Services) -> None:
    forwarding = services[ForwardingService]
    bus.handle_now(TargetsSaid, lambda event: forwarding.said(event.gateway, event.targets))
    bus.handle_now(GatewayDeleted, lambda event: forwarding.forget(event.gateway))


DOMAIN = Domain(
    "forwarding",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    permissions=frozenset({"DeviceManage", "Monitor.DeviceMonitor"}),
)
