"""Internal slave and loop-write tasks."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import FieldbusSaid, GatewayDeleted
from cloud.core.services import Services
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.devices.service import DeviceService
from cloud.domains.fieldbus import endpoints
from cloud.domains.fieldbus.sections import SectionService
from cloud.domains.fieldbus.service import WRITE_S, FieldbusService
from cloud.domains.points.editing import Editing


def build(build: Build) -> None:
    build.services.add(FieldbusService(build.database, build.services[DeviceService]))
    build.services.add(SectionService(build.services[Editing]))


def periodic(services: Services) -> Sequence[Job]:
    return (Periodic(WRITE_S, services[FieldbusService].write),)


def handlers(bus: EventBus, services: Services) -> None:
    fieldbus = services[FieldbusService]
    bus.handle_now(FieldbusSaid, lambda event: fieldbus.said(event.gateway, event.figures))
    bus.handle_now(GatewayDeleted, lambda event: fieldbus.forget(event.gateway))


DOMAIN = Domain(
    "fieldbus",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    permissions=frozenset({"DeviceManage", "Monitor.DeviceMonitor"}),
)
