"""Every query of tunnels."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.devices.visibility import seen
from cloud.domains.identity.scope import Scope
from cloud.domains.tunnels.models import TunnelLease


class TunnelRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._seen = seen(scope, TunnelLease.device_id)

    def add(self, row: TunnelLease) -> None:
        self._session.add(row)

    async def lease(self, lease_id: str) -> TunnelLease | None:
        query = select(TunnelLease).where(TunnelLease.id == lease_id, self._seen)
        return (await self._session.scalars(query)).one_or_none()

    async def of_device(self, device_id: int, kind: str, limit: int) -> list[TunnelLease]:
        """Newest first."""
        query = select(TunnelLease).where(TunnelLease.device_id == device_id, TunnelLease.kind == kind)
        query = query.where(self._seen)
        query = query.order_by(TunnelLease.opened_ms.desc(), TunnelLease.id).limit(limit)
        return list(await self._session.scalars(query))

    async def not_ended(self) -> list[TunnelLease]:
        return list(await self._session.scalars(select(TunnelLease).where(TunnelLease.ended_ms.is_(None))))
