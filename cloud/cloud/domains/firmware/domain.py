"""Firmware of gateways: keys, files, plans and their rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from cloud.core.bus import EventBus
from cloud.core.events import FirmwareReported, GatewayConnected
from cloud.core.services import Services
from cloud.core.tables import OwnedTable
from cloud.domains.base import FORGET_S, Build, Domain, Forgetting, Job, Periodic
from cloud.domains.devices.service import DeviceService
from cloud.domains.firmware import endpoints, file_endpoints
from cloud.domains.firmware.actions import PlanActions
from cloud.domains.firmware.evidence import EvidenceReader
from cloud.domains.firmware.files import CLEAN_S, FirmwareFileService
from cloud.domains.firmware.keys import KeyService
from cloud.domains.firmware.models import FirmwareFile, FirmwarePlan
from cloud.domains.firmware.permission import APP, FIRMWARE, LOG, PROJECT
from cloud.domains.firmware.project_service import FirmwareProjectService
from cloud.domains.firmware.reports import FirmwareReports
from cloud.domains.firmware.runner import ADVANCE_S, RolloutRunner
from cloud.domains.firmware.sending import OrderSender
from cloud.domains.firmware.service import PlanService
from cloud.domains.firmware.tickets import Tickets
from cloud.domains.identity.service import IdentityService
from cloud.domains.telemetry.service import TelemetryService
from cloud.link import Link


def build(build: Build) -> None:
    database, settings, services = build.database, build.settings, build.services
    folder, zone = settings.data_dir / "firmware", ZoneInfo(settings.time_zone)
    devices = services[DeviceService]
    tickets = Tickets(folder / "tickets.key", settings.firmware_url)
    evidence = EvidenceReader(database, services[TelemetryService].last_values)
    sender = OrderSender(database, tickets, services[Link].send)
    services.add(KeyService(database))
    services.add(FirmwareFileService(database, folder / "files", tickets))
    services.add(PlanService(database, tickets))
    services.add(FirmwareProjectService(database))
    services.add(PlanActions(database, devices, evidence, tickets, zone))
    services.add(FirmwareReports(database, sender))
    user_now = services[IdentityService].user_now
    services.add(RolloutRunner(database, devices, evidence, sender, user_now, zone))


def periodic(services: Services) -> Sequence[Job]:
    runner = services[RolloutRunner]

    async def clean_firmware() -> None:
        await services[FirmwareFileService].clean()

    return (
        Periodic(ADVANCE_S, runner.advance),
        Periodic(CLEAN_S, clean_firmware),
        Forgetting(FORGET_S, runner.forget_old),
    )


def handlers(bus: EventBus, services: Services) -> None:
    reports = services[FirmwareReports]

    async def connected(event: GatewayConnected) -> None:
        await reports.connected(event.gateway, event.firmware)

    async def reported(event: FirmwareReported) -> None:
        await reports.reported(event.gateway, event.report)

    bus.handle(GatewayConnected, connected)
    bus.handle(FirmwareReported, reported)


DOMAIN = Domain(
    "firmware",
    (file_endpoints.router, endpoints.router),
    build,
    periodic=periodic,
    handlers=handlers,
    # the bytes lie in the full process' folder, and how gateways are is compared by what it remembers
    leader_only=frozenset({"uploadFirmware", "deleteFirmware", "downloadFirmware", "upgradeDevice"}),
    permissions=frozenset({APP, FIRMWARE, LOG, PROJECT}),
    owned=(
        OwnedTable(FirmwareFile.owner_id),
        OwnedTable(FirmwarePlan.owner_id),
    ),
)
