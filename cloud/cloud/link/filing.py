"""From landed batches to the time series: decode, map point numbers, write, mark, tell the domains.

The table is the queue: a batch is found by scanning the index of unfiled rows, oldest first. So there is no
second queue to overflow, the order per gateway holds over restarts, and a slow time series delays nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from sqlalchemy.exc import SQLAlchemyError

from cloud.kit.once import Once
from cloud.kit.whole import whole
from cloud.link.hooks import HookRunner, LinkHooks
from cloud.link.landing import Landed, LandingRepository, Refused
from cloud.link.metrics import HOOK_FAILURES, SAMPLES, TIMESERIES_FAILURES, UNFILED, UNFILED_SAMPLES
from cloud.timeseries.base import SeriesColumn, TimeSeries, TimeSeriesError, TimeSeriesRejected
from edge_contract.batch import Column, decode, read_header
from edge_contract.errors import BatchError
from edge_contract.fields import ControlMessage
from edge_contract.limits import CLOCK_AHEAD_MS, EARLIEST_MS
from edge_contract.payloads import Resend

log = logging.getLogger(__name__)

GROUP_BATCHES = 256
"""Batches filed with one write to the time series and one update."""

GROUP_SAMPLES = 20_000
"""A group ends with the batch that reaches so many: its rows fit into memory whatever batches hold."""

SHARE_WHEN_PRESSED = 0.2
"""Part of the time that filing takes while more comes than is landed: what is not landed is sent again, but
what is not filed waits on the disk."""

IDLE_S = 5.0
"""Longest pause between two scans when nothing lands; waiting batches are looked at again."""

ASK_CATALOG_EVERY_S = 10.0

BACKOFF_S = (0.5, 30.0)
"""First and longest pause while the time series or the database is down."""

MAP_LIFE_S = 60.0
"""A map of point numbers is asked for again after this time."""

MAPS = 5000
"""Maps remembered."""

Catalogs = tuple[str, str]


@dataclass
class _Group:
    """What one write carries. columns: by gateway and lateness, in order of arrival."""

    done: list[int] = field(default_factory=list)
    samples: int = 0
    columns: dict[tuple[str, bool], list[SeriesColumn]] = field(default_factory=dict)

    @property
    def all_columns(self) -> list[SeriesColumn]:
        return [column for columns in self.columns.values() for column in columns]


class Filing:
    """One task. pressed: landing has more to do than it can; clock: monotonic seconds."""

    def __init__(
        self,
        landing: LandingRepository,
        timeseries: TimeSeries,
        hooks: LinkHooks,
        runner: HookRunner,
        post: Callable[[str, ControlMessage], None],
        *,
        now_ms: Callable[[], int],
        pressed: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._pressed = pressed
        self._landing = landing
        self._timeseries = timeseries
        self._hooks = hooks
        self._runner = runner
        self._post = post
        self._now_ms = now_ms
        self._clock = clock
        self._sleep = sleep
        self._work = asyncio.Event()
        self._complaints = Once()
        self._finishing: asyncio.Task[None] | None = None
        self._pause, self._down = BACKOFF_S[0], False
        self._report_at = 0.0
        self._upto = 0  # the newest batch of the group that is being written
        self._maps: OrderedDict[Catalogs, tuple[float, dict[int, int]]] = OrderedDict()
        self._waiting: dict[Catalogs, float] = {}  # unknown catalog -> when to ask for it again

    def wake(self) -> None:
        """Batches have landed."""
        self._work.set()

    def catalog_arrived(self, gateway: str) -> None:
        """A catalog of this gateway was taken: look at its batches again."""
        self.forget(gateway)
        self._work.set()

    def forget(self, gateway: str) -> None:
        """A gateway is no more, or has another catalog: the numbers of its points are asked for anew."""
        for known in [key for key in self._maps if key[0] == gateway]:
            del self._maps[known]
        for key in [key for key in self._waiting if key[0] == gateway]:
            del self._waiting[key]

    async def run(self) -> None:
        """File for ever."""
        try:
            while True:
                await self._run()
        finally:
            with contextlib.suppress(TimeSeriesError, SQLAlchemyError, OSError):
                await self.finish()

    async def _run(self) -> None:
        """File what there is, then wait for more or, after a failure, a while."""
        self._work.clear()
        try:
            begun = self._clock()
            while await self.file_some():
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
                log.error("batches wait to be filed: %s", error)
            self._down = True
            await self._sleep(self._pause)
            self._pause = min(self._pause * 2, BACKOFF_S[1])
        else:
            await self._wait()

    async def _report(self) -> None:
        self._report_at = self._clock() + IDLE_S
        UNFILED.set(await self._landing.backlog())

    def _recovered(self) -> None:
        if self._down:
            log.info("filing goes on")
        self._pause, self._down = BACKOFF_S[0], False

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(IDLE_S):
                await self._work.wait()
        except TimeoutError:
            self._work.set()

    @whole
    async def file_some(self) -> bool:
        """Decode up to GROUP_BATCHES while the group before is written; False when nothing is left to do.

        Finished even when its caller is cancelled, so that a stop does not keep the domains from hearing.
        """
        now = self._clock()
        self._waiting = {key: again for key, again in self._waiting.items() if again > now}
        batches = await self._landing.unfiled(GROUP_BATCHES, list(self._waiting), self._upto)
        group = _Group()
        for batch in batches:
            await self._add(group, batch)
            if group.samples >= GROUP_SAMPLES:
                break
            await asyncio.sleep(0)  # decoding a group takes longer than a message may wait to be landed
        finished = await self.finish()
        if group.done:
            self._upto = group.done[-1]
            self._finishing = asyncio.create_task(self._finish(group))
        return bool(batches) or finished

    @whole
    async def finish(self) -> bool:
        """Wait for the group that is being written; False when there is none. Its error is raised here, and
        what it held is found again.
        """
        finishing, self._finishing, self._upto = self._finishing, None, 0
        if finishing is not None:
            await finishing
        return finishing is not None

    async def _finish(self, group: _Group) -> None:
        await self._write(group)
        await self._landing.mark_filed(group.done, self._now_ms())
        self._recovered()
        await self._tell_all(group)

    async def _add(self, group: _Group, batch: Landed) -> None:
        points = await self.points_of(batch.gateway, batch.catalog)
        if points is None:
            return
        try:
            _, columns = decode(batch.payload)
        except BatchError as error:
            await self._put_aside(batch, error.field, error.rule)
        else:
            late = batch.lane == "history"
            filed = group.columns.setdefault((batch.gateway, late), [])
            filed.extend(mapped(columns, points, batch.received_ms))
            group.samples += batch.samples
        group.done.append(batch.id)

    async def points_of(self, gateway: str, catalog: str) -> dict[int, int] | None:
        """Point numbers to series; None while the catalog is not known, and then it is asked for."""
        key, now = (gateway, catalog), self._clock()
        known = self._maps.get(key)
        if known is not None and now < known[0]:
            return known[1]
        if self._waiting.get(key, now) > now:
            return None
        try:
            points = await self._runner.call(self._hooks.series_of(gateway, catalog))
        except Exception:
            # A domain's failure must not stop the other gateways: this one's batches wait.
            HOOK_FAILURES.labels("series_of").inc()
            log.exception("series_of %s failed", gateway)
            self._waiting[key] = now + ASK_CATALOG_EVERY_S
            return None
        if points is None:
            self._post(gateway, Resend(catalog=catalog))
            self._waiting[key] = now + ASK_CATALOG_EVERY_S
            return None
        self._waiting.pop(key, None)
        self._maps[key] = (now + MAP_LIFE_S, points)
        while len(self._maps) > MAPS:
            self._maps.popitem(last=False)
        return points

    async def _write(self, group: _Group) -> None:
        """Write all; when the store refuses some of it, write each part to find out which."""
        columns = group.all_columns
        if not columns:
            return
        try:
            await self._timeseries.write(columns)
        except TimeSeriesRejected:
            for column in columns:
                await self._write_alone(column)
        SAMPLES.inc(sum(len(column.t_ms) for column in columns))

    async def _write_alone(self, column: SeriesColumn) -> None:
        try:
            await self._timeseries.write([column])
        except TimeSeriesRejected as error:
            UNFILED_SAMPLES.labels("refused").inc(len(column.t_ms))
            if self._complaints.first(column.series):
                log.warning("series %d: %s", column.series, error)

    async def _put_aside(self, batch: Landed, name: str, rule: str) -> None:
        if self._complaints.first(batch.gateway):
            log.warning("batch %d of %s cannot be decoded: %s: %s", batch.id, batch.gateway, name, rule)
        identity: tuple[str, int] | tuple[()] = ()
        with contextlib.suppress(BatchError):
            header = read_header(batch.payload)
            identity = (header.stream, header.seq)
        refused = Refused(
            batch.gateway, batch.lane, batch.received_ms, name, rule, batch.payload, True, *identity
        )
        await self._landing.quarantine(refused)

    async def _tell_all(self, group: _Group) -> None:
        """Each gateway's columns to the domains: one task for all, because a task costs more than a hook."""
        try:
            await self._runner.call(self._tell(group))
        except TimeoutError:
            HOOK_FAILURES.labels("on_filed").inc()
            log.exception("on_filed takes too long; the samples are stored")

    async def _tell(self, group: _Group) -> None:
        for (gateway, late), columns in group.columns.items():
            try:
                await self._hooks.on_filed(gateway, columns, late)
            except Exception:
                # The samples are stored; a domain that fails to hear of them must not stop the filing.
                HOOK_FAILURES.labels("on_filed").inc()
                log.exception("on_filed %s failed", gateway)
            await asyncio.sleep(0)  # as above


def mapped(columns: Sequence[Column], points: dict[int, int], received_ms: int) -> list[SeriesColumn]:
    """Columns by series, without unknown points and without times that cannot be."""
    found: list[SeriesColumn] = []
    latest = received_ms + CLOCK_AHEAD_MS
    unknown = 0
    for column in columns:
        series = points.get(column.point)
        if series is None:
            unknown += len(column.t_ms)
        elif column.t_ms[0] >= EARLIEST_MS and column.t_ms[-1] <= latest:  # times rise
            found.append(SeriesColumn(series, column.t_ms, column.values, column.qualities))
        else:
            found += _possible(series, column, latest)
    if unknown:
        UNFILED_SAMPLES.labels("unknown_point").inc(unknown)
    return found


def _possible(series: int, column: Column, latest: int) -> list[SeriesColumn]:
    """What of a column has a time that can be; counts the rest."""
    kept = [i for i, t_ms in enumerate(column.t_ms) if EARLIEST_MS <= t_ms <= latest]
    ahead = sum(t_ms > latest for t_ms in column.t_ms)
    UNFILED_SAMPLES.labels("clock_ahead").inc(ahead)
    UNFILED_SAMPLES.labels("clock_not_set").inc(len(column.t_ms) - len(kept) - ahead)
    if not kept:
        return []
    times, values, qualities = column.t_ms, column.values, column.qualities
    chosen = SeriesColumn(
        series, [times[i] for i in kept], [values[i] for i in kept], [qualities[i] for i in kept]
    )
    return [chosen]
