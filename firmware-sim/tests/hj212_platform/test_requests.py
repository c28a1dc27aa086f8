"""What a platform requests: at a connection, by a period, by order, after a notice; and how that ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from data_logger import MN, OLD_MN, STATIONS, DataLogger, packet, upload

from firmware_sim.errors import FaultError
from firmware_sim.hj212_platform.store import ReceivedReader

QUICK = STATIONS.replace("over_time_s: 30", "over_time_s: 0.05\nresult_time_s: 0.05\nre_count: 2")


async def online(served: Any, data: bytes = b"") -> DataLogger:
    logger: DataLogger = await served.logger()
    logger.send(data or upload(1))
    await logger.received()
    return logger


def with_requests(text: str) -> str:
    return STATIONS.replace('st: "32", pw: "123456"}', f'st: "32", pw: "123456", requests: [{text}]}}', 1)


async def test_at_a_connection_in_order(platform: Any) -> None:
    served = await platform(with_requests('{cn: "1012", items: "SystemTime={now}"}, {cn: "1061"}'))
    logger = await online(served)
    first = await logger.received()
    assert first.startswith("QN=")
    assert f"ST=32;CN=1012;PW=123456;MN={MN};Flag=5;CP=&&SystemTime={first[3:17]}&&" in first
    logger.send(upload(2))
    assert "CN=9014" in await logger.received(), "an upload between"
    logger.carry_out(first)
    second = await logger.received()
    assert "CN=1061" in second
    fields = second.partition("CP=")[0]
    logger.answer(second, "9011", "QnRtn=1")
    logger.send(packet(fields.replace("Flag=5", "Flag=4") + "CP=&&RtdInterval=60&&"))
    logger.answer(second, "9012", "ExeRtn=1")
    await served.outcome(1)
    record = await served.outcome(2)
    assert (record.outcome, record.qn_rtn, record.exe_rtn, record.sends) == ("done", "1", "1", 1)
    assert (record.cause, record.replies) == ("connection", ["RtdInterval=60"])
    again = await online(served)
    assert "CN=1012" in await again.received(), "a new connection begins anew"


@pytest.mark.parametrize(
    ("answers", "outcome", "qn_rtn", "exe_rtn"),
    [
        ([("9011", "QnRtn=3")], "refused", "3", ""),
        ([("9011", "QnRtn=1"), ("9012", "ExeRtn=100")], "failed", "1", "100"),
        ([("9012", "ExeRtn=1")], "done", "", "1"),
        ([("9013", ""), ("9011", "QnRtn=1"), ("9012", "ExeRtn=1")], "done", "1", "1"),
    ],
)
async def test_how_a_request_ends(
    platform: Any, answers: list[tuple[str, str]], outcome: str, qn_rtn: str, exe_rtn: str
) -> None:
    served = await platform(STATIONS)
    logger = await online(served)
    number = served.request("outlet", "1062", "RtdInterval=60")
    request = await logger.received()
    for cn, items in answers:
        logger.answer(request, cn, items)
    record = await served.outcome(number)
    assert (record.outcome, record.qn_rtn, record.exe_rtn) == (outcome, qn_rtn, exe_rtn)


async def test_a_notice_is_answered_by_9013(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await online(served)
    number = served.request("outlet", "2012")
    logger.answer(await logger.received(), "9013")
    assert (await served.outcome(number)).outcome == "done"


async def test_a_request_without_an_answer_is_repeated(platform: Any) -> None:
    served = await platform(QUICK)
    logger = await online(served)
    number = served.request("outlet", "1061")
    sent = [await logger.received() for _ in range(3)]
    assert len(set(sent)) == 1, "the same packet with the same QN"
    record = await served.outcome(number)
    assert (record.outcome, record.sends) == ("no_answer", 3)


async def test_a_request_without_a_result(platform: Any) -> None:
    served = await platform(QUICK.replace("over_time_s: 0.05", "over_time_s: 30"))
    logger = await online(served)
    number = served.request("outlet", "1061")
    logger.answer(await logger.received(), "9011", "QnRtn=1")
    record = await served.outcome(number)
    assert (record.outcome, record.sends) == ("no_result", 1)


async def test_nobody_is_there(platform: Any) -> None:
    served = await platform(STATIONS)
    record = await served.outcome(served.request("outlet", "1061"))
    assert (record.outcome, record.sends) == ("not_connected", 0)


async def test_fetched_records_belong_to_their_request(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await online(served)
    number = served.request("outlet", "2051", "BeginTime=20260101000000;EndTime=20260101001000")
    request = await logger.received()
    assert "CP=&&BeginTime=20260101000000;EndTime=20260101001000&&" in request
    times = ("000000", "001000", "002000")
    data = [upload(20 + number, f"DataTime=20260101{time}", cn="2051") for number, time in enumerate(times)]
    logger.carry_out(request, *data)
    for _ in times:
        assert "CN=9014" in await logger.received()
    record = await served.outcome(number)
    assert (record.outcome, record.packets) == ("done", 2)
    made = served.report()["stations"]["outlet"]["commands"]["2051"]
    assert (made["records"], made["fetched"]) == (3, 2)


async def test_a_station_of_2005(platform: Any) -> None:
    served = await platform(STATIONS)
    hello = packet(f"QN={1:017};ST=32;CN=2011;PW=123456;MN={OLD_MN};Flag=1;CP=&&DataTime=20260101000000&&")
    logger = await online(served, hello)
    number = served.request("ditch", "1061")
    request = await logger.received()
    qn = request[3:20]
    assert request == f"QN={qn};ST=32;CN=1061;PW=123456;MN={OLD_MN};Flag=3;CP=&&&&"
    for cn, st, items in (
        ("9011", "91", "QnRtn=1"),
        ("1061", "32", "RtdInterval=30"),
        ("9012", "91", "ExeRtn=1"),
    ):
        logger.send(packet(f"ST={st};CN={cn};PW=123456;MN={OLD_MN};CP=&&QN={qn};{items}&&"))
    record = await served.outcome(number)
    assert (record.outcome, record.replies) == ("done", [f"QN={qn};RtdInterval=30"])


async def test_time_is_given_to_who_asks(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await online(served)
    logger.send(upload(2, "PolId=w01018", cn="1013"))
    assert "CN=9013" in await logger.received()
    request = await logger.received()
    assert f"CN=1012;PW=123456;MN={MN};Flag=5;CP=&&PolId=w01018;SystemTime={request[3:17]}&&" in request
    logger.carry_out(request)
    assert (await served.outcome(1)).cause == "1013"


async def test_a_new_password_holds_once_the_station_has_it(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await online(served)
    number = served.request("outlet", "1072", "NewPW=654321")
    request = await logger.received()
    logger.send(upload(2, PW="654321"), upload(3))
    assert "CN=9014;PW=123456" in await logger.received(), "either, until it says that it has taken it"
    assert "CN=9014;PW=123456" in await logger.received()
    logger.carry_out(request)
    record = await served.outcome(number)
    assert record.items == "NewPW=***"
    logger.send(upload(4, PW="654321"))
    assert "CN=9014;PW=654321" in await logger.received()
    served.close()
    await served.open()
    again = await served.logger()
    again.send(upload(5), upload(6, PW="654321"))
    assert f"QN={6:017};ST=91;CN=9014;PW=654321" in await again.received()


async def test_a_refused_password_is_not_taken(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await online(served)
    number = served.request("outlet", "1072", "NewPW=654321")
    logger.answer(await logger.received(), "9011", "QnRtn=2")
    await served.outcome(number)
    logger.send(upload(2, PW="654321"), upload(3))
    assert f"QN={3:017}" in await logger.received()


NEW = """
stations:
  - name: stack
    version: "2025"
    mn: 010000A8900016F000169DC0
    st: "32"
    pw: "123456"
    logger_id: 6970000000001ABCDEFG1234
"""


async def test_a_data_logger_is_given_its_mn(platform: Any) -> None:
    served = await platform(NEW)
    logger = await served.logger()
    serials = "i23005-Info=6970000000001ABCDEFG1234;i23006-Info=A800200A8C6D"
    logger.send(upload(1, serials, cn="1001", MN="", Flag="9"))
    assert await logger.received() == f"QN={1:017};ST=91;CN=9013;PW=123456;MN=;Flag=8;CP=&&&&"
    request = await logger.received()
    assert f"CN=1002;PW=123456;MN={MN};Flag=9;CP=&&i23005-Info=6970000000001ABCDEFG1234&&" in request
    logger.send(packet(f"{request[:20]};ST=91;CN=9011;PW=123456;MN=;Flag=8;CP=&&QnRtn=1&&"))
    logger.answer(request, "9012", "ExeRtn=1")
    record = await served.outcome(1)
    assert (record.outcome, record.qn_rtn) == ("done", "1")


async def test_periods_pass_with_the_clock(platform: Any) -> None:
    """Turns that were missed are left out."""
    served = await platform(with_requests('{cn: "1061", every_s: 60}, {cn: "1063", every_s: 150}'))
    elapsed = [0.0]
    steps = iter([59.0, 1.0, 30.0, 60.0, 600.0, 59.0])
    counts: list[int] = []

    async def sleep(_: float) -> None:
        counts.append(len(ReceivedReader(served.state).requests()))
        step = next(steps, None)
        if step is None:
            raise asyncio.CancelledError
        elapsed[0] += step

    with pytest.raises(asyncio.CancelledError):
        await served.platform.run(lambda: elapsed[0], sleep)
    assert counts == [0, 0, 1, 1, 3, 5, 6]


async def test_requests_wait_their_turn_and_are_bounded(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await online(served)
    numbers = [served.request("outlet", "1061") for _ in range(66)]
    assert [(await served.outcome(number)).outcome for number in numbers[64:]] == ["queue_full"] * 2
    qns = set()
    for _ in numbers[:64]:
        request = await logger.received()
        qns.add(request[:20])
        logger.carry_out(request)
    assert (await served.outcome(numbers[63])).outcome == "done"
    assert len(qns) == 64


async def test_what_cannot_be_requested(platform: Any) -> None:
    served = await platform(STATIONS)
    for name, cn, rule in (
        ("nobody", "1061", "name: must be one of ditch, outlet, stack, 'nobody' is none"),
        ("outlet", "3022", "outlet: cn: must be a command that a platform sends in 2017"),
        ("ditch", "1063", "ditch: cn: must be a command that a platform sends in 2005"),
    ):
        with pytest.raises(FaultError, match=rule):
            served.request(name, cn)
