"""Every query of the places of gateways."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeVarTuple

from sqlalchemy import ColumnElement, Row, Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from cloud.domains.devices.models import DataPoint, Device, SlaveDevice
from cloud.domains.devices.registry_repository import OF_PLACE
from cloud.domains.devices.states import DISABLED, LENT
from cloud.domains.devices.visibility import visible
from cloud.domains.identity.scope import Scope, within
from cloud.domains.projects.models import Project

Columns = TypeVarTuple("Columns")

GIS_FROM = 1000
"""device_mst from which on a gateway is GIS-capable, by specification."""


@dataclass(frozen=True)
class PlaceFilter:
    """Which gateways. project_id takes its subtree along; gis: shown in GIS, or capable of it."""

    project_id: int | None = None
    product_id: int | None = None
    status: str = ""
    search: str = ""
    gis: bool = False
    placed: bool | None = None


class PositionRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def places(
        self, wanted: PlaceFilter, most: int
    ) -> list[Row[int, float, float, bool, bool, str, str, int | None]]:
        """Number, longitude, latitude, online, whether a slave is silent, title, reason of its link and
        refused_ms; the oldest first.
        """
        query = select(
            Device.id,
            Device.longitude,
            Device.latitude,
            Device.online,
            _is_silent(),
            Device.title,
            Device.reason,
            Device.refused_ms,
        )
        query = self._narrowed(query, wanted).where(_is_placed())
        return list(await self._session.execute(query.order_by(Device.id).limit(most)))

    async def counts(self, wanted: PlaceFilter) -> tuple[int, int]:
        """How many have a place, and how many have none."""
        query = self._narrowed(
            select(func.count(), func.count().filter(_is_placed())).select_from(Device), wanted
        )
        every, placed = (await self._session.execute(query)).one()
        return placed, every - placed

    async def page(self, wanted: PlaceFilter, page: int, limit: int) -> tuple[list[tuple[Device, bool]], int]:
        """Gateways with whether a slave is silent, those without a place first; and how many match."""
        count = self._narrowed(select(func.count()).select_from(Device), wanted)
        total = int((await self._session.execute(count)).scalar_one())
        query = self._narrowed(select(Device, _is_silent()), wanted)
        query = query.order_by(Device.longitude.is_not(None), Device.title_key, Device.id)
        rows = await self._session.execute(query.offset((page - 1) * limit).limit(limit))
        return [(row[0], bool(row[1])) for row in rows], total

    async def location_points(self, device_ids: Collection[int]) -> dict[int, int]:
        """Gateway to its first location point, of those that have one."""
        query = select(DataPoint.device_id, func.min(DataPoint.id)).where(*OF_PLACE)
        query = query.where(DataPoint.device_id.in_(device_ids)).group_by(DataPoint.device_id)
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def followed(self, most: int) -> dict[int, int]:
        """Location point to gateway, of those that are positioned automatically."""
        query = select(func.min(DataPoint.id), DataPoint.device_id).join(
            Device, DataPoint.device_id == Device.id
        )
        query = query.where(Device.auto_position.is_(True), visible(self._scope), *OF_PLACE)
        query = query.group_by(DataPoint.device_id).order_by(DataPoint.device_id).limit(most)
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def automatic(self, device_ids: Collection[int]) -> list[Device]:
        """Those gateways that are positioned automatically."""
        query = select(Device).where(Device.id.in_(device_ids), Device.auto_position.is_(True))
        return list(await self._session.scalars(query.where(visible(self._scope))))

    def _narrowed(self, query: Select[*Columns], wanted: PlaceFilter) -> Select[*Columns]:
        query = query.where(visible(self._scope))
        if wanted.project_id is not None:
            query = query.where(Device.project_id.in_(_subtree(self._scope, wanted.project_id)))
        if wanted.product_id is not None:
            query = query.where(Device.product_id == wanted.product_id)
        if wanted.search:
            columns = (Device.title, Device.gateway_id)
            query = query.where(or_(*(one.icontains(wanted.search, autoescape=True) for one in columns)))
        if wanted.gis:
            query = query.where(or_(Device.gis_show.is_(True), Device.mst >= GIS_FROM))
        if wanted.placed is not None:
            query = query.where(_is_placed() if wanted.placed else ~_is_placed())
        if wanted.status == "offline":
            query = query.where(Device.online.is_(False))
        elif wanted.status:
            silent = _is_silent()
            query = query.where(Device.online.is_(True), silent if wanted.status == "alarm" else ~silent)
        return query


def _is_placed() -> ColumnElement[bool]:
    return Device.longitude.is_not(None) & Device.latitude.is_not(None)


def _is_silent() -> ColumnElement[bool]:
    """Does a slave that ought to answer not do so?"""
    return (
        select(SlaveDevice.id)
        .where(
            SlaveDevice.device_id == Device.id,
            SlaveDevice.online.is_(False),
            SlaveDevice.removed.is_(False),
            SlaveDevice.reason.not_in((DISABLED, LENT)),
        )
        .exists()
    )


def _subtree(scope: Scope, project_id: int) -> Select[int]:
    """A project that the scope sees with everything below it."""
    root = aliased(Project)
    below = select(Project.id).join(root, Project.path.like(root.path + "%"))
    return below.where(root.id == project_id, root.path != "", within(scope, Project.owner_id))
