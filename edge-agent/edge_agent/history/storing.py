"""The local storage cycle: the newest value of every point, stored each storage cycle of its slave.

What a cycle brings is noted on the medium in one transaction; after a while what was noted becomes chunks, a
quarter of the size. While the medium is away it waits in memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter

from edge_agent.errors import StoreError
from edge_agent.history.archive import Archive
from edge_agent.history.base import HistoryStore, StoredSample
from edge_agent.history.chunk import chunks_of, decoded, encoded, extents_of
from edge_agent.model import PointKey, Quality, Row, Sample
from edge_agent.store.clock_gate import ClockGate
from edge_agent.system.clock import Clock
from edge_agent.system.expiry import Expiry
from edge_contract.errors import BatchError

log = logging.getLogger(__name__)

TICK_S = 10
"""Every storage cycle is a multiple of it."""
SEAL_SAMPLES = 20_000
SEAL_S = 900.0
MAX_WAITING = 60_000
"""Samples held in memory while the medium is away; about 10 MB."""
EXPIRE_S = 600.0


@dataclass(frozen=True)
class StoredSlave:
    """A slave with a storage cycle, and its points by the numbers of the live table."""

    name: str
    cycle_s: int
    points: dict[int, PointKey]


class Storing:
    """Writes to the archive. newest: of a point by number. lost_samples: never stored."""

    def __init__(
        self,
        slaves: Sequence[StoredSlave],
        newest: Callable[[int], Sample | None],
        archive: Archive,
        retention_days: int,
        clock: Clock,
    ) -> None:
        self._slaves = slaves
        self._newest = newest
        self._archive = archive
        self._clock = clock
        self._expiry = Expiry(retention_days, clock.now_ms(), clock.monotonic())
        self._gate = ClockGate(self, clock)
        self._keys = {number: key for slave in slaves for number, key in slave.points.items()}
        self._taken: dict[int, tuple[int, Quality, bool]] = {}
        self._fresh: list[StoredSample] = []
        self._waiting: deque[StoredSample] = deque()
        self._changing = asyncio.Lock()
        self._opened = -1
        self._sealed_s = self._expired_s = clock.monotonic()
        self._lost = 0

    @property
    def waiting_samples(self) -> int:
        """Not yet in a chunk."""
        return len(self._waiting) + self._gate.held_samples

    @property
    def lost_samples(self) -> int:
        return self._lost + self._gate.dropped

    def put(self, row: Row) -> None:
        """store.base.SampleSink: what the gate lets pass."""
        qualities = row.qualities or (Quality.GOOD,) * len(row)
        for number, value, quality in zip(row.points, row.values, qualities, strict=True):
            self._fresh.append(StoredSample(self._keys[number], row.t_ms, value, int(quality)))

    async def run(self) -> None:
        """For ever. Cycles are counted on the monotonic clock."""
        begun, tick = self._clock.monotonic(), 0
        await self.tick([])  # what was noted before the last stop
        while True:
            tick += 1
            await self._clock.sleep(max(begun + tick * TICK_S - self._clock.monotonic(), 0.0))
            await self.tick([slave for slave in self._slaves if tick * TICK_S % slave.cycle_s == 0])

    async def tick(self, due: Sequence[StoredSlave]) -> None:
        """Store the newest values of these slaves, and do what is due beside; nothing is raised."""
        for row in self._new_values(due):
            self._gate.put(row)
        self._gate.look()
        fresh, self._fresh = self._fresh, []
        async with self._changing:
            with contextlib.suppress(StoreError):  # the archive has said it once; the samples wait
                await self._keep(fresh)
        now = self._clock.monotonic()
        if now - self._expired_s >= EXPIRE_S:
            self._expired_s = now
            await self._expire(now)

    async def close(self) -> None:
        """Make chunks of what waits, if the medium lets it."""
        async with self._changing:
            try:
                await self._seal()
            except StoreError:
                log.warning("%d samples were not stored locally", len(self._waiting))

    async def snapshot(self, key: PointKey | None, slave: str | None) -> tuple[int, list[StoredSample]]:
        """Id of the newest chunk and what is in no chunk yet, of a point or a slave; no sample is in both."""
        async with self._changing:
            newest = await self._archive.call(lambda store: store.newest_id())
            return newest, [
                one for one in self._waiting if key in (None, one.key) and slave in (None, one.key.slave)
            ]

    def _new_values(self, due: Sequence[StoredSlave]) -> Iterable[Row]:
        """Rows of the samples that were not taken before; one without value only when its quality changed."""
        samples = []
        for number in (number for slave in due for number in slave.points):
            sample = self._newest(number)
            if sample is None:
                continue
            now = (sample.t_ms, sample.quality, sample.value is None)
            before = self._taken.get(number)
            if now == before or (sample.value is None and before is not None and now[1:] == before[1:]):
                continue
            self._taken[number] = now
            samples.append(sample)
        for t_ms, group in groupby(sorted(samples, key=attrgetter("t_ms")), key=attrgetter("t_ms")):
            same = list(group)
            qualities = tuple(one.quality for one in same)
            yield Row(
                tuple(one.point for one in same),
                t_ms,
                tuple(one.value for one in same),
                qualities if any(qualities) else None,
            )

    async def _keep(self, fresh: list[StoredSample]) -> None:
        self._waiting.extend(fresh)
        while len(self._waiting) > MAX_WAITING:
            self._waiting.popleft()
            if self._lost == 0:
                log.error("samples are missing from the local history: %d wait already", MAX_WAITING)
            self._lost += 1
        if self._archive.opened != self._opened or self._archive.problem:
            await self._meet()
        elif len(self._waiting) >= SEAL_SAMPLES or self._clock.monotonic() - self._sealed_s >= SEAL_S:
            await self._seal()
        elif fresh:
            await self._archive.call(lambda store: note(store, fresh), writes=True)

    async def _meet(self) -> None:
        """A store that was opened anew: what is noted on it joins what waits, and all becomes chunks."""
        noted = await self._archive.call(noted_on)
        held = {(one.key, one.t_ms) for one in self._waiting}
        self._waiting.extendleft(reversed([one for one in noted if (one.key, one.t_ms) not in held]))
        await self._seal()
        self._opened = self._archive.opened

    async def _seal(self) -> None:
        count = len(self._waiting)
        samples = list(islice(self._waiting, count))
        await self._archive.call(lambda store: seal(store, samples), writes=True)
        for _ in samples:
            self._waiting.popleft()
        self._sealed_s = self._clock.monotonic()

    async def _expire(self, now: float) -> None:
        before_ms = self._expiry.before_ms(self._clock.now_ms(), now)
        if before_ms is None:
            return
        try:
            gone = await self._archive.call(lambda store: store.expire(before_ms))
        except StoreError:
            return  # said by the archive; tried again next time
        if gone:
            log.debug("%d samples left the local history at the end of their retention", gone)


def note(store: HistoryStore, samples: Sequence[StoredSample]) -> None:
    numbers = store.numbers(list({one.key for one in samples}))
    store.note([payload for _, payload in encoded(samples, numbers)])


def seal(store: HistoryStore, samples: Sequence[StoredSample]) -> None:
    numbers = store.numbers(list({one.key for one in samples}))
    store.seal(chunks_of(samples, numbers), extents_of(samples, numbers))


def noted_on(store: HistoryStore) -> list[StoredSample]:
    """What a store has noted; a damaged note is given up and logged."""
    keys = store.keys()
    samples: list[StoredSample] = []
    for payload in store.noted():
        try:
            samples += decoded(payload, keys)
        except BatchError as error:
            log.error("a note of the local history is damaged: %s", error)
    return samples
