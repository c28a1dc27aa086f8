"""Every query of tunnels."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.tunnels.models import TunnelLease


class TunnelRepository:
    """Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def add(self, row: TunnelLease) -> None:
        self._session.add(row)

    async def lease(self, lease_id: str) -> TunnelLease | None:
        return await self._session.get(TunnelLease, lease_id)

    async def of_device(self, device_id: int, kind: str, limit: int) -> list[TunnelLease]:
        """Newest first."""
        query = select(TunnelLease).where(TunnelLease.device_id == device_id, TunnelLease.kind == kind)
        query = query.order_by(TunnelLease.opened_ms.desc(), TunnelLease.id).limit(limit)
        return list(await self._session.scalars(query))

    async def not_ended(self) -> list[TunnelLease]:
        return list(await self._session.scalars(select(TunnelLease).where(TunnelLease.ended_ms.is_(None))))
