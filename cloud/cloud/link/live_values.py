"""Values of points that are not stored (C-141): decoded, mapped and published, each gateway in its turn.

At most four messages of a gateway wait. None of it meets the ingest buffer or the write-behind, and no stream
counts it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from cloud.core.log_once import LogOnce
from cloud.core.token_bucket import TokenBuckets
from cloud.link.broker_connection import Incoming
from cloud.link.catalogs import Catalogs, DomainFailed
from cloud.link.hooks import HookRunner, LinkHooks
from cloud.link.metrics import DROPPED, HOOK_FAILURES, INVALID, LIMITED
from cloud.link.rate_limits import VALUES
from cloud.link.series_mapping import received, to_series
from edge_contract.batch import decode_flat
from edge_contract.errors import BatchError
from edge_contract.topics import Message

log = logging.getLogger(__name__)

MAX_WAITING = 4
"""Messages of one gateway; a newer one takes the place of the oldest, whose values it mostly repeats."""


class LiveValues:
    """One task. clock: monotonic seconds."""

    def __init__(
        self,
        catalogs: Catalogs,
        hooks: LinkHooks,
        runner: HookRunner,
        now_ms: Callable[[], int],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._catalogs = catalogs
        self._hooks = hooks
        self._runner = runner
        self._now_ms = now_ms
        self._waiting: OrderedDict[str, deque[Incoming]] = OrderedDict()
        self._work = asyncio.Event()
        self._buckets = TokenBuckets(VALUES, clock)
        self._complaints = LogOnce()

    def put(self, gateway: str, incoming: Incoming) -> None:
        """Take a message; one above its gateway's allowance is dropped, and its values come again."""
        if not self._buckets.take(gateway, len(incoming.payload)):
            LIMITED.labels(Message.VALUES.value).inc()
            if self._complaints.first(gateway, "limit"):
                log.warning("values of %s come too often, some are dropped", gateway)
            incoming.acknowledge()
            return
        waiting = self._waiting.setdefault(gateway, deque())
        waiting.append(incoming)
        if len(waiting) > MAX_WAITING:
            DROPPED.labels("overflow").inc()
            waiting.popleft().acknowledge()
        self._work.set()

    def forget(self, gateway: str) -> None:
        """A gateway is no more: what waits of it is dropped, and the next one has its whole allowance."""
        for incoming in self._waiting.pop(gateway, ()):
            DROPPED.labels("deleted").inc()
            incoming.acknowledge()
        self._buckets.forget(gateway)

    async def run(self) -> None:
        """For ever."""
        while True:
            await self._work.wait()
            self._work.clear()
            while self._waiting:
                gateway, waiting = self._waiting.popitem(last=False)
                incoming = waiting.popleft()
                if waiting:
                    self._waiting[gateway] = waiting  # behind the others
                try:
                    await self._take(gateway, incoming.payload)
                finally:
                    incoming.acknowledge()
                await asyncio.sleep(0)

    async def _take(self, gateway: str, payload: bytes) -> None:
        try:
            header, columns = decode_flat(payload)
        except BatchError as error:
            INVALID.labels(Message.VALUES.value).inc()
            if self._complaints.first(gateway):
                log.warning("values of %s cannot be decoded: %s: %s", gateway, error.field, error.rule)
            return
        points = self._catalogs.known(gateway, header.catalog)
        if points is None:
            try:
                points = await self._catalogs.find(gateway, header.catalog)
            except DomainFailed:
                return
        if points is None:
            return  # the catalog was asked for; the values come again
        try:
            await self._runner.call(
                self._hooks.on_values(gateway, to_series([received(columns, self._now_ms())], points))
            )
        except Exception:
            # A domain's failure must not stop the values of other gateways.
            HOOK_FAILURES.labels("on_values").inc()
            log.exception("on_values %s failed", gateway)
