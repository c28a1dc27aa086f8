"""Every query of tunnels."""

from __future__ import annotations

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.devices.lease_models import TunnelLease
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import seen


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

    async def page(
        self, kind: str, page: int, limit: int, search: str, living: bool | None
    ) -> tuple[list[tuple[TunnelLease, Device]], int]:
        """Of all gateways, newest first, and how many match. search: title or serial number, port, user."""
        query = select(TunnelLease, Device).join(Device, TunnelLease.device_id == Device.id)
        query = query.where(TunnelLease.kind == kind, self._seen)
        if search:
            columns = (
                Device.shown_title,
                Device.gateway_id,
                TunnelLease.port,
                TunnelLease.user_name,
            )
            query = query.where(or_(*(column.icontains(search, autoescape=True) for column in columns)))
        if living is not None:
            ended = TunnelLease.ended_ms
            query = query.where(ended.is_(None) if living else ended.is_not(None))
        counted = select(func.count()).select_from(query.subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        query = query.order_by(TunnelLease.opened_ms.desc(), TunnelLease.id).offset((page - 1) * limit)
        return [(row[0], row[1]) for row in await self._session.execute(query.limit(limit))], total

    async def not_ended(self) -> list[TunnelLease]:
        return list(await self._session.scalars(select(TunnelLease).where(TunnelLease.ended_ms.is_(None))))
