"""Every query of what gateways said."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.fieldbus.models import GatewayFieldbus
from cloud.domains.inventory.visibility import seen


class FieldbusRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._seen = seen(scope, GatewayFieldbus.device_id)

    async def replace(self, device_ids: Collection[int], rows: Sequence[Mapping[str, Any]]) -> None:
        """What these gateways said, of some of them nothing."""
        await self._session.execute(
            delete(GatewayFieldbus).where(GatewayFieldbus.device_id.in_(device_ids), self._seen)
        )
        if rows:
            await self._session.execute(insert(GatewayFieldbus), list(rows))

    async def of_device(self, device_id: int) -> GatewayFieldbus | None:
        query = select(GatewayFieldbus).where(GatewayFieldbus.device_id == device_id, self._seen)
        row: GatewayFieldbus | None = await self._session.scalar(query)
        return row
