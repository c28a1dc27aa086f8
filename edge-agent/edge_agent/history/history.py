"""The local history as the rest of the agent sees it: runs, answers questions, sends a range again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from edge_agent.config.model import Configuration
from edge_agent.errors import BadValue, StoreError
from edge_agent.history.archive import Archive
from edge_agent.history.base import Usage
from edge_agent.history.envelope import Envelope
from edge_agent.history.place import HistoryPlace
from edge_agent.history.reading import HistoryReader, TimeSpan
from edge_agent.history.resend import LateBatches, Resending, ResendProgress
from edge_agent.history.storing import StoredSlave, Storing
from edge_agent.model import PointKey, RecordMode, Sample
from edge_agent.system.clock import Clock

FEWEST_VALUES, MAX_VALUES = 30, 6000
TYPICAL_BYTES = 2.5
"""Of a sample with its share of everything, until the store knows its own figure."""
DAY_S = 86_400


@dataclass(frozen=True)
class StoredPoint:
    """A point that has stored samples; configured: whether it still exists."""

    slave: str
    point: str
    first_ms: int
    last_ms: int
    configured: bool


class ResendBusy(BadValue):
    """One is under way."""

    code = "busy"


class LocalHistory:
    """run() beside the others. newest: of the live table, by number; numbers: of every configured point."""

    def __init__(
        self,
        configuration: Configuration,
        numbers: Mapping[PointKey, int],
        newest: Callable[[int], Sample | None],
        place: HistoryPlace,
        late: LateBatches,
        clock: Clock,
    ) -> None:
        self._settings = configuration.history
        self._numbers = numbers
        self._slaves = stored_slaves(configuration, numbers)
        self._archive = Archive(place)
        self._storing = Storing(self._slaves, newest, self._archive, self._settings.retention_days, clock)
        self._reading = HistoryReader(self._archive, self._storing, numbers)
        self._resending = Resending(late, numbers, clock)

    async def run(self) -> None:
        """Until cancelled; then what waits is stored."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._storing.run())
                group.create_task(self._resending.run())
        finally:
            await self._storing.close()
            await self._archive.close()

    @property
    def progress(self) -> ResendProgress:
        """Of the newest resend."""
        return self._resending.progress

    async def points(self) -> list[StoredPoint]:
        """What is stored from when to when. StoreError while the medium cannot be read."""
        keys, extents = await self._archive.call(lambda store: (store.keys(), store.extents()))
        spans = {keys[number]: (extent.first_ms, extent.last_ms) for number, extent in extents.items()}
        for one in (await self._storing.snapshot(None, None))[1]:
            first, last = spans.get(one.key, (one.t_ms, one.t_ms))
            spans[one.key] = min(first, one.t_ms), max(last, one.t_ms)
        return [
            StoredPoint(key.slave, key.point, first, last, key in self._numbers)
            for key, (first, last) in sorted(spans.items(), key=lambda item: str(item[0]))
        ]

    async def series(self, key: PointKey, from_ms: int, to_ms: int, max_values: int) -> Envelope:
        """At most so many samples of [from_ms, to_ms].

        BadValue: nothing is stored of the point; StoreError: the medium cannot be read.
        """
        stored = next((p for p in await self.points() if (p.slave, p.point) == (key.slave, key.point)), None)
        if stored is None:
            raise BadValue(f"{key}: nothing of it is stored")
        from_ms, to_ms = max(from_ms, stored.first_ms), min(to_ms, stored.last_ms)
        envelope = Envelope(from_ms, max(from_ms, to_ms), min(max(max_values, FEWEST_VALUES), MAX_VALUES))
        async for part in self._reading.of_point(key, TimeSpan(key.slave, from_ms, to_ms)):
            envelope.take(part)
        return envelope

    async def resend(self, from_ms: int, to_ms: int, slave: str | None = None) -> int:
        """Begin to send what is stored of [from_ms, to_ms] once more; how many samples that are.

        Points that are no longer configured are left out. BadValue: range or slave; ResendBusy; StoreError.
        """
        if not 0 <= from_ms <= to_ms:
            raise BadValue("from_ms: must be 0 or more and not after to_ms")
        if slave is not None and not any(key.slave == slave for key in self._numbers):
            raise BadValue(f"slave: must be the name of a slave, {slave!r} is none")
        if self.progress.running:
            raise ResendBusy("a resend of the local history is under way")
        span = TimeSpan(slave, from_ms, to_ms)
        progress = self._resending.progress = ResendProgress(from_ms, span.to_ms, slave, running=True)
        try:
            progress.samples = await self._reading.count(span)
        finally:
            progress.running = False
        self._resending.begin(progress, self._reading.configured(span))
        return progress.samples

    async def state(self) -> dict[str, Any]:
        """Settings, usage and what fits, for the local page; problem instead of usage when there is none."""
        try:
            usage: Usage | None = await self._archive.call(lambda store: store.usage())
        except StoreError:
            usage = None
        return {
            "type": self._settings.type,
            "medium": self._settings.medium,
            "retention_days": self._settings.retention_days,
            "problem": self._archive.problem,
            "usage": usage,
            "waiting_samples": self._storing.waiting_samples,
            "lost_samples": self._storing.lost_samples,
            "samples_day": self.samples_day,
            "days_that_fit": None if usage is None else days_that_fit(usage, self.samples_day),
            "resend": self.progress,
        }

    @property
    def samples_day(self) -> float:
        """How many samples a day the configuration stores at most."""
        return sum(len(slave.points) * DAY_S / slave.cycle_s for slave in self._slaves)


def stored_slaves(configuration: Configuration, numbers: Mapping[PointKey, int]) -> list[StoredSlave]:
    """Slaves with a storage cycle; points that record nothing are not stored here either."""
    points: dict[str, dict[int, PointKey]] = {}
    for point in configuration.points:
        if point.record is not RecordMode.NONE:
            key = PointKey(point.slave, point.name)
            points.setdefault(point.slave, {})[numbers[key]] = key
    return [
        StoredSlave(slave.name, slave.storage_cycle_s, points.get(slave.name, {}))
        for slave in configuration.slaves
        if slave.storage_cycle_s and slave.enable
    ]


def days_that_fit(usage: Usage, samples_day: float) -> float | None:
    """Days of samples in the whole capacity; None when nothing is stored in a day."""
    if not samples_day:
        return None
    sample_bytes = usage.used_bytes / usage.samples if usage.samples >= 10_000 else TYPICAL_BYTES
    return usage.capacity_bytes / (sample_bytes * samples_day)
