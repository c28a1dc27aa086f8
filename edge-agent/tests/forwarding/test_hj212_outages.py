"""Outages and pauses: what waits, in which order it goes, what is given up and counted."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from edge_agent.forwarding.base import Condition
from edge_agent.forwarding.hj212.times import time_ms, time_text
from edge_agent.model import Quality
from edge_agent.store.base import Store

from .hj212_platform import Arrived, Platform, uploads
from .hj212_station import (
    BEGIN_MS,
    COD,
    FLOW,
    NAME,
    PH,
    SAMPLE_MS,
    STEP_MIN,
    Station,
    SteppedClock,
    opened,
    pass_time,
    raw,
    running,
    steps,
    until,
)

pytestmark = pytest.mark.timeout(240)

STEP_MS = STEP_MIN * 60_000
OFFSET_MS = 8 * 3_600_000


async def test_missed_records_are_marked_in_2025_and_live_ones_go_first(
    tmp_path: Path, platform: Platform
) -> None:
    await platform.stop()
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, version="2025", rtd_interval_s=0)
        async with running(station):
            await steps(station, 4)
            await until(lambda: station.forwarder.condition()[0] is Condition.DOWN)
            assert "Connection refused" in station.forwarder.condition()[2]
            await until(lambda: station.forwarder._read_seq == 4)
            await platform.start()
            await until(station.settled)
            assert {one.header.get("RF") for one in uploads(platform)} == {"1"}
            missed = station.forwarder.deliveries()
            assert missed.late == missed.delivered >= 3
            assert [one.values["DataTime"] for one in uploads(platform)] == sorted(
                one.values["DataTime"] for one in uploads(platform)
            )
            await steps(station)
            await until(station.settled)
            assert "RF" not in uploads(platform)[-1].header
            now = station.forwarder.deliveries()
            assert (now.late, now.delivered) == (missed.late, missed.delivered + 1)


async def test_without_supplementary_data_missed_records_are_counted(
    tmp_path: Path, platform: Platform
) -> None:
    await platform.stop()
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, supplementary=False, rtd_interval_s=0)
        async with running(station):
            await steps(station, 4)
            await until(lambda: station.forwarder._read_seq == 4)
            await until(lambda: station.forwarder.condition()[0] is Condition.DOWN)
            await platform.start()
            await until(lambda: station.forwarder.deliveries().given_up)
            await until(station.settled)
            await steps(station)
            await until(lambda: uploads(platform))
            await until(station.settled)
            ledger = station.forwarder.deliveries()
            assert len(uploads(platform)) == 1
            assert "supplementary data are off" in ledger.rejects[0].reason
            assert (ledger.rejects[0].count, ledger.rejects[0].given_up) == (3, True)


async def test_the_oldest_go_beyond_the_cache_limit(tmp_path: Path, platform: Platform) -> None:
    await platform.stop()
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, cache_limit=3, rtd_interval_s=0)
        async with running(station):
            await steps(station, 8)
            await until(lambda: station.forwarder._read_seq == 8)
            assert await store.target_records.count_waiting(NAME) == 3
            rejects = station.forwarder.deliveries().rejects
            assert [one.reason for one in rejects if "cache_limit = 3" in one.reason]
            assert station.forwarder.deliveries().given_up >= 5
            assert station.forwarder.condition().waiting_records == 3
            await platform.start()
            await until(station.settled)
    times = [time for cn, time, _ in sorted(platform.taken) if cn == "2051"]
    assert times == [time_text(BEGIN_MS + number * STEP_MS, OFFSET_MS) for number in (5, 6)]
    assert platform.of("2061"), "made after the minutes that went"


async def test_missed_real_time_data_are_sent_later_where_that_is_wanted(
    tmp_path: Path, platform: Platform
) -> None:
    await platform.stop()
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, supplementary_rtd=True)
        async with running(station):
            await steps(station, 3)
            await until(lambda: station.forwarder._read_seq == 3)
            await until(lambda: _waiting(store, "2011"))
            await platform.start()
            await until(station.settled)
    assert uploads(platform, "2011")


async def one_waits(store: Store) -> bool:
    return await store.target_records.count_waiting(NAME) == 1


async def _waiting(store: Store, kind: str) -> bool:
    return any(one.kind == kind for one in await store.target_records.waiting(NAME, 100))


async def test_a_record_that_is_never_taken_holds_up_no_other(tmp_path: Path, platform: Platform) -> None:
    bad = time_text(BEGIN_MS, OFFSET_MS)
    ignored: list[Arrived] = []

    def drops(arrived: Arrived) -> bool:
        if arrived.key == ("2051", bad):
            ignored.append(arrived)
        return arrived.key == ("2051", bad)

    platform.drops = drops
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0)
        async with running(station):
            await until(lambda: platform.is_connected)
            for _ in range(8):
                await steps(station)
                await until(lambda: len(platform.of("2051")) >= station.forwarder._read_seq - 2)
            await until(lambda: len(platform.of("2051")) >= 6)
            await until(lambda: one_waits(store))
    assert len(ignored) >= 3


async def test_a_stop_is_obeyed_at_any_moment(tmp_path: Path, platform: Platform) -> None:
    """Also while a connection is closed: the platform hangs up at each record."""
    platform.hangs_up = True
    async with opened(tmp_path) as store:
        clock = SteppedClock(BEGIN_MS)
        async with running(first := Station(store, clock, platform.port, rtd_interval_s=0)):
            await steps(first, 3)
            await until(lambda: platform.connections > 3)
        for turn in range(60):
            before = platform.connections
            async with running(Station(store, clock, platform.port, rtd_interval_s=0)):
                await until(lambda before=before: platform.connections > before + 1)
                await asyncio.sleep(turn / 10_000)


async def test_the_ledger_is_there_after_a_restart(tmp_path: Path, platform: Platform) -> None:
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0)
        async with running(station):
            await until(lambda: platform.is_connected)
            await steps(station, 3)
            await until(station.settled)
            await station.forwarder.drain(5)
            await steps(station)
        assert station.forwarder.deliveries().delivered >= 2
        before = station.forwarder.deliveries().delivered
    async with opened(tmp_path) as store:
        again = Station(store, SteppedClock(station.clock.now_ms()), platform.port)
        assert again.forwarder.deliveries().delivered >= before
        assert again.forwarder.deliveries().last_ack_ms > 0


async def test_the_random_number_delays_the_sending_and_changes_no_value(
    tmp_path: Path, platform: Platform
) -> None:
    async with opened(tmp_path) as store:
        station = Station(
            store,
            SteppedClock(BEGIN_MS),
            platform.port,
            rtd_interval_s=0,
            random_min_ms=5000,
            random_max_ms=5000,
        )
        async with running(station):
            await until(lambda: platform.is_connected)
            await pass_time(station, lambda: station.clock.now_ms() >= BEGIN_MS + STEP_MS)
            begin_ms = station.clock.now_ms()
            await steps(station, 3)
            await until(lambda: station.forwarder._read_seq == 3)
            await pass_time(station, lambda: len(platform.of("2051")) >= 2)
    first, second = (time_of(one) for one in uploads(platform)[:2])
    assert second - first >= 5000
    assert first >= begin_ms
    record = uploads(platform)[0].values
    assert record["w01001-Min"] == f"{min(raw(PH, t) for t in times_of(record['DataTime'])):.2f}"


def time_of(arrived: Arrived) -> int:
    return (time_ms(arrived.header["QN"], OFFSET_MS) or 0) + int(arrived.header["QN"][14:])


def times_of(text: str) -> range:
    begin_ms = time_ms(text, OFFSET_MS) or 0
    return range(begin_ms, begin_ms + STEP_MS, SAMPLE_MS)


async def test_periods_end_by_the_clock_where_nothing_can_be_read(tmp_path: Path, platform: Platform) -> None:
    gone = dict.fromkeys((COD, FLOW, PH), Quality.PORT_DOWN)
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0)
        async with running(station):
            await until(lambda: platform.is_connected)
            await station.step(BEGIN_MS + STEP_MS, gone)
            await until(station.settled)
            await pass_time(station, lambda: len(platform.of("2051")) >= 2, 60_000)
    for values in platform.of("2051").values():
        assert {name: text for name, text in values.items() if name != "DataTime"} == {
            "w00000-Flag": "B",
            "w01018-Flag": "B",
            "w01001-Flag": "B",
        }
