"""Reports of collection from the broker to durable rows, and the acknowledgement back."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from cloud.core.log_once import LogOnce
from cloud.core.token_bucket import TokenBuckets
from cloud.link.broker_connection import Incoming
from cloud.link.collection_store import CollectionStore
from cloud.link.metrics import DROPPED, INVALID, LIMITED
from cloud.link.rate_limits import COLLECTION
from edge_contract.collection import Collection
from edge_contract.errors import PayloadError
from edge_contract.fields import ControlMessage
from edge_contract.limits import MAX_COLLECTION_BYTES
from edge_contract.payloads import Ack, decode
from edge_contract.topics import Message

log = logging.getLogger(__name__)

WAITING = 5000
WAITING_OF_ONE = 2
"""A gateway sends its next report when the last one is acknowledged; more is dropped, and comes again."""
AT_ONCE = 100
"""Reports of different gateways in one transaction."""
EVERY_S = 0.25
"""Two transactions begin at least so long after each other."""
PAUSE_AFTER_FAILURE_S = 1.0


class Report(NamedTuple):
    gateway: str
    incoming: Incoming


class CollectionIntake:
    """One bounded queue, in turns of one report a gateway; one task. clock: monotonic seconds."""

    def __init__(
        self,
        repository: CollectionStore,
        post: Callable[[str, ControlMessage], None],
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._repository = repository
        self._post = post
        self._sleep = sleep
        self._queue: deque[Report] = deque()
        self._of: Counter[str] = Counter()
        self._arrived = asyncio.Event()
        self._buckets = TokenBuckets(COLLECTION, clock)
        self._complaints = LogOnce()
        self._down = False

    def put(self, gateway: str, incoming: Incoming) -> None:
        """Take a report; what is too much is dropped, and its gateway repeats it."""
        if not self._buckets.take(gateway, len(incoming.payload)):
            LIMITED.labels(Message.COLLECTION.value).inc()
            if self._complaints.first(gateway, "limit"):
                log.warning("collection from %s comes too often, some is dropped", gateway)
            incoming.acknowledge()
            return
        if len(self._queue) >= WAITING or self._of[gateway] >= WAITING_OF_ONE:
            DROPPED.labels("overflow").inc()
            incoming.acknowledge()
            return
        self._of[gateway] += 1
        self._queue.append(Report(gateway, incoming))
        self._arrived.set()

    def forget(self, gateway: str) -> None:
        """A gateway is no more: what waits of it is not kept, and not acknowledged to it."""
        for report in [report for report in self._queue if report.gateway == gateway]:
            self._queue.remove(report)
            self._done(report)
        self._buckets.forget(gateway)

    async def run(self) -> None:
        """Keep reports for ever."""
        while True:
            await self._arrived.wait()
            await self._sleep(EVERY_S)
            await self.take(self._turn())
            if not self._queue:
                self._arrived.clear()

    async def take(self, group: list[Report]) -> None:
        """One transaction. When the database is down nothing is acknowledged to the gateways."""
        try:
            reports = [(one.gateway, report) for one in group if (report := self._read(one)) is not None]
            if reports:
                await self._repository.take(reports)
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            if not self._down:
                log.error("what was read cannot be noted; the gateways keep it: %s", error)
            self._down = True
            await self._sleep(PAUSE_AFTER_FAILURE_S)
        else:
            self._down = False
            for gateway, report in reports:
                self._post(gateway, Ack(stream=report.stream, collected=report.records[-1].seq))
        finally:
            for one in group:
                self._done(one)

    def _turn(self) -> list[Report]:
        """The oldest report of each gateway, up to AT_ONCE."""
        chosen: dict[str, Report] = {}
        left: deque[Report] = deque()
        for report in self._queue:
            if report.gateway in chosen or len(chosen) >= AT_ONCE:
                left.append(report)
            else:
                chosen[report.gateway] = report
        self._queue = left
        return list(chosen.values())

    def _read(self, one: Report) -> Collection | None:
        """None when it breaks the contract: counted, and logged once per gateway."""
        try:
            if len(one.incoming.payload) > MAX_COLLECTION_BYTES:
                raise PayloadError("Collection", f"at most {MAX_COLLECTION_BYTES} bytes")
            return decode(Collection, one.incoming.payload)
        except PayloadError as error:
            INVALID.labels(Message.COLLECTION.value).inc()
            if self._complaints.first(one.gateway):
                log.warning("collection from %s: field %s: %s", one.gateway, error.field, error.rule)
            return None

    def _done(self, report: Report) -> None:
        self._of[report.gateway] -= 1
        if self._of[report.gateway] <= 0:
            del self._of[report.gateway]
        report.incoming.acknowledge()
