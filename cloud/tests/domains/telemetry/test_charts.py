"""The binary form of history, what is shaded beside it, and history as a file."""

from __future__ import annotations

import asyncio
import csv
import math
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cloud.core.xlsx import read_table
from cloud.domains.alarms.event_publisher import EventPublisher
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.service import AlarmService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import DataPoint
from cloud.domains.jobs.run import JobCancelled, Run
from cloud.domains.jobs.service import JobService
from cloud.domains.telemetry.chart_endpoints import get_sparklines
from cloud.domains.telemetry.charts import ChartService
from cloud.domains.telemetry.exporting import HistoryExport
from cloud.domains.telemetry.packed import Drawn, encode
from cloud.domains.telemetry.schemas import HistoryExportBody
from cloud.domains.telemetry.service import TelemetryService
from cloud.errors import NotFound, ParameterError
from cloud.link import CollectionStore
from cloud.timeseries.base import DamagedSeries, DownsampledSeries, SeriesColumn
from cloud.timeseries.embedded import EmbeddedTimeSeries
from edge_contract.collection import Collection, CollectionRecord, ReadGap
from edge_contract.payloads import State

from ...conftest import ADMIN, BOOT, GATEWAY, SYSTEM, DomainServices, catalog, hello

T0 = 1_790_000_000_000
WATCHER = CurrentUser(1, "admin", 0, frozenset({"Event"}), "", SYSTEM)

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
async def store(services: DomainServices, tmp_path: Path) -> AsyncIterator[EmbeddedTimeSeries]:
    """With points 1 and 2 of GATEWAY, and samples of the first."""
    await services.presence.hello(GATEWAY, hello())
    await services.catalogs.apply(GATEWAY, catalog("pressure", "level"))
    made = EmbeddedTimeSeries(tmp_path / "series.db")
    await made.start()
    times = [T0 + 1000 * n for n in range(12_000)]
    await made.write([SeriesColumn(1, times, [float(n % 100) for n in range(12_000)], [0] * 12_000)])
    yield made
    await made.close()


async def nobody(*_: object) -> Any:
    return None


def charts(services: DomainServices, store: EmbeddedTimeSeries) -> ChartService:
    async def no_levels() -> dict[int, Any]:
        return {}

    alarms = AlarmService(
        services.database, no_levels, EventPublisher(nobody, lambda *_: None), lambda *_: None, nobody
    )
    collected = CollectionStore(services.database, now_ms=services.clock)
    return ChartService(store, services.devices, services.outages, alarms, collected)


def decoded(blob: bytes) -> list[tuple[int, float, float, tuple[float, ...], tuple[float, ...]]]:
    """Of each point: dsid, width, count, times and values."""
    magic, points, _, _ = struct.unpack_from("<4sIdd", blob)
    assert magic == b"HST1"
    at, found = 24 + 40 * points, []
    for number in range(points):
        dsid, n, flags, _, width, count, mean = struct.unpack_from("<IIIIddd", blob, 24 + 40 * number)
        assert flags & 1
        assert math.isnan(mean) == (width == 0)
        times, values = struct.unpack_from(f"<{n}d", blob, at), struct.unpack_from(f"<{n}d", blob, at + 8 * n)
        at += 16 * n
        found.append((dsid, width, count, times, values))
    assert at == len(blob)
    return found


async def test_packed_history_keeps_the_extremes(services: DomainServices, store: EmbeddedTimeSeries) -> None:
    await store.write(
        [SeriesColumn(2, [T0, T0 + 1], [1.5, None], [0, 5]), SeriesColumn(1, [T0 + 7], [1e6], [0])]
    )
    service = charts(services, store)
    one, two = decoded(await service.packed(SYSTEM, [1, 2], T0, T0 + 12_000_000, 100))
    assert (one[0], one[1], one[2]) == (1, 120_000, 12_001)
    assert len(one[3]) <= 4 * 100
    assert one[4][one[3].index(T0 + 7)] == max(one[4]) == 1e6
    assert (two[0], two[1], two[3]) == (2, 0, (T0, T0 + 1))
    assert two[4][0] == 1.5
    assert math.isnan(two[4][1])
    with pytest.raises(NotFound):
        await service.packed(SYSTEM, [1, 99], T0, T0 + 1, 100)
    with pytest.raises(ParameterError):
        await service.packed(SYSTEM, [1], T0, T0, 100)


def test_eight_points_of_a_thousand_pixels_are_half_a_megabyte(database_url: str) -> None:
    most = DownsampledSeries(np.arange(4000), np.zeros(4000), 31_536_000, 3_153_600)
    assert len(encode([Drawn(dsid, most) for dsid in range(1, 9)], T0, T0 + 1)) == 24 + 8 * (40 + 4000 * 16)


async def test_sparklines_of_many_points_are_bounded(
    services: DomainServices, store: EmbeddedTimeSeries
) -> None:
    service = charts(services, store)
    reply = await get_sparklines(service, WATCHER, "1,2", T0, T0 + 600_000)
    one, two = decoded(bytes(reply.body))
    assert 0 < len(one[3]) <= 4 * 60 and len(two[3]) == 0
    with pytest.raises(ParameterError, match="end_ms"):
        await get_sparklines(service, WATCHER, "1", T0, T0 + 3_600_001)
    with pytest.raises(ParameterError, match="dsids"):
        await get_sparklines(service, WATCHER, ",".join(map(str, range(1, 66))), T0, T0 + 1000)
    with pytest.raises(NotFound):
        await get_sparklines(service, WATCHER, "1,99", T0, T0 + 1000)


async def test_a_mean_is_of_the_samples_not_of_their_extremes(
    services: DomainServices, store: EmbeddedTimeSeries
) -> None:
    await store.write([SeriesColumn(1, [T0 + 7], [1e6], [0])])
    packed = await charts(services, store).packed(SYSTEM, [1], T0, T0 + 12_000_000, 100)
    (mean,) = struct.unpack_from("<d", packed, 24 + 32)
    assert mean == pytest.approx((49.5 * 12_000 + 1e6) / 12_001)


@pytest.mark.parametrize(("pixels", "most"), [(100, 3), (10, 3), (10, 300)])
async def test_samples_without_a_set_clock_are_shown_where_there_is_nothing_better(
    services: DomainServices, store: EmbeddedTimeSeries, pixels: int, most: int
) -> None:
    times = [T0 + n for n in range(most)]
    await store.write([SeriesColumn(2, times, [1.5, "text", 2.5] * (most // 3), [8, 8, 3] * (most // 3))])
    packed = await charts(services, store).packed(SYSTEM, [2], T0, T0 + 1000, pixels)
    ((_, width, count, shown, values),) = decoded(packed)
    assert (width, count, len(shown)) == (0, min(most, 4 * pixels), min(most, 4 * pixels))
    assert (shown[-1], values[-3]) == (times[-1], 1.5)
    assert all(math.isnan(value) for value in values[-2:])
    (flags,) = struct.unpack_from("<I", packed, 24 + 8)
    assert bool(flags & 2) == (most > 4 * pixels)


async def test_absences_and_alarms_are_spans(services: DomainServices, store: EmbeddedTimeSeries) -> None:
    began = services.clock()
    await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))
    services.clock.pass_s(600)
    await services.presence.hello(GATEWAY, hello())
    async with services.database.session() as session:
        for dsid in (1, 2, None):
            event = AlarmEvent(device_id=1, dsid=dsid, at_ms=began + 5, noted_ms=began, alarm_type=2)
            session.add(event)
        await session.commit()
    service = charts(services, store)
    spans = await service.spans(WATCHER, [1], began - 1000, began + 10_000_000)
    assert [(s.device_id, s.slave, s.start_ms, s.end_ms) for s in spans.offline] == [
        (1, None, began, began + 600_000)
    ]
    assert {mark.dsid for mark in spans.alarms} == {1, None}
    assert not spans.truncated
    assert (await service.spans(ADMIN, [1], began - 1000, began + 10_000_000)).alarms == []
    assert (await service.spans(WATCHER, [1], began - 2000, began - 1000)).offline == []


async def test_time_without_a_good_reading_is_a_span_of_the_points_that_it_concerns(
    services: DomainServices, store: EmbeddedTimeSeries
) -> None:
    """A frozen agent and a disturbed line are in no on-offline log; a curve over them is a guess."""
    start = services.clock() - 600_000
    sources = await services.devices.sources(ADMIN.scope, 1)
    one = next(source for source in sources if source.dsid == 1)

    def gap(at_s: int, reason: str, slave: str | None = None, points: tuple[str, ...] = ()) -> ReadGap:
        begin = start + at_s * 1000
        return ReadGap(slave=slave, points=list(points), from_ms=begin, to_ms=begin + 10_000, reason=reason)

    gaps = [
        gap(10, "frozen"),
        gap(30, "bad_frame", one.slave),
        gap(50, "no_answer", "another"),
        gap(70, "disabled", one.slave),
        gap(90, "device_error", one.slave, (one.ds_name,)),
        gap(110, "device_error", one.slave, ("another",)),
    ]
    record = CollectionRecord(seq=1, from_ms=start, to_ms=start + 300_000, slaves=[], gaps=gaps)
    collected = CollectionStore(services.database, now_ms=services.clock)
    await collected.take([(GATEWAY, Collection(stream="a" * 16, records=[record]))])
    spans = await charts(services, store).spans(ADMIN, [1], start, start + 300_000)
    assert sorted((span.start_ms - start) // 1000 for span in spans.offline) == [10, 30, 90]
    assert {span.reason for span in spans.offline} == {"frozen", "bad_frame", "device_error"}


class Export:
    """The service with jobs that nobody runs, and one run of it."""

    def __init__(self, services: DomainServices, store: EmbeddedTimeSeries, folder: Path) -> None:
        jobs = JobService(services.database, folder / "jobs", nobody, lambda *_: None, clock=services.clock)
        self.service = HistoryExport(store, services.devices, jobs)
        self.folder = folder
        self.said: list[tuple[int, int]] = []
        self.cancel_at = 10**9

    async def run(self, **words: Any) -> tuple[Any, Run]:
        async def note(_: object) -> None:
            return None

        body = HistoryExportBody(**{"dsids": [1], "start_ms": T0, "end_ms": T0 + 12_000_000, **words})
        run = Run(ADMIN, body.model_dump(), self.folder, self._progress, note)
        return await self.service.run(run), run

    async def _progress(self, done: int, total: int) -> None:
        self.said.append((done, total))
        if done >= self.cancel_at:
            raise JobCancelled


@pytest.fixture
def export(services: DomainServices, store: EmbeddedTimeSeries, tmp_path: Path) -> Export:
    return Export(services, store, tmp_path / "out")


async def test_every_sample_is_a_row(export: Export, store: EmbeddedTimeSeries) -> None:
    await store.write([SeriesColumn(2, [T0 + 1, T0 + 2], ["=1+1", None], [0, 5])])
    summary, run = await export.run(dsids=[1, 2], offset_min=480)
    assert summary == {"rows": 12_002}
    with run.path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][0] == "时间 (UTC+08:00)"
    assert len(rows) == 12_003
    assert rows[1] == ["2026-09-21 22:13:20.000", "Test gateway", "Boiler", "pressure", "", "0.0", "0"]
    assert rows[-2][3:] == ["level", "", "'=1+1", "0"]
    assert rows[-1][3:] == ["level", "", "", "5"]
    assert export.said[-1] == (12_002, 12_002)


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_switches_and_selectors_stand_there_by_name(
    services: DomainServices, store: EmbeddedTimeSeries, export: Export, form: str
) -> None:
    async with services.database.session() as session:
        point = await session.get_one(DataPoint, 2)
        point.kind, point.selector, point.off_text = "swh", {"3": "Run"}, "Normal"
        await session.commit()
    await store.write([SeriesColumn(2, [T0 + n for n in range(4)], [True, False, 3, 4], [0] * 4)])
    _, run = await export.run(dsids=[2], language="en", form=form)
    if form == "csv":
        with run.path.open(encoding="utf-8-sig", newline="") as file:
            rows: list[Any] = list(csv.reader(file))[1:]
    else:
        rows = (await asyncio.to_thread(read_table, run.path.read_bytes(), run.file_name, 100)).rows
    assert [str(row[5]) for row in rows] == ["On", "Normal", "Run", "4"]


async def test_buckets_are_a_workbook(export: Export) -> None:
    summary, run = await export.run(form="xlsx", width_ms=3_600_000, language="en")
    assert summary == {"rows": 4}
    table = await asyncio.to_thread(read_table, run.path.read_bytes(), run.file_name, 100)
    assert table.header[:4] == ["From (UTC+00:00)", "Device", "Slave", "Data point"]
    assert sum(int(str(row[-1])) for row in table.rows) == 12_000


async def test_a_damaged_stretch_is_named_and_nothing_else_suffers(
    services: DomainServices, store: EmbeddedTimeSeries, export: Export
) -> None:
    """Chunks of point 1 up to its last are damaged; point 2 is whole."""
    await store.write([SeriesColumn(2, [T0, T0 + 1], [1.5, 2.5], [0, 0])])
    await store.drain()
    spans = await store._writer.run(
        lambda c: c.execute("SELECT id, start_ms, end_ms FROM chunk WHERE series = 1 ORDER BY id").fetchall()
    )
    (number, first, last), end = spans[0], T0 + 12_000_000
    await store._writer.run(
        lambda c: c.execute("UPDATE chunk SET packed = x'789c00' WHERE id = ?", (number,)).fetchall()
    )
    gap = {"start_ms": first, "end_ms": last, "reason": "damaged"}
    telemetry = TelemetryService(store, services.devices, nobody, clock=services.clock)
    one, two = (await telemetry.history(SYSTEM, [1, 2], T0, end, 5000)).series
    assert ([each.model_dump() for each in one.gaps], two.gaps, two.v) == ([gap], [], [1.5, 2.5])
    assert min(one.t) > last - one.width_ms
    rows = await telemetry.rows(SYSTEM, 1, T0, end, 5)
    assert (len(rows.rows), [each.model_dump() for each in rows.gaps]) == (5, [gap])
    packed = await charts(services, store).packed(SYSTEM, [2, 1], T0 + 5, end, 100)
    assert struct.unpack_from("<I", packed, 24 + 12) == (0,)
    assert struct.unpack_from("<I", packed, 24 + 40 + 12) == (1,)
    assert struct.unpack_from("<2d", packed, len(packed) - 16) == (T0 + 5, last)
    summary, run = await export.run(dsids=[1, 2], language="en")
    left = 12_000 - (last - first) // 1000 - 1
    assert summary == {"rows": left + 2 + 1, "damaged": 1}
    with run.path.open(encoding="utf-8-sig", newline="") as file:
        assert "damaged, cannot be read up to 2026" in list(csv.reader(file))[left + 1][6]


async def test_a_point_that_the_store_refuses_whole_is_one_gap(
    services: DomainServices, store: EmbeddedTimeSeries, export: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def damaged(*_: object, **__: object) -> Any:
        raise DamagedSeries("a page")

    for name in ("samples", "buckets", "envelope"):
        monkeypatch.setattr(store, name, damaged)
    telemetry = TelemetryService(store, services.devices, nobody, clock=services.clock)
    (found,) = (await telemetry.history(SYSTEM, [1], T0, T0 + 10, 100)).series
    assert [(gap.start_ms, gap.end_ms) for gap in found.gaps] == [(T0, T0 + 9)]
    packed = await charts(services, store).packed(SYSTEM, [1], T0, T0 + 10, 100)
    assert struct.unpack_from("<2d", packed, len(packed) - 16) == (T0, T0 + 9)
    summary, _ = await export.run()
    assert summary == {"rows": 1, "damaged": 1}


async def test_a_cancelled_export_ends(export: Export) -> None:
    export.cancel_at = 5000
    with pytest.raises(JobCancelled):
        await export.run()
    assert len(export.said) == 1


async def test_more_rows_than_a_file_has_are_refused(export: Export, monkeypatch: pytest.MonkeyPatch) -> None:
    body = HistoryExportBody(dsids=[1], start_ms=T0, end_ms=T0 + 12_000_000)
    monkeypatch.setattr("cloud.domains.telemetry.exporting.MAX_ROWS", {"csv": 11_999, "xlsx": 10})
    with pytest.raises(ParameterError, match="at most 11999 rows"):
        await export.service.ask(ADMIN, body)
    with pytest.raises(NotFound):
        await export.service.ask(ADMIN, body.model_copy(update={"dsids": [99]}))
