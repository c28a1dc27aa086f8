"""Every query of alarm events and of what users have read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, case, delete, func, literal_column, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.chunks import chunked
from cloud.core.scope import Scope
from cloud.domains.alarms.codes import RECOVERIES, Level, codes_of
from cloud.domains.alarms.life_cycle import ACTIVE, QUIET, TO_ACKNOWLEDGE, UNRESOLVED, State
from cloud.domains.alarms.models import AlarmChange, AlarmEvent, EventMark
from cloud.domains.alarms.schemas import MAX_UNREAD, AlarmQuery
from cloud.domains.alarms.states import Status
from cloud.domains.devices.filters import SILENT
from cloud.domains.identity.models import User
from cloud.domains.inventory.models import DataPoint, Device, OnOfflineLog, SlaveDevice
from cloud.domains.inventory.visibility import seen, visible, writable

DELETE_CHUNK = 500

Rows = Select[*tuple[Any, ...]]

JoinedAlarm = tuple[AlarmEvent, Device, SlaveDevice | None, DataPoint | None]
Group = tuple[JoinedAlarm, int, int, int]
"""The newest event, how many, how many of them to be acknowledged, and when the oldest was."""

_RECOVERIES = [int(code) for code in RECOVERIES]


class AlarmRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add_once(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
        """Numbers of new events by origin, without those of which there is one already. All rows have the
        same columns.
        """
        insert = self._insert(AlarmEvent).on_conflict_do_nothing(index_elements=["origin"])
        insert = insert.returning(AlarmEvent.origin, AlarmEvent.id)
        made: dict[str, int] = {}
        async for some in chunked(rows):
            made |= {row[0]: row[1] for row in await self._session.execute(insert, list(some))}
        return made

    async def of_origin(self, origin: str) -> AlarmEvent | None:
        return (await self.of_origins([origin])).get(origin)

    async def of_origins(self, origins: Collection[str]) -> dict[str, AlarmEvent]:
        """Those that there are, by origin."""
        events: dict[str, AlarmEvent] = {}
        async for some in chunked(sorted(origins)):
            rows = await self._session.scalars(select(AlarmEvent).where(AlarmEvent.origin.in_(some)))
            events |= {event.origin: event for event in rows if event.origin is not None}
        return events

    async def gateways_of(self, origins: Collection[str]) -> set[int]:
        """Gateways of the events of these origins."""
        numbers: set[int] = set()
        async for some in chunked(sorted(origins)):
            query = select(AlarmEvent.device_id).where(AlarmEvent.origin.in_(some)).distinct()
            numbers |= set(await self._session.scalars(query))
        return numbers

    async def gateway(self, device_id: int) -> Device | None:
        return await self._session.get(Device, device_id)

    async def seen_gateway(self, device_id: int) -> Device | None:
        """A gateway that the scope sees."""
        query = select(Device).where(Device.id == device_id, visible(self._scope))
        return (await self._session.scalars(query)).one_or_none()

    async def event(self, event_id: int) -> JoinedAlarm | None:
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

    async def locked_many(self, event_ids: Collection[int]) -> list[AlarmEvent]:
        """As locked, those that the scope may change."""
        of_events = select(AlarmEvent.device_id).where(AlarmEvent.id.in_(event_ids))
        devices = select(Device.id).where(Device.id.in_(of_events)).order_by(Device.id)
        await self._session.execute(devices.with_for_update())
        query = select(AlarmEvent).join(Device, AlarmEvent.device_id == Device.id)
        query = query.where(AlarmEvent.id.in_(event_ids), writable(self._scope)).order_by(AlarmEvent.id)
        return list(await self._session.scalars(query.with_for_update(of=AlarmEvent)))

    async def changes(self, event_id: int, max_count: int) -> list[AlarmChange]:
        """What happened to an event, the newest."""
        query = select(AlarmChange).where(AlarmChange.event_id == event_id)
        return list(await self._session.scalars(query.order_by(AlarmChange.id.desc()).limit(max_count)))

    async def children(self, event_ids: Collection[int]) -> dict[int, int]:
        """How many alarms lie under events."""
        query = select(AlarmEvent.parent_id, func.count()).where(AlarmEvent.parent_id.in_(event_ids))
        query = query.where(AlarmEvent.alarm_type.not_in(_RECOVERIES)).group_by(AlarmEvent.parent_id)
        return {row[0]: row[1] for row in await self._session.execute(query) if row[0] is not None}

    async def is_writable(self, device_id: int) -> bool:
        query = select(Device.id).where(Device.id == device_id, writable(self._scope))
        return (await self._session.execute(query)).first() is not None

    async def delete(self, event: AlarmEvent) -> None:
        await self._session.delete(event)

    async def page(self, wanted: AlarmQuery, own: Sequence[int], page: int, limit: int) -> list[JoinedAlarm]:
        """A page, the newest first; of active ones the most severe first. own: numbers of the platform's own
        levels.
        """
        query = self._matching(self._joined(), wanted, own)
        if wanted.view == "active":
            query = query.order_by(_severity(own))
        query = query.order_by(AlarmEvent.at_ms.desc(), AlarmEvent.id.desc())
        rows = await self._session.execute(query.offset((page - 1) * limit).limit(limit))
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    async def count(self, wanted: AlarmQuery, own: Sequence[int]) -> int:
        query = self._matching(self._joined(), wanted, own).with_only_columns(func.count())
        return int((await self._session.execute(query)).scalar_one())

    async def groups(
        self, wanted: AlarmQuery, own: Sequence[int], page: int, limit: int
    ) -> tuple[list[Group], int]:
        """A page of events by gateway, rule and type, those with the newest events first, and how many."""
        rule_id = func.coalesce(AlarmEvent.rule_id, literal_column("0"))
        waits = AlarmEvent.state.in_(_values(TO_ACKNOWLEDGE)) & AlarmEvent.acked_ms.is_(None)
        query = self._matching(self._joined(), wanted, own).with_only_columns(
            AlarmEvent.device_id,
            rule_id.label("rule_id"),
            AlarmEvent.alarm_type,
            func.count().label("count"),
            func.sum(case((waits, 1), else_=0)).label("waiting"),
            func.min(AlarmEvent.at_ms).label("first_ms"),
            func.max(AlarmEvent.id).label("newest"),
        )
        query = query.group_by(AlarmEvent.device_id, rule_id, AlarmEvent.alarm_type)
        counted = select(func.count()).select_from(query.subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        query = query.order_by(func.max(AlarmEvent.at_ms).desc(), func.max(AlarmEvent.id).desc())
        groups = list(await self._session.execute(query.offset((page - 1) * limit).limit(limit)))
        newest = {row[0].id: row for row in await self.of(group[6] for group in groups)}
        return [(newest[row[6]], row[3], row[4], row[5]) for row in groups if row[6] in newest], total

    async def of(self, event_ids: Iterable[int]) -> list[JoinedAlarm]:
        """Events by number, in no order."""
        rows = await self._session.execute(self._joined().where(AlarmEvent.id.in_(list(event_ids))))
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    async def unexplained(self, limit: int) -> tuple[list[JoinedAlarm], int]:
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
                AlarmEvent.noted_ms > since_ms, *announced_only(), seen(self._scope, AlarmEvent.device_id)
            )
        )

    async def unread_on_offline(self, since_ms: int) -> int:
        """What went and what came."""
        mine = seen(self._scope, OnOfflineLog.device_id)
        went = await self._few(select(OnOfflineLog.id).where(OnOfflineLog.noted_ms > since_ms, mine))
        came = await self._few(select(OnOfflineLog.id).where(OnOfflineLog.online_ms > since_ms, mine))
        return min(went + came, MAX_UNREAD)

    async def unresolved_by_level(self, levels: Collection[int]) -> dict[int, int]:
        """How many alarms that stand, quiet ones too, are of each of these own levels."""
        level = case((AlarmEvent.level.in_(levels), AlarmEvent.level), else_=AlarmEvent.alarm_type)
        stand = select(level.label("level")).where(AlarmEvent.state.in_(_values(UNRESOLVED))).subquery()
        query = select(stand.c.level, func.count()).where(stand.c.level.in_(levels))
        return {row[0]: row[1] for row in await self._session.execute(query.group_by(stand.c.level))}

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
        """How many there are, at most MAX_UNREAD: nobody waits for a count that is shown as 999+."""
        some = query.limit(MAX_UNREAD).subquery()
        return int((await self._session.execute(select(func.count()).select_from(some))).scalar_one())

    def _joined(self) -> Rows:
        query: Rows = select(AlarmEvent, Device, SlaveDevice, DataPoint).select_from(AlarmEvent)
        query = query.join(Device, AlarmEvent.device_id == Device.id)
        query = query.outerjoin(SlaveDevice, AlarmEvent.slave_id == SlaveDevice.id)
        query = query.outerjoin(DataPoint, AlarmEvent.dsid == DataPoint.id)
        return query.where(seen(self._scope, AlarmEvent.device_id))

    def _matching(self, query: Rows, wanted: AlarmQuery, own: Sequence[int]) -> Rows:
        if wanted.view:
            query = query.where(*_in_view(wanted.view))
        else:
            query = query.where(AlarmEvent.at_ms >= wanted.from_ms, AlarmEvent.at_ms < wanted.to_ms)
        if wanted.state:
            query = query.where(AlarmEvent.state == wanted.state, AlarmEvent.alarm_type.not_in(_RECOVERIES))
        if wanted.rule_id is not None:
            query = query.where(func.coalesce(AlarmEvent.rule_id, 0) == wanted.rule_id)
        if wanted.folded:
            query = query.where(AlarmEvent.parent_id.is_(None))
        for column, value in (
            (AlarmEvent.parent_id, wanted.parent_id),
            (AlarmEvent.status, wanted.status),
            (AlarmEvent.alarm_type, wanted.alarm_type),
            (AlarmEvent.device_id, wanted.device_id),
        ):
            if value is not None:
                query = query.where(column == value)
        if wanted.level:
            query = query.where(_is_at_level(wanted.level, own))
        if wanted.search:
            columns = (
                Device.display_title,
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
    """Unhandled, active, and not under a root cause."""
    return (
        (AlarmEvent.status == int(Status.UNHANDLED))
        & AlarmEvent.state.in_(_values(ACTIVE))
        & AlarmEvent.parent_id.is_(None)
        & AlarmEvent.alarm_type.not_in(_RECOVERIES)
    )


def announced_only() -> tuple[ColumnElement[bool], ...]:
    """As life_cycle.is_announced."""
    return AlarmEvent.quiet == "", AlarmEvent.parent_id.is_(None)


def _in_view(view: str) -> tuple[ColumnElement[bool], ...]:
    is_alarm = AlarmEvent.alarm_type.not_in(_RECOVERIES)
    if view == "unhandled":
        return AlarmEvent.status == int(Status.UNHANDLED), AlarmEvent.quiet == "", is_alarm
    return AlarmEvent.state.in_(_values(ACTIVE if view == "active" else QUIET)), is_alarm


def _severity(own: Sequence[int]) -> ColumnElement[int]:
    """The most severe first: danger, own levels, warning, whatever else."""
    return case(
        (AlarmEvent.alarm_type.in_(codes_of(Level.DANGER)), 0),
        (or_(AlarmEvent.alarm_type.in_(own), AlarmEvent.level.in_(own)), 1),
        (AlarmEvent.alarm_type.in_(codes_of(Level.WARNING)), 2),
        else_=3,
    )


def _values(states: Iterable[State]) -> list[str]:
    return sorted(state.value for state in states)


def _is_at_level(level: str, own: Sequence[int]) -> ColumnElement[bool]:
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
