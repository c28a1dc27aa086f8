"""Every query of the statistical report, counted in the database: a year of events is millions of rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.alarms.codes import RECOVERIES, Level, codes_of
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.states import Status
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import Device, OnOfflineLog
from cloud.domains.inventory.project_models import Project
from cloud.domains.inventory.visibility import visible
from cloud.domains.reports.schemas import ReportQuery

DAY_MS = 86_400_000


@dataclass(frozen=True)
class Counted:
    """One gateway's numbers."""

    device: Device
    alarms: int
    danger: int
    warning: int
    unhandled: int
    handled: int
    false_alarms: int
    offline_count: int
    offline_ms: int


class ReportRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not counted."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def page(self, wanted: ReportQuery, now_ms: int, offset: int, limit: int) -> list[Counted]:
        """Gateways in the order that is asked for, those of equal rank by number."""
        query, columns = self._counted(wanted, now_ms)
        order = columns[wanted.sort.lstrip("-")]
        order = order.desc() if wanted.sort.startswith("-") else order.asc()
        rows = await self._session.execute(query.order_by(order, Device.id).offset(offset).limit(limit))
        return [Counted(row[0], *map(int, row[1:])) for row in rows]

    async def devices(self, wanted: ReportQuery) -> list[tuple[int, int | None]]:
        """Number of every gateway of the report, and when it was first online."""
        query = self._devices(wanted).with_only_columns(Device.id, Device.first_online_ms)
        return [(row[0], row[1]) for row in await self._session.execute(query)]

    async def totals(self, wanted: ReportQuery, now_ms: int) -> tuple[int, int, int]:
        """Alarms, unhandled ones, absences of all gateways together."""
        query, columns = self._counted(wanted, now_ms)
        names = ("alarms", "unhandled", "offline_count")
        whole = query.with_only_columns(*(columns[name].label(name) for name in names)).subquery()
        sums = select(*(func.coalesce(func.sum(whole.c[name]), 0) for name in names))
        row = (await self._session.execute(sums)).one()
        return int(row[0]), int(row[1]), int(row[2])

    async def offline_ms(self, wanted: ReportQuery, now_ms: int) -> dict[int, int]:
        """Length of the absences of each gateway that had one."""
        offline = self._offline(wanted, now_ms)
        return {
            row[0]: int(row[2])
            for row in await self._session.execute(
                select(offline).where(self._is_wanted(offline.c.device_id, wanted))
            )
        }

    async def alarm_days(self, wanted: ReportQuery) -> dict[int, int]:
        """Number of the day since 1970 on the reader's calendar, to alarms."""
        query = select(self._day(AlarmEvent.at_ms, wanted), func.count())
        query = query.where(*_alarms(wanted), self._is_wanted(AlarmEvent.device_id, wanted))
        return await self._by_day(query)

    async def offline_days(self, wanted: ReportQuery) -> dict[int, int]:
        """The same for absences of gateways, by their beginning."""
        log = OnOfflineLog
        query = select(self._day(log.offline_ms, wanted), func.count()).where(
            log.slave_id.is_(None),
            log.offline_ms >= wanted.from_ms,
            log.offline_ms < wanted.to_ms,
            self._is_wanted(log.device_id, wanted),
        )
        return await self._by_day(query)

    async def _by_day(self, query: Select[*tuple[Any, ...]]) -> dict[int, int]:
        day = query.selected_columns[0].label("day")
        rows = await self._session.execute(query.with_only_columns(day, func.count()).group_by("day"))
        return {int(row[0]): int(row[1]) for row in rows}

    def _day(self, column: Any, wanted: ReportQuery) -> ColumnElement[int]:
        day: ColumnElement[int] = (column + wanted.offset_min * 60_000) // DAY_MS
        return day

    def _devices(self, wanted: ReportQuery) -> Select[Any]:
        query = select(Device).where(visible(self._scope))
        if wanted.search:
            columns = (Device.display_title, Device.gateway_id)
            query = query.where(
                or_(*(column.icontains(wanted.search, autoescape=True) for column in columns))
            )
        if wanted.project_id is not None:
            inside = (Project.path.contains(f"/{wanted.project_id}/"), within(self._scope, Project.owner_id))
            query = query.where(Device.project_id.in_(select(Project.id).where(*inside)))
        return query

    def _is_wanted(self, column: Any, wanted: ReportQuery) -> ColumnElement[bool]:
        is_wanted: ColumnElement[bool] = column.in_(self._devices(wanted).with_only_columns(Device.id))
        return is_wanted

    def _offline(self, wanted: ReportQuery, now_ms: int) -> Any:
        """By gateway: absences that touch the period, and their length inside it."""
        log = OnOfflineLog
        end_ms = min(wanted.to_ms, now_ms)
        ended = func.coalesce(log.online_ms, end_ms)
        begins = case((log.offline_ms > wanted.from_ms, log.offline_ms), else_=wanted.from_ms)
        ends = case((ended < end_ms, ended), else_=end_ms)
        touches = and_(
            log.slave_id.is_(None),
            log.offline_ms < end_ms,
            or_(log.online_ms.is_(None), log.online_ms > wanted.from_ms),
        )
        query = select(log.device_id, func.count().label("n"), func.sum(ends - begins).label("ms"))
        return query.where(touches).group_by(log.device_id).subquery()

    def _counted(self, wanted: ReportQuery, now_ms: int) -> tuple[Select[Any], dict[str, Any]]:
        alarms = _by_device(wanted)
        offline = self._offline(wanted, now_ms)
        names = ("alarms", "danger", "warning", "unhandled", "handled", "false_alarms")
        columns: dict[str, Any] = {name: func.coalesce(alarms.c[name], 0) for name in names}
        columns["offline_count"] = func.coalesce(offline.c.n, 0)
        columns["offline_ms"] = func.coalesce(offline.c.ms, 0)
        query = self._devices(wanted).with_only_columns(Device, *columns.values())
        query = query.outerjoin(alarms, alarms.c.device_id == Device.id)
        query = query.outerjoin(offline, offline.c.device_id == Device.id)
        return query, {**columns, "device_title": Device.title_key}


def _alarms(wanted: ReportQuery) -> tuple[ColumnElement[bool], ...]:
    """Events of the period that are no recoveries."""
    return (
        AlarmEvent.at_ms >= wanted.from_ms,
        AlarmEvent.at_ms < wanted.to_ms,
        AlarmEvent.alarm_type.not_in(tuple(RECOVERIES)),
    )


def _by_device(wanted: ReportQuery) -> Any:
    def among(column: Any, values: Collection[int], name: str) -> Any:
        return func.sum(case((column.in_(tuple(values)), 1), else_=0)).label(name)

    kind, status = AlarmEvent.alarm_type, AlarmEvent.status
    query = select(
        AlarmEvent.device_id,
        func.count().label("alarms"),
        among(kind, codes_of(Level.DANGER), "danger"),
        among(kind, codes_of(Level.WARNING), "warning"),
        among(status, (Status.UNHANDLED,), "unhandled"),
        among(status, (Status.HANDLED,), "handled"),
        among(status, (Status.FALSE_ALARM,), "false_alarms"),
    )
    return query.where(*_alarms(wanted)).group_by(AlarmEvent.device_id).subquery()
