"""Alarm events, and pushing them to browsers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cloud.core.bus import EventBus
from cloud.core.events import DeviceChanged, DevicePlaced, OutageLogged, OwnerLeft
from cloud.core.services import Services
from cloud.domains.alarms import endpoints, on_off_endpoints, suppression_endpoints
from cloud.domains.alarms.codes import OwnLevel
from cloud.domains.alarms.event_publisher import EventPublisher, place_event
from cloud.domains.alarms.handlers import OutageEvents
from cloud.domains.alarms.reports import AlarmReports
from cloud.domains.alarms.rule_alarms import RuleAlarms
from cloud.domains.alarms.service import AlarmService
from cloud.domains.alarms.suppressions import LOOK_S, SuppressionService
from cloud.domains.alarms.system_alarms import SystemAlarms
from cloud.domains.base import FORGET_S, Build, Domain, Forgetting, Job, Periodic
from cloud.domains.devices.service import DeviceService
from cloud.domains.options.schemas import AlarmLevelsOption
from cloud.domains.options.service import OptionService
from cloud.domains.products.service import ProductService


def build(build: Build) -> None:
    services, options = build.services, build.services[OptionService]
    devices, products = services[DeviceService], services[ProductService]
    publisher = services.add(EventPublisher(devices.audience, build.hub.push_to, products.of_device))
    services.add(OutageEvents(publisher, build.bus.publish))
    services.add(RuleAlarms(publisher, build.bus.publish))
    services.add(SystemAlarms(publisher, build.bus.publish))

    async def own_levels() -> Mapping[int, OwnLevel]:
        option = await options.option("alarm_levels")
        levels = option.value if isinstance(option, AlarmLevelsOption) else []
        return {level.id: OwnLevel(level.title, level.color) for level in levels}

    changed = build.bus.publisher(DeviceChanged)
    services.add(AlarmService(build.database, own_levels, publisher, build.hub.push_user, changed))
    services.add(AlarmReports(build.database, own_levels))
    services.add(SuppressionService(build.database, publisher, changed, build.bus.publish))
    build.background.append(publisher.run)


def periodic(services: Services) -> Sequence[Job]:
    suppressions = services[SuppressionService]
    return (
        Periodic(LOOK_S, suppressions.look),
        Forgetting(FORGET_S, services[AlarmService].forget_old),
        Forgetting(FORGET_S, suppressions.forget_old),
    )


def handlers(bus: EventBus, services: Services) -> None:
    publisher, outages = services[EventPublisher], services[OutageEvents]

    async def outage_logged(event: OutageLogged) -> None:
        await outages.noted(event.session, event.absence)

    async def owner_left(event: OwnerLeft) -> None:
        await services[SuppressionService].owner_left(event.device_id)

    bus.handle(OutageLogged, outage_logged)
    bus.handle(OwnerLeft, owner_left)
    bus.handle_now(DevicePlaced, lambda event: publisher.publish(place_event(event.device_id)))


DOMAIN = Domain(
    "alarms",
    (endpoints.router, suppression_endpoints.router, on_off_endpoints.router),
    build,
    periodic=periodic,
    handlers=handlers,
    permissions=frozenset({"Device/save", "DeviceMonitor_Online", "Event"}),
)
