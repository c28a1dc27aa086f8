"""Streams that are not remembered any longer: of deleted gateways, silent ones, and too many of one gateway.

Of a stream that is forgotten an old duplicate would be taken again, which changes nothing in the time series.

`link_stream` remembers what was received after its rows are deleted (7 days). A stream that this process has
not met needs a token (`rate_limits.NEW_STREAMS`).
"""

from __future__ import annotations

import logging
from typing import Any

from sqlalchemy import delete, func, select, tuple_

from cloud.core.shielded import shielded
from cloud.db import Database
from cloud.link.metrics import STREAMS_FORGOTTEN
from cloud.link.models import LinkBatch, LinkStream
from cloud.link.reception_models import LinkStreamReport
from edge_contract.limits import STREAMS

log = logging.getLogger(__name__)

DAY_MS = 24 * 3600 * 1000

KEEP_RETIRED_MS = 90 * DAY_MS
"""After the deletion of its gateway; one that is added again by then meets what it sent before."""

KEEP_SILENT_MS = 397 * DAY_MS
"""After the last batch, when the gateway has another stream: 13 months, as long as its hours are kept."""

CHUNK = 500


class StreamExpiry:
    """Sessions are short: one transaction a chunk, finished even when its caller is cancelled."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def clean(self, now_ms: int) -> int:
        """Periodic: forget what is due; how many streams."""
        forgotten = 0
        while some := await self._forget_some(now_ms):
            forgotten += some
        STREAMS_FORGOTTEN.inc(forgotten)
        if forgotten:
            log.info("%d streams are not remembered any longer", forgotten)
        return forgotten

    @shielded
    async def _forget_some(self, now_ms: int) -> int:
        async with self._database.session() as session:
            for query in (
                _retired(now_ms),
                _silent(now_ms),
                _too_many(LinkStream),
                _too_many(LinkStreamReport),
            ):
                keys = [(row[0], row[1]) for row in await session.execute(query.limit(CHUNK))]
                if keys:
                    for table in (LinkStream, LinkStreamReport):
                        mine = tuple_(table.gateway, table.stream).in_(keys)
                        await session.execute(delete(table).where(mine))
                    await session.commit()
                    return len(keys)
        return 0


def _retired(now_ms: int) -> Any:
    """Of gateways that were deleted long ago, and nothing came since."""
    old = LinkStream.retired_ms < now_ms - KEEP_RETIRED_MS
    return select(LinkStream.gateway, LinkStream.stream).where(old, LinkStream.received == 0)


def _silent(now_ms: int) -> Any:
    """Not the newest of its gateway, and silent."""
    newest = (
        select(LinkStream.gateway, func.max(LinkStream.last_ms).label("last_ms"))
        .group_by(LinkStream.gateway)
        .subquery()
    )
    query = select(LinkStream.gateway, LinkStream.stream).join(newest, newest.c.gateway == LinkStream.gateway)
    return query.where(
        LinkStream.last_ms > 0,
        LinkStream.last_ms < now_ms - KEEP_SILENT_MS,
        LinkStream.last_ms < newest.c.last_ms,
    )


def _too_many(table: type[LinkStream] | type[LinkStreamReport]) -> Any:
    """Beyond the newest of each gateway, unless a batch of it waits to be stored."""
    when = LinkStream.last_ms if table is LinkStream else LinkStreamReport.told_ms
    place = func.row_number().over(partition_by=table.gateway, order_by=(when.desc(), table.stream))
    ranked = select(table.gateway, table.stream, place.label("place")).subquery()
    waits = select(LinkBatch.id).where(
        LinkBatch.gateway == ranked.c.gateway,
        LinkBatch.stream == ranked.c.stream,
        LinkBatch.filed_ms.is_(None),
    )
    query = select(ranked.c.gateway, ranked.c.stream).where(ranked.c.place > STREAMS)
    return query.where(~waits.exists())
