"""Alarm events: lists, handling, what is unread.

Open is what is unhandled, has not recovered and is no recovery. A new user begins with his own beginning;
count and read-all ask for either permission, each kind is counted and read by who may see it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change, touch
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.codes import RECOVERIES, Level, OwnLevel
from cloud.domains.alarms.event_publisher import ALARMS, ON_OFFLINE, EventPublisher, alarm_event
from cloud.domains.alarms.export import workbook
from cloud.domains.alarms.history import AlarmHistory
from cloud.domains.alarms.life_cycle import TO_ACKNOWLEDGE, Change, State
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.repository import AlarmRepository
from cloud.domains.alarms.rows import alarm_row, suppression_row
from cloud.domains.alarms.schemas import (
    AcknowledgeBody,
    AlarmDetail,
    AlarmGroup,
    AlarmQuery,
    AlarmRow,
    ChangeRow,
    HandleBody,
    Kind,
    Language,
    Outcome,
    Unread,
)
from cloud.domains.alarms.states import Status, StatusChange, status_change
from cloud.domains.alarms.suppression_repository import SuppressionRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.visibility import read_only
from cloud.errors import Busy, Conflict, NoPermission, NotFound, ParameterError

log = logging.getLogger(__name__)

KEEP_MS = 397 * 24 * 3_600_000
"""13 months, as the on-offline log."""

MAX_EXPORTED = 10_000

EXPORT_WAIT_S = 8.0
"""One workbook is made at a time, some seconds of one core. A browser's patience ends after 10 s."""

MAX_CHANGES = 200

HANDLING = {
    Status.UNHANDLED: Change.REOPENED,
    Status.HANDLED: Change.HANDLED,
    Status.FALSE_ALARM: Change.FALSE_ALARM,
}

OwnLevels = Callable[[], Awaitable[Mapping[int, OwnLevel]]]
PushUser = Callable[[int, dict[str, Any]], None]
Changed = Callable[[int], Awaitable[None]]
"""Called with the id of the gateway whose open alarms have changed."""


class AlarmService:
    """own_levels: the platform's own alarm levels; push_user: to every socket of one user; changed: the
    status of a gateway may be another.
    """

    def __init__(
        self,
        database: Database,
        own_levels: OwnLevels,
        publisher: EventPublisher,
        push_user: PushUser,
        changed: Changed,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._changed = changed
        self._database = database
        self.own_levels = own_levels
        self._publisher = publisher
        self._push_user = push_user
        self._clock = clock
        self._history = AlarmHistory(publisher, clock=clock)
        self._exporting = asyncio.Lock()

    async def page(self, user: CurrentUser, wanted: AlarmQuery, page: int, limit: int) -> Page[AlarmRow]:
        """Events, the newest first; ParameterError for a level that there is not or a period turned round."""
        _check(wanted)
        own = await self.own_levels()
        async with self._database.reading() as session:
            repository = AlarmRepository(session, user.scope)
            rows = await repository.page(wanted, list(own), page, limit)
            total = await repository.count(wanted, list(own))
            children = await repository.children([row[0].id for row in rows])
        return Page(rows=[alarm_row(row, own, children) for row in rows], total=total)

    async def groups(self, user: CurrentUser, wanted: AlarmQuery, page: int, limit: int) -> Page[AlarmGroup]:
        """The same by gateway, rule and type, those with the newest events first. Raises as page."""
        _check(wanted)
        own = await self.own_levels()
        async with self._database.reading() as session:
            repository = AlarmRepository(session, user.scope)
            groups, total = await repository.groups(wanted, list(own), page, limit)
            children = await repository.children([newest[0].id for newest, *_ in groups])
        rows = [
            AlarmGroup(
                device_id=newest[0].device_id,
                rule_id=newest[0].rule_id,
                alarm_type=newest[0].alarm_type,
                count=count,
                unacknowledged=waiting,
                first_ms=first_ms,
                newest=alarm_row(newest, own, children),
            )
            for newest, count, waiting, first_ms in groups
        ]
        return Page(rows=rows, total=total)

    async def detail(self, user: CurrentUser, event_id: int) -> AlarmDetail:
        """An event with what happened to it. Raises NotFound."""
        own = await self.own_levels()
        async with self._database.reading() as session:
            repository = AlarmRepository(session, user.scope)
            stored = await repository.event(event_id)
            if stored is None:
                raise NotFound("alarm")
            children = await repository.children([event_id])
            changes = await repository.changes(event_id, MAX_CHANGES)
            suppressions = SuppressionRepository(session, user.scope)
            lasting = await suppressions.of_event(stored[0], self._clock())
        return AlarmDetail(
            alarm=alarm_row(stored, own, children),
            suppressions=[suppression_row(*each) for each in lasting],
            changes=[ChangeRow.model_validate(each, from_attributes=True) for each in reversed(changes)],
        )

    async def newest(self, user: CurrentUser, limit: int) -> list[AlarmRow]:
        """The newest events, without counting all of them."""
        own = await self.own_levels()
        async with self._database.reading() as session:
            rows = await AlarmRepository(session, user.scope).page(AlarmQuery(), list(own), 1, limit)
        return [alarm_row(row, own) for row in rows]

    async def unexplained(self, user: CurrentUser, limit: int) -> tuple[list[AlarmRow], int]:
        """Open alarms, the newest first, and how many there are; without those of gateways that are away and
        of slaves that are silent, whose absence says the same.
        """
        own = await self.own_levels()
        async with self._database.reading() as session:
            rows, total = await AlarmRepository(session, user.scope).unexplained(limit)
        return [alarm_row(row, own) for row in rows], total

    async def exported(self, user: CurrentUser, wanted: AlarmQuery) -> list[AlarmRow]:
        """The newest MAX_EXPORTED of them; raises ParameterError as page."""
        _check(wanted)
        own = await self.own_levels()
        async with self._database.reading() as session:
            rows = await AlarmRepository(session, user.scope).page(wanted, list(own), 1, MAX_EXPORTED)
        return [alarm_row(row, own) for row in rows]

    async def workbook(
        self, user: CurrentUser, wanted: AlarmQuery, language: Language, offset_min: int
    ) -> bytes:
        """The same as .xlsx. offset_min: the time zone in minutes east of UTC. Raises Busy when others still
        export after EXPORT_WAIT_S, ParameterError as page.
        """
        async with self.exporting():
            rows, own = await self.exported(user, wanted), await self.own_levels()
            return await asyncio.to_thread(workbook, rows, language, offset_min, own)

    @asynccontextmanager
    async def exporting(self) -> AsyncIterator[None]:
        """The turn to make a workbook, one at a time. Raises Busy after EXPORT_WAIT_S."""
        try:
            async with asyncio.timeout(EXPORT_WAIT_S):
                await self._exporting.acquire()
        except TimeoutError:
            raise Busy("other exports are being made") from None
        try:
            yield
        finally:
            self._exporting.release()

    async def handle(self, user: CurrentUser, event_id: int, body: HandleBody) -> AlarmRow:
        """Set the status of an event; who handles it has acknowledged it. Raises NotFound; NoPermission when
        the gateway is shared read only; Conflict for a change that does not exist; ParameterError when it
        needs a note.
        """
        note = body.note.strip()
        async with self._database.session() as session:
            repository = AlarmRepository(session, user.scope)
            event = await self._changeable(repository, event_id)
            change = status_change(event.status, body.status)
            if change is StatusChange.FORBIDDEN or event.alarm_type in RECOVERIES:
                raise Conflict(
                    "no such step", field="status", rule="0 to 1 or 2, and back", reason="alarm.step"
                )
            if change is StatusChange.NEEDS_NOTE and not note:
                raise ParameterError("note", "must say why it is unhandled again", reason="alarm.note_needed")
            status = Status(body.status)
            if status is not Status.UNHANDLED and _is_to_acknowledge(event):
                self._acknowledge(session, event, user, "", is_pushed=False)
            event.status, event.note = body.status, note or event.note
            event.handled_by, event.handled_name, event.handled_ms = user.id, user.name, self._clock()
            self._history.changed(session, event, HANDLING[status], user, note)
            await session.flush()
            await repository.count_open([event.device_id])
            stored = await repository.event(event_id)
            await session.commit()
        log.info("alarm %d set to %d by %s", event_id, body.status, user.name)
        await self._changed(event.device_id)
        if stored is None:
            raise NotFound("alarm")
        return alarm_row(stored, await self.own_levels())

    async def note(self, user: CurrentUser, event_id: int, note: str) -> AlarmRow:
        """Add a note; nothing else of the event changes. Raises NotFound; NoPermission when the gateway is
        shared read only.
        """
        async with self._database.session() as session:
            repository = AlarmRepository(session, user.scope)
            event = await self._changeable(repository, event_id)
            event.note = note
            self._history.changed(session, event, Change.NOTED, user, note)
            await session.flush()
            stored = await repository.event(event_id)
            await session.commit()
        if stored is None:
            raise NotFound("alarm")
        record_change({}, {"note": note}, title=stored[0].title)
        touch(device_id=stored[0].device_id)
        return alarm_row(stored, await self.own_levels())

    async def acknowledge(self, user: CurrentUser, body: AcknowledgeBody) -> Outcome:
        """Somebody has seen these events; those that he may not change, or that need none, are skipped.
        When that is all of them, raises NotFound, NoPermission or Conflict of the first one.
        """
        wanted, note = sorted(set(body.ids)), body.note.strip()
        async with self._database.session() as session:
            repository = AlarmRepository(session, user.scope)
            events = await repository.locked_many(wanted)
            seen = [event for event in events if _is_to_acknowledge(event)]
            if not seen:
                await self._changeable(repository, body.ids[0])
                raise Conflict(
                    "nothing to acknowledge", field="ids", rule="not acknowledged yet",
                    reason="alarm.acknowledged",
                )  # fmt: skip
            for event in seen:
                self._acknowledge(session, event, user, note)
            devices = sorted({event.device_id for event in seen})
            await session.flush()
            await repository.count_open(devices)
            done, title = [event.id for event in seen], seen[0].title
            await session.commit()
        log.info("%d alarms acknowledged by %s", len(done), user.name)
        record_change({}, {"acknowledged": len(done), "note": note}, title=title)
        for device_id in devices:
            touch(device_id=device_id)
            await self._changed(device_id)
        return Outcome(done=done, skipped=[number for number in wanted if number not in set(done)])

    def _acknowledge(
        self,
        session: AsyncSession,
        event: AlarmEvent,
        user: CurrentUser,
        note: str,
        *,
        is_pushed: bool = True,
    ) -> None:
        event.acked_ms, event.acked_by, event.acked_name = self._clock(), user.id, user.name
        self._history.changed(session, event, Change.ACKNOWLEDGED, user, note, is_pushed=is_pushed)

    async def delete(self, user: CurrentUser, event_id: int) -> None:
        """Delete an event. Raises NotFound; NoPermission when the gateway is shared read only."""
        async with self._database.session() as session:
            repository = AlarmRepository(session, user.scope)
            event = await self._changeable(repository, event_id)
            await repository.delete(event)
            await session.flush()
            await repository.count_open([event.device_id])
            self._publisher.publish_after_commit(session, alarm_event("deleted", event.device_id, event_id))
            await session.commit()
        log.info("alarm %d of device %d deleted by %s", event_id, event.device_id, user.name)
        await self._changed(event.device_id)

    async def unread(self, user: CurrentUser) -> Unread:
        """Events that the user may see and has not read; none of a kind that he may not see."""
        async with self._database.reading() as session:
            repository = AlarmRepository(session, user.scope)
            alarm = onoffline = 0
            if user.may(ALARMS):
                alarm = await repository.unread_alarms(await repository.read_ms(user.id, "alarm"))
            if user.may(ON_OFFLINE):
                onoffline = await repository.unread_on_offline(await repository.read_ms(user.id, "onoffline"))
        return Unread(alarm=alarm, onoffline=onoffline)

    async def read(self, user: CurrentUser, kind: Kind) -> Unread:
        """Mark all events of a kind as read; the user's other pages get the new counts. Raises NoPermission
        when he may not see that kind.
        """
        permission = ALARMS if kind == "alarm" else ON_OFFLINE
        if not user.may(permission):
            raise NoPermission(permission)
        async with self._database.session() as session:
            await AlarmRepository(session, user.scope).mark(user.id, kind, self._clock())
            await session.commit()
        left = await self.unread(user)
        self._push_user(user.id, {"type": "unread", **left.model_dump()})
        return left

    async def forget_old(self, now_ms: int) -> None:
        """Periodic: delete events older than 13 months."""
        some = 1
        while some:
            async with self._database.session() as session:
                repository = AlarmRepository(session, Scope.system())
                some, touched = await repository.delete_before(now_ms - KEEP_MS)
                await session.commit()
            for device_id in touched:
                await self._changed(device_id)

    async def _changeable(self, repository: AlarmRepository, event_id: int) -> AlarmEvent:
        event = await repository.locked(event_id)
        if event is None:
            raise NotFound("alarm")
        if not await repository.is_writable(event.device_id):
            raise read_only()
        return event


def _is_to_acknowledge(event: AlarmEvent) -> bool:
    return State(event.state) in TO_ACKNOWLEDGE and event.acked_ms is None


def _check(wanted: AlarmQuery) -> None:
    if wanted.from_ms >= wanted.to_ms:
        raise ParameterError("endtime", "must be after starttime")
    if wanted.level and not wanted.level.isdecimal() and wanted.level not in set(Level):
        raise ParameterError("level", f"one of {', '.join(Level)}, or the number of an own level")
