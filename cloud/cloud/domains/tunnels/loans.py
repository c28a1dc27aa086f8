"""Which ports are, or were, lent: what other rooms show of this one's books."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.db import Database
from cloud.domains.devices.loans import Loan
from cloud.domains.identity.scope import Scope
from cloud.domains.tunnels.repository import TunnelRepository


class LoanBook:
    """Loans of ports from the leases on record."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(
        self, scope: Scope, device_ids: Sequence[int], from_ms: int, to_ms: int | None
    ) -> list[Loan]:
        """Of these gateways and a time, the newest first; with None for its end, those that last."""
        async with self._database.reading() as session:
            rows = await TunnelRepository(session, scope).loans(device_ids, from_ms, to_ms)
        return [Loan(row.device_id, row.port, row.user_name, row.opened_ms, row.ended_ms) for row in rows]
