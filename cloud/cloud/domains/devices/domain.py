"""Gateways, what the link knows of them, and who may see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps

from cloud.core.bus import EventBus
from cloud.core.events import (
    AccessTaken,
    CatalogTaken,
    ConfigurationChanged,
    DeviceChanged,
    DevicePlaced,
    GatewayChanged,
    GatewayDeleted,
    GatewayGone,
    OutageLogged,
    OwnerLeft,
    PointsCleared,
)
from cloud.core.services import Services
from cloud.domains.base import FORGET_S, Build, Domain, Forgetting, Job, Periodic
from cloud.domains.devices import (
    endpoints,
    live_endpoints,
    position_endpoints,
    registry_endpoints,
    share_endpoints,
)
from cloud.domains.devices.admissions import CHECK_S as ADMISSIONS_S
from cloud.domains.devices.admissions import Admissions
from cloud.domains.devices.authentication import Authenticator
from cloud.domains.devices.binding import BindService
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.link_answers import BROKERS_THAT_ASK, LinkAnswers, emqx_router
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.point_display import DisplayReader
from cloud.domains.devices.port_lock_reader import recorded_port_locks
from cloud.domains.devices.positions import PositionService
from cloud.domains.devices.presence import CHECK_S as PRESENCE_S
from cloud.domains.devices.presence import PULSES_S, PresenceService
from cloud.domains.devices.pushes import DevicePushes
from cloud.domains.devices.registry_service import RegistryService
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.shares import ShareService
from cloud.link import Link


def build(build: Build) -> None:
    """The link is built here: what it asks is answered by this domain."""
    database, settings, bus, services = build.database, build.settings, build.bus, build.services
    device_changed = bus.publisher(DeviceChanged)
    configured, cleared = bus.publisher(ConfigurationChanged), bus.publisher(PointsCleared)
    noted, taken = bus.publisher(OutageLogged), bus.publisher(AccessTaken)

    def placed(device_id: int) -> None:
        bus.publish_now(DevicePlaced(device_id))

    async def revoked(gateway: str) -> None:
        """It was disabled or deleted, or has another secret, by whatever process."""
        bus.publish_now(GatewayGone(gateway, "the gateway may not connect any more"))
        await bus.publish(GatewayChanged(gateway))

    presence = services.add(PresenceService(database, device_changed, cleared, noted=noted))
    catalogs = services.add(CatalogService(database, bus.publisher(CatalogTaken)))
    ends = build.is_full and settings.broker in BROKERS_THAT_ASK
    sessions = settings.data_dir / "sessions.json" if settings.broker == "emqx" else None
    admissions = services.add(Admissions(database, ends, revoked, sessions))
    authenticator = services.add(
        Authenticator(database, changed=presence.announce, entered=admissions.entered)
    )
    answers = LinkAnswers(bus, presence, catalogs, admissions)
    link = services.add(
        Link(
            settings, database, answers.hooks(), authenticator.authenticate, build.series,
            takes_in=build.is_full,
        )
    )  # fmt: skip
    displays = services.add(DisplayReader(database))
    devices = services.add(
        DeviceService(database, presence, link.streams, recorded_port_locks, displays.displays, configured)
    )
    services.add(ClaimService(database, link.put_gateway, link.disable_gateway))
    services.add(OutageService(database, recorded_port_locks, noted=noted))
    services.add(ShareService(database, taken, bus.publisher(OwnerLeft)))
    services.add(PositionService(database, placed=placed))
    services.add(BindService(database, devices))

    async def deleted(gateway: str) -> None:
        bus.publish_now(GatewayGone(gateway, "the gateway was deleted"))
        bus.publish_now(GatewayDeleted(gateway))
        await link.erase(gateway)

    services.add(
        RegistryService(
            database, devices, presence, link.put_gateway, link.disable_gateway, taken, deleted,
            configured=configured, placed=placed,
        )
    )  # fmt: skip
    services.add(DevicePushes(build.hub, devices))
    build.on_start.append(presence.clearing.refresh)
    if build.is_full:
        build.on_start.append(admissions.look)
        if settings.emqx_secret_file is not None:
            build.internal_routers.append(emqx_router(settings, authenticator.authenticate))


def periodic(services: Services) -> Sequence[Job]:
    presence, link, admissions = services[PresenceService], services[Link], services[Admissions]
    outages, devices = services[OutageService], services[DeviceService]

    async def refresh_admissions() -> None:
        await admissions.refresh(link.end_session)

    async def erase_orphans() -> None:
        await link.erase_orphans(devices.is_claimed)

    return (
        Periodic(PULSES_S, presence.write_pulses),
        Periodic(PRESENCE_S, presence.find_silent),
        Periodic(PRESENCE_S, outages.find_due),
        Forgetting(FORGET_S, outages.forget_old),
        Forgetting(FORGET_S, link.forget_old),
        Periodic(ADMISSIONS_S, refresh_admissions),
        Periodic(FORGET_S, erase_orphans),
    )


def handlers(bus: EventBus, services: Services) -> None:
    presence, pushes = services[PresenceService], services[DevicePushes]
    forgetful = (
        services[Admissions].deleted,
        services[DeviceService].forget,
        services[CatalogService].forget,
        presence.forget,
        services[Link].forget,
    )
    for forget in forgetful:
        bus.handle_now(GatewayDeleted, forgetting(forget))
    bus.handle(DeviceChanged, pushes.device_changed)
    bus.handle(GatewayChanged, pushes.gateway_changed)
    bus.handle(ConfigurationChanged, pushes.configuration_changed)
    bus.handle(AccessTaken, pushes.access_taken)


def forgetting(forget: Callable[[str], None]) -> Callable[[GatewayDeleted], None]:
    """A handler that forgets the gateway."""

    @wraps(forget)
    def handler(event: GatewayDeleted) -> None:
        forget(event.gateway)

    return handler


DOMAIN = Domain(
    "devices",
    (
        endpoints.router,
        registry_endpoints.router,
        share_endpoints.router,
        position_endpoints.router,
        live_endpoints.router,
    ),
    build,
    periodic=periodic,
    handlers=handlers,
    # who may not change a gateway any more loses the tunnels that he has open; what is remembered of a
    # gateway must not meet the next one with its serial number; of two who add the same one at once the
    # broker would have the secret of the last caller
    leader_only=frozenset(
        {
            "putShare",
            "deleteShare",
            "leaveDevice",
            "changeOwner",
            "createDevice",
            "deleteDevice",
            "renewSecret",
        }
    ),
    permissions=frozenset(
        {
            "Device/save",
            "DeviceManage",
            "Monitor.DeviceLocation",
            "Monitor.DeviceMap",
            "Monitor.DeviceMonitor",
        }
    ),
)
