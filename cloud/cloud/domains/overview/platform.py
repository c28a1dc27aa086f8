"""The installation's own figures, for the platform's staff."""

from __future__ import annotations

import asyncio
import shutil
from collections import deque
from collections.abc import Callable, Collection
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import func, select, text

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.inventory.models import DataPoint, Device
from cloud.domains.jobs.models import JobRecord
from cloud.domains.jobs.states import JobState
from cloud.domains.overview.remembered import Remembered
from cloud.domains.overview.schemas import DiskUse, PlatformFigures
from cloud.link.metrics import SAMPLES
from cloud.link.reception_statistics import backlog

NOTE_S = 10.0
"""Between two looks at the counter of samples."""

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
FRESH_MS = 10_000
SQLITE_BESIDE = ("", "-wal", "-shm")


def stored_samples() -> float:
    """Samples that this process has written to the time series since it started."""
    return float(next(iter(SAMPLES.collect())).samples[0].value)


class PlatformService:
    """folder: the cloud's data folder; series: file of the embedded time series, None for another machine.

    unlisted: kinds of jobs that the list of jobs leaves out.
    """

    def __init__(
        self,
        database: Database,
        url: str,
        folder: Path,
        series: Path | None,
        *,
        clock: NowMs = now_ms,
        unlisted: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._database = database
        self._file = Path(url.split(":///", 1)[1]) if url.startswith("sqlite") else None
        self._folder = folder
        self._series = series
        self._clock = clock
        self._unlisted = unlisted
        self._started_ms = clock()
        self._notes: deque[tuple[int, float]] = deque(maxlen=int(HOUR_MS / 1000 / NOTE_S) + 1)
        self._remembered: Remembered[PlatformFigures] = Remembered(FRESH_MS, 1, clock)

    async def note(self) -> None:
        """Periodic: how many samples were stored by now."""
        self._notes.append((self._clock(), stored_samples()))

    async def figures(self) -> PlatformFigures:
        """At most FRESH_MS old."""
        return await self._remembered.of("", self._count)

    def rate(self, span_ms: int) -> float | None:
        """Samples a second of the last span_ms, or of the time since the start; None before two looks."""
        since_ms = self._clock() - span_ms
        notes = [note for note in self._notes if note[0] >= since_ms]
        if len(notes) < 2 or notes[-1][0] <= notes[0][0]:
            return None
        return round((notes[-1][1] - notes[0][1]) * 1000 / (notes[-1][0] - notes[0][0]), 1)

    async def _count(self) -> PlatformFigures:
        now = self._clock()
        async with self._database.reading() as session:
            backlog_batches, waiting = await backlog(session)
            points = select(func.count().filter(DataPoint.removed.is_(False)), func.count())
            live, series = (await session.execute(points.select_from(DataPoint))).one()
            online = select(func.count()).select_from(Device).where(Device.online.is_(True))
            connected = (await session.execute(online)).scalar_one()
            jobs = select(
                func.count().filter(JobRecord.state == JobState.GENERATING.value),
                func.count().filter(JobRecord.state == JobState.FAILED.value),
            )
            jobs = jobs.select_from(JobRecord).where(JobRecord.kind.not_in(self._unlisted()))
            running, failed = (await session.execute(jobs)).one()
            size = None
            if self._file is None:
                asked = await session.execute(text("SELECT pg_database_size(current_database())"))
                size = int(asked.scalar_one())
        disk = await asyncio.to_thread(self._disk, size)
        return PlatformFigures(
            rate_now=self.rate(MINUTE_MS), rate_hour=self.rate(HOUR_MS), backlog=backlog_batches,
            waiting=waiting, points=live, series=series, connected=connected, running_jobs=running,
            failed_jobs=failed, disk=disk, version=version("edge-cloud"), started_ms=self._started_ms,
            as_of_ms=now,
        )  # fmt: skip

    def _disk(self, database: int | None) -> DiskUse:
        used = shutil.disk_usage(self._folder)
        return DiskUse(
            database=_size(self._file) if self._file is not None else database,
            series=None if self._series is None else _size(self._series),
            free=used.free,
            size=used.total,
        )


def _size(file: Path) -> int:
    """Bytes of a SQLite file with what lies beside it."""
    found = 0
    for ending in SQLITE_BESIDE:
        try:
            found += file.with_name(file.name + ending).stat().st_size
        except OSError:
            continue
    return found
