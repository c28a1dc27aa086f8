"""Alarm events: lists, handling, what is unread.

Open is what is unhandled, has not recovered and is no recovery. A new user begins with his own beginning;
count and read-all ask for either permission, each kind is counted and read by who may see it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.codes import RECOVERIES, Level, OwnLevel, look
from cloud.domains.alarms.export import workbook
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.news import ALARMS, ON_OFFLINE, News, alarm_piece
from cloud.domains.alarms.repository import AlarmRepository, Found
from cloud.domains.alarms.schemas import AlarmQuery, AlarmRow, HandleBody, Kind, Language, Unread
from cloud.domains.alarms.states import Status, Step, step
from cloud.domains.devices.rows import value_facts
from cloud.domains.devices.schemas import ValueFacts
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.visibility import read_only
from cloud.errors import Busy, Conflict, NoPermission, NotFound, ParameterError

log = logging.getLogger(__name__)

KEEP_MS = 397 * 24 * 3_600_000
"""13 months, as the on-offline log."""

MOST_EXPORTED = 10_000

EXPORT_WAIT_S = 8.0
"""One workbook is made at a time, some seconds of one core. A browser's patience ends after 10 s."""

OwnLevels = Callable[[], Awaitable[Mapping[int, OwnLevel]]]
PushUser = Callable[[int, dict[str, Any]], None]
Changed = Callable[[int], Awaitable[None]]
"""Told the gateway whose open alarms are others now."""


class AlarmService:
    """own_levels: the platform's own alarm levels; push_user: to every socket of one user; changed: the
    status of a gateway may be another.
    """

    def __init__(
        self,
        database: Database,
        own_levels: OwnLevels,
        news: News,
        push_user: PushUser,
        changed: Changed,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._changed = changed
        self._database = database
        self._own_levels = own_levels
        self._news = news
        self._push_user = push_user
        self._clock = clock
        self._exporting = asyncio.Lock()

    async def page(self, user: CurrentUser, wanted: AlarmQuery, page: int, limit: int) -> Page[AlarmRow]:
        """Events, the newest first; ParameterError for a level that there is not or a period turned round."""
        _check(wanted)
        own = await self._own_levels()
        async with self._database.reading() as session:
            repository = AlarmRepository(session, user.scope)
            rows = await repository.page(wanted, list(own), page, limit)
            total = await repository.count(wanted, list(own))
        return Page(rows=[_shown(row, own) for row in rows], total=total)

    async def newest(self, user: CurrentUser, limit: int) -> list[AlarmRow]:
        """The newest events, without counting all of them."""
        own = await self._own_levels()
        async with self._database.reading() as session:
            rows = await AlarmRepository(session, user.scope).page(AlarmQuery(), list(own), 1, limit)
        return [_shown(row, own) for row in rows]

    async def unexplained(self, user: CurrentUser, limit: int) -> tuple[list[AlarmRow], int]:
        """Open alarms, the newest first, and how many there are; without those of gateways that are away and
        of slaves that are silent, whose absence says the same.
        """
        own = await self._own_levels()
        async with self._database.reading() as session:
            rows, total = await AlarmRepository(session, user.scope).unexplained(limit)
        return [_shown(row, own) for row in rows], total

    async def exported(self, user: CurrentUser, wanted: AlarmQuery) -> list[AlarmRow]:
        """The newest MOST_EXPORTED of them."""
        _check(wanted)
        own = await self._own_levels()
        async with self._database.reading() as session:
            rows = await AlarmRepository(session, user.scope).page(wanted, list(own), 1, MOST_EXPORTED)
        return [_shown(row, own) for row in rows]

    async def workbook(
        self, user: CurrentUser, wanted: AlarmQuery, language: Language, offset_min: int
    ) -> bytes:
        """The same as .xlsx, times of a zone so many minutes east of UTC; Busy while others export."""
        try:
            async with asyncio.timeout(EXPORT_WAIT_S):
                await self._exporting.acquire()
        except TimeoutError:
            raise Busy("other exports are being made") from None
        try:
            return await asyncio.to_thread(workbook, await self.exported(user, wanted), language, offset_min)
        finally:
            self._exporting.release()

    async def handle(self, user: CurrentUser, event_id: int, body: HandleBody) -> AlarmRow:
        """A new status. Conflict: this step does not exist; ParameterError: it needs a note."""
        note = body.note.strip()
        async with self._database.session() as session:
            repository = AlarmRepository(session, user.scope)
            event = await self._changeable(repository, event_id)
            needed = step(event.status, body.status)
            if needed is Step.FORBIDDEN or event.alarm_type in RECOVERIES:
                raise Conflict(
                    "no such step", field="status", rule="0 to 1 or 2, and back", reason="alarm.step"
                )
            if needed is Step.NEEDS_NOTE and not note:
                raise ParameterError("note", "must say why it is unhandled again", reason="alarm.note_needed")
            event.status, event.note = body.status, note
            event.handled_by, event.handled_name, event.handled_ms = user.id, user.name, self._clock()
            await session.flush()
            await repository.count_open([event.device_id])
            found = await repository.event(event_id)
            self._news.tell_after(session, _changed(event))
            await session.commit()
        log.info("alarm %d set to %d by %s", event_id, body.status, user.name)
        await self._changed(event.device_id)
        if found is None:
            raise NotFound("alarm")
        return _shown(found, await self._own_levels())

    async def delete(self, user: CurrentUser, event_id: int) -> None:
        async with self._database.session() as session:
            repository = AlarmRepository(session, user.scope)
            event = await self._changeable(repository, event_id)
            await repository.delete(event)
            await session.flush()
            await repository.count_open([event.device_id])
            self._news.tell_after(session, alarm_piece("deleted", event.device_id, event_id))
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
        """The user has read all of a kind that he may see; his other pages are told."""
        needed = ALARMS if kind == "alarm" else ON_OFFLINE
        if not user.may(needed):
            raise NoPermission(needed)
        async with self._database.session() as session:
            await AlarmRepository(session, user.scope).mark(user.id, kind, self._clock())
            await session.commit()
        left = await self.unread(user)
        self._push_user(user.id, {"type": "unread", **left.model_dump()})
        return left

    async def forget_old(self, now_ms: int) -> None:
        """Periodic: events are kept for 13 months."""
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


def _check(wanted: AlarmQuery) -> None:
    if wanted.from_ms >= wanted.to_ms:
        raise ParameterError("endtime", "must be after starttime")
    if wanted.level and not wanted.level.isdecimal() and wanted.level not in set(Level):
        raise ParameterError("level", f"one of {', '.join(Level)}, or the number of an own level")


def _changed(event: AlarmEvent) -> Any:
    return alarm_piece(
        "changed",
        event.device_id,
        event.id,
        at=event.at_ms,
        alarm_type=event.alarm_type,
        level=event.level,
        status=event.status,
    )


def _shown(found: Found, own: Mapping[int, OwnLevel]) -> AlarmRow:
    event, device, slave, point = found
    return AlarmRow(
        id=event.id,
        at=event.at_ms,
        alarm_type=event.alarm_type,
        level=event.level,
        shown=look(event.alarm_type, event.level, own).level,
        status=Status(event.status),
        device_id=event.device_id,
        device_title=device.shown_title,
        gateway_id=device.gateway_id,
        slave=None if slave is None else slave.name,
        slave_title=None if slave is None else slave.title,
        dsid=event.dsid,
        title=event.title,
        cause=event.cause,
        value=event.value,
        point=None if point is None else ValueFacts(**value_facts(point)),
        since_ms=event.since_ms,
        recovered_ms=event.recovered_ms,
        handled_by=event.handled_by,
        handled_name=event.handled_name,
        handled_ms=event.handled_ms,
        note=event.note,
    )
