"""Every query of imports and exports: gateways with their documents and settings, many at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.configuration.models import ConfigurationStateRow, ConfigurationVersion
from cloud.domains.devices.filters import DeviceFilter
from cloud.domains.devices.setting_models import PointSetting
from cloud.domains.identity.scope import within
from cloud.domains.importing.names import Names, Node, names_of
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.product_models import Product
from cloud.domains.inventory.project_models import Project
from cloud.domains.inventory.visibility import owned, visible, writable

MAX_NAMED = 50_000
"""Projects or products that are known by their names."""


@dataclass(frozen=True)
class Stored:
    """A gateway as it stands. newest: name of the document that the next edit begins with; text: that one."""

    device: Device
    newest: str | None
    text: str | None


class ImportRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def stored(self, gateways: Collection[str]) -> dict[str, Stored]:
        """Gateways that the user sees, by serial number, with their documents."""
        return {row.device.gateway_id: row for row in await self._stored(Device.gateway_id.in_(gateways))}

    async def numbered(self, device_ids: Collection[int]) -> list[Stored]:
        """In the order of their serial numbers."""
        return await self._stored(Device.id.in_(device_ids))

    async def claimed(self, gateways: Collection[str]) -> set[str]:
        """Serial numbers that anybody has: one is there once."""
        query = select(Device.gateway_id).where(Device.gateway_id.in_(gateways))
        return set(await self._session.scalars(query))

    async def secret_hashes(self, gateways: Collection[str]) -> dict[str, str]:
        """Of those that the user sees."""
        query = select(Device.gateway_id, Device.secret_hash)
        query = query.where(Device.gateway_id.in_(gateways), visible(self._scope))
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def owned(self, device_ids: Collection[int]) -> set[int]:
        query = select(Device.id).where(Device.id.in_(device_ids), owned(self._scope))
        return set(await self._session.scalars(query))

    async def writable(self, device_ids: Collection[int]) -> set[int]:
        query = select(Device.id).where(Device.id.in_(device_ids), writable(self._scope))
        return set(await self._session.scalars(query))

    async def devices(self, device_ids: Collection[int]) -> dict[int, Device]:
        """Those that the user may change, locked where a database can."""
        query = select(Device).where(Device.id.in_(device_ids), writable(self._scope)).with_for_update()
        return {row.id: row for row in await self._session.scalars(query)}

    async def listed(self, wanted: DeviceFilter, ids: Collection[int] | None, max_count: int) -> list[int]:
        """Numbers of gateways that the user sees, by serial number, at most so many."""
        query = select(Device.id).where(visible(self._scope), *wanted.conditions(self._scope))
        if ids is not None:
            query = query.where(Device.id.in_(ids))
        return list(await self._session.scalars(query.order_by(Device.gateway_id).limit(max_count)))

    async def own(self, project_id: int | None, max_count: int) -> list[tuple[int, str, str]]:
        """Number, serial number and title of gateways that belong to the user himself, the platform's to its
        users; of a project with everything below it.
        """
        mine = Device.owner_id.is_(None) if self._scope.everything else Device.owner_id == self._scope.user_id
        conditions = DeviceFilter(project_id=project_id).conditions(self._scope)
        query = select(Device.id, Device.gateway_id, Device.title).where(mine, *conditions)
        rows = await self._session.execute(query.order_by(Device.gateway_id).limit(max_count))
        return [(row[0], row[1], row[2]) for row in rows]

    async def sees_project(self, project_id: int) -> bool:
        query = select(Project.id).where(Project.id == project_id, within(self._scope, Project.owner_id))
        return (await self._session.scalars(query)).one_or_none() is not None

    async def names(self) -> Names:
        """Projects and products that the user sees."""
        projects = select(Project.id, Project.path, Project.title, Project.kind)
        projects = projects.where(within(self._scope, Project.owner_id)).limit(MAX_NAMED)
        products = select(Product.id, Product.code, Product.title)
        products = products.where(within(self._scope, Product.owner_id)).limit(MAX_NAMED)
        nodes = [Node(n, p, t, k != "project") for n, p, t, k in await self._session.execute(projects)]
        return names_of(nodes, [(n, c, t) for n, c, t in await self._session.execute(products)])

    async def settings(self, device_ids: Collection[int]) -> dict[int, list[PointSetting]]:
        """Of gateways that were found before, by gateway."""
        query = select(PointSetting).where(PointSetting.device_id.in_(device_ids))
        by_device: dict[int, list[PointSetting]] = {number: [] for number in device_ids}
        for row in await self._session.scalars(query):
            by_device[row.device_id].append(row)
        return by_device

    async def settings_of(
        self, device_id: int, keys: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], PointSetting]:
        query = select(PointSetting).where(
            PointSetting.device_id == device_id, tuple_(PointSetting.slave, PointSetting.name).in_(keys)
        )
        return {(row.slave, row.name): row for row in await self._session.scalars(query)}

    def add(self, row: PointSetting) -> None:
        self._session.add(row)

    async def _stored(self, wanted: ColumnElement[bool]) -> list[Stored]:
        query = (
            select(Device, ConfigurationStateRow.newest, ConfigurationVersion.document)
            .outerjoin(ConfigurationStateRow, ConfigurationStateRow.device_id == Device.id)
            .outerjoin(
                ConfigurationVersion,
                (ConfigurationVersion.device_id == Device.id)
                & (ConfigurationVersion.hash == ConfigurationStateRow.newest),
            )
            .where(wanted, visible(self._scope))
            .order_by(Device.gateway_id)
        )
        return [Stored(device, newest, text) for device, newest, text in await self._session.execute(query)]
