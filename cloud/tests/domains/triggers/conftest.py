"""Triggers on a real database and time series: values come in, alarms and commands come out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.codes import OwnLevel
from cloud.domains.alarms.event_publisher import EventPublisher
from cloud.domains.alarms.handlers import OutageEvents
from cloud.domains.alarms.reports import AlarmReports
from cloud.domains.alarms.rule_alarms import RuleAlarms
from cloud.domains.alarms.schemas import AlarmQuery, AlarmRow
from cloud.domains.alarms.service import AlarmService
from cloud.domains.alarms.suppressions import SuppressionService
from cloud.domains.commands.schemas import PresetBody
from cloud.domains.contacts.groups import ContactGroupService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import DataPoint, Device, SlaveDevice
from cloud.domains.triggers.delivery import RuleDelivery
from cloud.domains.triggers.evaluator import Evaluator
from cloud.domains.triggers.gateway_events import GatewayEventRecorder
from cloud.domains.triggers.linkage import Linkages
from cloud.domains.triggers.linkage_results import LinkageResults
from cloud.domains.triggers.point_alarms import PointAlarms
from cloud.domains.triggers.recording import TransitionRecorder
from cloud.domains.triggers.schemas import TriggerBody, TriggerRow
from cloud.domains.triggers.service import TriggerService
from cloud.domains.triggers.suppressing import RuleSuppressions
from cloud.domains.triggers.trying import TriggerTrials
from cloud.realtime.audience import Audience
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.embedded import EmbeddedTimeSeries
from edge_contract.edge_rules import Rules
from edge_contract.model import Value

from ...conftest import DomainServices, add_plant_and_guest, catalog, hello

MAY = frozenset({"Trigger/index", "Device/cmd", "Event"})
PLANT = CurrentUser(1, "plant", 3, MAY, "", Scope(1, "/1/"))
KEEPER = CurrentUser(1, "plant", 3, PLANT.permissions | {"Device/save"}, "", PLANT.scope)
GUEST = CurrentUser(2, "guest", 3, MAY, "", Scope(2, "/2/"))
GATEWAYS = ("gw-a", "gw-b")


class Scene:
    """Two gateways of the plant, a temperature and a setpoint each; `now` is whose rights a linkage finds."""

    def __init__(self, services: DomainServices, series: EmbeddedTimeSeries) -> None:
        self.services, self.series, self.clock = services, series, services.clock
        self.database: Database = services.database
        self.now: CurrentUser | None = PLANT
        self.points: list[int] = []
        self.slaves: list[int] = []
        self.devices: list[int] = []
        self.levels: set[int] = set()
        self.told: list[dict[str, Any]] = []
        self.restart()

    def restart(self) -> None:
        """As a process that begins anew."""
        publisher = EventPublisher(self._audience, lambda *_: None)
        publisher.publish = lambda event: self.told.append(event.message)  # type: ignore[method-assign]
        self.alarms = AlarmService(
            self.database, self._levels, publisher, lambda *_: None, self.services._changed, clock=self.clock
        )
        self.suppressions = SuppressionService(
            self.database, publisher, self.services._changed, clock=self.clock
        )
        self.rule_suppressions = RuleSuppressions(self.database, self.services.devices, self.suppressions)
        self.reports = AlarmReports(self.database, self._levels, clock=self.clock)
        noted = OutageEvents(publisher, clock=self.clock).noted
        self.presence = PresenceService(
            self.database, self.services._changed, self.services._cleared, noted=noted, clock=self.clock
        )
        self.linkages = linkages = Linkages(
            self.database, self.services.commands, self._user_now, clock=self.clock
        )
        self.recorder = TransitionRecorder(
            self.database, RuleAlarms(publisher, clock=self.clock), self.services._changed, clock=self.clock
        )
        self.evaluator = Evaluator(
            self.database,
            self.series,
            self.recorder,
            linkages,
            targets=self.services.commands.presets.targets,
            clock=self.clock,
        )
        self.services.alarms = PointAlarms(
            self.database,
            self.services.devices,
            self.services.commands,
            self.evaluator.wants_refresh,
            clock=self.clock,
        )
        self.results = LinkageResults(self.database, self.alarms, self.services.commands)
        self.trials = TriggerTrials(self.database, self.series)
        self.sent: list[tuple[str, Rules]] = []
        self.gateway_events = GatewayEventRecorder(
            self.database, RuleAlarms(publisher, clock=self.clock), self.evaluator.rule_of,
            self.services._changed, clock=self.clock,
        )  # fmt: skip
        self.delivery = RuleDelivery(
            self.database, self.evaluator, self.services.commands, self._user_now, self._send,
            self.gateway_events.end_missing, RuleAlarms(publisher, clock=self.clock).resting,
            clock=self.clock,
        )  # fmt: skip
        self.triggers = TriggerService(
            self.database,
            self.services.devices,
            self.services.commands,
            ContactGroupService(self.database, clock=self.clock),
            self.suppressions,
            self.evaluator.refresh,
            self.evaluator.states,
            self._user_now,
            self._levels,
            clock=self.clock,
        )

    async def make(self, *conditions: Mapping[str, Any], **rule: Any) -> TriggerRow:
        """A trigger with one rule of the plant."""
        return await self.triggers.create(PLANT, self.body(*conditions, **rule))

    def body(self, *conditions: Mapping[str, Any], **rule: Any) -> TriggerBody:
        trigger = {name: rule.pop(name) for name in ("type", "interval_s", "enabled") if name in rule}
        return TriggerBody.model_validate(
            {
                "title": "boiler",
                "mode": 2,
                "rules": [{"title": "too hot", "conditions": list(conditions), **rule}],
                **trigger,
            }
        )

    def above(self, limit: float, point: int = 0, **others: Any) -> dict[str, Any]:
        return {
            "type": 1,
            "dsid": self.points[point],
            "trigger_optype": 1,
            "trigger_threshold": limit,
            **others,
        }

    async def value(self, value: Value, point: int = 0, *, seconds: float = 1, quality: int = 0) -> None:
        """Some seconds later a value is stored and comes; what is due is recorded."""
        self.clock.pass_s(seconds)
        column = SeriesColumn(self.points[point], [self.clock()], [value], [quality])
        await self.series.write([column])
        self.evaluator.take(self.devices[point // 2], [column])
        await self.evaluator.record()

    async def events(self) -> list[AlarmRow]:
        """The oldest first."""
        page = await self.alarms.page(PLANT, AlarmQuery(), 1, 100)
        return page.rows[::-1]

    async def kinds(self) -> list[tuple[int, Any]]:
        """Type and value of each event, the oldest first."""
        return [(event.alarm_type, event.value) for event in await self.events()]

    async def preset(self, value: float, device: int = 0) -> int:
        body = PresetBody.model_validate(
            {"title": f"set {value}", "writes": [{"dsid": self.points[2 * device + 1], "value": value}]}
        )
        return (await self.services.commands.presets.add(PLANT, self.devices[device], body)).id

    async def _send(self, gateway: str, rules: Rules) -> None:
        self.sent.append((gateway, rules))

    async def _user_now(self, user_id: int) -> CurrentUser | None:
        return self.now

    async def _levels(self) -> Mapping[int, OwnLevel]:
        return {number: OwnLevel(f"level {number}", "red") for number in self.levels}

    async def _audience(self, device_id: int) -> Audience:
        return Audience()


@pytest.fixture
async def scene(services: DomainServices, tmp_path: Path) -> AsyncIterator[Scene]:
    series = EmbeddedTimeSeries(tmp_path / "series.db")
    await series.start()
    made = Scene(services, series)
    await add_plant_and_guest(services.database)
    for name in GATEWAYS:
        await services.claims.claim(name, name, owner="plant")
        await services.catalogs.apply(name, catalog("temperature", "setpoint"))
        await services.presence.hello(name, hello())
    async with services.database.session() as session:
        owned = select(Device.id).where(Device.gateway_id.in_(GATEWAYS)).order_by(Device.id)
        made.devices = list(await session.scalars(owned))
        of_mine = DataPoint.device_id.in_(made.devices)
        made.points = list(await session.scalars(select(DataPoint.id).where(of_mine).order_by(DataPoint.id)))
        made.slaves = list(await session.scalars(select(SlaveDevice.id).order_by(SlaveDevice.id)))
        for point in await session.scalars(select(DataPoint)):
            point.record = 1
        await session.commit()
    yield made
    await series.close()
