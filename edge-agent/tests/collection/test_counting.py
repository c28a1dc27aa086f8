"""What is expected follows from the clock and the schedule, and what is missing has its reason."""

from __future__ import annotations

import asyncio

import pytest
from counting_gateway import CountingGateway, gateway
from simulated_plant import EPOCH_MS

from edge_agent.errors import BadFrame
from edge_agent.model import PointKey

pytestmark = pytest.mark.clause("C-130")


async def test_everything_read_is_everything_expected() -> None:
    """Record mode does not matter: points 0, 1 and 2 are not stored, always, and on change."""
    here = CountingGateway(gateway("a.one", "a.two", points=3))
    await here.run(120)
    await here.stop()
    assert await here.figures() == {"one": (360, 360), "two": (360, 360)}
    assert (await here.gaps(), await here.missed()) == ([], {})


async def test_a_silent_slave_is_missing_also_while_it_is_not_polled() -> None:
    """A breaker pauses for up to a minute: what it spares the bus was expected all the same."""
    here = CountingGateway(gateway("a.one", "a.two"))
    await here.run(60.5)
    here.plant.silent.add("one")
    await here.run(40)
    here.plant.silent.clear()
    await here.run(120)
    await here.stop()
    figures = await here.figures()
    assert figures["two"][0] == figures["two"][1]
    expected, good = figures["one"]
    assert expected == figures["two"][0]
    assert 80 <= expected - good <= 200
    missed = await here.missed()
    assert missed.pop("no_answer") == expected - good
    assert missed.get("late", 0) == sum(missed.values()), "one's time-outs may cost two a period"
    ((slave, reason, start, end),) = [gap for gap in await here.gaps() if gap[0] == "one"]
    assert (slave, reason, start) == ("one", "no_answer", 61.0)
    assert 100 <= end <= 160, "seen again at the breaker's next probe"


@pytest.mark.parametrize(("silent_s", "back"), [(20, 145), (40, 165), (70, 200), (100, 265), (130, 265)])
async def test_what_a_breaker_spared_is_no_answer_also_when_the_slave_is_back(
    silent_s: int, back: float
) -> None:
    """The port is idle. A point of a minute is read as soon as the slave is back: it is missing no longer."""
    slow = '[[points]]\nslave = "one"\nname = "slow"\ncapture_freq = 12\n'
    slow += 'address = { reg_type = "4X", offset = 9 }'
    here = CountingGateway(gateway("a.one", cycle_ms=5000) + "\n" + slow)
    await here.run(118)
    here.plant.silent.add("one")
    await here.run(silent_s)
    here.plant.silent.clear()
    await here.run(240)
    await here.stop()
    assert set(await here.missed()) == {"no_answer"}
    assert await here.gaps() == [("one", "no_answer", 120.0, back)]


async def test_a_silence_is_reported_at_once() -> None:
    here = CountingGateway(gateway("a.one", cycle_ms=1000))
    await here.run(65)
    here.plant.silent.add("one")
    await here.run(15)
    waiting = await here.recorder.waiting()
    assert any(one.good < one.expected for record in waiting for one in record.slaves)
    here.plant.silent.clear()
    await here.run(30)
    before = waiting[-1].seq
    assert [record.seq for record in await here.recorder.waiting()][-1] > before, "and the return"


async def test_periods_that_a_silent_slaves_time_out_takes_are_no_answer_too() -> None:
    """Until a request has failed, nobody knows why its periods bring nothing: they are told afterwards."""
    here = CountingGateway(gateway("a.one", cycle_ms=200, extra="").replace("= 500", "= 5000"))
    await here.run(10.1)
    here.plant.silent.add("one")
    await here.run(60)
    await here.stop()
    assert set(await here.missed()) == {"no_answer"}
    assert await here.gaps() == [("one", "no_answer", pytest.approx(10.2), pytest.approx(70.0, abs=0.3))]


async def test_a_slow_slave_that_takes_two_periods_brings_half() -> None:
    here = CountingGateway(gateway("a.one", points=1))
    here.plant.latency_s = 1.5
    await here.run(120)
    await here.kill()
    (expected, good) = (await here.figures())["one"]
    assert expected in (115, 120)
    assert good == pytest.approx(expected / 2, abs=2)
    assert set(await here.missed()) == {"no_answer"}, "in its time"


async def test_a_busy_port_is_late_for_slaves_that_answer() -> None:
    here = CountingGateway(gateway("a.one", "a.two", "a.three", points=1))
    here.plant.latency_s = 0.6
    await here.run(120)
    await here.kill()
    assert set(await here.missed()) == {"late"}


async def test_a_frozen_agent_misses_what_the_clock_says() -> None:
    here = CountingGateway(gateway("a.one", "b.two"))
    await here.run(20.5)
    here.clock.freeze(30)
    await here.run(20)
    await here.stop()
    figures = await here.figures()
    assert figures == {"one": (142, 84), "two": (142, 84)}, "71 periods, 29 of them wholly frozen"
    assert await here.missed() == {"frozen": 116}
    assert await here.gaps() == [(None, "frozen", 21.0, 50.0)]


async def test_a_day_of_freezing_is_counted_at_once() -> None:
    here = CountingGateway(gateway("a.one", cycle_ms=10))
    await here.run(1)
    here.clock.freeze(86_400)
    await here.run(2)
    await here.stop()
    expected, _ = (await here.figures())["one"]
    assert expected == pytest.approx(2 * 100 * 86_403, abs=10)
    assert (await here.missed())["frozen"] == pytest.approx(2 * 100 * 86_400, rel=0.001)


async def test_a_kill_is_reported_by_the_next_start_and_loses_up_to_five_seconds() -> None:
    here = CountingGateway(gateway("a.one"))
    await here.run(33)
    await here.kill()
    await here.run(20)
    here.start(gateway("a.one"))
    await here.run(30)
    await here.stop()
    expected, _ = (await here.figures())["one"]
    assert expected == pytest.approx(2 * 84, abs=4)
    missed = await here.missed()
    assert set(missed) == {"not_running"}
    assert 40 <= missed["not_running"] <= 52
    ((slave, reason, start, end),) = await here.gaps()
    assert (slave, reason, end) == (None, "not_running", 53.0)
    assert 28 <= start <= 33


@pytest.mark.clause("C-132")
async def test_a_stop_is_reported_by_the_next_start_with_the_reads_that_were_due() -> None:
    here = CountingGateway(gateway("a.one", points=4))
    await here.run(30)
    await here.stop()
    await here.run(600)
    here.start(gateway("a.one", points=1))
    await here.run(10)
    await here.stop()
    assert (await here.missed())["not_running"] == 4 * 600
    assert await here.gaps() == [(None, "not_running", 30.0, 630.0)]


@pytest.mark.clause("C-132")
async def test_time_between_two_configurations_is_switching() -> None:
    here = CountingGateway(gateway("a.one"))
    await here.run(30)
    await here.stop("switched")
    await here.run(2)
    here.start(gateway("a.one", "a.new"))
    await here.run(30)
    await here.stop()
    assert await here.missed() == {"switching": 4}
    assert await here.gaps() == [(None, "switching", 30.0, 32.0)]
    assert set(await here.figures()) == {"one", "new"}


@pytest.mark.clause("C-132")
async def test_an_absence_of_weeks_is_reported_in_records_of_seven_days() -> None:
    here = CountingGateway(gateway("a.one"))
    await here.run(10)
    await here.stop()
    here.clock.now += 20 * 86_400
    here.start(gateway("a.one"))
    await here.run(10)
    await here.stop()
    spans = [(record.to_ms - record.from_ms) / 86_400_000 for record in await here.records()]
    assert [round(span, 1) for span in spans[1:4]] == [7.0, 7.0, 6.0]
    assert [record.seq for record in await here.records()] == [1, 2, 3, 4, 5]


async def test_a_locked_port_says_who_has_it() -> None:
    here = CountingGateway(gateway("a.one", "b.two"))
    await here.run(10.5)

    async def holds(port: object, seen: object) -> None:
        await here.clock.sleep(20)

    lent = asyncio.create_task(here.bus.run_locked("a", holds, 30, 5, "anna"))
    await here.run(40)
    await lent
    await here.stop()
    gaps = [gap for record in await here.records() for gap in record.gaps]
    assert {(gap.slave, gap.reason, gap.by) for gap in gaps} == {("one", "port_lent", "anna")}
    assert await here.gaps() == [("one", "port_lent", 11.0, 30.0)]
    assert await here.missed() == {"port_lent": 38}


async def test_a_port_that_cannot_be_opened() -> None:
    here = CountingGateway(gateway("a.one", "b.two"))
    here.plant.down.add("a")
    await here.run(30)
    await here.kill()
    figures, missed = await here.figures(), await here.missed()
    assert (figures["one"][1], set(missed)) == (0, {"port_down"})
    assert figures["one"][0] == figures["two"][0] == figures["two"][1]


async def test_a_disabled_slave_is_not_expected_and_said_so() -> None:
    here = CountingGateway(gateway("a.one", extra="enable = false"))
    await here.run(30)
    await here.stop()
    assert await here.figures() == {"one": (0, 0)}
    assert {gap[1] for gap in await here.gaps()} == {"disabled"}


async def test_one_point_that_the_device_refuses_is_named_and_the_others_are_good() -> None:
    here = CountingGateway(gateway("a.one", points=3))
    del here.plant.memory["one"][1]
    await here.run(60)
    await here.stop()
    assert (await here.figures())["one"] == (180, 120)
    assert await here.missed() == {"device_error": 60}
    (record,) = await here.records()
    assert [(one.point, one.expected, one.good) for one in record.points] == [("p1", 60, 0)]
    assert [(gap.slave, gap.points, gap.reason) for gap in record.gaps] == [("one", ["p1"], "device_error")]


async def test_a_disturbed_line_is_a_bad_frame() -> None:
    def disturb(slave: str) -> None:
        if 10 <= here.clock.now < 20:
            raise BadFrame("checksum")

    here = CountingGateway(gateway("a.one"))
    here.plant.fault = disturb
    await here.run(90)
    await here.stop()
    missed = await here.missed()
    assert set(missed) == {"bad_frame"}
    assert 20 <= missed["bad_frame"] <= 60


async def test_reading_back_a_write_is_no_expected_read() -> None:
    here = CountingGateway(gateway("a.one", cycle_ms=10_000))
    await here.run(31)
    write = asyncio.create_task(here.bus.write(PointKey("one", "p0"), 7, 5))
    await here.run(1)
    await write
    await here.kill()
    assert (await here.figures())["one"] == (6, 6)


@pytest.mark.parametrize("step_s", [3600, -3600])
async def test_a_clock_that_is_put_forward_or_back_makes_no_gap(step_s: int) -> None:
    here = CountingGateway(gateway("a.one"))
    await here.run(30)
    here.clock.wall_ms += step_s * 1000
    await here.run(30)
    await here.stop()
    figures = (await here.figures())["one"]
    assert figures[0] == figures[1] == 120
    moved = [(gap[1], gap[3] - gap[2]) for gap in await here.gaps()]
    assert moved == ([("clock_moved", 3600)] if step_s > 0 else [])


async def test_before_the_clock_is_set_nothing_is_good() -> None:
    """The times are those at which it was read, once the clock is set."""
    here = CountingGateway(gateway("a.one"))
    here.clock.wall_ms = 0
    await here.run(20)
    assert await here.records() == []
    here.clock.wall_ms = EPOCH_MS
    await here.run(20)
    await here.stop()
    assert await here.missed() == {"clock_not_set": 40}
    assert await here.gaps() == [(None, "clock_not_set", 0.0, 20.0)]
