"""Commands to gateways and their outcome."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import CommandEnded, OwnerLeft
from cloud.core.services import Services
from cloud.domains.audit.service import AuditService
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.commands import action_endpoints, endpoints
from cloud.domains.commands.auditing import AuditTeller
from cloud.domains.commands.schemas import CommandStatus
from cloud.domains.commands.service import CHECK_S, CommandService
from cloud.domains.devices.service import DeviceService
from cloud.link import Link


def build(build: Build) -> None:
    hub, services = build.hub, build.services

    async def push(device_id: int, command: CommandStatus) -> None:
        hub.push_command(device_id, command.model_dump())

    audit = AuditTeller(services[AuditService])
    devices, link = services[DeviceService], services[Link]
    services.add(CommandService(build.database, devices, link.send, push, audit=audit))


def periodic(services: Services) -> Sequence[Job]:
    commands = services[CommandService]
    return (
        Periodic(CHECK_S, commands.expire),
        Periodic(CHECK_S, commands.send_kept),
        Periodic(CHECK_S, commands.tell_audit),
    )


def handlers(bus: EventBus, services: Services) -> None:
    commands = services[CommandService]

    async def ended(event: CommandEnded) -> None:
        await commands.result(event.gateway, event.result)

    async def owner_left(event: OwnerLeft) -> None:
        await commands.presets.delete_all(event.device_id)

    bus.handle(CommandEnded, ended)
    bus.handle(OwnerLeft, owner_left)


DOMAIN = Domain(
    "commands",
    (
        endpoints.router,
        action_endpoints.router,
    ),
    build,
    periodic=periodic,
    handlers=handlers,
    permissions=frozenset({"Device/cmd", "DeviceManage", "Monitor.DeviceMonitor"}),
)
