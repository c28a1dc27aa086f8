"""Which ports of gateways are, or were, lent through a tunnel."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.lease_models import TunnelLease
from cloud.domains.devices.loans import Loan
from cloud.domains.inventory.visibility import seen

MOST_LOANS = 1000
"""Read at once to name who had a port; an older one goes without its name."""


class LoanBook:
    """Loans of ports from the leases on record."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(
        self, scope: Scope, device_ids: Sequence[int], from_ms: int, to_ms: int | None
    ) -> list[Loan]:
        """Of these gateways and a time, the newest first; with None for its end, those that last."""
        async with self._database.reading() as session:
            rows = await _leases(session, scope, device_ids, from_ms, to_ms)
        return [Loan(row.device_id, row.port, row.user_name, row.opened_ms, row.ended_ms) for row in rows]


async def _leases(
    session: AsyncSession, scope: Scope, device_ids: Sequence[int], from_ms: int, to_ms: int | None
) -> list[TunnelLease]:
    """Leases of ports of these gateways that touch a time, newest first; to_ms None: those that live."""
    query = select(TunnelLease).where(
        TunnelLease.device_id.in_(device_ids),
        seen(scope, TunnelLease.device_id),
        TunnelLease.port != "",
        or_(TunnelLease.ended_ms.is_(None), TunnelLease.ended_ms > from_ms)
        if to_ms is not None
        else TunnelLease.ended_ms.is_(None),
    )
    if to_ms is not None:
        query = query.where(TunnelLease.opened_ms < to_ms)
    query = query.order_by(TunnelLease.opened_ms.desc(), TunnelLease.id).limit(MOST_LOANS)
    return list(await session.scalars(query))
