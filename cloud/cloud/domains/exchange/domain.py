"""Values of one gateway written to another."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import ValuesReceived, ValuesStored
from cloud.core.services import Services
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.service import DeviceService
from cloud.domains.exchange import endpoints
from cloud.domains.exchange.service import REFRESH_S, RUN_S, ExchangeService
from cloud.domains.identity.service import IdentityService


def build(build: Build) -> None:
    services = build.services
    services.add(
        ExchangeService(
            build.database,
            services[DeviceService],
            services[CommandService],
            services[IdentityService].user_now,
        )
    )


def periodic(services: Services) -> Sequence[Job]:
    exchange = services[ExchangeService]
    return (Periodic(REFRESH_S, exchange.refresh), Periodic(RUN_S, exchange.run))


def handlers(bus: EventBus, services: Services) -> None:
    exchange = services[ExchangeService]

    async def stored(event: ValuesStored) -> None:
        if not event.is_late:
            exchange.note_values(event.columns)

    async def received(event: ValuesReceived) -> None:
        exchange.note_received(event.columns)

    bus.handle(ValuesStored, stored)
    bus.handle(ValuesReceived, received)


DOMAIN = Domain(
    "exchange",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    permissions=frozenset({"DataExchange"}),
)
