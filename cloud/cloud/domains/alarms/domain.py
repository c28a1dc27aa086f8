"""Alarm events, and telling browsers of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cloud.core.bus import EventBus
from cloud.core.events import DeviceChanged, DevicePlaced, OutageLogged
from cloud.core.services import Services
from cloud.domains.alarms import endpoints
from cloud.domains.alarms.codes import OwnLevel
from cloud.domains.alarms.handlers import OutageEvents
from cloud.domains.alarms.news import News, place_piece
from cloud.domains.alarms.service import AlarmService
from cloud.domains.base import FORGET_S, Build, Domain, Forgetting, Job
from cloud.domains.devices.service import DeviceService
from cloud.domains.options.schemas import AlarmLevelsOption
from cloud.domains.options.service import OptionService
from cloud.domains.products.service import ProductService


def build(build: Build) -> None:
    services, options = build.services, build.services[OptionService]
    devices, products = services[DeviceService], services[ProductService]
    news = services.add(News(devices.audience, build.hub.push_to, products.of_device))
    services.add(OutageEvents(news))

    async def own_levels() -> Mapping[int, OwnLevel]:
        option = await options.option("alarm_levels")
        levels = option.value if isinstance(option, AlarmLevelsOption) else []
        return {level.id: OwnLevel(level.title, level.color) for level in levels}

    changed = build.bus.publisher(DeviceChanged)
    services.add(AlarmService(build.database, own_levels, news, build.hub.push_user, changed))
    build.background.append(news.run)


def periodic(services: Services) -> Sequence[Job]:
    return (Forgetting(FORGET_S, services[AlarmService].forget_old),)


def handlers(bus: EventBus, services: Services) -> None:
    news, outages = services[News], services[OutageEvents]

    async def outage_logged(event: OutageLogged) -> None:
        await outages.noted(event.session, event.absence)

    bus.handle(OutageLogged, outage_logged)
    bus.handle_now(DevicePlaced, lambda event: news.tell(place_piece(event.device_id)))


DOMAIN = Domain(
    "alarms",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    permissions=frozenset({"DeviceMonitor_Online", "Event"}),
)
