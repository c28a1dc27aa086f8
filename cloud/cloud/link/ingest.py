"""Batches from the broker to durable rows, and the acknowledgement back.

The order is: commit, then the acknowledgement to the gateway, then the one to the broker.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
import zlib
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Collection
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from cloud.core.log_once import LogOnce
from cloud.core.token_bucket import TokenBuckets
from cloud.link.broker_connection import MAX_UNACKNOWLEDGED, Incoming
from cloud.link.fair_queue import FairQueue
from cloud.link.ingest_buffer import Arrival, IngestBuffer, Refused, by_stream
from cloud.link.metrics import (
    BATCHES,
    COMMIT_FAILURES,
    COMMIT_SECONDS,
    DROPPED,
    DUPLICATES,
    INVALID,
    LIMITED,
)
from cloud.link.rate_limits import BROKEN_BATCHES, StreamAdmission
from edge_contract.batch import Header, read_header
from edge_contract.errors import BatchError
from edge_contract.fields import ControlMessage
from edge_contract.limits import MAX_BATCH_BYTES, WINDOW
from edge_contract.payloads import Ack
from edge_contract.ranges import join
from edge_contract.topics import Message

log = logging.getLogger(__name__)

GROUP_MESSAGES = 2000
GROUP_EVERY_S = 0.01
"""A group commit takes what came while the one before was written, up to this many messages. Two begin at
least so long after each other: a lone message is committed at once, and commits of a few wear no medium."""

TURN_MESSAGES = 8
"""Of one gateway one after the other: an acknowledgement and the row of its stream are paid once for them."""

GROUP_MESSAGES_EACH = 2 * WINDOW
GROUP_BYTES_EACH = 512 * 1024
"""Of one gateway in one group while others wait too: what makes a commit slow makes it slow for all of it."""

MAX_EACH = MAX_UNACKNOWLEDGED // 8
MAX_BYTES_EACH = WINDOW * MAX_BATCH_BYTES
"""Waiting messages of one gateway, far more than its window (C-026). What is above comes again."""

PRESSED_MESSAGES = 500
"""From so many waiting messages on, ingest is pressed and others should let it have the processor."""

LIVE_OR_HISTORY = {Message.LIVE: "live", Message.HISTORY: "history"}

FAILURES_TO_QUARANTINE = 3
"""Arrivals of the same broken bytes until they are quarantined."""

FAILURE_MEMORY = 1000
"""Broken payloads remembered by their digest."""

ACK_RANGES = 1000
"""Ranges in one acknowledgement; the contract's bound."""

PAUSE_AFTER_FAILURE_S = 1.0
"""The database is down: gateways repeat after RESEND_AFTER_S, so a short pause costs nothing."""

Post = Callable[[str, ControlMessage], None]


class BatchMessage(NamedTuple):
    """A message of one of the two lanes."""

    gateway: str
    kind: Message
    incoming: Incoming


class Ingest:
    """One queue, bounded by the client's own bound on unacknowledged messages and for each gateway; gateways
    take turns. One task. on_new: called with the gateways whose batches are new.
    """

    def __init__(
        self,
        buffer: IngestBuffer,
        post: Post,
        on_new: Callable[[Collection[str]], None],
        admission: StreamAdmission,
        *,
        now_ms: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._buffer = buffer
        self._post = post
        self._on_new = on_new
        self._now_ms = now_ms
        self._sleep = sleep
        self._clock = clock
        self._admission = admission
        self._broken_batches = TokenBuckets(BROKEN_BATCHES, clock)
        self._queue: FairQueue[BatchMessage] = FairQueue(
            MAX_UNACKNOWLEDGED, MAX_EACH, MAX_BYTES_EACH, TURN_MESSAGES
        )
        self._arrived = asyncio.Event()
        self._begun = -GROUP_EVERY_S
        self._failures: OrderedDict[bytes, int] = OrderedDict()
        self._down = False
        self._complaints = LogOnce()

    @property
    def pressed(self) -> bool:
        """More comes than is committed."""
        return len(self._queue) >= PRESSED_MESSAGES

    def put(self, message: BatchMessage) -> None:
        """Take a message. One for which there is no room is dropped, and its gateway repeats it."""
        if self._queue.put(message.gateway, message, len(message.incoming.payload)):
            self._arrived.set()
            return
        if len(self._queue) >= MAX_UNACKNOWLEDGED:
            DROPPED.labels("overflow").inc()
        else:
            self._limit(message, "more batches in flight than the window holds")
        message.incoming.acknowledge()

    def forget(self, gateway: str) -> None:
        """A gateway is no more: what waits of it is dropped unacknowledged, so that it keeps it."""
        for message in self._queue.remove(gateway):
            DROPPED.labels("deleted").inc()
            message.incoming.acknowledge()
        self._admission.forget(gateway)

    async def run(self) -> None:
        """Store groups for ever."""
        while True:
            await self._arrived.wait()
            rest = self._begun + GROUP_EVERY_S - self._clock()
            if rest > 0:
                await self._sleep(rest)
            self._begun = self._clock()
            group = self._group()
            if not self._queue:
                self._arrived.clear()
            await self.take(group)

    def _group(self) -> list[BatchMessage]:
        """The next group: who has given its part leaves its rest for the group after."""
        queue, group = self._queue, list[BatchMessage]()
        counts, sizes = Counter[str](), Counter[str]()
        full: list[str] = []
        while queue.owners and len(group) < GROUP_MESSAGES:
            gateway, message, size = queue.pop()
            group.append(message)
            counts[gateway] += 1
            sizes[gateway] += size
            is_full = counts[gateway] >= GROUP_MESSAGES_EACH or sizes[gateway] >= GROUP_BYTES_EACH
            if is_full and (len(counts) > 1 or queue.owners > 1):
                queue.hold(gateway)
                full.append(gateway)
        for gateway in full:
            queue.release(gateway)
        return group

    async def take(self, group: list[BatchMessage]) -> None:
        """Store one group. When the database is down nothing is acknowledged to the gateways."""
        try:
            await self._store(group)
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            COMMIT_FAILURES.inc()
            if not self._down:
                log.error("batches cannot be stored; the gateways keep them: %s", error)
            self._down = True
            await self._sleep(PAUSE_AFTER_FAILURE_S)
        else:
            if self._down:
                log.info("batches are stored again")
            self._down = False
        finally:
            for message in group:
                message.incoming.acknowledge()

    async def _store(self, group: list[BatchMessage]) -> None:
        arrivals: list[Arrival] = []
        broken: list[tuple[BatchMessage, BatchError]] = []
        now_ms = self._now_ms()
        for gateway, kind, incoming in group:
            try:
                header = read_header(incoming.payload)
            except BatchError as error:
                broken.append((BatchMessage(gateway, kind, incoming), error))
                continue
            if self._admission.admits(gateway, header.stream):
                arrivals.append(Arrival(gateway, LIVE_OR_HISTORY[kind], header, incoming.payload, now_ms))
            else:
                self._limit(BatchMessage(gateway, kind, incoming), "too many streams")
        if arrivals:
            await self._store_all(arrivals)
        for message, fault in broken:  # after the others: each may cost a transaction
            await self._broken(message, fault)

    async def _store_all(self, arrivals: list[Arrival]) -> None:
        begun = time.perf_counter()
        new = await self._buffer.append(arrivals)
        COMMIT_SECONDS.observe(time.perf_counter() - begun)
        DUPLICATES.inc(len(arrivals) - len(new))
        for name, count in Counter(arrival.lane for arrival in new).items():
            BATCHES.labels(name).inc(count)
        for (gateway, stream), seqs in by_stream(arrivals).items():
            ranges = join((seq, seq) for seq in seqs)
            for start in range(0, len(ranges), ACK_RANGES):
                self._post(gateway, Ack(stream=stream, ranges=ranges[start : start + ACK_RANGES]))
        if new:
            self._on_new({arrival.gateway for arrival in new})

    def _limit(self, message: BatchMessage, why: str) -> None:
        """Not taken, and not acknowledged: the gateway keeps it."""
        LIMITED.labels(message.kind.value).inc()
        if self._complaints.first(message.gateway, why):
            log.warning("batches of %s are left to it: %s", message.gateway, why)

    async def _broken(self, message: BatchMessage, error: BatchError) -> None:
        """Count a batch that cannot be read; the third time the same bytes come they are put aside."""
        INVALID.labels(message.kind.value).inc()
        payload = message.incoming.payload
        if not self._broken_batches.take(message.gateway):
            self._limit(message, "too many of them are broken")
            return
        digest = hashlib.sha256(message.gateway.encode() + payload).digest()
        failures = self._failures.pop(digest, 0) + 1
        if self._complaints.first(message.gateway, message.kind):
            log.warning("broken batch from %s: %s", message.gateway, error)
        if failures < FAILURES_TO_QUARANTINE:
            self._failures[digest] = failures
            while len(self._failures) > FAILURE_MEMORY:
                self._failures.popitem(last=False)
            return
        claimed = await self._given_up(message.gateway, payload)
        refused = Refused(
            message.gateway,
            LIVE_OR_HISTORY[message.kind],
            self._now_ms(),
            error.field,
            error.rule,
            payload,
            claimed is not None,
            *((claimed.stream, claimed.seq) if claimed is not None else ()),
        )
        await self._buffer.quarantine(refused)
        if claimed is not None:
            self._post(message.gateway, Ack(stream=claimed.stream, ranges=[(claimed.seq, claimed.seq)]))

    async def _given_up(self, gateway: str, payload: bytes) -> Header | None:
        """Identity of a damaged batch, when acknowledging it cannot lose another one.

        Its number has to be missing below later ones. A whole batch of that number would have come
        in the meantime, because later ones came; so the damaged one is what the gateway holds there.
        """
        header = claimed_header(payload)
        if header is None:
            return None
        received = await self._buffer.received(gateway, header.stream)
        is_missing = header.seq < received.highest and header.seq not in received
        return header if is_missing else None


def claimed_header(payload: bytes) -> Header | None:
    """Header of a batch whose checksum is wrong, as far as the rest is in order."""
    if len(payload) > MAX_BATCH_BYTES:
        return None
    inside = payload[:-4]
    try:
        return read_header(inside + zlib.crc32(inside).to_bytes(4, "little"))
    except BatchError:
        return None
