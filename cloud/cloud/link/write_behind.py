"""From buffered batches to the time series: decode, map point numbers, write, mark, tell the domains.

The table is the queue: a gateway's oldest batches are found by the index of what can be stored. So there is
no second queue to overflow, the order per gateway holds over restarts, and a slow time series delays nothing.
Gateways take turns (`round_robin.py`); batches of a catalog that is not known lie apart (`waiting.py`).

A group is decoded while the one before is written, and ingest goes first between batches. A failing hook
after the write is logged only: the samples are stored. What cannot be decoded goes to quarantine.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from operator import attrgetter

from sqlalchemy.exc import SQLAlchemyError

from cloud.core.log_once import LogOnce
from cloud.core.shielded import shielded
from cloud.link.catalogs import Catalogs, DomainFailed
from cloud.link.hooks import HookRunner, LinkHooks
from cloud.link.ingest_buffer import IngestBuffer, Refused
from cloud.link.metrics import HOOK_FAILURES, SAMPLES, TIMESERIES_FAILURES, UNSTORED_BATCHES, UNSTORED_SAMPLES
from cloud.link.round_robin import choose
from cloud.link.rows import BufferedBatch, Head
from cloud.link.series_mapping import ReceivedColumns, received, to_series
from cloud.link.waiting import WaitingRepository
from cloud.timeseries.base import SeriesColumn, TimeSeries, TimeSeriesError, TimeSeriesRejected
from cloud.timeseries.series_table import SeriesTable
from edge_contract.batch import FlatColumns, decode_flat, read_header
from edge_contract.errors import BatchError

log = logging.getLogger(__name__)

GROUP_BATCHES = 1024
"""Batches stored with one write to the time series and one update."""

GROUP_SAMPLES = 65_536
"""A group ends with the batch that reaches so many: its rows fit into memory whatever batches hold."""

YIELD_SAMPLES = 1000
"""Decoded samples, a millisecond or two, after which others have their turn."""

MERGED_SAMPLES = 4096
"""Samples of one gateway that become columns together, half a millisecond of work."""

BATCH_SAMPLES = 20
"""A batch costs as much as so many samples beside its own."""

SHARE_WHEN_PRESSED = 0.2
"""Part of the time that it takes while ingest is pressed: what is not committed is sent again, what is not
stored waits on the disk."""

IDLE_S = 5.0
"""Longest pause between two scans when nothing is buffered."""

MAX_DEPTH = 32
"""Batches of one gateway in a group while all have so many: what is written together costs less."""

LOOKUPS = 4
"""Catalogs of one gateway looked for in one group: each is a question to the domain."""

PAUSE_S = 10.0
"""A gateway of which the domain cannot say what its points are has no turn for this long."""

BACKOFF_S = (0.5, 30.0)
"""First and longest pause while the time series or the database is down."""


@dataclass
class _Group:
    """What one write carries. tables: by gateway and lateness, in order of arrival.

    upto: the newest batch of each gateway in it. waits: batches whose catalog is not known. work: what was
    decoded since others had their turn.
    """

    done: list[int] = field(default_factory=list)
    upto: dict[str, int] = field(default_factory=dict)
    waits: list[int] = field(default_factory=list)
    unknown: set[tuple[str, str]] = field(default_factory=set)
    work: int = 0
    tables: dict[tuple[str, bool], SeriesTable] = field(default_factory=dict)

    def add(self, gateway: str, is_late: bool, table: SeriesTable) -> None:
        """Put columns behind those that are there."""
        known = self.tables.setdefault((gateway, is_late), table)
        if known is not table:
            known.extend(table)

    def as_table(self) -> SeriesTable:
        """Columns of all."""
        table = SeriesTable([], [], [], [], [])
        for each in self.tables.values():
            table.extend(each)
        return table


class WriteBehind:
    """One task. pressed: ingest has more to do than it can; clock: monotonic seconds."""

    def __init__(
        self,
        buffer: IngestBuffer,
        timeseries: TimeSeries,
        hooks: LinkHooks,
        runner: HookRunner,
        waiting: WaitingRepository,
        catalogs: Catalogs,
        *,
        now_ms: Callable[[], int],
        pressed: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._pressed = pressed
        self._buffer = buffer
        self._timeseries = timeseries
        self._hooks = hooks
        self._runner = runner
        self._waiting = waiting
        self._catalogs = catalogs
        self._now_ms = now_ms
        self._clock = clock
        self._sleep = sleep
        self._work = asyncio.Event()
        self._complaints = LogOnce()
        self._finishing: asyncio.Task[None] | None = None
        self._pause, self._down = BACKOFF_S[0], False
        self._report_at = 0.0
        self._upto: dict[str, int] = {}  # the newest batch of each gateway in the group that is being written
        self._ring: OrderedDict[str, None] = OrderedDict()  # gateways that may have something, in turn
        self._is_lost = False  # a group failed: whose batches it held is found in the table
        self._credit: dict[str, int] = {}
        self._depth = 1  # batches that a gateway in turn has ready, as far as that is known
        self._paused: dict[str, float] = {}

    def wake(self, gateways: Collection[str]) -> None:
        """Batches of these gateways can be stored."""
        for gateway in gateways:
            self._ring.setdefault(gateway)
        self._work.set()

    def forget(self, gateway: str) -> None:
        """A gateway is no more, or has another catalog."""
        self._ring.pop(gateway, None)
        self._credit.pop(gateway, None)
        self._paused.pop(gateway, None)

    async def run(self) -> None:
        """Write for ever."""
        try:
            while True:
                await self._run()
        finally:
            with contextlib.suppress(TimeSeriesError, SQLAlchemyError, OSError):
                await self.finish()

    async def _run(self) -> None:
        """Write what there is, then wait for more or, after a failure, a while."""
        self._work.clear()
        try:
            begun = self._clock()
            while await self.write_some():
                if self._pressed():
                    await self._sleep((self._clock() - begun) * (1 / SHARE_WHEN_PRESSED - 1))
                begun = self._clock()
                if begun >= self._report_at:
                    await self._report()
            await self._report()
            self._recovered()
        except (TimeSeriesError, SQLAlchemyError, OSError) as error:
            TIMESERIES_FAILURES.inc()
            if not self._down:
                log.error("batches wait to be stored: %s", error)
            self._down = True
            self._is_lost = True
            await self._sleep(self._pause)
            self._pause = min(self._pause * 2, BACKOFF_S[1])
        else:
            await self._wait()

    async def _report(self) -> None:
        self._report_at = self._clock() + IDLE_S
        UNSTORED_BATCHES.set(await self._buffer.backlog())

    def _recovered(self) -> None:
        if self._down:
            log.info("write-behind goes on")
        self._pause, self._down = BACKOFF_S[0], False

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(IDLE_S):
                await self._work.wait()
        except TimeoutError:
            self._work.set()

    @shielded
    async def write_some(self) -> bool:
        """Decode up to GROUP_BATCHES while the group before is written; False when nothing is left to do.

        Finished even when its caller is cancelled, so that a stop does not keep the domains from hearing.
        """
        group = _Group()
        batches: dict[str, list[BufferedBatch]] = {}
        for batch in await self._next():
            batches.setdefault(batch.gateway, []).append(batch)
        for gateway, of_one in batches.items():
            await self._add(group, gateway, of_one)
        if group.waits:
            await self._waiting.put(group.waits, self._now_ms())
            for key in group.unknown:
                if self._catalogs.known(*key) is not None:  # it came while the group was decoded
                    await self._waiting.end(*key)
                    self._ring[key[0]] = None
        finished = await self.finish()
        if group.done:
            self._upto = group.upto
            self._finishing = asyncio.create_task(self._finish(group))
        return bool(group.done or group.waits or self._ring) or finished

    async def _next(self) -> list[BufferedBatch]:
        """The batches whose turn it is, of a gateway in the order of arrival."""
        now = self._clock()
        for gateway in [name for name, until in self._paused.items() if until <= now]:
            del self._paused[gateway]
            self._ring[gateway] = None
        if not self._ring or self._is_lost:
            self._ring.update(dict.fromkeys(await self._buffer.gateways_to_store()))
            self._is_lost = False
        for gateway in self._paused:
            self._ring.pop(gateway, None)
        turns = list(islice(self._ring, GROUP_BATCHES // self._depth))
        if not turns:
            return []
        each = max(GROUP_BATCHES // len(turns), 1)
        found = await self._buffer.heads({name: self._upto.get(name, 0) for name in turns}, each)
        heads: dict[str, list[Head]] = {name: [] for name in turns}
        for head in found:
            heads[head.gateway].append(head)
        full = sum(len(of_one) == each for of_one in heads.values())
        if full == len(turns) > 1:
            self._depth = min(2 * self._depth, MAX_DEPTH)
        elif 2 * full < len(turns):
            self._depth = max(self._depth // 2, 1)
        chosen = choose(heads, self._credit, GROUP_BATCHES, GROUP_SAMPLES)
        taken = Counter(head.gateway for head in chosen)
        for name in turns:
            if len(heads[name]) < each and taken[name] == len(heads[name]):
                self._ring.pop(name, None)  # there is no more of it
            elif taken[name]:
                self._ring.move_to_end(name)
        return await self._buffer.bodies([head.id for head in chosen]) if chosen else []

    @shielded
    async def finish(self) -> bool:
        """Wait for the group that is being written; False when there is none. Its error is raised here, and
        what it held is found again.
        """
        finishing, self._finishing, self._upto = self._finishing, None, {}
        if finishing is not None:
            await finishing
        return finishing is not None

    async def _finish(self, group: _Group) -> None:
        await self._write(group)
        await self._buffer.mark_stored(group.done, self._now_ms())
        self._recovered()
        await self._publish_all(group)

    async def _add(self, group: _Group, gateway: str, batches: Sequence[BufferedBatch]) -> None:
        """Batches of one gateway in the order of arrival; some may be left for its next turn."""
        lookups = 0
        for (catalog, _), some in groupby(batches, key=attrgetter("catalog", "lane")):
            key, points = (gateway, catalog), None
            if key not in group.unknown:
                points = self._catalogs.known(*key)
                if points is None:
                    lookups += 1
                    if lookups > LOOKUPS:
                        self._ring.setdefault(gateway)
                        return
                    try:
                        points = await self._catalogs.find(*key)
                    except DomainFailed:
                        self._paused[gateway] = self._clock() + PAUSE_S
                        return
            if points is None:
                group.unknown.add(key)
                group.waits += [batch.id for batch in some]
            else:
                await self._decode(group, some, points)

    async def _decode(self, group: _Group, batches: Iterable[BufferedBatch], points: dict[int, int]) -> None:
        """Batches of one gateway, catalog and lane."""
        decoded: list[ReceivedColumns] = []
        samples = 0
        like: FlatColumns | None = None
        for batch in batches:
            try:
                _, like = decode_flat(batch.payload, like)
            except BatchError as error:
                await self._put_aside(batch, error.field, error.rule)
            else:
                decoded.append(received(like, batch.received_ms))
                samples += batch.samples
            group.done.append(batch.id)
            group.upto[batch.gateway] = batch.id
            group.work += BATCH_SAMPLES + batch.samples
            if samples >= MERGED_SAMPLES:
                group.add(batch.gateway, batch.lane == "history", to_series(decoded, points))
                decoded, samples = [], 0
            if group.work >= YIELD_SAMPLES:  # a group takes longer than a message may wait for its commit
                group.work = 0
                await asyncio.sleep(0)
        if decoded:
            group.add(batch.gateway, batch.lane == "history", to_series(decoded, points))

    async def _write(self, group: _Group) -> None:
        """Write all; when the store refuses some of it, write each part to find out which."""
        table = group.as_table()
        if not table:
            return
        try:
            await self._timeseries.write(table)
        except TimeSeriesRejected:
            for column in table:
                await self._write_column(column)
        SAMPLES.inc(len(table.t_ms))

    async def _write_column(self, column: SeriesColumn) -> None:
        try:
            await self._timeseries.write([column])
        except TimeSeriesRejected as error:
            UNSTORED_SAMPLES.labels("refused").inc(len(column.t_ms))
            if self._complaints.first(column.series):
                log.warning("series %d: %s", column.series, error)

    async def _put_aside(self, batch: BufferedBatch, name: str, rule: str) -> None:
        if self._complaints.first(batch.gateway):
            log.warning("batch %d of %s cannot be decoded: %s: %s", batch.id, batch.gateway, name, rule)
        identity: tuple[str, int] | tuple[()] = ()
        with contextlib.suppress(BatchError):
            header = read_header(batch.payload)
            identity = (header.stream, header.seq)
        refused = Refused(
            batch.gateway, batch.lane, batch.received_ms, name, rule, batch.payload, True, *identity
        )
        await self._buffer.quarantine(refused)

    async def _publish_all(self, group: _Group) -> None:
        """Each gateway's columns to the domains: one task for all, because a task costs more than a hook."""
        try:
            await self._runner.call(self._publish(group))
        except TimeoutError:
            HOOK_FAILURES.labels("on_filed").inc()
            log.exception("on_stored takes too long; the samples are stored")

    async def _publish(self, group: _Group) -> None:
        for (gateway, is_late), table in group.tables.items():
            try:
                await self._hooks.on_stored(gateway, table, is_late)
            except Exception:
                # The samples are stored; a domain that fails to hear of them must not stop the write-behind.
                HOOK_FAILURES.labels("on_filed").inc()
                log.exception("on_stored %s failed", gateway)
            await asyncio.sleep(0)  # as above
