"""Every query of the registry: what a new or changed gateway refers to, and what goes with one."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Table, func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.db import Base
from cloud.domains.identity.models import User
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import DataPoint, DeadSeries, Device
from cloud.domains.inventory.product_models import Product
from cloud.domains.inventory.project_models import Project

OF_PLACE = (DataPoint.kind == "loc", DataPoint.removed.is_(False))
"""Location points, whose value is "longitude,latitude" (C-144)."""

MAX_AT_ONCE = 500
"""Numbers in one question."""


class RegistryRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, row: Device) -> None:
        self._session.add(row)

    async def flush(self) -> None:
        await self._session.flush()

    async def delete(self, row: Device) -> None:
        """Delete a gateway and all that refers to it; the numbers of its points stay until their samples are
        gone too.
        """
        points = select(DataPoint.id).where(DataPoint.device_id == row.id)
        await self._session.execute(insert(DeadSeries).from_select(["dsid"], points))
        await self._session.delete(row)
        await self._session.flush()

    async def is_claimed(self, gateway: str) -> bool:
        """By anybody: a serial number is there once."""
        query = select(Device.id).where(Device.gateway_id == gateway)
        return (await self._session.execute(query)).first() is not None

    async def tenant(self, path: str) -> User | None:
        """The topmost user of a path who is not the platform's."""
        numbers = [int(part) for part in path.split("/") if part]
        query = select(User).where(User.id.in_(numbers), User.user_type > 0)
        return (await self._session.scalars(query.order_by(func.length(User.path)).limit(1))).one_or_none()

    async def unconnected(self, path: str, since_ms: int) -> tuple[int, int]:
        """Gateways of everybody below a path that never connected, and those of them added since then."""
        owners = select(User.id).where(User.path.startswith(path, autoescape=True))
        fresh = func.count().filter(Device.created_ms >= since_ms)
        query = select(func.count(), fresh).where(Device.owner_id.in_(owners), Device.boot == "")
        row = (await self._session.execute(query)).one()
        return int(row[0]), int(row[1])

    async def with_code(self, code: str) -> Device | None:
        """Whoever has the code in its QR code may ask for the gateway, whom he does not see yet. Locked until
        the transaction ends, where the database can: of two who scan it at once one becomes the owner.
        """
        query = select(Device).where(Device.bind_code == code).with_for_update()
        return (await self._session.scalars(query)).one_or_none()

    async def has_location_point(self, device_id: int) -> bool:
        """Whether the gateway can say where it is."""
        query = select(DataPoint.id).where(DataPoint.device_id == device_id, *OF_PLACE).limit(1)
        return (await self._session.execute(query)).first() is not None

    async def project(self, project_id: int) -> Project | None:
        query = select(Project).where(Project.id == project_id, within(self._scope, Project.owner_id))
        return (await self._session.scalars(query)).one_or_none()

    async def product(self, product_id: int) -> Product | None:
        query = select(Product).where(Product.id == product_id, within(self._scope, Product.owner_id))
        return (await self._session.scalars(query)).one_or_none()

    async def is_below(self, user_id: int | None, above_id: int) -> bool:
        """Is the user that one, or somebody below him?"""
        if user_id is None or user_id == above_id:
            return user_id is not None
        above = select(User.path).where(User.id == above_id).scalar_subquery()
        query = select(User.id).where(User.id == user_id, User.path.startswith(above))
        return (await self._session.execute(query)).first() is not None

    async def titles(
        self, projects: Collection[int], products: Collection[int]
    ) -> tuple[dict[int, str], dict[int, str]]:
        """Of those projects and products that the scope sees."""
        titles: list[dict[int, str]] = []
        for table, numbers in ((Project, projects), (Product, products)):
            query = select(table.id, table.title).where(
                table.id.in_(set(numbers)), within(self._scope, table.owner_id)
            )
            rows = await self._session.execute(query) if numbers else ()
            titles.append({row[0]: row[1] for row in rows})
        return titles[0], titles[1]

    async def going(self, device_id: int) -> dict[str, int]:
        """Table to number of its rows that the deletion of a gateway takes along: every table that says so
        of its own foreign key, also those of rooms which are not built yet.
        """
        counts: dict[str, int] = {}
        for table in Base.metadata.sorted_tables:
            if column := _cascading(table):
                query = select(func.count()).select_from(table).where(table.c[column] == device_id)
                counts[table.name] = int((await self._session.execute(query)).scalar_one())
        return counts


def _cascading(table: Table) -> str | None:
    """The column by which rows go with their gateway."""
    for key in table.foreign_keys:
        if key.column.table.name == Device.__tablename__ and key.ondelete == "CASCADE":
            return str(key.parent.name)
    return None
