"""Timed tasks on a real database with a simulated clock: time passes, commands come out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from cloud.core.scope import Scope
from cloud.domains.commands.schemas import PresetBody
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import DataPoint, Device
from cloud.domains.tasks.calendars import CalendarService
from cloud.domains.tasks.delivery import TaskDelivery
from cloud.domains.tasks.documents import TaskDocuments
from cloud.domains.tasks.runner import TaskRunner
from cloud.domains.tasks.schemas import TaskBody, TaskRow, TaskRunRow
from cloud.domains.tasks.service import TaskService
from cloud.domains.telemetry.schemas import LastValue
from cloud.link import LinkDown
from edge_contract.edge_tasks import EdgeTasks
from edge_contract.payloads import Command, CommandResult, CommandState

from ...conftest import DomainServices, add_plant_and_guest, catalog, hello

MAY = frozenset({"DeviceCronTasks/index", "Device/cmd"})
PLANT = CurrentUser(1, "plant", 3, MAY, "", Scope(1, "/1/"))
GUEST = CurrentUser(2, "guest", 3, MAY, "", Scope(2, "/2/"))
ZONE = "Asia/Shanghai"
MORNING = "2026-11-27T07:59:30"
"""A Friday."""


class Scene:
    """Two gateways of the plant with a point each; `now` is whose rights a run finds, `values` what points
    hold.
    """

    def __init__(self, services: DomainServices) -> None:
        self.services, self.clock, self.database = services, services.clock, services.database
        self.now: CurrentUser | None = PLANT
        self.values: dict[int, LastValue] = {}
        self.points: list[int] = []
        self.devices: list[int] = []
        self.documents: list[tuple[str, EdgeTasks]] = []
        self.restart()
        self.tasks = TaskService(
            self.database, services.devices, services.commands, self._changed, clock=self.clock
        )
        self.calendars = CalendarService(self.database, self._changed, clock=self.clock)

    def restart(self) -> None:
        """As the full process that begins anew."""
        documents = TaskDocuments(self.services.devices, self.services.commands, self._user_now)
        self.delivery = TaskDelivery(self.database, documents, self._send, clock=self.clock)
        self.runner = self.process()

    def process(self) -> TaskRunner:
        """As a process that begins anew, or another one."""
        return TaskRunner(
            self.database, self.services.devices, self.services.commands, self._last, self._user_now,
            clock=self.clock,
        )  # fmt: skip

    async def _changed(self) -> None:
        await self.delivery.changed()

    async def _send(self, gateway: str, tasks: EdgeTasks) -> None:
        if self.services.link_down:
            raise LinkDown("broker is away")
        self.documents.append((gateway, tasks))

    async def _user_now(self, user_id: int) -> CurrentUser | None:
        return self.now

    async def _last(self, scope: Scope, dsids: Sequence[int]) -> list[LastValue]:
        await self.services.devices.owners(scope, list(dsids))
        return [self.values[dsid] for dsid in dsids if dsid in self.values]

    def at(self, text: str) -> None:
        """The clock shows this in ZONE."""
        self.clock.now = self.ms(text)

    def ms(self, text: str) -> int:
        return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(ZONE)).timestamp() * 1000)

    def body(self, *actions: dict[str, Any], **fields: Any) -> TaskBody:
        schedule = {"kind": "daily", "zone": ZONE, "times": ["08:00"], **fields.pop("schedule", {})}
        chosen = list(actions) or [{"kind": "write", "dsid": self.points[0], "value": 5}]
        return TaskBody.model_validate({"title": "Start", "schedule": schedule, "actions": chosen, **fields})

    async def make(self, *actions: dict[str, Any], **fields: Any) -> TaskRow:
        return await self.tasks.create(PLANT, self.body(*actions, **fields))

    async def preset(self, *values: float) -> int:
        writes = [{"dsid": self.points[0], "value": value} for value in values]
        body = PresetBody.model_validate({"title": f"preset {values}", "writes": writes})
        return (await self.services.commands.presets.add(PLANT, self.devices[0], body)).id

    async def runs(self, task: TaskRow) -> list[TaskRunRow]:
        return (await self.tasks.log(PLANT, task.id, 1, 100)).rows

    @property
    def written(self) -> list[tuple[str, object]]:
        return [(gateway, command.value or command.action) for gateway, command in self.services.sent]

    async def answer(self, command: Command, gateway: str, state: CommandState, **fields: Any) -> None:
        """What a gateway says of a command."""
        result = CommandResult(id=command.id, state=state, t_ms=self.clock(), latency_ms=1, **fields)
        await self.services.commands.result(gateway, result)
        await self.runner.follow()


@pytest.fixture
async def scene(services: DomainServices) -> AsyncIterator[Scene]:
    await add_plant_and_guest(services.database)
    made = Scene(services)
    made.at(MORNING)
    for name in ("gw-a", "gw-b"):
        await services.claims.claim(name, name, owner="plant")
        await services.catalogs.apply(name, catalog("setpoint"))
        await services.presence.hello(name, hello())
    async with services.database.session() as session:
        for point in await session.scalars(select(DataPoint).order_by(DataPoint.id)):
            point.rw = "readwrite"
            made.points.append(point.id)
        own = select(Device.id).where(Device.gateway_id.in_(("gw-a", "gw-b"))).order_by(Device.id)
        made.devices += list(await session.scalars(own))
        await session.commit()
    yield made
