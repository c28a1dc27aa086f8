"""What the contract promises of collecting: whose time a sample has, and what a write waits for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from simulated_plant import EPOCH_MS

from edge_agent.model import PointKey, Quality

ONE_BY_ONE = "options = { max_gap = 0 }"


def times(here: Any, slave: str, point: str) -> list[float]:
    """Seconds since the start that the samples of a point carry."""
    number = here.numbers[PointKey(slave, point)]
    return [(sample.t_ms - EPOCH_MS) / 1000 for sample in here.sink.samples if sample.point == number]


@pytest.mark.clause("C-052")
async def test_a_sample_has_the_time_at_which_its_answer_arrived(site: Any, make_toml: Any) -> None:
    """Four requests behind each other: each has its own time, none that of its cycle or of its request."""
    here = site(make_toml("a.one", "a.two", offsets=(0, 50), slave=ONE_BY_ONE))
    here.plant.latency_s = 0.2
    await here.clock.advance(0.95)
    assert [(at, slave) for at, _, slave, _ in here.plant.log] == [
        (0.0, "one"),
        (0.2, "one"),
        (0.4, "two"),
        (0.6, "two"),
    ]
    assert [times(here, *point) for point in (("one", "p0"), ("one", "p50"))] == [[0.2], [0.4]]
    assert [times(here, *point) for point in (("two", "p0"), ("two", "p50"))] == [[0.6], [0.8]]


@pytest.mark.clause("C-052")
async def test_the_time_of_a_repeated_request_is_that_of_its_answer(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", slave="retries = 1"))
    here.plant.silent.add("one")
    await here.clock.advance(0.3)
    here.plant.silent.clear()
    await here.clock.advance(0.5)
    assert here.plant.requests("one") == [0.0, 0.5]
    assert times(here, "one", "p0") == [0.51]


@pytest.mark.clause("C-052")
async def test_a_value_read_back_has_the_time_of_its_own_answer(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", port="capture_cycle_ms = 3600000"))
    here.plant.latency_s = 0.1
    await here.clock.advance(10)
    asked = asyncio.create_task(here.bus.write(PointKey("one", "p0"), 7, 5))
    await here.clock.advance(1)
    assert [at for at, *_ in here.plant.log[1:]] == [10.0, 10.1]
    assert (await asked).t_ms == EPOCH_MS + 10_200


@pytest.mark.clause("C-077")
@pytest.mark.parametrize("after_s", [0.01, 0.31, 0.55, 0.93])
async def test_a_write_is_next_on_a_port_that_cannot_keep_up(
    site: Any, make_toml: Any, after_s: float
) -> None:
    """30 requests of 100 ms are due every second, all of the most urgent class; the write waits for one."""
    text = make_toml(
        "a.one", "a.two", "a.three", offsets=range(0, 100, 10), slave=ONE_BY_ONE, point='priority = "alarm"'
    )
    here = site(text)
    here.plant.latency_s = 0.1
    await here.clock.advance(10 + after_s)
    under_way = len(here.plant.log)
    asked = asyncio.create_task(here.bus.write(PointKey("three", "p20"), 777, 5))
    await here.clock.advance(0.4)
    sample = await asked
    assert (sample.value, sample.quality) == (777, Quality.GOOD)
    following = [(slave, what) for _, _, slave, what in here.plant.log[under_way:]]
    assert following[:2] == [("three", "write 20=777"), ("three", "read 20+1")]
    assert following[2][1].startswith("read"), "polling goes on"
    begun_s = here.plant.log[under_way][0]
    assert begun_s - (10 + after_s) <= 0.1


@pytest.mark.clause("C-077")
async def test_writes_keep_their_order_and_both_go_before_polling(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", "a.two", offsets=range(0, 100, 10), slave=ONE_BY_ONE))
    here.plant.latency_s = 0.1
    await here.clock.advance(0.25)
    under_way = len(here.plant.log)
    asked = [
        asyncio.create_task(here.bus.write(PointKey(slave, "p0"), value, 5))
        for slave, value in (("two", 1), ("one", 2))
    ]
    await here.clock.advance(1)
    assert [(await one).value for one in asked] == [1, 2]
    assert [(slave, what) for _, _, slave, what in here.plant.log[under_way : under_way + 4]] == [
        ("two", "write 0=1"),
        ("two", "read 0+1"),
        ("one", "write 0=2"),
        ("one", "read 0+1"),
    ]


@pytest.mark.clause("C-077")
async def test_a_write_is_next_while_another_slave_is_silent(site: Any, make_toml: Any) -> None:
    """It waits for the time-out under way, not for the silent slave's repetitions."""
    here = site(make_toml("a.dead", "a.one", slave="retries = 3"))
    here.plant.silent.add("dead")
    await here.clock.advance(0.1)
    asked = asyncio.create_task(here.bus.write(PointKey("one", "p0"), 5, 10))
    await here.clock.advance(3)
    assert (await asked).value == 5
    assert [(at, slave) for at, _, slave, what in here.plant.log if what.startswith("write")] == [
        (0.5, "one")
    ]
