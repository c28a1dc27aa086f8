"""A platform and data loggers over TCP: answers, refusals, what is stored."""

from __future__ import annotations

from typing import Any

import pytest
from data_logger import MN, STATIONS, golden, packet, upload

from firmware_sim.hj212_platform.store import FILE

MINUTE = "DataTime=2026010100{minute:02}00;w01018-Avg=1.0,w01018-Flag=N"


async def test_an_upload_is_stored_and_answered(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await served.logger()
    logger.send(golden("H08"))
    assert await logger.received() == golden("H09")[6:-6].decode()
    assert served.report()["stations"]["outlet"]["commands"]["2011"]["values"] == {
        "w01001": {"Rtd": 1, "Flag": 1},
        "w01018": {"SampleTime": 1, "Rtd": 1, "Flag": 1, "EFlag": 1},
    }


async def test_answers_go_only_to_who_wants_one(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await served.logger()
    logger.send(upload(1, Flag="4"), upload(2), upload(3, "", cn="1013"))
    assert "QN=00000000000000002;ST=91;CN=9014" in await logger.received()
    assert "QN=00000000000000003;ST=91;CN=9013" in await logger.received()


async def test_stations_of_three_versions_on_one_connection(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await served.logger()
    logger.send(
        upload(1),
        golden("J29").replace(b"PW=123456", b"PW=123456"),
        upload(2, PW="abcdef", MN="A" + MN[1:], ST="44", Flag="9"),
        golden("H30"),
    )
    assert "CN=9014;PW=123456" in await logger.received()
    assert f"CN=9014;PW=abcdef;MN=A{MN[1:]};Flag=8" in await logger.received()
    logger.send(upload(3))
    assert "QN=00000000000000003" in await logger.received()
    stations = served.report()["stations"]
    assert stations["ditch"]["commands"]["2011"]["values"]["011"] == {"Rtd": 1, "Flag": 1}
    assert stations["outlet"]["refused"] == {"flag": 1}, "a packet of 2025 from a station of 2017"


async def test_what_is_no_packet_costs_nothing_else(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await served.logger()
    broken = upload(1)[:60]
    logger.send(b"x#12##", broken, b"##9999", upload(2), upload(3)[:30])
    assert "QN=00000000000000002" in await logger.received()
    logger.send(upload(3)[30:])
    assert "QN=00000000000000003" in await logger.received()
    assert served.report()["counters"]["discarded_bytes"] == 6 + 60 + 6


REFUSALS = """
refusals: {crc: close, mn: close, pw: answer, st: silent, other: answer}
"""


async def test_refusals_are_answered_silent_or_close_the_connection(platform: Any) -> None:
    served = await platform(STATIONS + REFUSALS)
    logger = await served.logger()
    logger.send(upload(1, PW="654321"), upload(2, ST="31"), upload(3, "DataTime=1;oops"))
    assert await logger.received() == f"QN={1:017};ST=91;CN=9011;PW=654321;MN={MN};Flag=4;CP=&&QnRtn=3&&"
    assert f"QN={3:017};" in await logger.received()
    logger.send(upload(4, MN="F" * 24))
    assert await logger.rest() == b""
    other = await served.logger()
    other.send(upload(5)[:-6] + b"0000\r\n")
    assert await other.rest() == b""
    stations = served.report()["stations"]
    assert stations["outlet"]["refused"] == {"pw": 1, "st": 1, "other": 1, "crc": 1}
    assert stations["outlet"]["last_refusal"] == "crc: CRC of standard"
    assert stations["outlet"]["commands"] == {}
    assert stations["unknown"]["refused"] == {"mn": 1}


async def test_it_goes_on_with_what_it_has(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await served.logger()
    logger.send(upload(1, MINUTE.format(minute=0), cn="2051"))
    await logger.received()
    served.close()
    await served.open()
    again = await served.logger()
    again.send(upload(2, MINUTE.format(minute=0), cn="2051"), upload(3, MINUTE.format(minute=10), cn="2051"))
    await again.received()
    await again.received()
    made = served.report()["stations"]["outlet"]["commands"]["2051"]
    assert (made["records"], made["exactly_once"]) == (2, True)
    assert made["repeats"] == {"unanswered": 0, "reconnected": 1, "needless": 0}


async def test_a_needless_repetition_is_seen(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await served.logger()
    for _ in range(2):
        logger.send(upload(1, MINUTE.format(minute=0), cn="2051"))
        await logger.received()
    made = served.report()["stations"]["outlet"]["commands"]["2051"]
    assert made["repeats"]["needless"] == 1
    assert made["exactly_once"] is False


async def test_the_store_is_bounded(platform: Any) -> None:
    served = await platform(STATIONS + "max_packets: 150\n")
    logger = await served.logger()
    for number in range(1, 401):
        logger.send(upload(number))
        await logger.received()
    made = served.report()
    packets = made["stations"]["outlet"]["commands"]["2011"]["packets"]
    assert packets + made["counters"]["dropped_packets"] == 400
    assert 50 <= packets <= 150


async def test_passwords_are_not_in_the_store(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await served.logger()
    logger.send(upload(1, PW="hunt2r"), upload(2, "DataTime=1;NewPW=secre7"), packet("PW=hunt2r;CP=&&&&"))
    await logger.received()
    served.close()
    stored = b"".join(path.read_bytes() for path in served.state.iterdir() if path.name.startswith(FILE))
    assert b"w01018" not in stored
    assert b"NewPW=***" in stored
    assert b"hunt2r" not in stored
    assert b"secre7" not in stored
    assert b"123456" not in stored.replace(b"0123456789", b"")


@pytest.mark.parametrize("count", [1, 3])
async def test_a_flood_of_small_segments(platform: Any, count: int) -> None:
    served = await platform(STATIONS)
    logger = await served.logger()
    for byte in upload(7) * count:
        logger.send(bytes([byte]))
    for _ in range(count):
        assert f"QN={7:017}" in await logger.received()
