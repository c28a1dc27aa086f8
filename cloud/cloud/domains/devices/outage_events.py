"""Queries of the on-offline log as events over all gateways: each absence has a beginning and an end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, func, literal, or_, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from cloud.core.scope import Scope
from cloud.domains.inventory.models import Device, OnOfflineLog, SlaveDevice
from cloud.domains.inventory.visibility import visible

Event = tuple[int, OnOfflineLog, Device, SlaveDevice | None]
"""Status (0 went, 1 came), the absence, its gateway, its slave."""


Side = Select[*tuple[Any, ...]]


@dataclass(frozen=True)
class EventQuery:
    """Which events. from_ms <= at < to_ms; status: None for both; slaves: those of slaves too."""

    from_ms: int
    to_ms: int
    device_id: int | None = None
    status: int | None = None
    slaves: bool = True
    search: str = ""


class OutageEventRepository:
    """Works on the caller's session; changes nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def page(self, wanted: EventQuery, page: int, limit: int) -> tuple[list[Event], int]:
        """A page, the newest first, and how many there are."""
        total = sum([await self._count(side) for side in self._sides(wanted)])
        return await self._page(wanted, page, limit), total

    async def counts(self, wanted: EventQuery) -> tuple[int, int]:
        """How many went and came."""
        went, came = [await self._count(side) for side in self._sides(wanted)]
        return went, came

    async def newest(self, wanted: EventQuery, limit: int) -> list[Event]:
        """The first page, without the count of all."""
        return await self._page(wanted, 1, limit)

    def _sides(self, wanted: EventQuery) -> list[Side]:
        return [
            self._side(wanted, status, column)
            for status, column in ((0, OnOfflineLog.offline_ms), (1, OnOfflineLog.online_ms))
            if wanted.status in (None, status)
        ]

    async def _page(self, wanted: EventQuery, page: int, limit: int) -> list[Event]:
        """Each side brings only what the page can show."""
        newest = [
            side.order_by(side.selected_columns.at.desc(), OnOfflineLog.id.desc())
            .limit(page * limit)
            .subquery()
            for side in self._sides(wanted)
        ]
        both = union_all(*(select(side) for side in newest)).subquery()
        query = (
            select(both.c.status, OnOfflineLog, Device, SlaveDevice)
            .join(OnOfflineLog, OnOfflineLog.id == both.c.id)
            .join(Device, OnOfflineLog.device_id == Device.id)
            .outerjoin(SlaveDevice, OnOfflineLog.slave_id == SlaveDevice.id)
            .order_by(both.c.at.desc(), both.c.id.desc(), both.c.status.desc())
            .offset((page - 1) * limit)
            .limit(limit)
        )
        return [(row[0], row[1], row[2], row[3]) for row in await self._session.execute(query)]

    async def _count(self, side: Side) -> int:
        counted = select(func.count()).select_from(side.subquery())
        return int((await self._session.execute(counted)).scalar_one())

    def _side(
        self,
        wanted: EventQuery,
        status: int,
        column: InstrumentedAttribute[int] | InstrumentedAttribute[int | None],
    ) -> Side:
        """Beginnings or ends: id, at, status."""
        conditions: list[ColumnElement[bool]] = [
            column >= wanted.from_ms,
            column < wanted.to_ms,
            visible(self._scope),
        ]
        if wanted.device_id is not None:
            conditions.append(OnOfflineLog.device_id == wanted.device_id)
        if not wanted.slaves:
            conditions.append(OnOfflineLog.slave_id.is_(None))
        if wanted.search:
            columns = (Device.display_title, Device.gateway_id, SlaveDevice.title)
            conditions.append(or_(*(each.icontains(wanted.search, autoescape=True) for each in columns)))
        query: Side = (
            select(OnOfflineLog.id, column.label("at"), literal(status).label("status"))
            .select_from(OnOfflineLog)
            .join(Device, OnOfflineLog.device_id == Device.id)
            .outerjoin(SlaveDevice, OnOfflineLog.slave_id == SlaveDevice.id)
        )
        return query.where(*conditions)
