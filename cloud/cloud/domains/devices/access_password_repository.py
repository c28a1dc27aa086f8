"""Every query of access passwords."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.inventory.models import AccessPassword, Device


class AccessPasswordRepository:
    """Works on the caller's session; commits nothing. Its service asks first whether the gateway is seen."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def add(self, row: AccessPassword) -> None:
        self._session.add(row)

    async def delete(self, row: AccessPassword) -> None:
        await self._session.delete(row)

    async def of_device(self, device_id: int) -> AccessPassword | None:
        return await self._session.get(AccessPassword, device_id)

    async def of_devices(self, device_ids: Collection[int]) -> list[tuple[AccessPassword, str]]:
        """Those that have one, with the gateway's title, by number."""
        query = select(AccessPassword, Device.display_title).join(
            Device, Device.id == AccessPassword.device_id
        )
        query = query.where(AccessPassword.device_id.in_(device_ids)).order_by(AccessPassword.device_id)
        return [(row[0], row[1]) for row in await self._session.execute(query)]
