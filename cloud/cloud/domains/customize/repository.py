"""Every query of the portal's looks. They belong to the platform, not to a user."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CursorResult, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.customize.models import Customization


class CustomizeRepository:
    """Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def one(self, domain: str) -> Customization | None:
        return await self._session.get(Customization, domain)

    async def page(self, page: int, limit: int) -> tuple[list[Customization], int]:
        """Entries by host name, and how many there are."""
        query = select(Customization).order_by(Customization.domain).offset((page - 1) * limit).limit(limit)
        return list(await self._session.scalars(query)), await self.count()

    async def count(self) -> int:
        return int(
            (await self._session.execute(select(func.count()).select_from(Customization))).scalar_one()
        )

    async def all(self) -> list[Customization]:
        """Every entry; the service bounds how many there are."""
        return list(await self._session.scalars(select(Customization)))

    async def put(self, **columns: Any) -> None:
        """Add an entry or replace the one of its host name."""
        insert = postgresql.insert if self._session.get_bind().dialect.name == "postgresql" else sqlite.insert
        statement = insert(Customization).values(**columns)
        changes = {name: value for name, value in columns.items() if name != "domain"}
        await self._session.execute(statement.on_conflict_do_update(index_elements=["domain"], set_=changes))

    async def delete(self, domain: str) -> bool:
        """False when there was none."""
        result = await self._session.execute(delete(Customization).where(Customization.domain == domain))
        return isinstance(result, CursorResult) and result.rowcount > 0
