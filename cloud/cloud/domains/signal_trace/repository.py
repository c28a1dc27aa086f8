"""Every query of traces."""

from __future__ import annotations

from sqlalchemy import delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import seen
from cloud.domains.signal_trace.models import SignalTrace


class SignalTraceRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._seen = seen(scope, SignalTrace.device_id)

    def add(self, row: SignalTrace) -> None:
        self._session.add(row)

    async def trace(self, trace_id: str) -> SignalTrace | None:
        query = select(SignalTrace).where(SignalTrace.id == trace_id, self._seen)
        return (await self._session.scalars(query)).one_or_none()

    async def with_device(self, trace_id: str) -> tuple[SignalTrace, Device] | None:
        query = select(SignalTrace, Device).join(Device, SignalTrace.device_id == Device.id)
        row = (await self._session.execute(query.where(SignalTrace.id == trace_id, self._seen))).one_or_none()
        return None if row is None else (row[0], row[1])

    async def page(
        self, page: int, limit: int, search: str, device_id: int | None
    ) -> tuple[list[tuple[SignalTrace, Device]], int]:
        """Newest first, and how many match. search: title or serial number of the gateway, or the user."""
        query = select(SignalTrace, Device).join(Device, SignalTrace.device_id == Device.id).where(self._seen)
        if device_id is not None:
            query = query.where(SignalTrace.device_id == device_id)
        if search:
            columns = (Device.display_title, Device.gateway_id, SignalTrace.user_name)
            query = query.where(or_(*(column.icontains(search, autoescape=True) for column in columns)))
        counted = select(func.count()).select_from(query.subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        query = query.order_by(SignalTrace.started_ms.desc(), SignalTrace.id).offset((page - 1) * limit)
        return [(row[0], row[1]) for row in await self._session.execute(query.limit(limit))], total

    async def not_ended(self) -> list[SignalTrace]:
        return list(await self._session.scalars(select(SignalTrace).where(SignalTrace.ended_ms.is_(None))))

    async def forget(self, before_ms: int) -> None:
        """Delete what ended before this time."""
        await self._session.execute(delete(SignalTrace).where(SignalTrace.ended_ms < before_ms))
