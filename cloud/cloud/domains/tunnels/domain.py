"""Serial ports and pages of gateways, through the cloud."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import AccessTaken, GatewayGone, TunnelFrameCame
from cloud.core.services import Services
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.service import IdentityService
from cloud.domains.tunnels import endpoints
from cloud.domains.tunnels.service import CHECK_S, TunnelService
from cloud.link import Link
from cloud.tunnels.page_listener import server_tls
from cloud.tunnels.switchboard import Switchboard


def build(build: Build) -> None:
    settings, services, link = build.settings, build.services, build.services[Link]
    switchboard = services.add(Switchboard(link.send_tunnel, link.healthy))
    tunnels = services.add(
        TunnelService(
            build.database,
            services[DeviceService],
            switchboard,
            settings,
            server_tls(settings.rproxy_cert_file, settings.rproxy_key_file),
            user_now=services[IdentityService].user_now,
        )
    )
    if build.is_full:
        build.on_start.append(tunnels.start)
    build.on_stop.append(tunnels.stop)


def periodic(services: Services) -> Sequence[Job]:
    return (Periodic(CHECK_S, services[TunnelService].check),)


def handlers(bus: EventBus, services: Services) -> None:
    switchboard, tunnels = services[Switchboard], services[TunnelService]

    async def access_taken(event: AccessTaken) -> None:
        await tunnels.access_taken(event.device_id, event.user_id)

    bus.handle_now(TunnelFrameCame, lambda event: switchboard.take(event.gateway, event.frame))
    bus.handle_now(GatewayGone, lambda event: switchboard.gateway_gone(event.gateway, event.reason))
    bus.handle(AccessTaken, access_taken)


DOMAIN = Domain(
    "tunnels",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    # a tunnel's listener is a TCP port of the process that has its gateway's frames
    leader_only=frozenset({"openVirtualPort", "closeVirtualPort", "gatewayPage"}),
    permissions=frozenset({"DeviceManage"}),
)
