"""Live traces of a gateway's signals and frames."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import AccessTaken, GatewayDeleted, GatewayGone, TraceReported, TraceTaken
from cloud.core.services import Services
from cloud.domains.base import FORGET_S, Build, Domain, Forgetting, Job, Periodic
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.service import IdentityService
from cloud.domains.signal_trace import endpoints
from cloud.domains.signal_trace.service import CHECK_S, SignalTraceService
from cloud.link import Link


def build(build: Build) -> None:
    services = build.services
    traces = services.add(
        SignalTraceService(
            build.database,
            services[DeviceService],
            build.hub,
            services[Link].send,
            user_now=services[IdentityService].user_now,
        )
    )
    if build.is_full:
        build.on_start.append(traces.start)
    build.on_stop.append(traces.stop)


def periodic(services: Services) -> Sequence[Job]:
    traces = services[SignalTraceService]
    return (Periodic(CHECK_S, traces.check), Forgetting(FORGET_S, traces.forget_old))


def handlers(bus: EventBus, services: Services) -> None:
    traces = services[SignalTraceService]

    async def access_taken(event: AccessTaken) -> None:
        await traces.access_taken(event.device_id, event.user_id)

    bus.handle_now(TraceTaken, lambda event: traces.taken(event.gateway, event.takes))
    bus.handle_now(TraceReported, lambda event: traces.report(event.gateway, event.report))
    bus.handle_now(GatewayGone, lambda event: traces.gone(event.gateway))
    bus.handle_now(GatewayDeleted, lambda event: traces.deleted(event.gateway))
    bus.handle(AccessTaken, access_taken)


DOMAIN = Domain(
    "signal_trace",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    # the full process has the gateways' messages, and who watches is in its memory
    leader_only=frozenset({"startTrace", "renewTrace", "stopTrace"}),
    permissions=frozenset({"ota.Strace"}),
)
