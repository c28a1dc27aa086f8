"""The condition of a target: connected and up, what waits, the next try, what never goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.errors import StoreError
from edge_agent.forwarding.base import Condition

from .hj212_platform import Platform, uploads
from .hj212_station import (
    BEGIN_MS,
    Station,
    SteppedClock,
    opened,
    pass_time,
    running,
    steps,
    until,
)

pytestmark = pytest.mark.timeout(240)

NEVER_SENT = "real-time data are not sent later: supplementary_rtd is off"


@pytest.mark.clause("C-156")
async def test_up_only_after_an_acknowledgement_of_this_connection(
    tmp_path: Path, platform: Platform
) -> None:
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0)
        async with running(station):
            await until(lambda: station.forwarder.condition().condition is Condition.CONNECTED)
            platform.acks = False
            await steps(station, 2)
            await until(lambda: uploads(platform))
            assert station.forwarder.condition().condition is Condition.CONNECTED
            assert station.forwarder.deliveries().delivered == 0
            platform.acks = True
            await pass_time(station, lambda: station.forwarder.condition().condition is Condition.UP)
            await until(station.settled)
            await platform.stop()
            await until(lambda: station.forwarder.condition().condition is Condition.DOWN)
            await platform.start()
            await pass_time(
                station, lambda: station.forwarder.condition().condition is Condition.CONNECTED, 10
            )
            assert station.forwarder.condition().next_try_ms == 0


@pytest.mark.clause("C-156")
async def test_without_answers_it_is_up_when_the_first_record_left(
    tmp_path: Path, platform: Platform
) -> None:
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0, flag=0)
        async with running(station):
            await until(lambda: station.forwarder.condition().condition is Condition.CONNECTED)
            await steps(station, 2)
            await until(lambda: uploads(platform))
            await until(lambda: station.forwarder.condition().condition is Condition.UP)


async def test_a_target_that_is_down_says_when_it_is_tried_again_and_what_waits(
    tmp_path: Path, platform: Platform
) -> None:
    await platform.stop()
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0)
        station.forwarder._retry = type(station.forwarder._retry)(20.0, 40.0)
        async with running(station):
            await until(lambda: station.forwarder.condition().next_try_ms)
            now = station.forwarder.condition()
            assert now.condition is Condition.DOWN
            assert BEGIN_MS + 20_000 <= now.next_try_ms <= BEGIN_MS + 40_000
            await steps(station, 3)
            await until(lambda: station.forwarder.condition().waiting_records == 2)
            assert station.forwarder.condition().next_try_ms > station.clock.now_ms()
            await platform.start()
            await pass_time(station, lambda: station.forwarder.condition().condition is Condition.UP)
            await until(lambda: station.forwarder.condition().waiting_records == 0)


async def test_what_waits_is_known_after_a_restart(tmp_path: Path, platform: Platform) -> None:
    await platform.stop()
    async with opened(tmp_path) as store:
        clock = SteppedClock(BEGIN_MS)
        async with running(station := Station(store, clock, platform.port, rtd_interval_s=0)):
            await steps(station, 3)
            await until(lambda: station.forwarder.condition().waiting_records == 2)
        async with running(again := Station(store, clock, platform.port, rtd_interval_s=0)):
            await until(lambda: again.forwarder.condition().waiting_records == 2)


async def test_real_time_data_that_are_not_sent_later_are_given_up(
    tmp_path: Path, platform: Platform
) -> None:
    await platform.stop()
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, report_interval_min=0)
        async with running(station):
            await steps(station)
            await pass_time(station, lambda: station.forwarder.deliveries().given_up >= 3, 10_000)
            [entry] = station.forwarder.deliveries().rejects
    assert (entry.reason, entry.given_up) == (NEVER_SENT, True)
    assert entry.record.startswith("CN=2011 DataTime=")
    assert entry.count == station.forwarder.deliveries().given_up
    assert station.forwarder.deliveries().failed == 0


async def test_real_time_data_that_cannot_be_stored_are_given_up(
    tmp_path: Path, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    await platform.stop()
    async with opened(tmp_path) as store:
        station = Station(
            store, SteppedClock(BEGIN_MS), platform.port, report_interval_min=0, supplementary_rtd=True
        )
        async with running(station):
            await steps(station)
            await until(lambda: station.forwarder._read_seq == 1)
            monkeypatch.setattr(type(store.target_records), "put", fails)
            await pass_time(station, lambda: station.forwarder.deliveries().given_up, 10_000)
            [entry] = station.forwarder.deliveries().rejects
    assert entry.reason == "real-time data cannot be kept to be sent later: the medium is full"


async def fails(*_: object) -> None:
    raise StoreError("the medium is full")


async def test_both_words_are_kept_while_nothing_is_taken(tmp_path: Path, platform: Platform) -> None:
    """Attempts fail and real-time data are given up in turn; neither pushes the other out of the ledger."""
    platform.hangs_up = True
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port)
        async with running(station):
            await steps(station)
            await pass_time(station, lambda: both_come_again(station), 1000)
            rejects = station.forwarder.deliveries().rejects
    assert len(rejects) == 2


def both_come_again(station: Station) -> bool:
    counts = {one.given_up: one.count for one in station.forwarder.deliveries().rejects}
    return len(counts) == 2 and min(counts.values()) >= 2
