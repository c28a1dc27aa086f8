"""Values: newest, history, charts; and what follows from new ones."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import (
    DevicePlaced,
    GatewayGone,
    PointsCleared,
    ValuesReceived,
    ValuesStored,
    WatchTaken,
)
from cloud.core.scope import Scope
from cloud.core.services import Services
from cloud.domains.alarms.service import AlarmService
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.positions import FOLLOW_S, PositionFollower
from cloud.domains.devices.service import DeviceService
from cloud.domains.jobs.service import JobService
from cloud.domains.telemetry import chart_endpoints, endpoints
from cloud.domains.telemetry.charts import ChartService
from cloud.domains.telemetry.exporting import HistoryExport
from cloud.domains.telemetry.schemas import LastValue
from cloud.domains.telemetry.service import TelemetryService
from cloud.domains.telemetry.watching import ANNOUNCE_S, WatchAnnouncer
from cloud.link import Link
from edge_contract.model import Value


def build(build: Build) -> None:
    bus, hub, services = build.bus, build.hub, build.services
    devices = services[DeviceService]

    async def push(gateway: str, values: list[LastValue]) -> None:
        if hub.listened and (device_id := await devices.id_of(gateway)) is not None:
            rows = [(value.dsid, value.t_ms, value.value, value.quality) for value in values]
            hub.push_values(device_id, rows)

    telemetry = services.add(
        TelemetryService(build.series, devices, push, watched=lambda: hub.listened, remembers=build.is_full)
    )

    async def newest(dsids: Sequence[int]) -> dict[int, tuple[int, Value]]:
        """Time and value of the newest sample of these points."""
        found = await telemetry.last_values(Scope.system(), dsids)
        return {last.dsid: (last.t_ms, last.value) for last in found}

    def placed(device_id: int) -> None:
        bus.publish_now(DevicePlaced(device_id))

    services.add(PositionFollower(build.database, newest, placed=placed))
    outages, alarms, link = services[OutageService], services[AlarmService], services[Link]
    services.add(ChartService(build.series, devices, outages, alarms, link.collection))
    services.add(WatchAnnouncer(hub, services[CatalogService].numbers_of, link.send))
    services.add(HistoryExport(build.series, devices, services[JobService]))


def periodic(services: Services) -> Sequence[Job]:
    return (
        Periodic(FOLLOW_S, services[PositionFollower].follow),
        Periodic(ANNOUNCE_S, services[WatchAnnouncer].announce),
    )


def handlers(bus: EventBus, services: Services) -> None:
    follower, telemetry = services[PositionFollower], services[TelemetryService]
    announcer = services[WatchAnnouncer]

    async def follow(event: ValuesStored | ValuesReceived) -> None:
        follower.note_values(event.columns)

    async def stored(event: ValuesStored) -> None:
        await telemetry.stored(event.gateway, event.columns, event.is_late)

    async def received(event: ValuesReceived) -> None:
        await telemetry.stored(event.gateway, event.columns, False)

    async def cleared(event: PointsCleared) -> None:
        await telemetry.cleared(event.gateway, event.device_id, event.is_unknown)

    def taken(event: WatchTaken) -> None:
        announcer.taken(event.gateway)

    def gone(event: GatewayGone) -> None:
        announcer.forget(event.gateway)

    bus.handle_now(WatchTaken, taken)
    bus.handle_now(GatewayGone, gone)
    bus.handle(ValuesStored, follow)
    bus.handle(ValuesReceived, follow)
    bus.handle(ValuesStored, stored)
    bus.handle(ValuesReceived, received)
    bus.handle(PointsCleared, cleared)


DOMAIN = Domain(
    "telemetry",
    (
        endpoints.router,
        chart_endpoints.router,
    ),
    build,
    periodic=periodic,
    handlers=handlers,
    permissions=frozenset({"HisData", "Monitor.DeviceMonitor"}),
)
