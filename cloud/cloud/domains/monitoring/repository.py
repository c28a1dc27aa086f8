"""Every query of the list monitor."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.devices.filters import DeviceFilter
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import DataPoint, Device, SlaveDevice
from cloud.domains.inventory.product_models import Product
from cloud.domains.inventory.visibility import visible, writable
from cloud.domains.monitoring.schemas import PointQuery

MAX_PRODUCTS = 500

_TEXTS = (
    Device.display_title,
    Device.gateway_id,
    SlaveDevice.title,
    DataPoint.title,
    DataPoint.name,
)

Found = tuple[DataPoint, SlaveDevice, Device]


class MonitoringRepository:
    """Works on the caller's session. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def points(self, wanted: PointQuery, max_count: int) -> tuple[list[Found], int]:
        """The first points by gateway, slave and number, and how many match."""
        conditions = self._conditions(wanted)
        joined = select(DataPoint, SlaveDevice, Device).join(
            SlaveDevice, DataPoint.slave_id == SlaveDevice.id
        )
        joined = joined.join(Device, DataPoint.device_id == Device.id).where(*conditions)
        order = (Device.title_key, Device.id, SlaveDevice.id, DataPoint.id)
        rows = await self._session.execute(joined.order_by(*order).limit(max_count))
        found = [(row[0], row[1], row[2]) for row in rows]
        if len(found) < max_count:
            return found, len(found)
        count = await self._session.execute(joined.with_only_columns(func.count()))
        return found, int(count.scalar_one())

    def _conditions(self, wanted: PointQuery) -> list[ColumnElement[bool]]:
        of_devices = DeviceFilter(
            status=wanted.status, project_id=wanted.project_id, product_id=wanted.product_id
        )
        found = [visible(self._scope), DataPoint.removed.is_(False), *of_devices.conditions(self._scope)]
        if wanted.device_id is not None:
            found.append(Device.id == wanted.device_id)
        if wanted.dsids:
            found.append(DataPoint.id.in_(wanted.dsids))
        if wanted.search:
            found.append(or_(*(text.icontains(wanted.search, autoescape=True) for text in _TEXTS)))
        return found

    async def writable(self, device_ids: Collection[int]) -> set[int]:
        query = select(Device.id).where(Device.id.in_(device_ids), writable(self._scope))
        return set(await self._session.scalars(query))

    async def products(self) -> list[tuple[int, str]]:
        """Of the gateways that are seen, those that are seen themselves."""
        used = select(Device.product_id).where(visible(self._scope), Device.product_id.is_not(None))
        query = select(Product.id, Product.title).where(
            Product.id.in_(used), within(self._scope, Product.owner_id)
        )
        query = query.order_by(Product.title, Product.id)
        return [(row[0], row[1]) for row in await self._session.execute(query.limit(MAX_PRODUCTS))]
