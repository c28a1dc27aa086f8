"""Every query of the places of gateways."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, TypeVarTuple

from sqlalchemy import ColumnElement, Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.devices.filters import ANSWERING, SILENT, DeviceFilter, PlaceFilter, has_slave
from cloud.domains.devices.registry_repository import OF_PLACE
from cloud.domains.inventory.models import DataPoint, Device
from cloud.domains.inventory.visibility import visible

Columns = TypeVarTuple("Columns")

GIS_FROM = 1000
"""device_mst from which on a gateway is GIS-capable, by specification."""


class PresenceFacts(NamedTuple):
    """What the status of a gateway on a map is made of. reason: of its link."""

    online: bool
    open_alarms: int
    silent: bool
    answering: bool
    reason: str
    refused_ms: int | None


class Place(NamedTuple):
    """A gateway that has a place."""

    id: int
    longitude: float
    latitude: float
    title: str
    presence_facts: PresenceFacts


class PositionRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def places(self, wanted: PlaceFilter, limit: int) -> list[Place]:
        """The oldest first."""
        query = select(
            Device.id,
            Device.longitude,
            Device.latitude,
            Device.display_title,
            Device.online,
            Device.open_alarms,
            has_slave(*SILENT),
            has_slave(*ANSWERING),
            Device.reason,
            Device.refused_ms,
        )
        query = self._narrowed(query, wanted).where(_is_placed())
        rows = await self._session.execute(query.order_by(Device.id).limit(limit))
        return [
            Place(
                row[0],
                row[1] or 0.0,
                row[2] or 0.0,
                row[3],
                PresenceFacts(row[4], row[5], row[6], row[7], row[8], row[9]),
            )
            for row in rows
        ]

    async def counts(self, wanted: PlaceFilter) -> tuple[int, int]:
        """How many have a place, and how many have none."""
        query = self._narrowed(
            select(func.count(), func.count().filter(_is_placed())).select_from(Device), wanted
        )
        every, placed = (await self._session.execute(query)).one()
        return placed, every - placed

    async def page(
        self, wanted: PlaceFilter, page: int, limit: int
    ) -> tuple[list[tuple[Device, PresenceFacts]], int]:
        """Gateways, those without a place first; and how many match."""
        count = self._narrowed(select(func.count()).select_from(Device), wanted)
        total = int((await self._session.execute(count)).scalar_one())
        query = self._narrowed(select(Device, has_slave(*SILENT), has_slave(*ANSWERING)), wanted)
        query = query.order_by(Device.longitude.is_not(None), Device.title_key, Device.id)
        rows = await self._session.execute(query.offset((page - 1) * limit).limit(limit))
        return [(row[0], presence_facts(row[0], row[1], row[2])) for row in rows], total

    async def presence_facts(self, device: Device) -> PresenceFacts:
        """How one gateway and its slaves are."""
        query = select(has_slave(*SILENT), has_slave(*ANSWERING)).where(Device.id == device.id)
        silent, answering = (await self._session.execute(query)).one()
        return presence_facts(device, silent, answering)

    async def location_points(self, device_ids: Collection[int]) -> dict[int, int]:
        """Gateway to its first location point, of those that have one."""
        query = select(DataPoint.device_id, func.min(DataPoint.id)).where(*OF_PLACE)
        query = query.where(DataPoint.device_id.in_(device_ids)).group_by(DataPoint.device_id)
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def followed(self, limit: int) -> dict[int, int]:
        """Location point to gateway, of those that are positioned automatically."""
        query = select(func.min(DataPoint.id), DataPoint.device_id).join(
            Device, DataPoint.device_id == Device.id
        )
        query = query.where(Device.auto_position.is_(True), visible(self._scope), *OF_PLACE)
        query = query.group_by(DataPoint.device_id).order_by(DataPoint.device_id).limit(limit)
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def automatic(self, device_ids: Collection[int]) -> list[Device]:
        """Those gateways that are positioned automatically."""
        query = select(Device).where(Device.id.in_(device_ids), Device.auto_position.is_(True))
        return list(await self._session.scalars(query.where(visible(self._scope))))

    def _narrowed(self, query: Select[*Columns], wanted: PlaceFilter) -> Select[*Columns]:
        query = query.where(visible(self._scope))
        as_lists = DeviceFilter(wanted.search, wanted.status, wanted.project_id, wanted.product_id)
        query = query.where(*as_lists.conditions(self._scope))
        if wanted.gis:
            query = query.where(or_(Device.gis_show.is_(True), Device.mst >= GIS_FROM))
        if wanted.placed is not None:
            query = query.where(_is_placed() if wanted.placed else ~_is_placed())
        return query


def _is_placed() -> ColumnElement[bool]:
    return Device.longitude.is_not(None) & Device.latitude.is_not(None)


def presence_facts(device: Device, silent: bool, answering: bool) -> PresenceFacts:
    """silent, answering: whether it has such a slave."""
    return PresenceFacts(
        device.online, device.open_alarms, silent, answering, device.reason, device.refused_ms
    )
