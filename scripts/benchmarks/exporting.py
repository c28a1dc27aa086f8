"""What scripts/bench measures of an export: a month of history from the embedded store to a file."""

from __future__ import annotations

import asyncio
import csv
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from benchmarks.history import T0, fill, walk
from benchmarks.ingest import Figures
from cloud.domains.devices.schemas import ValueFacts
from cloud.domains.devices.service import DeviceService
from cloud.domains.jobs.run import Run
from cloud.domains.jobs.service import JobService
from cloud.domains.telemetry.exporting import HistoryExport
from cloud.domains.telemetry.schemas import HistoryExportBody
from cloud.timeseries.embedded import EmbeddedTimeSeries

MONTH_S = 30 * 86_400
SAMPLES_EACH_S, POINTS_EACH_S = 15, 60
"""Between two samples of the one point of which all are exported, and of those of which buckets are."""
POINTS = 16
MINUTE_MS = 60_000


class Devices:
    """DeviceService, as far as an export asks it: all points are of one gateway."""

    async def owners(self, _scope: Any, dsids: list[int]) -> dict[int, int]:
        return dict.fromkeys(dsids, 1)

    async def row(self, _scope: Any, _device_id: int) -> Any:
        return SimpleNamespace(device_title="Boiler house", binder_devtitle=None)

    async def sources_among(self, _scope: Any, _device_id: int, dsids: list[int]) -> dict[int, Any]:
        return {dsid: Source(dsid) for dsid in dsids}


class Source(ValueFacts):
    """A point and its words."""

    dsid: int
    slave: str = "boiler"
    slave_title: str = "Boiler 1"
    ds_name: str = "temperature"
    ds_title: str = "Temperature"

    def __init__(self, dsid: int) -> None:
        super().__init__(ds_type="num", data_type="float32", unit="°C", decimals=2, dsid=dsid)  # type: ignore[call-arg]


class Job:
    """A run that nobody waits for."""

    user = SimpleNamespace(scope=None)

    def __init__(self, folder: Path, body: HistoryExportBody) -> None:
        self.parameters = body.model_dump()
        self.path = folder / "export"

    def file(self, _name: str) -> Path:
        return self.path

    async def progress(self, _done: int, _total: int) -> None: ...


async def _exported(
    store: EmbeddedTimeSeries, folder: Path, body: HistoryExportBody
) -> tuple[float, int, int]:
    """Seconds, rows and bytes."""
    jobs = SimpleNamespace(register=lambda *_, **__: None)
    export = HistoryExport(store, cast(DeviceService, Devices()), cast(JobService, jobs))
    job = Job(folder, body)
    begun = time.perf_counter()
    rows = (await export.run(cast(Run, job)))["rows"]
    return time.perf_counter() - begun, rows, job.path.stat().st_size


def _bare(path: Path, rows: int) -> float:
    """Seconds to write as many rows of the same texts, made of nothing."""

    def made() -> Iterator[tuple[object, ...]]:
        for at in range(rows):
            stamp = f"2023-11-14 22:{at % 60:02}:{at % 60:02}.000"
            yield stamp, "Boiler house", "Boiler 1", "Temperature", "°C", "20.51", 0

    begun = time.perf_counter()
    with path.open("w", encoding="utf-8-sig", newline="") as text:
        csv.writer(text).writerows(made())
    return time.perf_counter() - begun


async def _export(folder: Path) -> Figures:
    store = EmbeddedTimeSeries(folder / "month.db", pack_at=10**12)
    await store.start()
    await fill(store, walk(MONTH_S // SAMPLES_EACH_S), 1000 * SAMPLES_EACH_S)
    for series in range(2, POINTS + 2):
        await fill(store, walk(MONTH_S // POINTS_EACH_S, seed=series), 1000 * POINTS_EACH_S, series=series)
    figures: Figures = {}
    month = {"start_ms": T0, "end_ms": T0 + 1000 * MONTH_S, "language": "en"}
    for label, fields in (
        (f"one point each {SAMPLES_EACH_S} s, csv", {"dsids": [1]}),
        (f"one point each {SAMPLES_EACH_S} s, xlsx", {"dsids": [1], "form": "xlsx"}),
        (f"{POINTS} points by the minute, csv", {"dsids": [*range(2, POINTS + 2)], "width_ms": MINUTE_MS}),
    ):
        body = HistoryExportBody.model_validate({**month, **fields})
        seconds, rows, size = await _exported(store, folder, body)
        bare_s = _bare(folder / "bare.csv", rows)
        figures |= {
            f"{label}: rows": rows,
            f"{label}: MB": size / 1e6,
            f"{label}: s": seconds,
            f"{label}: rows/s": rows / seconds,
            f"{label}: times a bare csv": seconds / bare_s,
        }
    await store.close()
    return figures


def export() -> Figures:
    """A month of history to files: every sample of a point, and minutes of sixteen; beside bare csv."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_export(Path(folder)))


EXPORT_BENCHMARKS = {"export": export}
