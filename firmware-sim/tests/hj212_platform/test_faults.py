"""What a platform sends wrongly on purpose."""

from __future__ import annotations

from typing import Any

import pytest
from data_logger import MN, STATIONS, packet, upload

from firmware_sim.errors import FaultError


def answer(qn: int, mn: str = MN) -> bytes:
    return packet(f"QN={qn:017};ST=91;CN=9014;PW=123456;MN={mn};Flag=4;CP=&&&&")


@pytest.mark.parametrize(
    ("fault", "received"),
    [
        ("none", answer(1)),
        ("silent", b""),
        ("half_frame", answer(1)[: len(answer(1)) // 2]),
        ("duplicate", answer(1) * 2),
        ("wrong_qn", answer(2)),
        ("wrong_address", answer(1, MN[:-1] + "1")),
        ("bad_checksum", answer(1)[:-6] + b"%04X\r\n" % (int(answer(1)[-6:-2], 16) ^ 0xFFFF)),
        ("silent/2", answer(1)),
        ("wrong_qn+duplicate", answer(2) * 2),
        ("together", b""),
        ("foreign_answer", b""),
    ],
)
async def test_faults_of_an_answer(platform: Any, fault: str, received: bytes) -> None:
    served = await platform(STATIONS)
    served.platform.put_fault("outlet", fault)
    logger = await served.logger()
    logger.send(upload(1))
    await served.stored(1)
    served.platform.put_fault("outlet", "none")
    logger.send(upload(9))
    assert await logger.bytes_until(answer(9)) == received + answer(9)


@pytest.mark.parametrize("fault", ["slow:1", "slow:1-5", "halves:1", "halves:1+slow:1"])
async def test_late_answers_arrive(platform: Any, fault: str) -> None:
    served = await platform(STATIONS)
    served.platform.put_fault("platform", fault)
    logger = await served.logger()
    logger.send(upload(1))
    assert await logger.bytes_until(b"\r\n") == answer(1)
    logger.send(upload(2))
    await logger.bytes_until(b"\r\n")
    made = served.report()["stations"]["outlet"]["commands"]["2011"]
    assert made["repeats"]["needless"] == 1, "both had left"


@pytest.mark.parametrize("fault", ["halves:60", "halves:60+slow:5-50", "slow:5-50+halves:60"])
async def test_the_halves_of_packets_are_not_mixed(platform: Any, fault: str) -> None:
    """A platform writes packet after packet: what comes between two halves waits for the second one."""
    served = await platform(STATIONS)
    logger = await served.logger()
    logger.send(upload(1))
    await logger.received()
    served.platform.put_fault("outlet", fault)
    number = served.request("outlet", "1061")
    for qn in range(2, 6):
        logger.send(upload(qn, f"DataTime=2026010100000{qn};w01018-Rtd=1.0"))
    await served.stored(5)
    served.platform.put_fault("outlet", "none")
    logger.send(upload(6, "DataTime=20260101000006;w01018-Rtd=1.0"))
    came = [await logger.received() for _ in range(6)]
    [request] = [each for each in came if "CN=1061" in each]
    assert sorted(each[3:20] for each in came if "CN=9014" in each) == [f"{qn:017}" for qn in range(2, 7)]
    logger.carry_out(request)
    assert (await served.outcome(number)).outcome == "done"
    repeats = served.report()["stations"]["outlet"]["commands"]["2011"]["repeats"]
    assert repeats == {"unanswered": 0, "reconnected": 0, "needless": 0}


async def test_an_answer_that_is_away_makes_a_repetition_right(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await served.logger()
    for number, fault in enumerate(("silent", "half_frame", "wrong_qn", "bad_checksum", "none"), start=1):
        served.platform.put_fault("outlet", fault)
        logger.send(upload(1))
        await served.stored(number)
    await logger.bytes_until(answer(1))
    made = served.report()["stations"]["outlet"]["commands"]["2011"]
    assert made["repeats"] == {"unanswered": 4, "reconnected": 0, "needless": 0}
    assert made["exactly_once"] is True


async def test_two_packets_in_one_segment(platform: Any) -> None:
    served = await platform(STATIONS)
    served.platform.put_fault("outlet", "together")
    logger = await served.logger()
    logger.send(upload(1))
    await served.stored(1)
    number = served.request("outlet", "1061")
    assert f"QN={1:017}" in await logger.received()
    request = await logger.received()
    assert "CN=1061" in request
    logger.carry_out(request)
    assert (await served.outcome(number)).outcome == "done"


async def test_garbage_stands_before_the_answer(platform: Any) -> None:
    served = await platform(STATIONS)
    served.platform.put_fault("outlet", "garbage:300")
    logger = await served.logger()
    logger.send(upload(1))
    came = await logger.bytes_until(answer(1))
    assert len(came) == 300 + len(answer(1))
    assert b"#" in came[:300]


@pytest.mark.parametrize("count", [0, 10, 2048])
async def test_the_connection_ends_within_an_answer(platform: Any, count: int) -> None:
    served = await platform(STATIONS)
    served.platform.put_fault("outlet", f"close:{count}")
    logger = await served.logger()
    logger.send(upload(1))
    assert await logger.rest() == answer(1)[:count]
    served.platform.put_fault("outlet", "none")
    again = await served.logger()
    again.send(upload(1))
    await again.received()
    repeats = served.report()["stations"]["outlet"]["commands"]["2011"]["repeats"]
    assert repeats["reconnected" if count == 2048 else "unanswered"] == 1


async def test_connections_are_refused_for_a_time(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await served.logger()
    logger.send(upload(1))
    await logger.received()
    served.platform.put_fault("platform", "reboot:3600")
    assert await logger.rest() == b""
    with pytest.raises(ConnectionRefusedError):
        await served.logger()
    served.platform.put_fault("platform", "reboot:1")
    again = await served.logger_once_it_listens()
    again.send(upload(2))
    assert f"QN={2:017}" in await again.received()


async def test_a_station_that_is_away_leaves_the_others(platform: Any) -> None:
    served = await platform(STATIONS)
    served.platform.put_fault("outlet", "reboot:1")
    stack = {"ST": "31", "PW": "abcdef", "MN": "A" + MN[1:], "Flag": "9"}
    logger = await served.logger()
    logger.send(upload(1), upload(2, **stack))
    assert f"QN={2:017}" in await logger.received()


async def test_faults_that_do_not_exist(platform: Any) -> None:
    served = await platform(STATIONS)
    for name, fault, rule in (
        ("nobody", "silent", "must be one of ditch, outlet, platform, stack, unknown"),
        ("outlet", "echo", "must be none or one of silent, slow"),
        ("outlet", "close", "close: needs bytes from 0 to 2048"),
        ("outlet", "halves:0", "halves: needs milliseconds from 1 to 600000"),
        ("outlet", "garbage:9999", "garbage: needs bytes from 1 to 2048"),
        ("outlet", "together:1", "together: takes no argument"),
    ):
        with pytest.raises(FaultError, match=rule):
            served.platform.put_fault(name, fault)
