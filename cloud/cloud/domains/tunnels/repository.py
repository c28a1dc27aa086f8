"""Every query of tunnels."""

from __future__ import annotations

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.devices.tunnel_session_models import TunnelSession
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import seen


class TunnelRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._seen = seen(scope, TunnelSession.device_id)

    def add(self, row: TunnelSession) -> None:
        self._session.add(row)

    async def tunnel(self, tunnel_id: str) -> TunnelSession | None:
        query = select(TunnelSession).where(TunnelSession.id == tunnel_id, self._seen)
        return (await self._session.scalars(query)).one_or_none()

    async def of_device(self, device_id: int, kind: str, limit: int) -> list[TunnelSession]:
        """Newest first."""
        query = select(TunnelSession).where(TunnelSession.device_id == device_id, TunnelSession.kind == kind)
        query = query.where(self._seen)
        query = query.order_by(TunnelSession.opened_ms.desc(), TunnelSession.id).limit(limit)
        return list(await self._session.scalars(query))

    async def page(
        self, kind: str, page: int, limit: int, search: str, living: bool | None
    ) -> tuple[list[tuple[TunnelSession, Device]], int]:
        """Of all gateways, newest first, and how many match. search: title or serial number, port, user."""
        query = select(TunnelSession, Device).join(Device, TunnelSession.device_id == Device.id)
        query = query.where(TunnelSession.kind == kind, self._seen)
        if search:
            columns = (
                Device.display_title,
                Device.gateway_id,
                TunnelSession.port,
                TunnelSession.user_name,
            )
            query = query.where(or_(*(column.icontains(search, autoescape=True) for column in columns)))
        if living is not None:
            ended = TunnelSession.ended_ms
            query = query.where(ended.is_(None) if living else ended.is_not(None))
        counted = select(func.count()).select_from(query.subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        query = query.order_by(TunnelSession.opened_ms.desc(), TunnelSession.id).offset((page - 1) * limit)
        return [(row[0], row[1]) for row in await self._session.execute(query.limit(limit))], total

    async def not_ended(self) -> list[TunnelSession]:
        return list(
            await self._session.scalars(select(TunnelSession).where(TunnelSession.ended_ms.is_(None)))
        )
