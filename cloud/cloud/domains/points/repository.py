"""Every query of point settings."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.devices.setting_models import PointSetting
from cloud.domains.inventory.visibility import seen


class PointRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, row: PointSetting) -> None:
        self._session.add(row)

    async def settings(self, device_id: int, slave: str | None = None) -> dict[tuple[str, str], PointSetting]:
        """By slave and name of the point."""
        query = select(PointSetting).where(
            PointSetting.device_id == device_id, seen(self._scope, PointSetting.device_id)
        )
        if slave is not None:
            query = query.where(PointSetting.slave == slave)
        return {(row.slave, row.name): row for row in await self._session.scalars(query)}

    async def forget(self, device_id: int, keys: Collection[tuple[str, str]]) -> None:
        for slave, name in keys:
            await self._session.execute(
                delete(PointSetting).where(
                    PointSetting.device_id == device_id,
                    PointSetting.slave == slave,
                    PointSetting.name == name,
                )
            )
