"""Every query of alarm events and of what users have read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.alarms.codes import RECOVERIES, Level, codes_of
from cloud.domains.alarms.models import AlarmEvent, EventMark
from cloud.domains.alarms.schemas import MOST_UNREAD, AlarmQuery
from cloud.domains.alarms.states import Status
from cloud.domains.devices.filters import SILENT
from cloud.domains.identity.models import User
from cloud.domains.inventory.models import DataPoint, Device, OnOfflineLog, SlaveDevice
from cloud.domains.inventory.visibility import seen, writable

DELETE_CHUNK = 500

Rows = Select[*tuple[Any, ...]]

Found = tuple[AlarmEvent, Device, SlaveDevice | None, DataPoint | None]


class AlarmRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add_once(self, **columns: Any) -> int | None:
        """Number of a new event; None when there is one of this origin already."""
        insert = self._insert(AlarmEvent).values(**columns).on_conflict_do_nothing(index_elements=["origin"])
        return (await self._session.execute(insert.returning(AlarmEvent.id))).scalar_one_or_none()

    async def of_origin(self, origin: str) -> AlarmEvent | None:
        query = select(AlarmEvent).where(AlarmEvent.origin == origin)
        return (await self._session.scalars(query)).one_or_none()

    async def gateway(self, device_id: int) -> Device | None:
        return await self._session.get(Device, device_id)

    async def event(self, event_id: int) -> Found | None:
        row = (await self._session.execute(self._joined().where(AlarmEvent.id == event_id))).one_or_none()
        return None if row is None else (row[0], row[1], row[2], row[3])

    async def locked(self, event_id: int) -> AlarmEvent | None:
        """An event that nobody else changes until the end of the transaction. Its gateway is locked first, as
        who notes an absence does, so that no two wait for each other.
        """
        of_event = select(AlarmEvent.device_id).where(AlarmEvent.id == event_id)
        await self._session.execute(select(Device.id).where(Device.id.in_(of_event)).with_for_update())
        query = select(AlarmEvent).where(AlarmEvent.id == event_id, seen(self._scope, AlarmEvent.device_id))
        return (await self._session.scalars(query.with_for_update())).one_or_none()

    async def is_writable(self, device_id: int) -> bool:
        query = select(Device.id).where(Device.id == device_id, writable(self._scope))
        return (await self._session.execute(query)).first() is not None

    async def delete(self, event: AlarmEvent) -> None:
        await self._session.delete(event)

    async def page(self, wanted: AlarmQuery, own: Sequence[int], page: int, limit: int) -> list[Found]:
        """A page, the newest first. own: numbers of the platform's own levels."""
        query = self._matching(self._joined(), wanted, own)
        query = query.order_by(AlarmEvent.at_ms.desc(), AlarmEvent.id.desc())
        rows = await self._session.execute(query.offset((page - 1) * limit).limit(limit))
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    async def count(self, wanted: AlarmQuery, own: Sequence[int]) -> int:
        query = self._matching(self._joined(), wanted, own).with_only_columns(func.count())
        return int((await self._session.execute(query)).scalar_one())

    async def unexplained(self, limit: int) -> tuple[list[Found], int]:
        """Open events of connected gateways but those of silent slaves, newest first, and their number."""
        silent = select(SlaveDevice.id).where(*SILENT)
        query = self._joined().where(_is_open(), Device.online.is_(True))
        query = query.where(or_(AlarmEvent.slave_id.is_(None), AlarmEvent.slave_id.not_in(silent)))
        counted = (await self._session.execute(query.with_only_columns(func.count()))).scalar_one()
        order = (AlarmEvent.at_ms.desc(), AlarmEvent.id.desc())
        rows = await self._session.execute(query.order_by(*order).limit(limit))
        return [(row[0], row[1], row[2], row[3]) for row in rows], int(counted)

    async def read_ms(self, user_id: int, kind: str) -> int:
        """Up to when a user has read; who never did begins with his own beginning."""
        mark = select(EventMark.read_ms).where(EventMark.user_id == user_id, EventMark.kind == kind)
        began = select(User.created_ms).where(User.id == user_id)
        read = (await self._session.scalars(mark)).one_or_none()
        return read if read is not None else (await self._session.scalars(began)).one_or_none() or 0

    async def mark(self, user_id: int, kind: str, read_ms: int) -> None:
        insert = self._insert(EventMark).values(user_id=user_id, kind=kind, read_ms=read_ms)
        await self._session.execute(
            insert.on_conflict_do_update(index_elements=["user_id", "kind"], set_={"read_ms": read_ms})
        )

    async def unread_alarms(self, since_ms: int) -> int:
        return await self._few(
            select(AlarmEvent.id).where(
                AlarmEvent.noted_ms > since_ms, seen(self._scope, AlarmEvent.device_id)
            )
        )

    async def unread_on_offline(self, since_ms: int) -> int:
        """What went and what came."""
        mine = seen(self._scope, OnOfflineLog.device_id)
        went = await self._few(select(OnOfflineLog.id).where(OnOfflineLog.noted_ms > since_ms, mine))
        came = await self._few(select(OnOfflineLog.id).where(OnOfflineLog.online_ms > since_ms, mine))
        return min(went + came, MOST_UNREAD)

    async def delete_before(self, before_ms: int) -> tuple[int, list[int]]:
        """Delete some old events; the number deleted, and the gateways whose open alarms are others now."""
        old = select(AlarmEvent.id, AlarmEvent.device_id, _is_open())
        rows = list(await self._session.execute(old.where(AlarmEvent.at_ms < before_ms).limit(DELETE_CHUNK)))
        touched = sorted({row[1] for row in rows if row[2]})
        await self._session.execute(
            select(Device.id).where(Device.id.in_(touched)).order_by(Device.id).with_for_update()
        )
        await self._session.execute(delete(AlarmEvent).where(AlarmEvent.id.in_([row[0] for row in rows])))
        await self.count_open(touched)
        return len(rows), touched

    async def count_open(self, device_ids: Collection[int]) -> None:
        """Note at these gateways how many of their alarms are open."""
        counted = select(func.count()).where(AlarmEvent.device_id == Device.id, _is_open())
        await self._session.execute(
            update(Device)
            .where(Device.id.in_(device_ids))
            .values(open_alarms=counted.scalar_subquery())
            .execution_options(synchronize_session=False)
        )

    async def _few(self, query: Select[int]) -> int:
        """How many there are, at most MOST_UNREAD: nobody waits for a count that is shown as 999+."""
        some = query.limit(MOST_UNREAD).subquery()
        return int((await self._session.execute(select(func.count()).select_from(some))).scalar_one())

    def _joined(self) -> Rows:
        query: Rows = select(AlarmEvent, Device, SlaveDevice, DataPoint).select_from(AlarmEvent)
        query = query.join(Device, AlarmEvent.device_id == Device.id)
        query = query.outerjoin(SlaveDevice, AlarmEvent.slave_id == SlaveDevice.id)
        query = query.outerjoin(DataPoint, AlarmEvent.dsid == DataPoint.id)
        return query.where(seen(self._scope, AlarmEvent.device_id))

    def _matching(self, query: Rows, wanted: AlarmQuery, own: Sequence[int]) -> Rows:
        query = query.where(AlarmEvent.at_ms >= wanted.from_ms, AlarmEvent.at_ms < wanted.to_ms)
        for column, value in (
            (AlarmEvent.status, wanted.status),
            (AlarmEvent.alarm_type, wanted.alarm_type),
            (AlarmEvent.device_id, wanted.device_id),
        ):
            if value is not None:
                query = query.where(column == value)
        if wanted.level:
            query = query.where(_shown_at(wanted.level, own))
        if wanted.search:
            columns = (
                Device.shown_title,
                Device.gateway_id,
                SlaveDevice.title,
                AlarmEvent.title,
                AlarmEvent.note,
            )
            query = query.where(
                or_(*(column.icontains(wanted.search, autoescape=True) for column in columns))
            )
        return query

    def _insert(self, table: type[AlarmEvent] | type[EventMark]) -> Any:
        on_postgresql = self._session.get_bind().dialect.name == "postgresql"
        return postgresql.insert(table) if on_postgresql else sqlite.insert(table)


def _is_open() -> ColumnElement[bool]:
    """Nobody looked after it, and what it tells of lasts."""
    return (
        (AlarmEvent.status == int(Status.UNHANDLED))
        & AlarmEvent.recovered_ms.is_(None)
        & AlarmEvent.alarm_type.not_in([int(code) for code in RECOVERIES])
    )


def _shown_at(level: str, own: Sequence[int]) -> ColumnElement[bool]:
    """Events that codes.look shows at a level, or in the own level of this number."""
    known = [code for each in Level for code in codes_of(each)]
    if level.isdecimal():
        number = int(level)
        by_level = (AlarmEvent.level == number) & AlarmEvent.alarm_type.not_in([*known, *own])
        by_type = (
            (AlarmEvent.alarm_type == number)
            if number not in known
            else AlarmEvent.alarm_type.in_(list[int]())
        )
        return or_(by_type, by_level)
    named = or_(AlarmEvent.alarm_type.in_(own), AlarmEvent.level.in_(own))
    if level == Level.CUSTOM:
        return AlarmEvent.alarm_type.not_in(known) & named
    if level == Level.UNKNOWN:
        lacks = AlarmEvent.level.is_(None) | AlarmEvent.level.not_in(own)
        return AlarmEvent.alarm_type.not_in([*known, *own]) & lacks
    return AlarmEvent.alarm_type.in_(codes_of(Level(level)))
