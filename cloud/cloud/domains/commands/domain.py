"""Commands to gateways and their outcome."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import CommandEnded, OwnerLeft, ValuesReceived, ValuesStored
from cloud.core.services import Services
from cloud.domains.audit.service import AuditService
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.commands import action_endpoints, endpoints
from cloud.domains.commands.auditing import AuditReporter
from cloud.domains.commands.intake import Intake
from cloud.domains.commands.repeating import CommandRepeater
from cloud.domains.commands.rounds import ROUND_S, CommandRounds
from cloud.domains.commands.schemas import CommandStatus
from cloud.domains.commands.service import CommandService
from cloud.domains.commands.settling import RESOLVE_S, UnknownWrites
from cloud.domains.devices.service import DeviceService
from cloud.link import Link


def build(build: Build) -> None:
    hub, services = build.hub, build.services

    async def push(device_id: int, command: CommandStatus) -> None:
        hub.push_command(device_id, command.model_dump())

    audit = AuditReporter(services[AuditService])
    devices, link = services[DeviceService], services[Link]
    unknown = services.add(UnknownWrites(build.database, build.series.latest, push))
    commands = CommandService(build.database, devices, link.send, push, audit=audit, read=unknown.note)
    services.add(commands)
    repeater = CommandRepeater(build.database, Intake(devices, commands.presets), link.send)
    services.add(CommandRounds(build.database, commands, repeater))


def periodic(services: Services) -> Sequence[Job]:
    return (
        Periodic(ROUND_S, services[CommandRounds].run),
        Periodic(RESOLVE_S, services[UnknownWrites].resolve),
    )


def handlers(bus: EventBus, services: Services) -> None:
    commands, unknown = services[CommandService], services[UnknownWrites]

    async def came(event: ValuesStored | ValuesReceived) -> None:
        unknown.note_values(event.columns)

    async def ended(event: CommandEnded) -> None:
        await commands.result(event.gateway, event.result)

    async def owner_left(event: OwnerLeft) -> None:
        await commands.presets.delete_all(event.device_id)

    bus.handle(ValuesStored, came)
    bus.handle(ValuesReceived, came)
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
