"""What was received of a gateway that is deleted goes with it; its streams keep only which numbers came.

The same agent may come back under the same serial number, for another owner: what it was told to forget it
does not have any more, and what it still holds has to be taken. So the numbers stay, and everything that is
counted or shown begins anew.

From `first_own` on numbers can be missing; below it what still comes is taken and counted, what does not is
the former gateway's loss. Forgetting the streams would show all that was acknowledged before as missing;
filling their gaps would acknowledge back-fill that never came. What statistics or a gap check have read is
not written after an erasure (their `lock`). An hourly round erases what was still under way, and what a
process left that ended in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import delete, func, select, union, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import now_ms
from cloud.core.shielded import shielded
from cloud.db import Database
from cloud.link.collection_models import LinkCollection, LinkCollectionGap, LinkCollectionHour
from cloud.link.models import LinkBatch, LinkQuarantine, LinkStream
from cloud.link.reception_models import LinkGap, LinkHour, LinkStreamReport

CHUNK = 500
"""Rows of a table deleted in one transaction, so that ingest waits for a few milliseconds."""

NOBODY = ""
"""Gateway of the newest row, when it was of one that is deleted: no gateway has this name."""


class OrphanCleanup:
    """Sessions are short: one transaction a chunk, finished even when its caller is cancelled."""

    def __init__(self, database: Database, *, now_ms: Callable[[], int] = now_ms) -> None:
        self._database = database
        self._now_ms = now_ms

    async def erase(self, gateway: str) -> None:
        """Delete everything that was received of a gateway, and begin its counts anew."""
        while not await self._erase_some(gateway):
            pass

    @shielded
    async def known(self) -> list[str]:
        """Gateways of which anything is counted."""
        counted = (LinkStream.received > 0) | (LinkStream.duplicates > 0)
        names = union(
            select(LinkStream.gateway).where(counted),
            select(LinkStreamReport.gateway),
            select(LinkCollection.gateway),
        )
        async with self._database.reading() as session:
            return sorted((await session.execute(names)).scalars())

    @shielded
    async def _erase_some(self, gateway: str) -> bool:
        """One chunk; True when it was the last."""
        async with self._database.session() as session:
            await _keep_newest_number(session, gateway)
            for table in (LinkBatch, LinkGap, LinkQuarantine, LinkCollectionGap):
                some = select(table.id).where(table.gateway == gateway).limit(CHUNK)
                done: Any = await session.execute(delete(table).where(table.id.in_(some)))
                if done.rowcount == CHUNK:
                    await session.commit()
                    return False
            for counted in (LinkHour, LinkStreamReport, LinkCollectionHour, LinkCollection):
                await session.execute(delete(counted).where(counted.gateway == gateway))
            await _begin_anew(session, gateway, self._now_ms())
            await session.commit()
        return True


async def _keep_newest_number(session: AsyncSession, gateway: str) -> None:
    """SQLite would give the number of the newest row again, and the next batch would be taken for counted or
    stored: the row stays, without anything of the gateway.
    """
    newest = select(func.max(LinkBatch.id)).scalar_subquery()
    mine = update(LinkBatch).where(LinkBatch.gateway == gateway, LinkBatch.id == newest)
    emptied = {"gateway": NOBODY, "stream": NOBODY, "seq": LinkBatch.id, "samples": 0, "payload": b""}
    await session.execute(mine.values(**emptied, filed_ms=LinkBatch.received_ms))


async def _begin_anew(session: AsyncSession, gateway: str, now_ms: int) -> None:
    """Only the numbers stay: what came already is not wanted again, what did not is not missed."""
    streams = update(LinkStream).where(LinkStream.gateway == gateway)
    counts = {
        "received": 0,
        "duplicates": 0,
        "last_ms": 0,
        "first_own": LinkStream.max_seq + 1,
        "retired_ms": now_ms,
    }
    await session.execute(streams.values(**counts))
