"""From samples in memory to batches on the medium: the only writer of the outbox."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice

from edge_agent.errors import StoreFull
from edge_agent.model import Row
from edge_agent.store.base import BatchLog, OutboxState, StoredBatch
from edge_agent.store.database import to_the_end
from edge_contract import batch
from edge_contract.errors import BatchError
from edge_contract.limits import MAX_BATCH_SAMPLES
from edge_contract.model import rows_of

log = logging.getLogger(__name__)

COMMIT_AT_SAMPLES = 5 * MAX_BATCH_SAMPLES
"""So many are committed before the interval ends. Five values of a point in one batch cost a third of what
they cost in five batches."""
MAX_PENDING = 300_000
"""Samples held in memory while the medium refuses to be written; about 12 MB."""
RETRY_FULL_S = 1.0


class Committer:
    """store.base.SampleSink, and the task that makes one batch of what came each interval.

    Rows leave memory only after their commit, so a refused commit loses nothing until MAX_PENDING.
    """

    def __init__(self, outbox: BatchLog, catalog: str, interval_s: float, now_ms: Callable[[], int]) -> None:
        self._outbox = outbox
        self._catalog = catalog
        self._interval_s = interval_s
        self._now_ms = now_ms
        self._pending: deque[Row] = deque()
        self._samples = 0
        self._accepted = 0
        self._enough = asyncio.Event()
        self._committing = asyncio.Lock()
        self._taken = 0
        self._full = False
        self.dropped = 0
        self.rejected = 0

    def put(self, row: Row) -> None:
        """Take a row; the oldest go first when memory is full too."""
        self._pending.append(row)
        self._samples += len(row)
        self._accepted += len(row)
        while self._samples > MAX_PENDING:
            oldest = self._pending.popleft()
            self._samples -= len(oldest)
            self._taken = max(self._taken - 1, 0)
            if self.dropped == 0:
                log.error("samples are dropped: %d wait in memory and cannot be committed", self._samples)
            self.dropped += len(oldest)
        if self._samples >= COMMIT_AT_SAMPLES:
            self._enough.set()

    def state(self) -> OutboxState:
        """The outbox as others see it, with what only the committer knows."""
        return replace(
            self._outbox.state(),
            pending_samples=self._samples,
            full=self._full,
            dropped_samples=self.dropped + self.rejected,
        )

    async def run(self) -> None:
        """Commit everything each interval, whole batches as soon as they are there, until cancelled."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RETRY_FULL_S if self._full else self._interval_s):
                    while True:
                        await self._enough.wait()
                        if self._full:
                            await asyncio.Event().wait()
                        await self._commit_full_batches()
            await self.flush()

    async def flush(self) -> None:
        """Commit everything that waits now; a full medium is noted, not raised."""
        accepted = self._accepted
        await to_the_end(self._commit(lambda: self._samples > self._accepted - accepted))

    async def commit_late(self, rows: Sequence[Row]) -> int:
        """Commit rows as one batch of its own that travels as history, before what waits; its number.

        BatchError: no batch can carry them together. StoreFull: the medium refuses.
        """
        return await to_the_end(self._commit_late(rows))

    async def _commit_late(self, rows: Sequence[Row]) -> int:
        async with self._committing:
            state, t_ms = self._outbox.state(), max(self._now_ms(), 0)
            payload = batch.encode(state.stream, state.next_seq, self._catalog, t_ms, rows)
            late = StoredBatch(state.next_seq, t_ms, sum(map(len, rows)), payload, late=True)
            await self._outbox.append(late, self._catalog)
            return late.seq

    async def waiting(self, numbers: Sequence[int]) -> list[int]:
        """Those of a few batches that the store still holds, by rising number."""
        held: list[int] = []
        for seq in sorted(numbers):
            held += [number for number in await self._outbox.numbers(seq - 1, 1) if number == seq]
        return held

    async def _commit_full_batches(self) -> None:
        await to_the_end(self._commit(lambda: self._samples >= COMMIT_AT_SAMPLES))

    async def _commit(self, wanted: Callable[[], bool]) -> None:
        async with self._committing:
            if self._samples > MAX_BATCH_SAMPLES:
                self._arrange(lambda row: row.points[0])  # what several batches will carry, point by point
            try:
                while wanted():
                    await self._commit_some()
            except StoreFull as error:
                if not self._full:
                    log.error("nothing can be committed: %s; samples are kept in memory", error)
                self._full = True
                self._arrange(lambda row: row.t_ms)  # the oldest are the first to be dropped
                return
            finally:
                self._enough.clear()
            if self._full:
                log.warning("committing again; %d samples were dropped meanwhile", self.dropped)
            self._full = False

    def _arrange(self, order: Callable[[Row], int]) -> None:
        """Rows of one point stay in the order in which they came."""
        self._pending = deque(sorted(self._pending, key=order))

    async def _commit_some(self) -> None:
        """One batch of the oldest rows, as many as fit."""
        count = self._fitting()
        while True:
            rows = list(islice(self._pending, count))
            t_ms = max(self._now_ms(), 0)
            state = self._outbox.state()
            try:
                payload = batch.encode(state.stream, state.next_seq, self._catalog, t_ms, rows)
            except BatchError as error:
                if count == 1:
                    self._take_apart(rows[0], error)
                    return
                count = (count + 1) // 2
                continue
            break
        self._taken = count
        samples = sum(map(len, rows))
        await self._outbox.append(StoredBatch(state.next_seq, t_ms, samples, payload), self._catalog)
        for _ in range(self._taken):  # put() may have dropped some of them meanwhile
            self._samples -= len(self._pending.popleft())
        self._taken = 0

    def _fitting(self) -> int:
        """How many of the oldest rows one batch may hold; a row alone always may."""
        samples = 0
        for count, row in enumerate(self._pending):
            samples += len(row)
            if samples > MAX_BATCH_SAMPLES:
                return max(count, 1)
        return len(self._pending)

    def _take_apart(self, row: Row, error: BatchError) -> None:
        """A row that no batch can carry: its samples are tried alone, and such a sample is given up."""
        self._pending.popleft()
        if len(row) > 1:
            self._pending.extendleft(reversed(rows_of(row.samples())))
            return
        if self.rejected == 0:
            log.error(
                "a sample of point %d cannot be stored: %s; further ones are only counted",
                row.points[0],
                error,
            )
        self.rejected += 1
        self._samples -= 1
