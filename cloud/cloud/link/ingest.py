"""Batches from the broker to durable rows, and the acknowledgement back.

The order is: commit, then the acknowledgement to the gateway, then the one to the broker.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
import zlib
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from cloud.kit.once import Once
from cloud.link.client import MAX_UNACKNOWLEDGED, Incoming
from cloud.link.landing import Arrival, LandingRepository, Refused, by_stream
from cloud.link.metrics import BATCHES, COMMIT_SECONDS, DROPPED, DUPLICATES, INVALID, LANDING_FAILURES
from cloud.link.streams import join
from edge_contract.batch import Header, read_header
from edge_contract.errors import BatchError
from edge_contract.fields import ControlMessage
from edge_contract.limits import MAX_BATCH_BYTES
from edge_contract.payloads import Ack
from edge_contract.topics import Message

log = logging.getLogger(__name__)

GROUP_MESSAGES = 2000
GROUP_EVERY_S = 0.01
"""A group commit takes what came while the one before was written, up to this many messages. Two begin at
least so long after each other: a lone message is landed at once, and commits of a few wear no medium."""

PRESSED_MESSAGES = 500
"""From so many waiting messages on, landing is pressed and others should let it have the processor."""

LANE = {Message.LIVE: "live", Message.HISTORY: "history"}

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
    lane: Message
    incoming: Incoming


class Ingest:
    """One queue, bounded by the client's own bound on unacknowledged messages; one task."""

    def __init__(
        self,
        landing: LandingRepository,
        post: Post,
        landed: Callable[[], None],
        *,
        now_ms: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._landing = landing
        self._post = post
        self._landed = landed
        self._now_ms = now_ms
        self._sleep = sleep
        self._clock = clock
        self._queue: deque[BatchMessage] = deque()
        self._arrived = asyncio.Event()
        self._begun = -GROUP_EVERY_S
        self._failures: OrderedDict[bytes, int] = OrderedDict()
        self._down = False
        self._complaints = Once()

    @property
    def pressed(self) -> bool:
        """More comes than is landed."""
        return len(self._queue) >= PRESSED_MESSAGES

    def put(self, message: BatchMessage) -> None:
        """Take a message; a full queue drops it, and its gateway repeats it."""
        if len(self._queue) >= MAX_UNACKNOWLEDGED:
            DROPPED.labels("overflow").inc()
            message.incoming.acknowledge()
            return
        self._queue.append(message)
        self._arrived.set()

    def forget(self, gateway: str) -> None:
        """A gateway is no more: what waits of it is not landed, and not acknowledged, so that it keeps it."""
        waiting, self._queue = self._queue, deque()
        for message in waiting:
            if message.gateway == gateway:
                DROPPED.labels("deleted").inc()
                message.incoming.acknowledge()
            else:
                self._queue.append(message)

    async def run(self) -> None:
        """Land groups for ever."""
        while True:
            await self._arrived.wait()
            rest = self._begun + GROUP_EVERY_S - self._clock()
            if rest > 0:
                await self._sleep(rest)
            self._begun = self._clock()
            queue = self._queue
            group = [queue.popleft() for _ in range(min(len(queue), GROUP_MESSAGES))]
            if not queue:
                self._arrived.clear()
            await self.take(group)

    async def take(self, group: list[BatchMessage]) -> None:
        """Land one group. When the database is down nothing is acknowledged to the gateways."""
        try:
            await self._land(group)
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            LANDING_FAILURES.inc()
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

    async def _land(self, group: list[BatchMessage]) -> None:
        arrivals: list[Arrival] = []
        now_ms = self._now_ms()
        for gateway, lane, incoming in group:
            try:
                header = read_header(incoming.payload)
            except BatchError as error:
                await self._broken(BatchMessage(gateway, lane, incoming), error)
                continue
            arrivals.append(Arrival(gateway, LANE[lane], header, incoming.payload, now_ms))
        if not arrivals:
            return
        begun = time.perf_counter()
        new = await self._landing.land(arrivals)
        COMMIT_SECONDS.observe(time.perf_counter() - begun)
        DUPLICATES.inc(len(arrivals) - len(new))
        for name, count in Counter(arrival.lane for arrival in new).items():
            BATCHES.labels(name).inc(count)
        for (gateway, stream), seqs in by_stream(arrivals).items():
            ranges = join((seq, seq) for seq in seqs)
            for start in range(0, len(ranges), ACK_RANGES):
                self._post(gateway, Ack(stream=stream, ranges=ranges[start : start + ACK_RANGES]))
        if new:
            self._landed()

    async def _broken(self, message: BatchMessage, error: BatchError) -> None:
        """Count a batch that cannot be read; the third time the same bytes come they are put aside."""
        INVALID.labels(message.lane.value).inc()
        payload = message.incoming.payload
        digest = hashlib.sha256(message.gateway.encode() + payload).digest()
        failures = self._failures.pop(digest, 0) + 1
        if self._complaints.first(message.gateway, message.lane):
            log.warning("broken batch from %s: %s", message.gateway, error)
        if failures < FAILURES_TO_QUARANTINE:
            self._failures[digest] = failures
            while len(self._failures) > FAILURE_MEMORY:
                self._failures.popitem(last=False)
            return
        claimed = await self._given_up(message.gateway, payload)
        refused = Refused(
            message.gateway,
            LANE[message.lane],
            self._now_ms(),
            error.field,
            error.rule,
            payload,
            claimed is not None,
            *((claimed.stream, claimed.seq) if claimed is not None else ()),
        )
        await self._landing.quarantine(refused)
        if claimed is not None:
            self._post(message.gateway, Ack(stream=claimed.stream, ranges=[(claimed.seq, claimed.seq)]))

    async def _given_up(self, gateway: str, payload: bytes) -> Header | None:
        """Identity of a damaged batch, when acknowledging it cannot lose another one.

        Its number has to lie in a hole of what was received. A whole batch of that number would have come
        in the meantime, because later ones came; so the damaged one is what the gateway holds there.
        """
        header = claimed_header(payload)
        if header is None:
            return None
        received = await self._landing.received(gateway, header.stream)
        in_a_hole = header.seq < received.highest and header.seq not in received
        return header if in_a_hole else None


def claimed_header(payload: bytes) -> Header | None:
    """Header of a batch whose checksum is wrong, as far as the rest is in order."""
    if len(payload) > MAX_BATCH_BYTES:
        return None
    inside = payload[:-4]
    try:
        return read_header(inside + zlib.crc32(inside).to_bytes(4, "little"))
    except BatchError:
        return None
