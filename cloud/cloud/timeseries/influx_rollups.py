"""Where the rollups of InfluxDB's samples lie: in the same database, packed as in the embedded store.

Measurement `dp_level`, tag `series`. A point is a page: its time is the page's begin, its fields m1, m15, h1
and d1 hold the buckets of that width as text (base64 of rollups.pack, "" for none). The field `state` at a
time of its own says what of the pages counts.

A page has at most 384 buckets. `state` lies at the year 2201 and says up to when the pages are made, which
intervals are dirty, and what was deleted. A series costs one more series in InfluxDB. Who writes `dp` from
elsewhere drops `dp_level` and starts anew.
"""
# ruff: noqa: S608

from __future__ import annotations

import binascii
import logging
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from cloud.timeseries.base import DamagedSeries, TimeSeriesError, TimeSeriesRejected
from cloud.timeseries.influx_servers import Server
from cloud.timeseries.influxql import Blocks, InfluxReader, within
from cloud.timeseries.packing import Ints
from cloud.timeseries.plan import RollupExtent, Segment
from cloud.timeseries.rollups import Rollup, joined, pack, unpack
from edge_contract.ranges import Intervals

log = logging.getLogger(__name__)

MEASUREMENT = "dp_level"

FIELDS = ("m1", "m15", "h1", "d1")

DAY_MS = 86_400_000
PAGES_MS = (DAY_MS // 4, 4 * DAY_MS, 16 * DAY_MS, 384 * DAY_MS)
"""Time of a page of each level: at most 384 buckets, since a text may have 64 KiB (worst case 31)."""

PAGES_PER_POST = 64
"""2 MB at worst; the server refuses more than 25."""

STATE_MS = 7_289_654_400_000
"""The year 2201: a shard of its own, which is read without the others and never too old."""

STATES_PER_POST = 1000

NEVER = -(2**62)


class RollupState(msgspec.Struct, frozen=True, array_like=True):
    """Of one series: pages hold everything older than until_ms, but for the dirty intervals. from_ms:
    what is older was deleted, of the samples and of each level.
    """

    until_ms: int = NEVER
    dirty: Intervals = ()
    from_ms: tuple[int, int, int, int, int] = (NEVER,) * 5

    def known(self) -> RollupExtent:
        """For planning a reading."""
        return RollupExtent(self.until_ms, self.dirty, self.from_ms)


class RollupTable:
    """Pages and states; every failure is a TimeSeriesError."""

    def __init__(self, reader: InfluxReader, server: Server) -> None:
        self._reader = reader
        self._server = server

    async def state(self, series: int) -> RollupState:
        """As it was written last; of a series without rollups the empty one."""
        (blocks,) = await self._reader.ask(state_query(series))
        return parse_state(blocks)

    async def states(self) -> dict[int, RollupState]:
        """Of all series; 50,000 take a second."""
        (blocks,) = await self._reader.ask(
            f'SELECT "state", "series" FROM "{MEASUREMENT}" WHERE time = {STATE_MS}ms'
        )
        return {int(row[2]): _state(row[1]) for block in blocks for row in block["values"]}

    async def put_states(self, states: Mapping[int, RollupState]) -> None:
        """Durable when it returns. A refusal is a TimeSeriesError: no sample may be taken for refused."""
        lines = [
            f'{MEASUREMENT},series={series} state="{msgspec.json.encode(state).decode()}" {STATE_MS}'
            for series, state in states.items()
        ]
        try:
            for at in range(0, len(lines), STATES_PER_POST):
                await self._server.post(_body(lines[at : at + STATES_PER_POST]))
        except TimeSeriesRejected as error:
            raise TimeSeriesError(f"InfluxDB takes no state of levels: {error.rule}") from error

    async def read(self, series: int, segments: Sequence[Segment]) -> list[Rollup]:
        """Stored buckets that begin in each segment."""
        answers = await self._reader.ask(*(pages_query(series, segment) for segment in segments))
        return [parse_pages(segment, blocks) for segment, blocks in zip(segments, answers, strict=True)]

    async def older(self, series: Sequence[int], level: int, t_ms: int) -> set[int]:
        """Those with buckets of a level that begin before t_ms."""
        begin_ms = t_ms // PAGES_MS[level] * PAGES_MS[level]
        field = FIELDS[level]
        found = await self._reader.older(series, begin_ms, MEASUREMENT, f'"{field}"', f"\"{field}\" != ''")
        rest = [each for each in series if each not in found] if begin_ms < t_ms else []
        segment = Segment(level, begin_ms, t_ms)
        answers = await self._reader.ask(*(pages_query(each, segment) for each in rest))
        pages = zip(rest, answers, strict=True)
        return found | {each for each, blocks in pages if len(parse_pages(segment, blocks))}

    async def put_pages(self, lines: Sequence[str]) -> None:
        """What page() made."""
        for at in range(0, len(lines), PAGES_PER_POST):
            await self._server.post(_body(lines[at : at + PAGES_PER_POST]))

    async def blank(self, series: int, level: int, before_ms: int) -> None:
        """Empty the pages of one level that end by a time. (DELETE would take those of all rollups.)"""
        field, span = FIELDS[level], PAGES_MS[level]
        while True:
            (blocks,) = await self._reader.ask(
                f'SELECT "{field}" FROM "{MEASUREMENT}"'
                f" WHERE {within(series, NEVER, min(before_ms, STATE_MS) - span + 1)}"
                f" AND \"{field}\" != '' LIMIT {PAGES_PER_POST}"
            )
            times = [row[0] for block in blocks for row in block["values"]]
            if not times:
                return
            lines = [f'{MEASUREMENT},series={series} {field}="" {t_ms}' for t_ms in times]
            await self._server.post(_body(lines))

    async def delete(self, series: int, before_ms: int) -> None:
        """Remove the pages that begin before a time, of all rollups; the state stays."""
        await self._server.delete(MEASUREMENT, series, min(before_ms, STATE_MS))

    async def delete_series(self, series: int) -> None:
        """Remove everything of a series, its state too."""
        await self._server.delete(MEASUREMENT, series, STATE_MS + 1)


def state_query(series: int) -> str:
    """Statement for the state of a series."""
    return f'SELECT "state" FROM "{MEASUREMENT}" WHERE {within(series, STATE_MS, STATE_MS + 1)}'


def parse_state(blocks: Blocks) -> RollupState:
    """Its answer; of a series without rollups the empty one."""
    return _state(blocks[0]["values"][0][1]) if blocks else RollupState()


def pages_query(series: int, segment: Segment) -> str:
    """Statement for the stored buckets of a segment."""
    return f'SELECT "{FIELDS[segment.level]}" FROM "{MEASUREMENT}" WHERE {within(series, *_pages(segment))}'


def parse_pages(segment: Segment, blocks: Blocks) -> Rollup:
    """Its answer: the buckets that begin in the segment."""
    parts = [_unpacked(row[1]) for block in blocks for row in block["values"] if row[1]]
    return joined(parts).between(segment.start_ms, segment.end_ms)


def page_lines(series: int, level: int, rollup: Rollup, touched: Ints) -> Iterator[str]:
    """Lines of the pages in which touched buckets begin; rollup holds all that is in those."""
    span = PAGES_MS[level]
    for page in sorted({int(start) // span for start in touched.tolist()}):
        held = rollup.between(page * span, (page + 1) * span)
        text = b64encode(pack(held)).decode() if len(held) else ""
        yield f'{MEASUREMENT},series={series} {FIELDS[level]}="{text}" {page * span}'


def page_wide(level: int, start_ms: int, end_ms: int) -> Segment:
    """The range widened to whole pages."""
    low, high = _pages(Segment(level, start_ms, end_ms))
    return Segment(level, low, high)


def _body(lines: Sequence[str]) -> bytes:
    return "\n".join(lines).encode()


def _pages(segment: Segment) -> tuple[int, int]:
    span = PAGES_MS[segment.level]
    return segment.start_ms // span * span, -(-segment.end_ms // span) * span


def _state(text: str) -> RollupState:
    """An unreadable one counts as none: then everything comes from the samples, and is made anew."""
    try:
        return msgspec.json.decode(text, type=RollupState)
    except msgspec.MsgspecError as error:
        log.error("a state of levels cannot be read: %s", error)
        return RollupState()


def _unpacked(text: str) -> Rollup:
    try:
        return unpack(b64decode(text, validate=True))
    except (binascii.Error, zlib.error) as error:
        raise DamagedSeries(f"a page of a level cannot be unpacked: {error}") from error
