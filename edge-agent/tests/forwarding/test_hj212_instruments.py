"""Requests that points of the plant carry out: functions of instruments, states of equipment; keys."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from edge_agent.errors import BadValue, FieldbusError
from edge_agent.forwarding.hj212.codec import PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.functions import InstrumentFunction, functions_of
from edge_agent.forwarding.hj212.notices import KEY_MAX_AGE_MS
from edge_agent.forwarding.hj212.packet import Packet
from edge_agent.forwarding.hj212.profile import profile
from edge_agent.forwarding.hj212.sm4 import Encryption, Side, Sm4Key
from edge_agent.forwarding.hj212.times import DAY_MS, HOUR_MS, time_text
from edge_agent.model import PointKey, Quality, Sample, Value

from ..ports import free_port
from .hj212_platform import Platform, uploads
from .hj212_station import (
    BEGIN_MS,
    MN,
    MODE,
    STEP_MIN,
    Station,
    SteppedClock,
    opened,
    pass_time,
    running,
    until,
)
from .test_hj212_requests import ask, request

pytestmark = pytest.mark.timeout(240)

OFFSET_MS = 8 * 3_600_000
STEP_MS = STEP_MIN * 60_000
MN_2005 = "88888880000001"
FUNCTIONS = [
    {"request": "3011", "factor": "w01018", "point": "site.mode", "value": 7},
    {"request": "3016", "factor": "w01018", "item": "CstartTime", "point": "site.ph"},
    {"request": "3016", "factor": "w01018", "item": "Ctime", "point": "site.flow"},
    {"request": "3017", "factor": "w01018", "item": "CstartTime", "point": "site.ph"},
    {"request": "3017", "factor": "w01018", "item": "Ctime", "point": "site.flow"},
    {"request": "3018", "factor": "w01018", "point": "site.flow"},
    {"request": "3019", "factor": "w01018", "point": "site.cod"},
    {"request": "3020", "factor": "w01018", "item": "i13004", "point": "site.cod"},
    {"request": "3021", "factor": "w01018", "item": "i13004", "point": "site.cod"},
]
EQUIPMENT = [{"code": "SB1", "point": "site.mode"}]


class Field:
    """Points that hold what is written. fails: raised by each access; hold: none ends before it is set."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {"cod": 41.5, "flow": 2.0, "ph": 3000.0, "mode": 0.0}
        self.writes: list[tuple[str, Value]] = []
        self.fails: Exception | None = None
        self.hold = asyncio.Event()
        self.hold.set()

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        self.writes.append((key.point, value))
        return await self._answer(key, value)

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        return await self._answer(key, self.values[key.point])

    async def _answer(self, key: PointKey, value: Value) -> Sample:
        await self.hold.wait()
        if self.fails is not None:
            raise self.fails
        self.values[key.point] = value
        return Sample(1, BEGIN_MS, value)


@asynccontextmanager
async def connected(
    place: Path, platform: Platform, field: Field | None = None, **options: Any
) -> AsyncIterator[Station]:
    async with opened(place) as store:
        given = {"rtd_interval_s": 0, **options}
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, field=field, **given)
        async with running(station):
            await until(lambda: platform.is_connected)
            yield station


DONE = [("9011", "1"), ("9012", "1")]


@pytest.mark.parametrize(
    ("cn", "area", "written"),
    [
        ("3011", "PolId=w01018", [("mode", 7.0)]),
        ("3016", "PolId=w01018;CstartTime=023000;Ctime=4", [("ph", 23000.0), ("flow", 4.0)]),
        ("3016", "PolId=w01018;CstartTime=000000;CTime=2", [("ph", 0.0), ("flow", 2.0)]),
        ("3021", "PolId=w01018;InfoId=i13004;i13004-Info=168.0", [("cod", 168.0)]),
    ],
)
async def test_an_order_writes_its_points_once(
    tmp_path: Path, platform: Platform, cn: str, area: str, written: list[tuple[str, float]]
) -> None:
    field = Field()
    async with connected(tmp_path, platform, field, functions=FUNCTIONS):
        assert await ask(platform, request(cn, area), 2) == DONE
        assert await ask(platform, request(cn, area), 2) == DONE
        assert field.writes == written
    async with connected(tmp_path, platform, field, functions=FUNCTIONS):
        assert await ask(platform, request(cn, area), 2) == DONE, "also after a restart"
        assert field.writes == written


@pytest.mark.parametrize(
    ("cn", "area", "groups"),
    [
        ("3017", "", [{"CstartTime": "003000"}, {"Ctime": "2"}]),
        ("3018", "", [{"Stime": "2"}]),
        ("3019", "", [{"w01018-SN": "41.5"}]),
        ("3020", ";InfoId=i13004", [{"i13004-Info": "41.5"}]),
        (
            "3020",
            ";InfoId=i13004;BeginTime=20251009230000,EndTime=20251009235955",
            [{"i13004-Info": "41.5"}],
        ),
    ],
)
async def test_what_a_point_has_is_the_answer(
    tmp_path: Path, platform: Platform, cn: str, area: str, groups: list[dict[str, str]]
) -> None:
    async with connected(tmp_path, platform, Field(), functions=FUNCTIONS):
        segment = request(cn, f"PolId=w01018{area}")
        assert await ask(platform, segment, 2) == DONE
        [reply] = [one for one in platform.arrived if one.cn == cn]
        lead = [{"DataTime": time_text(BEGIN_MS, OFFSET_MS)}] if cn == "3020" else []
        assert reply.groups == [*lead, {"PolId": "w01018"}, *groups]
        assert (reply.header["QN"], reply.header["ST"]) == (segment[3:20], "32")


@pytest.mark.parametrize(
    ("cn", "area", "fails", "expected"),
    [
        ("3011", "PolId=w01001", None, [("9011", "2")]),
        ("3012", "PolId=w01018", None, [("9011", "2")]),
        ("3020", "PolId=w01018;InfoId=i11001", None, [("9011", "2")]),
        ("3016", "PolId=w01018;CstartTime=023000", None, [("9011", "1"), ("9012", "3")]),
        ("3016", "PolId=w01018;CstartTime=023000;Ctime=25", None, [("9011", "1"), ("9012", "3")]),
        ("3021", "PolId=w01018;InfoId=i13004;i13004-Info=warm", None, [("9011", "1"), ("9012", "3")]),
        ("3021", "PolId=w01018;InfoId=i13004", None, [("9011", "1"), ("9012", "3")]),
        (
            "3020",
            "PolId=w01018;InfoId=i13004;BeginTime=20251009000000;EndTime=20251009010000",
            None,
            [("9011", "1"), ("9012", "100")],
        ),
        ("3011", "PolId=w01018", BadValue("mode: must be at most 5"), [("9011", "1"), ("9012", "3")]),
        ("3011", "PolId=w01018", FieldbusError("away"), [("9011", "1"), ("9012", "2")]),
        ("3019", "PolId=w01018", FieldbusError("away"), [("9011", "1"), ("9012", "2")]),
    ],
)
async def test_what_does_not_succeed(
    tmp_path: Path,
    platform: Platform,
    cn: str,
    area: str,
    fails: Exception | None,
    expected: list[tuple[str, str]],
) -> None:
    field = Field()
    field.fails = fails
    async with connected(tmp_path, platform, field, functions=FUNCTIONS):
        assert await ask(platform, request(cn, area), len(expected)) == expected
        assert fails is not None or field.writes == []
        assert [one for one in platform.arrived if one.cn == cn] == []


async def test_a_time_that_the_standard_does_not_allow_is_not_sent(
    tmp_path: Path, platform: Platform
) -> None:
    field = Field()
    field.values["flow"] = 500.0
    async with connected(tmp_path, platform, field, functions=FUNCTIONS):
        assert await ask(platform, request("3018", "PolId=w01018"), 2) == [("9011", "1"), ("9012", "2")]


async def test_an_instrument_that_does_not_answer_in_time(tmp_path: Path, platform: Platform) -> None:
    field = Field()
    field.hold.clear()
    async with connected(tmp_path, platform, field, functions=FUNCTIONS) as station:
        platform.answers.clear()
        platform.say(request("3011", "PolId=w01018"))
        await until(lambda: field.writes)
        await pass_time(station, lambda: len(platform.answers) == 2)
        assert platform.answers[-1].values == {"ExeRtn": "4"}


async def test_an_order_whose_connection_ends_is_executed_once(tmp_path: Path, platform: Platform) -> None:
    """It comes again on another connection, and brings its result there."""
    field = Field()
    field.hold.clear()
    async with connected(tmp_path, platform, field, functions=FUNCTIONS) as station:
        platform.say(request("3011", "PolId=w01018"))
        await until(lambda: field.writes)
        await platform.stop()
        await platform.start()
        field.hold.set()
        await pass_time(station, lambda: platform.is_connected)
        await until(lambda: any(one.cn == "2081" for one in platform.arrived[1:]))
        assert await ask(platform, request("3011", "PolId=w01018"), 2) == DONE
        assert field.writes == [("mode", 7.0)]


def test_a_function_without_an_item_serves_every_type_of_calibration() -> None:
    both = [
        InstrumentFunction(request="3011", factor="w01018", point="site.span", item="1"),
        InstrumentFunction(request="3011", factor="w01018", point="site.any"),
    ]
    points = {
        item: [one.point for one in functions_of(both, "3011", "w01018", item)] for item in ("0", "1", "")
    }
    assert points == {"0": ["site.any"], "1": ["site.span"], "": ["site.any"]}
    assert functions_of(both, "3011", "w01001") == functions_of(both, "3012", "w01018") == []


@pytest.mark.parametrize(("version", "flag"), [("2005", "3"), ("2017", "5"), ("2025", "9")])
async def test_states_of_equipment_begin_and_end_as_the_platform_wants(
    tmp_path: Path, platform: Platform, version: str, flag: str
) -> None:
    mn = MN_2005 if version == "2005" else "010000A8900016F000169DC0"
    options: dict[str, Any] = {
        "version": version,
        "mn": mn,
        "rtd_interval_s": 60,
        "equipment": EQUIPMENT,
        "equipment_states": {"2": "1", "0": "0"},
        "report_interval_min": 0,
    }
    async with connected(tmp_path, platform, **options) as station:
        assert await ask(platform, request("2012", MN=mn, Flag=flag), 1) == [("9013", "")]
        platform.arrived.clear()
        await station.step(station.clock.now_ms() + 60_000, mode=2)
        await pass_time(station, lambda: uploads(platform, "2021"))
        first = uploads(platform, "2021")[0]
        assert first.groups[1:] == [{"SB1-RS": "1"}]
        assert not uploads(platform, "2011"), "these were ended before"
        stop = request("2022", MN=mn, Flag=flag, QN="20160801085857224")
        assert await ask(platform, stop, 1) == [("9013", "")]
        assert "no states of equipment" in station.forwarder.condition()[2]
        platform.arrived.clear()
        start = request("2021", MN=mn, Flag=flag, QN="20160801085857225")
        for minute in range(5):
            station.clock.advance(station.clock.now_ms() + 60_000)
            assert await ask(platform, request("1061", MN=mn, Flag=flag, QN=f"2016080109{minute:07d}"), 2)
        assert not uploads(platform, "2021")
        assert await ask(platform, start, 2) == DONE
        await pass_time(station, lambda: uploads(platform, "2021"))


async def test_a_state_that_is_not_known_is_not_sent(tmp_path: Path, platform: Platform) -> None:
    options: dict[str, Any] = {"rtd_interval_s": 60, "equipment": EQUIPMENT, "report_interval_min": 0}
    async with connected(tmp_path, platform, **options) as station:
        await station.step(station.clock.now_ms() + 60_000, {MODE: Quality.DEVICE_OFFLINE}, mode=9)
        await pass_time(station, lambda: len(uploads(platform, "2011")) >= 2)
        assert not uploads(platform, "2021")


async def test_run_times_of_a_day_are_sent_and_fetched(tmp_path: Path, platform: Platform) -> None:
    options: dict[str, Any] = {"report_interval_min": 0, "equipment": EQUIPMENT}
    async with connected(tmp_path, platform, **options) as station:
        for number in range(24 * 60 // STEP_MIN + 1):
            await station.step(station.clock.now_ms() + STEP_MS, mode=int(number < 9))
        await until(station.settled)
        begin = time_text(BEGIN_MS, OFFSET_MS)
        assert platform.of("2041") == {begin: {"DataTime": begin, "SB1-RT": "1.50"}}
        platform.arrived.clear()
        segment = request("2041", f"BeginTime={begin};EndTime={begin}")
        assert await ask(platform, segment, 2) == DONE
        assert [one.cn for one in platform.arrived] == ["9011", "2041", "9012"]
        none = request("2041", "BeginTime=20160801000000;EndTime=20160802000000", QN="20160801085857224")
        assert await ask(platform, none, 2) == [("9011", "1"), ("9012", "100")]


async def test_2005_reads_the_time_of_the_daily_report(tmp_path: Path, platform: Platform) -> None:
    async with connected(tmp_path, platform, version="2005", mn=MN_2005):
        assert await ask(platform, request("1041", MN=MN_2005, Flag="3"), 2) == DONE
        [reply] = [one for one in platform.arrived if one.cn == "1041"]
        assert reply.values["ReportTime"] == "0000"


@pytest.mark.parametrize(("version", "flag", "code"), [("2017", "5", "3"), ("2025", "9", "1")])
async def test_no_resends_are_of_2025(
    tmp_path: Path, platform: Platform, version: str, flag: str, code: str
) -> None:
    async with connected(tmp_path, platform, version=version):
        segment = request("1000", "OverTime=5;ReCount=0", Flag=flag)
        assert await ask(platform, segment, 2) == [("9011", "1"), ("9012", code)]


class EncryptedPlatform:
    """Reads and writes with the codec of the other side. arrived: what came, oldest first."""

    def __init__(self, key: str) -> None:
        self.arrived: list[Packet] = []
        self.port = free_port()
        self.take_key(key)
        self._writer: asyncio.StreamWriter | None = None

    def take_key(self, key: str) -> None:
        """For what is sent from now on, and for the next connection."""
        encryption = Encryption(Sm4Key(key), side=Side.PLATFORM)
        self._codec = PacketCodec(profile("2025"), PacketOptions(encryption=encryption))

    def send(self, cn: str, qn: str, *items: tuple[str, str]) -> None:
        area = tuple((item,) for item in items)
        packet = Packet(qn=qn, st="32", cn=cn, pw="123456", mn=MN, flag=9, area=area)
        assert self._writer is not None
        self._writer.write(self._codec.encode(packet))

    def results(self) -> list[str | None]:
        return [one.value("ExeRtn") for one in self.arrived if one.cn == "9012"]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        packets = self._codec.reader()
        while chunk := await reader.read(4096):
            self.arrived.extend(one for one in packets.feed(chunk) if isinstance(one, Packet))
        writer.close()


@asynccontextmanager
async def encrypted(place: Path, platform: EncryptedPlatform, key: str) -> AsyncIterator[Station]:
    options: dict[str, Any] = {"version": "2025", "cipher": "raw", "cipher_secret": key}
    async with (
        await asyncio.start_server(platform.serve, "127.0.0.1", platform.port),
        opened(place) as store,
    ):
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, rtd_interval_s=0, **options)
        async with running(station):
            await until(lambda: any(one.cn == "2081" for one in platform.arrived))
            yield station


async def test_a_new_key_holds_for_the_next_packet(tmp_path: Path) -> None:
    keys = [f"key-of-sixteen-{number}" for number in range(3)]
    platform = EncryptedPlatform(keys[0])
    async with encrypted(tmp_path, platform, keys[0]) as station:
        for number, key in enumerate(keys[1:]):
            qn = f"2016080108585722{number}"
            platform.send("1014", qn, ("SKCreateTime", qn), ("NewSK", key))
            await until(lambda count=number + 1: len(platform.results()) == count)
            platform.take_key(key)
        assert platform.results() == ["1", "1"]
        parameters = station.forwarder._parameters
        assert (parameters.cipher_secret, parameters.previous_cipher_secret) == (keys[2], keys[1])


async def test_a_key_of_the_platform_is_renewed_after_ninety_days(tmp_path: Path) -> None:
    key = "0123456789abcdef"
    platform = EncryptedPlatform(key)

    def created() -> list[str | None]:
        return [one.value("SKCreateTime") for one in platform.arrived if one.cn == "1014"]

    async with encrypted(tmp_path, platform, key) as station:
        parameters, notices = station.forwarder._parameters, station.forwarder._notices
        assert station.forwarder._session is not None
        connection = station.forwarder._session.connection
        parameters.take(parameters.with_key(key, BEGIN_MS))
        station.clock.advance(BEGIN_MS + KEY_MAX_AGE_MS)
        await notices.ask_for_key(connection)
        await notices.heartbeat(connection)
        await until(lambda: any(one.cn == "9015" for one in platform.arrived))
        assert created() == []
        await pass_time(station, created, step_ms=31_000)
        await notices.ask_for_key(connection)
        station.clock.advance(station.clock.now_ms() + DAY_MS + HOUR_MS)
        await notices.ask_for_key(connection)
        await until(lambda: len(created()) >= 2)
        assert created() == ["20251010000000000"] * 2
