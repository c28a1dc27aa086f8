"""Which ports of gateways are, or were, locked by a tunnel."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.devices.port_locks import PortLock
from cloud.domains.devices.tunnel_session_models import TunnelSession
from cloud.domains.inventory.visibility import seen

MAX_PORT_LOCKS = 1000
"""Read at once to name who had a port; an older one goes without its name."""


async def recorded_port_locks(
    session: AsyncSession, scope: Scope, device_ids: Sequence[int], from_ms: int, to_ms: int | None
) -> list[PortLock]:
    """From the tunnel sessions on record: of these gateways and a time, the newest first; with None for its
    end, those that last.
    """
    rows = await _sessions(session, scope, device_ids, from_ms, to_ms)
    return [PortLock(row.device_id, row.port, row.user_name, row.opened_ms, row.ended_ms) for row in rows]


async def _sessions(
    session: AsyncSession, scope: Scope, device_ids: Sequence[int], from_ms: int, to_ms: int | None
) -> list[TunnelSession]:
    """Sessions on ports of these gateways that touch a time, newest first; to_ms None: those that are
    open.
    """
    query = select(TunnelSession).where(
        TunnelSession.device_id.in_(device_ids),
        seen(scope, TunnelSession.device_id),
        TunnelSession.port != "",
        or_(TunnelSession.ended_ms.is_(None), TunnelSession.ended_ms > from_ms)
        if to_ms is not None
        else TunnelSession.ended_ms.is_(None),
    )
    if to_ms is not None:
        query = query.where(TunnelSession.opened_ms < to_ms)
    query = query.order_by(TunnelSession.opened_ms.desc(), TunnelSession.id).limit(MAX_PORT_LOCKS)
    return list(await session.scalars(query))
