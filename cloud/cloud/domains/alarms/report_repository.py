"""Queries of what alarms are like: counts, and which of them need somebody to look into the rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.alarms.codes import RECOVERIES
from cloud.domains.alarms.life_cycle import UNRESOLVED, State
from cloud.domains.alarms.models import AlarmEvent, Suppression
from cloud.domains.alarms.repository import AlarmRepository, JoinedAlarm, announced_only
from cloud.domains.alarms.states import Status
from cloud.domains.inventory.models import DataPoint, Device
from cloud.domains.inventory.visibility import seen

_IS_ALARM = AlarmEvent.alarm_type.not_in([int(code) for code in RECOVERIES])
_IS_UNRESOLVED = AlarmEvent.state.in_(sorted(state.value for state in UNRESOLVED))


@dataclass(frozen=True)
class Noisy:
    """Alarms of a rule at a gateway, or of a point of it. event: the newest of them."""

    event: AlarmEvent
    device: Device
    point: DataPoint | None
    count: int


class AlarmReportRepository:
    """Works on the caller's session. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def by_state(self) -> list[tuple[str, int, int | None, bool, int]]:
        """State but NORMAL, type, own level, whether it lies under a root cause, and how many."""
        is_folded = AlarmEvent.parent_id.is_not(None).label("is_folded")
        columns = (AlarmEvent.state, AlarmEvent.alarm_type, AlarmEvent.level, is_folded)
        query = select(*columns, func.count()).where(AlarmEvent.state != State.NORMAL.value, self._mine())
        rows = await self._session.execute(query.group_by(*columns))
        return [(row[0], row[1], row[2], bool(row[3]), row[4]) for row in rows]

    async def unhandled(self) -> int:
        where = (AlarmEvent.status == int(Status.UNHANDLED), _IS_ALARM, *announced_only())
        query = select(func.count()).select_from(AlarmEvent).where(*where, self._mine())
        return int((await self._session.execute(query)).scalar_one())

    async def announced_since(self, since_ms: int) -> int:
        """Alarms that people were told of; one that lasts and is told again does not count."""
        where = (AlarmEvent.noted_ms > since_ms, AlarmEvent.announced == 1, _IS_ALARM, *announced_only())
        query = select(func.count()).select_from(AlarmEvent).where(*where, self._mine())
        return int((await self._session.execute(query)).scalar_one())

    async def suppressions(self, now_ms: int) -> dict[str, int]:
        """Those that last, by kind."""
        query = select(Suppression.kind, func.count()).where(Suppression.ended_ms.is_(None))
        query = query.where(Suppression.until_ms > now_ms, seen(self._scope, Suppression.device_id))
        return {row[0]: row[1] for row in await self._session.execute(query.group_by(Suppression.kind))}

    async def stale(self, before_ms: int, limit: int) -> tuple[list[JoinedAlarm], int]:
        """Alarms that stand since before a time, the oldest first, and how many there are."""
        where = (_IS_UNRESOLVED, AlarmEvent.at_ms < before_ms)
        return await self._some(where, AlarmEvent.at_ms.asc(), limit)

    async def never_acknowledged(self, before_ms: int, limit: int) -> tuple[list[JoinedAlarm], int]:
        """Alarms begun before a time that nobody has acknowledged, the newest first, and how many."""
        waiting = (State.UNACKNOWLEDGED, State.RETURNED, State.LATCHED)
        states = AlarmEvent.state.in_([state.value for state in waiting])
        return await self._some((states, AlarmEvent.at_ms < before_ms), AlarmEvent.at_ms.desc(), limit)

    async def noisy(self, since_ms: int, limit: int) -> list[Noisy]:
        """What has made most alarms since a time."""
        columns = (AlarmEvent.device_id, AlarmEvent.rule_id, AlarmEvent.dsid, AlarmEvent.alarm_type)
        count = func.count().label("count")
        query = select(func.max(AlarmEvent.id).label("newest"), count)
        query = query.where(AlarmEvent.at_ms >= since_ms, _IS_ALARM, self._mine()).group_by(*columns)
        most = query.order_by(count.desc(), func.max(AlarmEvent.id).desc()).limit(limit).subquery()
        joined = select(AlarmEvent, Device, DataPoint, most.c.count)
        joined = joined.join(most, most.c.newest == AlarmEvent.id)
        joined = joined.join(Device, AlarmEvent.device_id == Device.id)
        joined = joined.outerjoin(DataPoint, AlarmEvent.dsid == DataPoint.id)
        rows = await self._session.execute(joined.order_by(most.c.count.desc(), AlarmEvent.id.desc()))
        return [Noisy(row[0], row[1], row[2], row[3]) for row in rows]

    async def _some(
        self, where: Sequence[ColumnElement[bool]], order: ColumnElement[int], limit: int
    ) -> tuple[list[JoinedAlarm], int]:
        query = select(AlarmEvent.id).where(*where, _IS_ALARM, self._mine())
        total = await self._session.execute(select(func.count()).select_from(query.subquery()))
        numbers = list(await self._session.scalars(query.order_by(order, AlarmEvent.id).limit(limit)))
        joined = {row[0].id: row for row in await AlarmRepository(self._session, self._scope).of(numbers)}
        return [joined[number] for number in numbers if number in joined], int(total.scalar_one())

    def _mine(self) -> ColumnElement[bool]:
        return seen(self._scope, AlarmEvent.device_id)
