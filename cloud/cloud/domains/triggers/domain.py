"""Triggers on values and silent slaves; their alarms and linkages."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.event import listen

from cloud.core.bus import EventBus
from cloud.core.events import (
    AccessTaken,
    AlarmLevelsRemoved,
    CatalogTaken,
    DeviceChanged,
    GatewayConnected,
    GatewayDeleted,
    OutageLogged,
    OwnerLeft,
    RuleEventsCame,
    RulesReported,
    ValuesReceived,
    ValuesStored,
)
from cloud.core.services import Services
from cloud.domains.alarms.rule_alarms import RuleAlarms
from cloud.domains.alarms.service import AlarmService
from cloud.domains.alarms.suppressions import SuppressionService
from cloud.domains.base import FORGET_S, Build, Domain, Forgetting, Job, Periodic
from cloud.domains.commands.service import CommandService
from cloud.domains.contacts.groups import ContactGroupService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.service import IdentityService
from cloud.domains.triggers import endpoints
from cloud.domains.triggers.delivery import DELIVER_S, RuleDelivery
from cloud.domains.triggers.evaluator import ADVANCE_S, LOOK_S, Evaluator
from cloud.domains.triggers.gateway_events import GatewayEventRecorder
from cloud.domains.triggers.level_uses import AlarmLevelUses
from cloud.domains.triggers.linkage import Linkages
from cloud.domains.triggers.linkage_results import LinkageResults
from cloud.domains.triggers.point_alarms import PointAlarms
from cloud.domains.triggers.recording import TransitionRecorder
from cloud.domains.triggers.service import TriggerService
from cloud.domains.triggers.suppressing import RuleSuppressions
from cloud.domains.triggers.trying import TriggerTrials
from cloud.link import Link


def build(build: Build) -> None:
    services = build.services
    devices, commands = services[DeviceService], services[CommandService]
    user_now, groups = services[IdentityService].user_now, services[ContactGroupService]
    linkages = services.add(Linkages(build.database, commands, user_now))
    recorder = TransitionRecorder(build.database, services[RuleAlarms], build.bus.publisher(DeviceChanged))
    evaluator = services.add(
        Evaluator(build.database, build.series, recorder, linkages, targets=commands.presets.targets)
    )

    alarms = services.add(PointAlarms(build.database, devices, commands, evaluator.wants_refresh))

    async def changed() -> None:
        if build.is_full:
            await evaluator.refresh()
            await delivery.deliver()

    events = services.add(
        GatewayEventRecorder(
            build.database, services[RuleAlarms], evaluator.rule_of, build.bus.publisher(DeviceChanged)
        )
    )
    delivery = services.add(
        RuleDelivery(
            build.database,
            evaluator,
            commands,
            user_now,
            services[Link].send,
            events.end_missing,
            services[RuleAlarms].resting,
        )
    )
    services.add(
        TriggerService(
            build.database,
            devices,
            commands,
            groups,
            services[SuppressionService],
            changed,
            evaluator.states,
            user_now,
            services[AlarmService].own_levels,
        )
    )
    services.add(AlarmLevelUses(build.database))
    services.add(LinkageResults(build.database, services[AlarmService], commands))
    services.add(TriggerTrials(build.database, build.series))
    services.add(RuleSuppressions(build.database, devices, services[SuppressionService]))
    if build.is_full:
        build.on_start.append(alarms.follow_all)
        build.on_start.append(evaluator.refresh)
        build.background.append(evaluator.run)


def periodic(services: Services) -> Sequence[Job]:
    evaluator = services[Evaluator]
    return (
        Periodic(LOOK_S, evaluator.look),
        Periodic(ADVANCE_S, evaluator.advance),
        Periodic(DELIVER_S, services[RuleDelivery].deliver),
        Forgetting(FORGET_S, services[Linkages].forget_old),
    )


def handlers(bus: EventBus, services: Services) -> None:
    evaluator, devices, triggers = services[Evaluator], services[DeviceService], services[TriggerService]
    alarms = services[PointAlarms]

    async def came(event: ValuesStored | ValuesReceived) -> None:
        is_late = isinstance(event, ValuesStored) and event.is_late
        if evaluator.is_idle or is_late:
            return
        device_id = await devices.id_of(event.gateway)
        if device_id is not None:
            are_live_only = isinstance(event, ValuesReceived)
            evaluator.take(device_id, event.columns, are_live_only=are_live_only)

    async def outage_logged(event: OutageLogged) -> None:
        absence = event.absence
        slave_id, came_ms = absence.slave_id, absence.online_ms
        if slave_id is None or evaluator.is_idle:
            return
        t_ms = absence.offline_ms if came_ms is None else came_ms

        def committed(_session: object) -> None:
            evaluator.slave(absence.device_id, slave_id, came_ms is not None, t_ms)

        listen(event.session.sync_session, "after_commit", committed, once=True)

    async def access_taken(event: AccessTaken) -> None:
        await triggers.access_taken(event.device_id)

    async def owner_left(event: OwnerLeft) -> None:
        await triggers.owner_left(event.device_id)
        await alarms.owner_left(event.device_id)

    async def catalog_taken(event: CatalogTaken) -> None:
        await alarms.follow(event.session, event.device_id)

    delivery, events = services[RuleDelivery], services[GatewayEventRecorder]

    async def connected(event: GatewayConnected) -> None:
        await delivery.connected(event.gateway, event.takes_rules)

    async def rules_reported(event: RulesReported) -> None:
        await delivery.reported(event.gateway, event.report)

    async def events_came(event: RuleEventsCame) -> None:
        await events.record(event.gateway, event.events)

    bus.handle(GatewayConnected, connected)
    bus.handle(RulesReported, rules_reported)
    bus.handle(RuleEventsCame, events_came)
    bus.handle(AlarmLevelsRemoved, services[AlarmLevelUses].refuse_used)
    bus.handle(AccessTaken, access_taken)
    bus.handle(CatalogTaken, catalog_taken)
    bus.handle(OwnerLeft, owner_left)
    bus.handle(ValuesStored, came)
    bus.handle(ValuesReceived, came)
    bus.handle(OutageLogged, outage_logged)
    bus.handle_now(GatewayDeleted, lambda event: evaluator.wants_refresh())


DOMAIN = Domain(
    "triggers",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    permissions=frozenset({"Event", "SystemSetting", "Trigger/index"}),
)
