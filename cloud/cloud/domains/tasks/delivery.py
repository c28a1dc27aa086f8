"""Hands timed tasks of one gateway over to it, with the moment up to which they are decided, and takes them
back from the moment that it says.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from cloud.core.clock import NowMs, now_ms
from cloud.core.gateway_work import (
    Assignment,
    Confirmations,
    HomeKind,
    WorkHome,
    holders,
    holding,
    is_as_noted,
    note_report,
)
from cloud.db import Database
from cloud.domains.tasks.calendars import days_of
from cloud.domains.tasks.documents import TaskDocuments
from cloud.domains.tasks.gateway_runs import note_runs
from cloud.domains.tasks.home_repository import TaskHomeRepository
from cloud.domains.tasks.homes import GATEWAY_CODES, RUN_OPEN, home_of, leave_out
from cloud.domains.tasks.models import HolidayCalendar, Task, TaskHome
from cloud.domains.tasks.planning import next_ms, schedule_of
from cloud.domains.tasks.schemas import ScheduleBody
from cloud.link import LinkDown
from edge_contract.edge_tasks import EdgeTask, EdgeTasks, TaskReport, TaskState, tasks_hash

log = logging.getLogger(__name__)

DELIVER_S = 2.0
"""Interval at which it is looked for tasks that are to move, and for gateways that have not confirmed."""

REFRESH_MS = 10_000
"""Tasks that another process changed count after so long."""

RIGHTS_MS = 60_000
"""Who saved a task may write, and what presets write, is looked at again after so long."""

MAX_LOOKED = 10_000
MAX_PAST = 1000

SendTasks = Callable[[str, EdgeTasks], Awaitable[None]]
"""To a gateway; raises LinkDown."""


class TaskDelivery:
    """One in the full process, whose homes it alone writes."""

    def __init__(
        self, database: Database, documents: TaskDocuments, send: SendTasks, *, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._documents_of = documents
        self._send = send
        self._clock = clock
        self._turn = asyncio.Lock()
        self._confirmations = Confirmations()
        self._homes: dict[int, TaskHome] = {}
        self._tasks: dict[int, tuple[Task, HolidayCalendar | None]] = {}
        self._gateways: Mapping[int, set[int]] = {}
        self._versions: dict[int, int] = {}
        self._documents: dict[int, EdgeTask | str] = {}
        self._signature: tuple[object, ...] = ()
        self._refreshed_ms = self._looked_ms = -RIGHTS_MS
        self._are_open = False
        self._lost: set[int] = set()  # of which nobody knows what their gateway made of them

    async def connected(self, gateway: str, takes: bool) -> None:
        """A gateway says whether it can run tasks; one that cannot any more has none."""
        async with self._database.reading() as session:
            noted = await TaskHomeRepository(session).noted_home(gateway)
        if is_as_noted(noted, takes):
            if noted is not None and takes:
                self._confirmations.end(noted.device_id)
                self._look_again()
            return
        async with self._turn:
            async with self._database.session() as session:
                home = await TaskHomeRepository(session).home(gateway, make=takes)
                if home is None:
                    return
                home.takes, home.problems = takes, {}
                if not takes:
                    self._lost |= set(home.numbers)
                    home.hash, home.numbers = None, []
                    home.sent_hash, home.sent_numbers = None, []
                await session.commit()
            self._confirmations.end(home.device_id)
            self._look_again()

    async def reported(self, gateway: str, report: TaskReport) -> None:
        """What a gateway holds, and runs that it made: all of it is committed, or nothing."""
        async with self._turn:
            async with self._database.session() as session:
                repository = TaskHomeRepository(session)
                home = await repository.home(gateway)
                if home is None or not home.takes:
                    return
                before = home.hash, list(home.numbers), dict(home.problems)
                sent = {*home.numbers, *home.sent_numbers, *home.past}
                problems = {each.task: each.code for each in report.problems}
                note_report(home, report.hash, problems, GATEWAY_CODES)
                await note_runs(session, home.device_id, sent, report.results)
                gone = set(before[1]) - set(home.numbers)
                if report.hash == home.sent_hash:
                    await self._take_back(repository, report, gone)
                else:
                    self._lost |= gone
                if report.dropped > home.dropped:
                    log.warning("%s has lost %d runs of timed tasks unsent", gateway, report.dropped)
                home.dropped = report.dropped
                is_other = before != (home.hash, home.numbers, home.problems)
                await session.commit()
            if is_other:
                self._look_again()
                await self._deliver()

    async def deliver(self) -> None:
        """Periodic: send what gateways do not have, and say which tasks run here."""
        async with self._turn:
            await self._deliver()

    async def changed(self) -> None:
        """Tasks or calendars are others now."""
        async with self._turn:
            self._look_again()
            await self._deliver()

    async def _take_back(
        self, repository: TaskHomeRepository, report: TaskReport, gone: Collection[int]
    ) -> None:
        """Tasks that the gateway has ended go on from where it was."""
        now = self._clock()
        states = {state.task: min(state.after_ms, now) for state in report.states}
        for number, task in (await repository.locked(gone & states.keys() if gone else ())).items():
            task.after_ms = max(task.after_ms, states[number])

    def _look_again(self) -> None:
        self._looked_ms = self._clock() - RIGHTS_MS

    async def _deliver(self) -> None:
        now = self._clock()
        if now >= self._refreshed_ms + REFRESH_MS:
            self._refreshed_ms = now
            async with self._database.reading() as session:
                signature = await TaskHomeRepository(session).signature()
            if signature != self._signature:
                self._signature = signature
                self._look_again()
        if now >= self._looked_ms + RIGHTS_MS:
            await self._look()
            self._looked_ms = now
        elif not (self._confirmations or self._are_open):
            return
        homes = self._homes
        assignments = await self._assignments()
        wanted: dict[int, list[int]] = defaultdict(list)
        for number, assigned in sorted(assignments.items()):
            if assigned.device_id is not None:
                wanted[assigned.device_id].append(number)
        for device_id in sorted(homes.keys() & (wanted.keys() | holding(homes) | set(self._confirmations))):
            await self._deliver_to(homes[device_id], wanted[device_id])
            await asyncio.sleep(0)  # others have their turn between two gateways
        await self._note(self._confirmations.places(assignments, wanted, homes, self._clock()))

    async def _look(self) -> None:
        """Tasks, rights and presets, as they are now."""
        async with self._database.reading() as session:
            repository = TaskHomeRepository(session)
            tasks = await repository.tasks(MAX_LOOKED)
            self._gateways = await repository.gateways()
            self._homes = await repository.homes()
        self._tasks = {task.id: (task, calendar) for task, calendar in tasks}
        versions = {task.id: task.version for task, _ in tasks}
        renewed = {str(number) for number, version in versions.items() if self._is_renewed(number, version)}
        for home in self._homes.values():
            home.problems = {number: code for number, code in home.problems.items() if number not in renewed}
        self._versions = versions
        self._documents = {}
        for number, (task, calendar) in self._tasks.items():
            assigned = home_of(task, self._gateways.get(number, ()), self._homes)
            if assigned.device_id is not None:
                self._documents[number] = await self._documents_of.of(task, calendar, assigned.device_id)

    def _is_renewed(self, number: int, version: int) -> bool:
        return number in self._versions and self._versions[number] != version

    async def _assignments(self) -> dict[int, Assignment]:
        assignments: dict[int, Assignment] = {}
        documents: dict[int, EdgeTask] = {}
        for number, (task, _) in self._tasks.items():
            assigned = home_of(task, self._gateways.get(number, ()), self._homes)
            document = self._documents.get(number, "")
            if assigned.device_id is not None and isinstance(document, str):
                assigned = Assignment(None, document)
            elif isinstance(document, EdgeTask):
                documents[number] = document
            assignments[number] = assigned
        leave_out(assignments, documents)
        now = self._clock()
        joining = [
            number
            for number, assigned in assignments.items()
            if assigned.device_id is not None
            and number not in self._homes[assigned.device_id].numbers
            and not self._confirmations.is_fresh(assigned.device_id, now)
        ]
        self._are_open = False
        if joining:
            async with self._database.reading() as session:
                pending = await TaskHomeRepository(session).pending(joining)
            for number in pending:
                assignments[number] = Assignment(None, RUN_OPEN)
            self._are_open = bool(pending)
        return assignments

    async def _deliver_to(self, home: TaskHome, wanted: Sequence[int]) -> None:
        documents = [each for each in map(self._documents.get, wanted) if isinstance(each, EdgeTask)]
        digest, now = tasks_hash(documents), self._clock()
        if digest == home.hash or (home.hash is None and not wanted):
            self._confirmations.end(home.device_id)
            return
        if not self._confirmations.is_to_send(home.device_id, digest, now):
            return
        joining = set(wanted) - set(home.numbers)
        async with self._database.session() as session:
            repository = TaskHomeRepository(session)
            gateway = await repository.online_gateway(home.device_id)
            row = await session.get(TaskHome, home.device_id)
            if row is None:
                self._homes.pop(home.device_id, None)
                return
            await repository.stop(joining)
            tasks = await repository.locked(wanted)
            if [task.version for task in tasks.values()] != [each.version for each in documents]:
                self._look_again()  # somebody changed one meanwhile
                return
            for number in self._lost & joining:
                tasks[number].after_ms = max(tasks[number].after_ms, now)
            past = [*row.past, *(number for number in row.sent_numbers if number not in row.past)]
            row.past = [number for number in past if number not in wanted][-MAX_PAST:]
            row.sent_hash, row.sent_numbers, row.problems = digest, list(wanted), home.problems
            states = [TaskState(task=task.id, after_ms=task.after_ms) for task in tasks.values()]
            await session.commit()
        self._lost -= joining
        self._homes[home.device_id] = row
        for number in joining:
            self._tasks[number][0].home = HomeKind.MOVING.value
        self._confirmations.sends(home.device_id, digest, now, is_online=gateway is not None)
        if gateway is None:
            return
        try:
            await self._send(gateway, EdgeTasks(hash=digest, tasks=documents, states=states))
            log.info("%d timed tasks sent to %s", len(documents), gateway)
        except LinkDown:
            self._confirmations.failed(home.device_id, digest, now)

    async def _note(self, places: Mapping[int, WorkHome]) -> None:
        """Which tasks run here from now on, and what lists say of each."""
        others = {
            number: place
            for number, place in places.items()
            if (self._tasks[number][0].home, self._tasks[number][0].home_reason) != (place.kind, place.reason)
        }
        if not others:
            return
        unknown = holders(self._homes).keys() | self._lost
        async with self._database.session() as session:
            tasks = await TaskHomeRepository(session).locked(others)
            for number, task in tasks.items():
                place = others[number]
                if place.kind is HomeKind.CLOUD and task.home != HomeKind.CLOUD:
                    if number in unknown:
                        task.after_ms = max(task.after_ms, self._clock())
                    days = days_of(self._tasks[number][1])
                    schedule = schedule_of(ScheduleBody.model_validate(task.schedule), days)
                    task.next_ms = next_ms(schedule, task.after_ms)
                task.home, task.home_reason = place.kind.value, place.reason
            await session.commit()
        self._lost -= {number for number, place in others.items() if place.kind is HomeKind.CLOUD}
        for number, task in tasks.items():
            self._tasks[number] = task, self._tasks[number][1]
