"""Timed tasks: writes, presets and commands at set times."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import GatewayConnected, OwnerLeft, TasksReported
from cloud.core.services import Services
from cloud.core.tables import NamedTable, OwnedTable
from cloud.domains.base import FORGET_S, Build, Domain, Forgetting, Job, Periodic
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.service import IdentityService
from cloud.domains.tasks import endpoints
from cloud.domains.tasks.calendars import CalendarService
from cloud.domains.tasks.delivery import DELIVER_S, TaskDelivery
from cloud.domains.tasks.documents import TaskDocuments
from cloud.domains.tasks.models import HolidayCalendar, Task
from cloud.domains.tasks.repository import calendar_seen, task_seen
from cloud.domains.tasks.runner import FOLLOW_S, RUN_S, TaskRunner
from cloud.domains.tasks.service import TaskService
from cloud.domains.telemetry.service import TelemetryService
from cloud.link import Link


def build(build: Build) -> None:
    services = build.services
    devices, commands = services[DeviceService], services[CommandService]
    user_now = services[IdentityService].user_now
    documents = TaskDocuments(devices, commands, user_now)
    delivery = services.add(TaskDelivery(build.database, documents, services[Link].send))

    async def changed() -> None:
        if build.is_full:
            await delivery.changed()

    services.add(TaskService(build.database, devices, commands, changed))
    calendars = services.add(CalendarService(build.database, changed))
    services.add(
        TaskRunner(
            build.database,
            devices,
            commands,
            services[TelemetryService].last_values,
            user_now,
        )
    )
    if build.is_full:
        build.on_start.append(calendars.replan)


def periodic(services: Services) -> Sequence[Job]:
    runner = services[TaskRunner]
    return (
        Periodic(RUN_S, runner.run),
        Periodic(FOLLOW_S, runner.follow),
        Periodic(DELIVER_S, services[TaskDelivery].deliver),
        Forgetting(FORGET_S, runner.forget_old),
    )


def handlers(bus: EventBus, services: Services) -> None:
    tasks, delivery = services[TaskService], services[TaskDelivery]

    async def owner_left(event: OwnerLeft) -> None:
        await tasks.owner_left(event.device_id)

    async def connected(event: GatewayConnected) -> None:
        await delivery.connected(event.gateway, event.takes_tasks)

    async def reported(event: TasksReported) -> None:
        await delivery.reported(event.gateway, event.report)

    bus.handle(OwnerLeft, owner_left)
    bus.handle(GatewayConnected, connected)
    bus.handle(TasksReported, reported)


DOMAIN = Domain(
    "tasks",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    permissions=frozenset({"DeviceCronTasks/index"}),
    owned=(OwnedTable(HolidayCalendar.owner_id),),
    named=(
        NamedTable("task", Task.id, Task.title, task_seen),
        NamedTable("calendar", HolidayCalendar.id, HolidayCalendar.title, calendar_seen),
    ),
)
