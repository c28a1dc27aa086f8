"""Every query of products."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.identity.models import User
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.product_models import Product
from cloud.domains.inventory.visibility import visible

Found = tuple[Product, str]
"""A product and the name of its owner, "" for the platform's."""


class ProductRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, row: Product) -> None:
        self._session.add(row)

    async def flush(self) -> None:
        await self._session.flush()

    async def delete(self, row: Product) -> None:
        await self._session.delete(row)

    async def product(self, number: int) -> Found | None:
        found = (await self._session.execute(self._rows().where(Product.id == number))).first()
        return None if found is None else (found[0], found[1] or "")

    async def page(self, search: str, page: int, limit: int) -> tuple[list[Found], int]:
        """By name; search: in name, product id and remark."""
        matching: list[ColumnElement[bool]] = [self._seen]
        if search:
            columns = (Product.title, Product.code, Product.remark)
            matching.append(or_(*(column.icontains(search, autoescape=True) for column in columns)))
        query = self._rows().where(*matching).order_by(Product.title, Product.id)
        rows = await self._session.execute(query.limit(limit).offset((page - 1) * limit))
        total = select(func.count()).select_from(Product).where(*matching)
        return [(row[0], row[1] or "") for row in rows], int(
            (await self._session.execute(total)).scalar_one()
        )

    async def is_taken(self, code: str) -> bool:
        """By anybody: it is printed on devices of several makers."""
        query = select(Product.id).where(func.lower(Product.code) == code.lower())
        return (await self._session.execute(query)).first() is not None

    async def devices(self, numbers: Collection[int]) -> dict[int, int]:
        """Gateways of these products that the scope sees."""
        query = select(Device.product_id, func.count()).where(
            Device.product_id.in_(numbers), visible(self._scope)
        )
        rows = await self._session.execute(query.group_by(Device.product_id))
        return {row[0]: int(row[1]) for row in rows if row[0] is not None}

    async def of_device(self, device_id: int) -> int | None:
        query = select(Device.product_id).where(Device.id == device_id, visible(self._scope))
        return (await self._session.scalars(query)).one_or_none()

    async def used_by(self, number: int) -> int:
        """Gateways of a product, whoever sees them."""
        query = select(func.count()).select_from(Device).where(Device.product_id == number)
        return int((await self._session.execute(query)).scalar_one())

    def _rows(self) -> Select[Product, str]:
        query = select(Product, User.user_name).outerjoin(User, Product.owner_id == User.id)
        return query.where(self._seen)

    @property
    def _seen(self) -> ColumnElement[bool]:
        return within(self._scope, Product.owner_id)
