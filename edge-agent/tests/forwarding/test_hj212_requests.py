"""What a platform asks, and how it is answered: the exchanges of HJ 212-2017, annex C, byte for byte."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from edge_agent.config.model import Configuration, ForwarderEntry
from edge_agent.forwarding.hj212 import forwarder as module
from edge_agent.forwarding.hj212.codec import PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.commands import Treatment, treatment_of
from edge_agent.forwarding.hj212.kind import HJ212
from edge_agent.forwarding.hj212.packet import Packet
from edge_agent.forwarding.hj212.parameters import Parameters
from edge_agent.forwarding.hj212.profile import profile
from edge_agent.forwarding.hj212.sm4 import Encryption, Side, Sm4Key
from edge_agent.forwarding.hj212.station import packet_options
from edge_agent.forwarding.hj212.times import time_text
from edge_agent.forwarding.passwords import keep
from edge_agent.system.clock import ClockRefused

from .hj212_platform import Arrived, Platform, framed
from .hj212_station import BEGIN_MS, NAME, OPTIONS, STEP_MIN, Station, SteppedClock, opened, running, until

pytestmark = pytest.mark.timeout(240)

STEP_MS = STEP_MIN * 60_000
OFFSET_MS = 8 * 3_600_000
QN = "20160801085857223"


def request(cn: str, area: str = "", **other: str) -> str:
    fields = {"QN": QN, "ST": "32", "CN": cn, "PW": "123456", "MN": "010000A8900016F000169DC0", "Flag": "5"}
    head = ";".join(f"{name}={value}" for name, value in (fields | other).items() if value)
    return f"{head};CP=&&{area}&&"


@asynccontextmanager
async def connected(place: Path, platform: Platform, **options: Any) -> AsyncIterator[Station]:
    async with opened(place) as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, **{"rtd_interval_s": 0, **options})
        async with running(station):
            await until(lambda: platform.is_connected)
            yield station


def answers(platform: Platform) -> list[tuple[str, str]]:
    """Number and code of each."""
    return [
        (one.cn, one.values.get("QnRtn", one.values.get("ExeRtn", "")))
        for one in platform.answers
        if one.header["ST"] == "91"
    ]


async def ask(platform: Platform, segment: str, count: int) -> list[tuple[str, str]]:
    platform.answers.clear()
    platform.say(segment)
    await until(lambda: len(answers(platform)) >= count)
    return answers(platform)


async def test_the_printed_exchange_of_the_standard(tmp_path: Path, platform: Platform) -> None:
    """Annex C: the request for OverTime and ReCount, and both answers."""
    async with connected(tmp_path, platform) as station:
        assert await ask(platform, request("1000", "OverTime=5;ReCount=3"), 2) == [
            ("9011", "1"),
            ("9012", "1"),
        ]
        assert platform.answers[0].header == {
            "QN": QN, "ST": "91", "CN": "9011", "PW": "123456", "MN": "010000A8900016F000169DC0", "Flag": "4",
        }  # fmt: skip
        parameters = station.forwarder._parameters
        assert (parameters.timeout_s, parameters.retry_times) == (5, 3)


@pytest.mark.parametrize(
    ("segment", "expected"),
    [
        (request("1062", "RtdInterval=30", PW="999999"), [("9011", "3")]),
        (request("1062", "RtdInterval=30", MN="FFFFFFFFFFFFFFFFFFFFFFFF"), [("9011", "4")]),
        (request("1062", "RtdInterval=30", ST="31"), [("9011", "5")]),
        (request("1062", "RtdInterval=30", Flag="13"), [("9011", "6")]),
        (request("1999"), [("9011", "8")]),
        (request("9015"), [("9011", "8")]),
        (request("1062", "RtdInterval=5"), [("9011", "1"), ("9012", "3")]),
        (request("1062", "RtdInterval=x"), [("9011", "1"), ("9012", "3")]),
        (request("1062"), [("9011", "1"), ("9012", "3")]),
        (request("1000", "OverTime=5;ReCount=100"), [("9011", "1"), ("9012", "3")]),
        (request("1064", "MinInterval=7"), [("9011", "1"), ("9012", "3")]),
        (request("1072", "NewPW=1234567"), [("9011", "1"), ("9012", "3")]),
        (request("1072", "NewPW=12-456"), [("9011", "1"), ("9012", "3")]),
        (request("1012", "SystemTime=20251010000003"), [("9011", "1"), ("9012", "1")]),
        (request("1012", "SystemTime=20251010003000"), [("9011", "1"), ("9012", "2")]),
        (request("1012", "SystemTime=20251310003000"), [("9011", "1"), ("9012", "3")]),
        (request("1012", "PolId=w01018;SystemTime=20251010000003"), [("9011", "2")]),
        (request("2022"), [("9013", "")]),
        (request("2021"), [("9011", "2")]),
        (request("2041", "BeginTime=20251010000000;EndTime=20251010000000"), [("9011", "2")]),
        (request("3011", "PolId=w01018"), [("9011", "2")]),
        (request("3020", "PolId=w01018;InfoId=i11001"), [("9011", "2")]),
        (request("3021", "PolId=w01018;InfoId=i13004;i13004-Info=1"), [("9011", "2")]),
        (
            request("2061", "BeginTime=20160801080000;EndTime=20160801080000"),
            [("9011", "1"), ("9012", "100")],
        ),
        (request("2061", "BeginTime=20160801090000;EndTime=20160801080000"), [("9011", "1"), ("9012", "3")]),
        (request("2061", "BeginTime=20160801090000"), [("9011", "1"), ("9012", "3")]),
        (request("1061", Flag="4"), [("9012", "1")]),
    ],
)
async def test_answers(
    tmp_path: Path, platform: Platform, segment: str, expected: list[tuple[str, str]]
) -> None:
    async with connected(tmp_path, platform) as station:
        assert await ask(platform, segment, len(expected)) == expected
        assert await ask(platform, request("1061", QN="20160801085857224"), 2) == [
            ("9011", "1"),
            ("9012", "1"),
        ]
        assert station.forwarder._parameters.text() == ""


@pytest.mark.parametrize(
    ("cn", "item", "value"),
    [("1061", "RtdInterval", "0"), ("1063", "MinInterval", "10"), ("1011", "SystemTime", "")],
)
async def test_what_can_be_read(tmp_path: Path, platform: Platform, cn: str, item: str, value: str) -> None:
    async with connected(tmp_path, platform):
        await ask(platform, request(cn), 2)
        [reply] = [one for one in platform.arrived if one.cn == cn]
        assert reply.header["QN"] == QN
        assert reply.header["ST"] == "32"
        assert reply.values == {item: value or time_text(BEGIN_MS, OFFSET_MS)}


async def test_wrong_check_digits_are_answered_and_not_carried_out(
    tmp_path: Path, platform: Platform
) -> None:
    async with connected(tmp_path, platform) as station:
        bad = framed(request("1062", "RtdInterval=30"))
        platform.say_bytes(bad[:-6] + b"0759\r\n")
        await until(lambda: answers(platform))
        assert answers(platform) == [("9011", "9")]
        assert station.forwarder._parameters.rtd_interval_s == 0


async def test_a_request_that_comes_twice_is_carried_out_once(tmp_path: Path, platform: Platform) -> None:
    async with connected(tmp_path, platform) as station:
        twice = framed(request("1062", "RtdInterval=30")) * 2
        platform.say_bytes(twice)
        await until(lambda: len(answers(platform)) == 4)
        assert answers(platform) == [("9011", "1"), ("9012", "1")] * 2
        assert station.forwarder._parameters.rtd_interval_s == 30


async def test_changes_are_kept_until_the_configuration_has_another_value(
    tmp_path: Path, platform: Platform
) -> None:
    async with connected(tmp_path, platform) as station:
        await ask(platform, request("1072", "NewPW=654321"), 2)
        assert platform.answers[-1].header["PW"] == "123456", "answers still have the one before"
        assert await ask(platform, request("1061", QN="20160801085857224"), 1) == [("9011", "3")]
        new = request("1062", "RtdInterval=90", PW="654321", QN="20160801085857225")
        assert await ask(platform, new, 2) == [("9011", "1"), ("9012", "1")]
        stop = request("2012", PW="654321", QN="20160801085857226")
        assert await ask(platform, stop, 1) == [("9013", "")]
        reason = station.forwarder.condition()[2]
        assert reason == "set by the platform: pw changed, rtd_interval_s = 90, no real-time data"
    async with connected(tmp_path, platform) as station:
        parameters = station.forwarder._parameters
        assert (parameters.pw, parameters.rtd_interval_s, parameters.realtime) == ("654321", 90, False)
        assert platform.arrived[-1].header["PW"] == "654321"
    async with connected(tmp_path, platform, pw="abcdef") as station:
        parameters = station.forwarder._parameters
        assert (parameters.pw, parameters.rtd_interval_s) == ("abcdef", 90)
        start = request("2011", PW="abcdef", QN="20160801085857227")
        assert await ask(platform, start, 2) == [("9011", "1"), ("9012", "1")]
        assert parameters.realtime


async def test_another_minute_interval_holds_from_the_next_full_hour(
    tmp_path: Path, platform: Platform
) -> None:
    async with connected(tmp_path, platform) as station:
        assert await ask(platform, request("1064", "MinInterval=30"), 2) == [("9011", "1"), ("9012", "1")]
        for _ in range(13):
            await station.step(station.clock.now_ms() + STEP_MS)
        await until(station.settled)
        times = sorted(platform.of("2051"))
        expected = [0, 10, 20, 30, 40, 50, 60, 90]
        assert times == [time_text(BEGIN_MS + minute * 60_000, OFFSET_MS) for minute in expected]
        assert {record["w01001-Flag"] for record in platform.of("2061").values()} == {"N"}
        assert len(platform.of("2061")) == 2


@pytest.mark.parametrize("separator", [";", ","])
async def test_history_comes_with_new_numbers_from_old_to_new(
    tmp_path: Path, platform: Platform, separator: str
) -> None:
    async with connected(tmp_path, platform) as station:
        for _ in range(5):
            await station.step(station.clock.now_ms() + STEP_MS)
        await until(station.settled)
        before = {one.values["DataTime"]: one for one in platform.arrived if one.cn == "2051"}
        platform.arrived.clear()
        begin, end = (time_text(BEGIN_MS + number * STEP_MS, OFFSET_MS) for number in (1, 3))
        segment = request("2051", f"BeginTime={begin}{separator}EndTime={end}")
        assert await ask(platform, segment, 2) == [("9011", "1"), ("9012", "1")]
        sent = [one for one in platform.arrived if one.cn == "2051"]
        assert [one.values["DataTime"] for one in sent] == [
            time_text(BEGIN_MS + number * STEP_MS, OFFSET_MS) for number in (1, 2, 3)
        ]
        for one in sent:
            assert one.groups == before[one.values["DataTime"]].groups
            assert one.header["QN"] > before[one.values["DataTime"]].header["QN"]
        assert [one.cn for one in platform.arrived] == ["9011", "2051", "2051", "2051", "9012"]


async def test_2005_has_numbers_within_the_area_and_fewer_codes(tmp_path: Path, platform: Platform) -> None:
    async with connected(tmp_path, platform, version="2005", mn="88888880000001") as station:
        segment = request("1061", MN="88888880000001", Flag="3")
        await ask(platform, segment, 2)
        assert [one.values for one in platform.answers] == [
            {"QN": QN, "QnRtn": "1"},
            {"QN": QN, "RtdInterval": "0"},
            {"QN": QN, "ExeRtn": "1"},
        ]
        assert "QN" not in platform.answers[0].header
        new = request("1072", "PW=654321", MN="88888880000001", Flag="3", QN="20160801085857224")
        assert await ask(platform, new, 2) == [("9011", "1"), ("9012", "1")]
        assert station.forwarder._parameters.pw == "654321"
        wrong = request("1061", MN="88888880000001", ST="31", PW="654321", Flag="3", QN="20160801085857225")
        assert await ask(platform, wrong, 1) == [("9011", "2")]


async def test_2025_answers_with_its_own_flag(tmp_path: Path, platform: Platform) -> None:
    async with connected(tmp_path, platform, version="2025"):
        assert await ask(platform, request("1062", "RtdInterval=30", Flag="9"), 2) == [
            ("9011", "1"),
            ("9012", "1"),
        ]
        assert {one.header["Flag"] for one in platform.answers} == {"8"}
        dropped = request("3016", "PolId=w01018;CstartTime=000000;Ctime=2", Flag="9", QN="20160801085857224")
        assert await ask(platform, dropped, 1) == [("9011", "8")]


async def test_a_flood_of_requests_is_refused_and_uploads_go_on(tmp_path: Path, platform: Platform) -> None:
    async with connected(tmp_path, platform) as station:
        flood = b"".join(framed(request("1061", QN=f"201608010858{number:05d}")) for number in range(200))
        platform.say_bytes(flood)
        await station.step(station.clock.now_ms() + STEP_MS)
        await station.step(station.clock.now_ms() + STEP_MS)
        await until(lambda: platform.of("2051"))
        accepted = [one for one in answers(platform) if one == ("9011", "1")]
        assert 0 < len(accepted) <= 41, "20 at once, and as many after time went on"
        later: list[Arrived] = platform.answers
        assert len(later) < 200


EVERY = [*range(1000, 1080), *range(2000, 2120), *range(3000, 3030), 9015]
AREAS = {
    "1000": "OverTime=5;ReCount=3",
    "1012": "SystemTime=20251010000003",
    "1062": "RtdInterval=30",
    "1064": "MinInterval=10",
    "1072": "NewPW=123456",
    **dict.fromkeys(("2031", "2051", "2061"), "BeginTime=20160801080000;EndTime=20160801080000"),
}


@pytest.mark.parametrize(("version", "flag"), [("2005", "3"), ("2017", "5"), ("2025", "9")])
async def test_every_number_is_answered_as_the_table_says(
    tmp_path: Path, platform: Platform, version: str, flag: str
) -> None:
    mn = "88888880000001" if version == "2005" else "010000A8900016F000169DC0"
    numbers = [str(number) for number in EVERY if number not in (2011, 2012)]
    async with connected(tmp_path, platform, version=version, mn=mn) as station:
        for at, cn in enumerate(numbers):
            station.clock.advance(station.clock.now_ms() + 400)  # as many as are answered
            area = "PW=123456" if (version, cn) == ("2005", "1072") else AREAS.get(cn, "")
            area = f"SystemTime={time_text(station.clock.now_ms(), OFFSET_MS)}" if cn == "1012" else area
            treatment = treatment_of(cn, version)
            unknown = "2" if version == "2005" else "8"
            expected = {
                Treatment.EXECUTED: [("9011", "1"), ("9012", "100" if "BeginTime" in area else "1")],
                Treatment.NOTICED: [("9013", "")],
                Treatment.CONFIGURED: [("9011", "2")],
                Treatment.REFUSED: [("9011", "2")],
                Treatment.UNKNOWN: [("9011", unknown)],
            }[treatment]
            if cn == "1014" and treatment is Treatment.EXECUTED:
                expected = [("9011", "2")]  # packets are not encrypted
            segment = request(cn, area, MN=mn, Flag=flag, QN=f"201608010858{at:05d}")
            assert (cn, await ask(platform, segment, len(expected))) == (cn, expected)


async def test_a_platform_sets_the_clock_where_it_may_and_not_at_once_again(
    tmp_path: Path, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []
    monkeypatch.setattr(module, "set_machine_clock", taken.append)
    async with connected(tmp_path, platform, set_clock=True) as station:
        await until(lambda: any(one.cn == "1013" for one in platform.arrived))
        first = request("1012", "SystemTime=20251010003000")
        assert await ask(platform, first, 2) == [("9011", "1"), ("9012", "1")]
        assert taken == [BEGIN_MS + 30 * 60_000]
        again = request("1012", "SystemTime=20251010013000", QN="20160801085857224")
        assert await ask(platform, again, 2) == [("9011", "1"), ("9012", "5")]
        unset = request("1012", "SystemTime=19990101000000", QN="20160801085857225")
        assert await ask(platform, unset, 2) == [("9011", "1"), ("9012", "3")]
        assert taken == [BEGIN_MS + 30 * 60_000]
        assert station.forwarder.condition()[2] == "set by the platform: clock set to 20251010003000"


async def test_a_clock_that_the_machine_does_not_set_is_a_failure(
    tmp_path: Path, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> None:
        raise ClockRefused("the clock cannot be set: Operation not permitted")

    monkeypatch.setattr(module, "set_machine_clock", refuse)
    async with connected(tmp_path, platform, set_clock=True) as station:
        segment = request("1012", "SystemTime=20251010003000")
        assert await ask(platform, segment, 2) == [("9011", "1"), ("9012", "2")]
        assert station.forwarder._parameters.text() == ""


async def test_a_changed_password_holds_over_a_restart_where_it_lies_in_the_data_folder(
    tmp_path: Path, platform: Platform
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    entry = ForwarderEntry(name=NAME, kind="hj212", options={**OPTIONS, "pw": "", "port": platform.port})
    keep(folder, cast("Configuration", SimpleNamespace(forwarders=[entry])), NAME, "123456", "pw")
    options: dict[str, Any] = {"folder": folder, "pw": ""}
    async with connected(tmp_path, platform, **options):
        assert await ask(platform, request("1072", "NewPW=654321"), 2) == [("9011", "1"), ("9012", "1")]
    async with connected(tmp_path, platform, **options) as station:
        assert station.forwarder._parameters.pw == "654321"


KEYS = "0000000000000000", "abcdefgh12345678"


def encrypted(key: str, cn: str, qn: str, *area: tuple[str, str]) -> bytes:
    codec = PacketCodec(
        profile("2025"), PacketOptions(encryption=Encryption(Sm4Key(key), side=Side.PLATFORM))
    )
    mn = "010000A8900016F000169DC0"
    packet = Packet(qn=qn, st="32", cn=cn, pw="123456", mn=mn, flag=9, area=tuple((one,) for one in area))
    return codec.encode(packet)


def test_a_new_key_of_the_platform_is_kept_with_the_one_before() -> None:
    options = HJ212.options_of(
        {**OPTIONS, "port": 9000, "version": "2025", "cipher": "raw", "cipher_secret": KEYS[0]}
    )
    changes = Parameters(options, None).with_key(KEYS[1], BEGIN_MS)
    parameters = Parameters(options, msgspec.json.encode(changes))
    assert (parameters.cipher_secret, parameters.previous_cipher_secret) == (KEYS[1], KEYS[0])
    assert parameters.text() == "cipher_secret changed"
    assert not any(key in repr(changes) for key in KEYS)
    again = Parameters(options, msgspec.json.encode(parameters.with_key(KEYS[1], BEGIN_MS + 1)))
    assert again.previous_cipher_secret == KEYS[0], "the same key once more keeps the one before"
    now = msgspec.structs.replace(options, cipher_secret=parameters.cipher_secret)
    codec = PacketCodec(profile("2025"), packet_options(now, parameters.previous_cipher_secret))
    for key in KEYS:
        sent = encrypted(key, "1014", QN, ("SKCreateTime", QN), ("NewSK", KEYS[1]))
        assert codec.decode(sent).value("NewSK") == KEYS[1]
    other = msgspec.structs.replace(options, cipher_secret="another-key-1234")
    assert Parameters(other, msgspec.json.encode(changes)).cipher_secret == "another-key-1234"
