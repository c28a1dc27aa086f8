"""Ports, slaves, points and scripts of a draft."""

from __future__ import annotations

from cloud.core.bus import EventBus
from cloud.core.events import ConfigurationChanged
from cloud.core.services import Services
from cloud.domains.base import Build, Domain
from cloud.domains.commands.service import CommandService
from cloud.domains.deploy.events import DocumentRenamed, RowsRenamed
from cloud.domains.devices.service import DeviceService
from cloud.domains.points import endpoints, point_endpoints, script_endpoints
from cloud.domains.points.editing import Editing
from cloud.domains.points.forms import secret_names
from cloud.domains.points.point_service import PointService
from cloud.domains.points.scripts import ScriptService
from cloud.domains.points.settings import SettingService
from cloud.domains.triggers.point_alarms import PointAlarms


def build(build: Build) -> None:
    bus, services = build.bus, build.services
    devices, commands = services[DeviceService], services[CommandService]
    editing = services.add(
        Editing(
            build.database, devices, bus.publisher(ConfigurationChanged), follow=(bus.publisher(RowsRenamed),)
        )
    )
    settings = services.add(SettingService(build.database, devices, services[PointAlarms]))
    services.add(PointService(editing, settings, devices, commands))
    services.add(ScriptService(editing, commands))


def handlers(bus: EventBus, services: Services) -> None:
    settings = services[SettingService]

    async def renamed(event: DocumentRenamed) -> None:
        await settings.follow(event.session, event.renaming)

    bus.handle(DocumentRenamed, renamed)


DOMAIN = Domain(
    "points",
    (
        endpoints.router,
        point_endpoints.router,
        script_endpoints.router,
    ),
    build,
    handlers=handlers,
    permissions=frozenset({"Device/cmd", "DeviceManage", "Monitor.DeviceMonitor"}),
    secret_names=secret_names(),
)
