"""One connection to a platform: acknowledgement, resending, splitting, what is refused and why."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from edge_agent.forwarding.base import Condition
from edge_agent.forwarding.hj212.codec import PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.packet import Packet
from edge_agent.forwarding.hj212.profile import profile
from edge_agent.forwarding.hj212.sm4 import Encryption, Side, Sm4Key
from edge_agent.forwarding.hj212.times import time_ms, time_text
from edge_agent.model import Quality

from ..ports import free_port
from .hj212_platform import Arrived, Platform, uploads
from .hj212_station import (
    BEGIN_MS,
    COD,
    MN,
    NAME,
    OPTIONS,
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
        sent = [text for _, direction, text in station.packets if direction == "sent"]
        assert all("PW=***;MN=" in text for text in sent)
        assert any("w01018-Avg=" in text for text in sent)
        assert not any("123456" in text for _, _, text in station.packets)
        assert any(direction == "received" for _, direction, _ in station.packets) is (flag == 5)
        assert list(record.groups[2]) == [
            f"w01018-{suffix}" for suffix in ("Cou", "Min", "Avg", "Max", "Flag")
        ]
        assert station.forwarder.condition()[0] is Condition.UP


async def test_real_time_data_have_the_newest_values_and_flags(tmp_path: Path, platform: Platform) -> None:
    async def flagged(station: Station, flag: str, mode: int, away: dict[int, Quality]) -> Arrived:
        """The first upload in which COD has the flag; samples come every 20 s meanwhile."""
        deadline_ms = station.clock.now_ms() + 200 * 60_000
        while station.clock.now_ms() < deadline_ms:
            await station.step(station.clock.now_ms() + 40_000, away, mode)
            await until(station.settled)
            if (sent := uploads(platform, "2011")) and sent[-1].values.get("w01018-Flag") == flag:
                return sent[-1]
        raise AssertionError(f"no real-time data with flag {flag}")

    async with opened(tmp_path) as store:
        station = Station(
            store, SteppedClock(BEGIN_MS), platform.port, report_interval_min=0, rtd_interval_s=30
        )
        async with running(station):
            await until(lambda: platform.is_connected)
            calibrating = await flagged(station, "C", 2, {})
            normal = await flagged(station, "N", 0, {})
            lost = await flagged(station, "B", 0, {COD: Quality.DEVICE_OFFLINE})
    assert {name.partition("-")[2] for name in normal.values} == {"", "Rtd", "Flag"}
    t_ms = time_ms(normal.values["DataTime"], OFFSET_MS)
    assert t_ms is not None
    assert normal.values["w01018-Rtd"] == f"{raw(COD, t_ms):.3f}"
    assert calibrating.values["w00000-Flag"] == "N", "the state is that of one factor"
    assert "w01018-Rtd" not in lost.values


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
            reason = station.forwarder.condition().reason
            assert station.forwarder.condition().condition is Condition.DOWN
            assert "no answer to CN=2051, sent 3 times, 5 s each" in reason
            assert "compare MN=010000A8900016F000169DC0, ST=32, pw" in reason
            assert "123456" not in reason
            ledger = station.forwarder.deliveries()
            assert (ledger.delivered, ledger.given_up) == (0, 0)
            assert ledger.failed >= 2, "each connection without an answer"
            assert station.forwarder.condition().waiting_records
            platform.acks = True
            await pass_time(station, lambda: platform.of("2051"))
            await until(station.settled)
            assert station.forwarder.condition()[0] is Condition.UP
            ledger = station.forwarder.deliveries()
            assert ledger.repeated >= 4
            assert ledger.rejects[-1].reason.startswith("no answer to CN=2051")


@pytest.mark.parametrize(("version", "mn"), [("2017", MN), ("2005", "88888880000001")])
async def test_an_acknowledgement_with_its_flag_behind_the_area(
    tmp_path: Path, platform: Platform, version: str, mn: str
) -> None:
    platform.flag_behind = True
    async with opened(tmp_path) as store:
        station = Station(
            store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0, version=version, mn=mn
        )
        async with running(station):
            await until(lambda: platform.is_connected)
            await steps(station, 3)
            await until(station.settled)
        assert len(uploads(platform)) == len(platform.of("2051")) == 2
        assert station.forwarder.deliveries().repeated == 0


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
            await until(lambda: station.forwarder.deliveries().failed)
            assert f"the platform refused CN=2051: {words} (QnRtn={code})" in station.forwarder.condition()[2]
            assert words in station.forwarder.deliveries().rejects[0].reason
            assert "compare MN" not in station.forwarder.condition().reason, "the platform says what is wrong"
            assert not station.forwarder.deliveries().rejects[0].given_up
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
            [entry] = station.forwarder.deliveries().rejects
            assert entry.count >= 3, "one entry for the same reason"
            assert not entry.given_up and station.forwarder.deliveries().given_up == 0


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
    assert "compare MN" not in station.forwarder.condition().reason, "the cause is known"


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
            await until(lambda: station.forwarder.deliveries().failed)
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
            await until(lambda: station.forwarder.condition()[0] is Condition.CONNECTED)
            assert station.forwarder.deliveries().rejects == (), "nothing was on its way"
