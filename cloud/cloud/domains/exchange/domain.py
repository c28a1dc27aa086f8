"""Values of one point written to another, from the cloud or at the gateway."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import ExchangeReported, GatewayConnected, ValuesReceived, ValuesStored
from cloud.core.services import Services
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.service import DeviceService
from cloud.domains.exchange import endpoints
from cloud.domains.exchange.delivery import DELIVER_S, ExchangeDelivery
from cloud.domains.exchange.runner import REFRESH_S, RUN_S, ExchangeRunner
from cloud.domains.exchange.service import ExchangeService
from cloud.domains.identity.service import IdentityService
from cloud.link import Link


def build(build: Build) -> None:
    services = build.services
    devices, commands = services[DeviceService], services[CommandService]
    user_now = services[IdentityService].user_now
    runner = services.add(ExchangeRunner(build.database, devices, commands, user_now))
    delivery = services.add(
        ExchangeDelivery(build.database, runner, devices, commands, user_now, services[Link].send)
    )

    async def changed() -> None:
        if build.is_full:
            await runner.refresh()
            await delivery.deliver()

    services.add(ExchangeService(build.database, devices, commands, changed))


def periodic(services: Services) -> Sequence[Job]:
    runner = services[ExchangeRunner]
    return (
        Periodic(REFRESH_S, runner.refresh),
        Periodic(RUN_S, runner.run),
        Periodic(DELIVER_S, services[ExchangeDelivery].deliver),
    )


def handlers(bus: EventBus, services: Services) -> None:
    runner, delivery = services[ExchangeRunner], services[ExchangeDelivery]

    async def stored(event: ValuesStored) -> None:
        if not event.is_late:
            runner.note_values(event.columns)

    async def received(event: ValuesReceived) -> None:
        runner.note_received(event.columns)

    async def connected(event: GatewayConnected) -> None:
        await delivery.connected(event.gateway, event.takes_exchange)

    async def reported(event: ExchangeReported) -> None:
        await delivery.reported(event.gateway, event.report)

    bus.handle(ValuesStored, stored)
    bus.handle(ValuesReceived, received)
    bus.handle(GatewayConnected, connected)
    bus.handle(ExchangeReported, reported)


DOMAIN = Domain(
    "exchange",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    permissions=frozenset({"DataExchange"}),
)
