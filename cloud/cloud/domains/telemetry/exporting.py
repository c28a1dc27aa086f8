"""History as a file: a job that reads the store page by page while a thread writes. Never all in memory."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cloud.core.clock import zone_name
from cloud.core.xlsx import Cell, Column, Sheet, write_workbook
from cloud.domains.devices.schemas import ValueFacts
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.values import value_text
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import display_title
from cloud.domains.jobs.run import JobFailed, Run
from cloud.domains.jobs.schemas import Job
from cloud.domains.jobs.service import JobService
from cloud.domains.telemetry.schemas import DamagedRange, HistoryExportBody
from cloud.domains.telemetry.service import DamagedHistory, check_range, gaps, mapped_errors
from cloud.errors import CloudError, ParameterError
from cloud.timeseries.base import TimeSeries

KIND = "history.export"
MAX_ROWS = {"csv": 1_000_000, "xlsx": 200_000}
PAGE_ROWS = 5000
PAGE_WAIT_S = 120.0
"""For one page of rows: InfluxDB takes up to half a minute for a bad one."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LIKE_FORMULA = ("=", "+", "-", "@", "\t", "\r")

TITLE = {"zh": "历史数据", "en": "History"}
DAMAGED = {"zh": "已损坏，无法读取，至 {upto}", "en": "damaged, cannot be read up to {upto}"}
RAW = {
    "zh": ("时间", "设备", "从机", "数据点", "单位", "值", "质量"),
    "en": ("Time", "Device", "Slave", "Data point", "Unit", "Value", "Quality"),
}
BUCKETS = {
    "zh": (
        "开始时间", "设备", "从机", "数据点", "单位",
        "最小值", "最大值", "平均值", "首值", "末值", "样本数",
    ),
    "en": (
        "From", "Device", "Slave", "Data point", "Unit",
        "Minimum", "Maximum", "Mean", "First", "Last", "Samples",
    ),
}  # fmt: skip

Rows = list[Sequence[Cell]]
Place = tuple[tuple[str, ...], ValueFacts]
"""Gateway, slave, point and unit in words, and how values are called."""

UNKNOWN = ValueFacts(ds_type="num", data_type="", unit="", decimals=None)


class HistoryExport:
    """Asks for the job, and does its work."""

    def __init__(self, series: TimeSeries, devices: DeviceService, jobs: JobService) -> None:
        self._series = series
        self._devices = devices
        self._jobs = jobs
        jobs.register(KIND, self.run, needs="HisData")

    async def ask(self, user: CurrentUser, body: HistoryExportBody) -> Job:
        """ParameterError when it would be more rows than such a file may have."""
        check_range(body.start_ms, body.end_ms)
        await self._devices.owners(user.scope, body.dsids)
        rows = await self._rows(body)
        if rows > MAX_ROWS[body.form]:
            raise ParameterError("end_ms", f"at most {MAX_ROWS[body.form]} rows in a file, not {rows}")
        return await self._jobs.ask(user, KIND, TITLE[body.language], body.model_dump())

    async def run(self, run: Run) -> Mapping[str, Any]:
        """The job. Whoever asked may see less by now than when he asked.

        Raises JobFailed when the store does not answer.
        """
        body = HistoryExportBody.model_validate(run.parameters)
        try:
            places = await self._places(run.user, body.dsids)
            total = await self._rows(body)
        except CloudError as error:
            raise JobFailed("unavailable", str(error)) from error
        path = run.file(f"{TITLE[body.language]}-{_day(body.start_ms, body.offset_min)}.{body.form}")
        left_out: list[DamagedRange] = []
        written = await _write(path, body, self._pages(run, body, places, max(total, 1), left_out))
        return {"rows": written} | ({"damaged": damaged} if (damaged := len(left_out)) else {})

    async def _rows(self, body: HistoryExportBody) -> int:
        if body.width_ms:
            return len(body.dsids) * (-(-(body.end_ms - body.start_ms) // body.width_ms) + 1)
        return sum(
            [await mapped_errors(self._series.count(dsid, body.start_ms, body.end_ms)) for dsid in body.dsids]
        )

    async def _places(self, user: CurrentUser, dsids: list[int]) -> dict[int, Place]:
        """A removed point has its number only."""
        places: dict[int, Place] = {}
        owners = await self._devices.owners(user.scope, dsids)
        for device_id in set(owners.values()):
            device = await self._devices.row(user.scope, device_id)
            title = display_title(device.device_title, device.binder_devtitle)
            sources = await self._devices.sources_among(user.scope, device_id, dsids)
            for source in sources.values():
                words = (source.slave_title or source.slave, source.ds_title or source.ds_name, source.unit)
                places[source.dsid] = (title, *words), source
        return {dsid: places.get(dsid, (("", "", str(dsid), ""), UNKNOWN)) for dsid in dsids}

    async def _pages(
        self,
        run: Run,
        body: HistoryExportBody,
        places: Mapping[int, Place],
        total: int,
        left_out: list[DamagedRange],
    ) -> AsyncIterator[Rows]:
        """left_out: gets what cannot be read, which is a row each behind those of its point."""
        done = 0
        for dsid in body.dsids:
            place, named = places[dsid]
            pages = self._buckets(dsid, body) if body.width_ms else self._samples(dsid, body, named)
            try:
                async for page in pages:
                    if not page:
                        continue
                    done += len(page)
                    await run.progress(min(done, total), total)
                    yield [(_time(int(t_ms), body), *place, *rest) for t_ms, *rest in page]
                damaged = await gaps(self._series, dsid, body.start_ms, body.end_ms)
            except DamagedHistory:
                damaged = [DamagedRange(start_ms=body.start_ms, end_ms=body.end_ms - 1)]
            if damaged:
                left_out += damaged
                yield [_gap(gap, place, body) for gap in damaged]

    async def _samples(
        self, dsid: int, body: HistoryExportBody, named: ValueFacts
    ) -> AsyncIterator[list[tuple[Any, ...]]]:
        at = body.start_ms
        while page := await mapped_errors(self._series.samples(dsid, at, body.end_ms, PAGE_ROWS)):
            yield [(one.t_ms, value_text(one.value, named, body.language), one.quality) for one in page]
            at = page[-1].t_ms + 1

    async def _buckets(self, dsid: int, body: HistoryExportBody) -> AsyncIterator[list[tuple[Any, ...]]]:
        width = body.width_ms
        at = body.start_ms - (body.start_ms + body.offset_min * 60_000) % width
        while at < body.end_ms:
            upto = min(at + PAGE_ROWS * width, body.end_ms)
            page = await mapped_errors(self._series.buckets(dsid, at, upto, width))
            yield [(b.start_ms, b.min, b.max, b.mean, b.first, b.last, b.count) for b in page]
            at = upto


async def _write(path: Path, body: HistoryExportBody, pages: AsyncIterator[Rows]) -> int:
    """Write in a thread that asks this loop for each page; a cancelled job ends it with the next."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    async def following() -> Rows | None:
        return None if ended.is_set() else await anext(pages, None)

    def rows() -> Iterator[Sequence[Cell]]:
        while page := asyncio.run_coroutine_threadsafe(following(), loop).result(PAGE_WAIT_S):
            yield from page

    try:
        return await asyncio.to_thread(_put, path, body, rows())
    finally:
        ended.set()


def _put(path: Path, body: HistoryExportBody, rows: Iterator[Sequence[Cell]]) -> int:
    first, *others = (BUCKETS if body.width_ms else RAW)[body.language]
    head = [f"{first} ({zone_name(body.offset_min)})", *others]
    counted = _Counted(rows)
    if body.form == "xlsx":
        with path.open("wb") as file:
            columns = [Column(title, 24 if place == 0 else 16) for place, title in enumerate(head)]
            write_workbook(file, [Sheet(TITLE[body.language], columns, counted)])
        return counted.count
    with path.open("w", encoding="utf-8-sig", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(head)
        for row in counted:
            writer.writerow([_cell(cell) for cell in row])
    return counted.count


class _Counted:
    """Rows, and how many there were."""

    def __init__(self, rows: Iterator[Sequence[Cell]]) -> None:
        self._rows = rows
        self.count = 0

    def __iter__(self) -> Iterator[Sequence[Cell]]:
        for row in self._rows:
            self.count += 1
            yield row


def _gap(gap: DamagedRange, place: tuple[str, ...], body: HistoryExportBody) -> tuple[Cell, ...]:
    """A row without a value that says from when to when nothing can be read."""
    values = len(BUCKETS[body.language] if body.width_ms else RAW[body.language]) - len(place) - 2
    upto = _time(gap.end_ms, body)
    return (_time(gap.start_ms, body), *place, *[""] * values, DAMAGED[body.language].format(upto=upto))


def _cell(cell: Cell) -> Cell:
    """A text that a spreadsheet would calculate stays a text."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(LIKE_FORMULA) else cell


def _time(t_ms: int, body: HistoryExportBody) -> str:
    """Local, to the millisecond: cells know whole seconds at best."""
    local = EPOCH + timedelta(milliseconds=t_ms, minutes=body.offset_min)
    return local.strftime("%Y-%m-%d %H:%M:%S.") + f"{t_ms % 1000:03d}"


def _day(t_ms: int, offset_min: int) -> str:
    return (EPOCH + timedelta(milliseconds=t_ms, minutes=offset_min)).strftime("%Y%m%d")
