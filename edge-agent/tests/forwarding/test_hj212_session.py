"""One connection to a platform: acknowledgement, resending, splitting, what is refused and why."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from edge_agent.forwarding.base import Condition
from edge_agent.forwarding.hj212.codec import PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.packet import Packet
from edge_agent.forwarding.hj212.profile import profile
from edge_agent.forwarding.hj212.sm4 import Encryption, Side, Sm4Key
from edge_agent.forwarding.hj212.times import time_ms, time_text
from edge_agent.model import Quality

from ..ports import free_port
from .hj212_platform import Arrived, Platform
from .hj212_station import (
    BEGIN_MS,
    COD,
    FLOW,
    NAME,
    OPTIONS,
    PH,
    SAMPLE_MS,
    STEP_MIN,
    Station,
    SteppedClock,
    opened,
    raw,
    running,
    until,
)

pytestmark = pytest.mark.timeout(240)

STEP_MS = STEP_MIN * 60_000
OFFSET_MS = 8 * 3_600_000


def uploads(platform: Platform, cn: str = "2051") -> list[Arrived]:
    return [one for one in platform.arrived if one.cn == cn]


async def steps(station: Station, count: int = 1) -> None:
    for _ in range(count):
        await station.step(station.clock.now_ms() + STEP_MS)


async def pass_time(station: Station, condition: Any, step_ms: int = 1000) -> None:
    """Time goes on until it holds."""

    def look() -> Any:
        station.clock.advance(station.clock.now_ms() + step_ms)
        return condition()

    await until(look)


@pytest.mark.parametrize(
    ("version", "flag", "wire_flag"),
    [
        ("2005", 5, "1"),
        ("2017", 5, "5"),
        ("2025", 5, "9"),
        ("2017", 0, "4"),
        ("2025", 0, "8"),
        ("2005", 0, None),
    ],
)
async def test_uploads_of_each_version(
    tmp_path: Path, platform: Platform, version: str, flag: int, wire_flag: str | None
) -> None:
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, version=version, flag=flag)
        async with running(station):
            await until(lambda: platform.is_connected)
            await steps(station, 2)
            await until(lambda: uploads(platform))
            await until(station.settled)
        [record] = uploads(platform)
        assert record.header.get("Flag") == wire_flag
        assert ("QN" in record.header) is (wire_flag is not None)
        assert record.header["PW"] == "123456"
        assert record.groups[0] == {"DataTime": time_text(BEGIN_MS, OFFSET_MS)}
        assert list(record.groups[2]) == [
            f"w01018-{suffix}" for suffix in ("Cou", "Min", "Avg", "Max", "Flag")
        ]
        assert station.forwarder.condition()[0] is Condition.UP


async def test_real_time_data_have_the_newest_values_and_flags(tmp_path: Path, platform: Platform) -> None:
    async with opened(tmp_path) as store:
        station = Station(
            store, SteppedClock(BEGIN_MS), platform.port, report_interval_min=0, rtd_interval_s=30
        )
        async with running(station):
            await until(lambda: platform.is_connected)
            await station.step(BEGIN_MS + STEP_MS, mode=2)
            await until(station.settled)
            station.clock.advance(BEGIN_MS + STEP_MS + 30_100)
            await until(lambda: uploads(platform, "2011"))
            await station.step(station.clock.now_ms() + 60_000, {COD: Quality.DEVICE_OFFLINE})
            await until(station.settled)
            await until(lambda: len(uploads(platform, "2011")) == 2)
            station.clock.advance(BEGIN_MS + STEP_MS + 120_100)
            await until(lambda: len(uploads(platform, "2011")) == 3)
    first, last = uploads(platform, "2011")[0], uploads(platform, "2011")[-1]
    assert first.values["DataTime"] == time_text(BEGIN_MS + STEP_MS - 20_000, OFFSET_MS)
    assert first.values["w01018-Flag"] == "C"
    assert {name.partition("-")[2] for name in first.values} == {"", "Rtd", "Flag"}
    assert last.values["w01018-Flag"] == "B"
    assert "w01018-Rtd" not in last.values
    assert last.values["w00000-Flag"] == "N"
    assert "w00000-Rtd" in last.values


async def test_an_upload_is_sent_again_with_the_same_bytes_until_it_is_acknowledged(
    tmp_path: Path, platform: Platform
) -> None:
    platform.acks = False
    async with opened(tmp_path) as store:
        station = Station(
            store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0, retry_times=2, timeout_s=5
        )
        async with running(station):
            await until(lambda: platform.is_connected)
            await steps(station, 2)
            await pass_time(station, lambda: platform.connections >= 3)
            sent = uploads(platform)
            assert [one.header["QN"] for one in sent[:3]] == [sent[0].header["QN"]] * 3
            assert sent[3].header["QN"] > sent[0].header["QN"], "a new exchange after the link was given up"
            condition, _, reason = station.forwarder.condition()
            assert condition is Condition.DOWN
            assert "no answer to CN=2051, sent 3 times, 5 s each" in reason
            assert "compare MN=010000A8900016F000169DC0, ST=32, pw" in reason
            assert "123456" not in reason
            platform.acks = True
            await pass_time(station, lambda: platform.of("2051"))
            await until(station.settled)
            assert station.forwarder.condition()[0] is Condition.UP
            ledger = station.forwarder.deliveries()
            assert ledger.repeated >= 4
            assert ledger.rejects[-1].reason.startswith("no answer to CN=2051")


@pytest.mark.parametrize(
    ("code", "words"), [(3, "PW is wrong"), (4, "MN is wrong"), (5, "ST is wrong"), (9, "CRC is wrong")]
)
async def test_a_platform_that_refuses_is_quoted(
    tmp_path: Path, platform: Platform, code: int, words: str
) -> None:
    platform.refusal = code
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0)
        async with running(station):
            await until(lambda: platform.is_connected)
            await steps(station, 2)
            await until(lambda: station.forwarder.deliveries().rejected)
            assert f"the platform refused CN=2051: {words} (QnRtn={code})" in station.forwarder.condition()[2]
            assert words in station.forwarder.deliveries().rejects[0].reason
            assert await store.target_records.count_waiting(NAME) == 1, "nothing is lost"
            platform.refusal = None
            await until(station.settled)
    assert len(platform.of("2051")) == 1


async def test_a_platform_that_hangs_up_without_a_word(tmp_path: Path, platform: Platform) -> None:
    platform.hangs_up = True
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0)
        async with running(station):
            await until(lambda: platform.is_connected)
            await steps(station, 2)
            await until(lambda: platform.connections > 3)
            reason = station.forwarder.condition()[2]
            assert "the platform closed the connection" in reason
            assert "crc = standard" in reason
            assert station.forwarder.deliveries().rejected == 1, "once for the same reason"


async def test_check_digits_of_another_variant_are_named(tmp_path: Path, platform: Platform) -> None:
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0, timeout_s=1)
        async with running(station):
            await until(lambda: platform.is_connected)
            platform.say(
                "QN=20251010000000000;ST=91;CN=9014;PW=123456;MN=010000A8900016F000169DC0;Flag=4;CP=&&&&",
                is_modbus=True,
            )
            platform.acks = False
            await steps(station, 2)
            await pass_time(station, lambda: "crc16_modbus" in station.forwarder.condition()[2])
    assert "crc = crc16_modbus, not of standard" in station.forwarder.condition()[2]


async def test_a_target_with_another_crc(tmp_path: Path, platform: Platform) -> None:
    platform.is_modbus = True
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, crc="crc16_modbus")
        async with running(station):
            await until(lambda: platform.is_connected)
            await steps(station, 2)
            await until(lambda: platform.of("2051"))


async def test_long_records_are_split_and_each_part_is_acknowledged(
    tmp_path: Path, platform: Platform
) -> None:
    mapping = [
        {"factor": f"w2{number:04d}", "point": "site.cod", "types": ["min", "avg", "max"]}
        for number in range(40)
    ]
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, mapping=mapping)
        async with running(station):
            await until(lambda: platform.is_connected)
            await steps(station, 2)
            await until(station.settled)
    parts = uploads(platform)
    assert len(parts) == int(parts[0].header["PNUM"]) > 1
    assert [one.header["PNO"] for one in parts] == [str(number + 1) for number in range(len(parts))]
    assert len({one.header["QN"] for one in parts}) == len(parts)
    assert {one.header["Flag"] for one in parts} == {"7"}
    assert len(platform.of("2051")[time_text(BEGIN_MS, OFFSET_MS)]) == 1 + 40 * 4


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
            assert [one.values["DataTime"] for one in uploads(platform)] == sorted(
                one.values["DataTime"] for one in uploads(platform)
            )
            await steps(station)
            await until(station.settled)
            assert "RF" not in uploads(platform)[-1].header


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
            await until(lambda: station.forwarder.deliveries().rejected)
            await until(station.settled)
            await steps(station)
            await until(lambda: uploads(platform))
            await until(station.settled)
            ledger = station.forwarder.deliveries()
            assert len(uploads(platform)) == 1
            assert "supplementary data are off" in ledger.rejects[0].reason
            assert ledger.rejects[0].count == 3


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
            assert station.forwarder.deliveries().rejected >= 5
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


async def _waiting(store: Any, kind: str) -> bool:
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
            assert await store.target_records.count_waiting(NAME) == 1
    assert len(ignored) >= 3


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


async def test_garbage_floods_and_half_packets_harm_nothing(tmp_path: Path, platform: Platform) -> None:
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0)
        async with running(station):
            await until(lambda: platform.is_connected)
            platform.say_bytes(b"\x00#" * 50_000 + b"##9999" + b"##0012half")
            await steps(station, 2)
            await until(station.settled)
            assert platform.of("2051")
            assert platform.connections == 1


async def test_nothing_secret_is_logged(
    tmp_path: Path, platform: Platform, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    platform.refusal = 3
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, pw="s3cr3t", rtd_interval_s=0)
        async with running(station):
            await until(lambda: platform.is_connected)
            await steps(station, 2)
            await until(lambda: station.forwarder.deliveries().rejected)
        assert "s3cr3t" not in repr(station.forwarder._options)
    assert "s3cr3t" not in caplog.text
    assert "PW is wrong" in caplog.text
    assert OPTIONS["pw"] not in caplog.text


async def test_heartbeats_of_2025_want_no_answer(tmp_path: Path, platform: Platform) -> None:
    async with opened(tmp_path) as store:
        station = Station(
            store, SteppedClock(BEGIN_MS), platform.port, version="2025", heartbeat_s=30, rtd_interval_s=0
        )
        async with running(station):
            await until(lambda: platform.is_connected)
            await pass_time(station, lambda: len(uploads(platform, "9015")) >= 2)
    assert {one.header["Flag"] for one in uploads(platform, "9015")} == {"8"}
    assert uploads(platform, "9015")[0].groups == []


async def test_encrypted_data_of_2025(tmp_path: Path) -> None:
    """Read with the codec of the other side; its own acceptance test are the packets of annex A."""
    arrived: list[Packet] = []
    secret = "0123456789abcdef"
    encryption = Encryption(Sm4Key(secret), side=Side.PLATFORM)
    codec = PacketCodec(profile("2025"), PacketOptions(encryption=encryption))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        packets = codec.reader()
        while chunk := await reader.read(4096):
            assert b"w01018" not in chunk
            for one in packets.feed(chunk):
                assert isinstance(one, Packet)
                arrived.append(one)
                if one.answer_wanted:
                    answer = Packet(qn=one.qn, st="91", cn="9014", pw=one.pw, mn=one.mn, flag=8)
                    writer.write(codec.encode(answer))
        writer.close()

    port = free_port()
    async with await asyncio.start_server(serve, "127.0.0.1", port), opened(tmp_path) as store:
        station = Station(
            store, SteppedClock(BEGIN_MS), port, version="2025", cipher="raw", cipher_secret=secret
        )
        async with running(station):
            await steps(station, 2)
            await until(lambda: any(one.cn == "2051" for one in arrived))
            await until(station.settled)
    record = next(one for one in arrived if one.cn == "2051")
    assert record.value("w01018-Flag") == "N"


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


async def test_a_platform_that_closes_an_idle_connection_refuses_nothing(
    tmp_path: Path, platform: Platform
) -> None:
    async with opened(tmp_path) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0)
        async with running(station):
            await until(lambda: platform.is_connected)
            await platform.stop()
            await platform.start()
            await until(lambda: platform.is_connected)
            await until(lambda: station.forwarder.condition()[0] is Condition.UP)
            assert "compare MN" not in str(station.forwarder.deliveries().rejects)
