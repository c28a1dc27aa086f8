"""Scripts of stations: steps in order and in time, what each brought, and faults that lie on one of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from data_logger import MN, STATIONS, DataLogger, upload

from firmware_sim.errors import ScenarioError
from firmware_sim.hj212_platform.load import read

WAIT_S = 60.0


def scripted(*steps: str, times: str = "over_time_s: 30") -> str:
    """times: of the platform."""
    with_script = f'pw: "123456", script: [{", ".join(steps)}]}}'
    return STATIONS.replace('pw: "123456"}', with_script, 1).replace("over_time_s: 30", times)


@asynccontextmanager
async def running(served: Any, clock: Callable[[], float] | None = None) -> AsyncIterator[DataLogger]:
    """With a station that is connected. clock: in place of the real one, then no pause lasts."""

    async def sleep(_: float) -> None:
        await asyncio.sleep(0.001)

    words = () if clock is None else (clock, sleep)
    task = asyncio.ensure_future(served.platform.run(*words))
    logger: DataLogger = await served.logger()
    logger.send(upload(1))
    await logger.received()
    try:
        yield logger
    finally:
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled(), task.exception()


async def ended(served: Any, count: int) -> Any:
    """The report once so many steps have ended."""
    await until(lambda: served.report()["script"]["ended"] >= count)
    return served.report()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while True:
            if condition():
                return
            await asyncio.sleep(0.02)


async def test_steps_follow_each_other_and_have_their_outcomes(platform: Any) -> None:
    served = await platform(
        scripted(
            '{cn: "1062", items: "RtdInterval=30"}',
            '{cn: "1061", reply: "RtdInterval=30"}',
            '{cn: "3012", items: "PolId=w01018", expect: refused 2}',
            '{cn: "2051", items: "BeginTime=20260101000000;EndTime=20260101001000", records: 2}',
            '{cn: "2012"}',
            '{cn: "2061", items: "BeginTime={now};EndTime={now}"}',
        )
    )
    async with running(served) as logger:
        logger.carry_out(await logger.received())
        second = await logger.received()
        assert "CN=1061" in second, "not before the one before has ended"
        logger.answer(second, "9011", "QnRtn=1")
        reply = upload(0, "RtdInterval=30", cn="1061").decode().partition("QN=")[2][17:-6]
        logger.send_segment(f"QN={second[3:20]}{reply}")
        logger.answer(second, "9012", "ExeRtn=1")
        logger.answer(await logger.received(), "9011", "QnRtn=2")
        third = await logger.received()
        logger.carry_out(third, upload(20, "DataTime=20260101000000", cn="2051"))
        assert "CN=9014" in await logger.received()
        logger.answer(await logger.received(), "9013")
        last = await logger.received()
        logger.answer(last, "9011", "QnRtn=1")
        logger.answer(last, "9012", "ExeRtn=100")
        made = await ended(served, 6)
    assert made["script"] == {
        "steps": 6,
        "ended": 6,
        "unexpected": [
            {"station": "outlet", "step": 4, "cn": "2051", "expected": "2 records", "outcome": "done 1 1"},
            {"station": "outlet", "step": 6, "cn": "2061", "expected": "done", "outcome": "failed 1 100"},
        ],
    }
    assert [(one["step"], one["cause"]) for one in made["requests"]] == [
        (number, "script") for number in range(1, 7)
    ]


async def test_a_step_waits_for_its_time_and_for_uploads(platform: Any) -> None:
    served = await platform(
        scripted(
            '{at_s: 20, cn: "1061"}',
            '{upload: "2051", within_s: 30}',
            '{upload: "2061", within_s: 30}',
        )
    )
    elapsed = [0.0]
    async with running(served, lambda: elapsed[0]) as logger:
        elapsed[0] = 19.9
        logger.send(upload(2))
        assert "CN=9014" in await logger.received(), "no request yet"
        elapsed[0] = 20.0
        logger.carry_out(await logger.received())
        await ended(served, 1)
        logger.send(upload(3, "DataTime=20260101000000", cn="2051"))
        await ended(served, 2)
        elapsed[0] = 60.0
        made = await ended(served, 3)
    [missing] = made["script"]["unexpected"]
    assert (missing["step"], missing["expected"]) == (3, "CN=2061 within 30 s")


@pytest.mark.parametrize(
    ("fault", "expect", "qn_rtn"),
    [
        ("silent", "no_answer", ""),
        ("wrong_qn", "no_answer", ""),
        ("slow:50", "done 1", "1"),
        ("bad_checksum", "refused 9", "9"),
        ("half_frame", "no_answer", ""),
    ],
)
async def test_a_fault_of_one_step(platform: Any, fault: str, expect: str, qn_rtn: str) -> None:
    served = await platform(
        scripted(
            f'{{cn: "1061", fault: "{fault}", expect: {expect}}}',
            '{cn: "1063"}',
            times=f"over_time_s: {0.3 if expect == 'no_answer' else 30}\nre_count: 1",
        )
    )
    async with running(served) as logger:
        while "CN=1063" not in (request := await logger.received_anything()):
            if fault == "bad_checksum":
                logger.answer(request, "9011", "QnRtn=9")
            elif fault in ("slow:50", "wrong_qn"):
                logger.carry_out(request)
        logger.carry_out(request)
        made = await ended(served, 2)
    assert made["script"]["unexpected"] == []
    assert made["requests"][0]["qn_rtn"] == qn_rtn


async def test_a_fault_without_a_request_lasts_until_another(platform: Any) -> None:
    served = await platform(
        scripted("{fault: duplicate}", '{cn: "1061"}', '{fault: "none"}', '{cn: "1063"}', '{cn: "1011"}')
    )
    async with running(served) as logger:
        first = await logger.received()
        assert await logger.received() == first
        logger.carry_out(first)
        for cn in ("1063", "1011"):
            request = await logger.received()
            assert f"CN={cn}" in request
            logger.carry_out(request)
        made = await ended(served, 5)
    assert made["script"]["unexpected"] == []
    assert [one["step"] for one in made["requests"]] == [2, 4, 5]


async def test_a_request_is_sent_again_to_a_station_that_comes_back(platform: Any) -> None:
    served = await platform(
        scripted('{cn: "1061", fault: "close:20", fault_s: 0.2}', times="over_time_s: 0.3\nre_count: 99")
    )
    async with running(served) as logger:
        assert len(await logger.rest()) == 20
        await until(lambda: served.platform.faults()["outlet"] == "none")
        again = await served.logger()
        again.send(upload(2))
        while "CN=1061" not in (request := await again.received_anything()):
            pass
        again.carry_out(request)
        made = await ended(served, 1)
    assert made["script"]["unexpected"] == []
    assert made["requests"][0]["sends"] >= 2


async def test_a_stamp_has_seventeen_digits(platform: Any) -> None:
    served = await platform(STATIONS)
    logger = await served.logger()
    logger.send(upload(1))
    await logger.received()
    served.request("outlet", "1012", "SystemTime={stamp-60}")
    request = await logger.received()
    stamp = request.partition("SystemTime=")[2].removesuffix("&&")
    assert len(stamp) == 17 and stamp < request[3:20] and MN in request


@pytest.mark.parametrize(
    ("step", "rule"),
    [
        ('{cn: "3022"}', "sends in 2017"),
        ('{cn: "1061", upload: "2011"}', "one of cn and upload"),
        ("{at_s: 5}", "one of cn and upload"),
        ('{upload: "9014x"}', "Expected `str` matching"),
        ('{upload: "1000"}', "a station sends in 2017"),
        ("{fault: loud}", "must be none or one of"),
        ("{fault: silent, fault_s: 2}", "beside cn and fault"),
        ('{upload: "2011", expect: failed}', "beside cn only"),
        ('{cn: "1061", expect: perhaps}', "Expected `str` matching"),
    ],
)
def test_what_is_wrong_with_a_step_is_named(step: str, rule: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        read(scripted(step))
    errors = [raised.value, *raised.value.others]
    assert any(each.field.startswith("stations[0].script[0]") and rule in each.rule for each in errors), (
        errors
    )
