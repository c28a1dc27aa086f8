"""Notification of contacts."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from cloud.core.bus import EventBus
from cloud.core.events import AlarmsAnnounced
from cloud.core.services import Services
from cloud.domains.alarms.service import AlarmService
from cloud.domains.base import FORGET_S, Build, Domain, Forgetting, Job, Periodic
from cloud.domains.contacts.recipients import RecipientService
from cloud.domains.notifications import endpoints
from cloud.domains.notifications.alarm_notifications import AlarmNotificationService
from cloud.domains.notifications.channels import CHANNELS
from cloud.domains.notifications.channels.base import MessageChannel
from cloud.domains.notifications.charging import Charges
from cloud.domains.notifications.dispatcher import Dispatcher
from cloud.domains.notifications.messages import Portal
from cloud.domains.notifications.outbox import Outbox
from cloud.domains.notifications.service import NotificationService

MEASURE_S = 10.0


def build(build: Build) -> None:
    services, settings = build.services, build.settings
    made: dict[str, MessageChannel | None] = {kind.name: kind.make(settings) for kind in CHANNELS}
    channels = {name: channel for name, channel in made.items() if channel is not None}
    zone = ZoneInfo(settings.time_zone)
    portal = Portal(settings.public_url, zone)
    recipients = services[RecipientService]
    outbox = services.add(Outbox(build.database, recipients))
    dispatcher = services.add(
        Dispatcher(
            build.database,
            outbox,
            recipients,
            channels,
            Charges(zone).charge,
            services[AlarmService].own_levels,
            portal,
        )
    )
    services.add(AlarmNotificationService(build.database))
    services.add(NotificationService(build.database, channels))
    if build.is_full:
        build.background.append(dispatcher.run)


def periodic(services: Services) -> Sequence[Job]:
    dispatcher = services[Dispatcher]
    return (Periodic(MEASURE_S, dispatcher.measure), Forgetting(FORGET_S, dispatcher.forget_old))


def handlers(bus: EventBus, services: Services) -> None:
    bus.handle(AlarmsAnnounced, services[Outbox].note)


DOMAIN = Domain(
    "notifications",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    leader_only=frozenset({"testContact", "testContactGroup"}),
    permissions=frozenset({"TriggerContact/index", "Event"}),
)
