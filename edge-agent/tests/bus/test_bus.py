"""The whole bus on a simulated plant and a simulated clock."""

from __future__ import annotations

import asyncio
import logging
from itertools import pairwise
from typing import Any

import pytest
from simulated_plant import Plant, PlantDriver, SimulatedClock, Sink, number_points

from edge_agent.bus import Bus
from edge_agent.bus.commands import MAX_WAITING, QueueFull
from edge_agent.config.load import parse
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, NoAnswer, PortDown
from edge_agent.model import PointKey, Quality
from edge_agent.points import LiveTable
from edge_agent.signals import ATTRIBUTE
from edge_agent.store.memory import MemoryPlans


async def test_reads_on_a_grid_and_stamps_the_reply(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", offsets=(0, 1, 5)))
    await here.clock.advance(10.5)
    times = here.plant.requests("one")
    assert times == [float(second) for second in range(11)]
    assert here.stored("one", "p5") == [(5, "GOOD")] * 11
    newest = here.live.get(here.numbers[PointKey("one", "p5")])
    assert newest.t_ms == 1_790_000_000_000 + 10_010
    (port,) = here.bus.ports()
    assert (port.name, port.type, port.where, port.open) == ("a", "NET", "h:502", True)
    assert (port.requests, port.failures, port.missed, port.last_error) == (11, 0, 0, "")
    assert port.busy_percent == pytest.approx(1.0, abs=0.2)
    (state,) = here.bus.states()
    assert (state.online, state.reason, state.reads, state.turnaround_ms) == (True, "ok", 11, 10.0)
    assert state.last_good_ms == newest.t_ms


async def test_own_cycle_and_capture_freq(site: Any, make_toml: Any) -> None:
    text = make_toml("a.one", slave="capture_cycle_ms = 2000", point="capture_freq = 3")
    here = site(text)
    await here.clock.advance(13)
    assert here.plant.requests("one") == [0.0, 6.0, 12.0]


async def test_pause_between_requests(site: Any, make_toml: Any) -> None:
    text = make_toml("a.one", "a.two", "a.three").replace("min_interval_ms = 0", "min_interval_ms = 50")
    here = site(text)
    await here.clock.advance(0.5)
    assert [at for at, *_ in here.plant.log] == [0.0, 0.06, 0.12]


async def test_pause_is_5_ms_unless_set(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", "a.two", "a.three").replace("min_interval_ms = 0\n", ""))
    await here.clock.advance(0.5)
    assert [at for at, *_ in here.plant.log] == pytest.approx([0.0, 0.015, 0.03])


async def test_late_cycles_are_skipped_not_made_up_for(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", port="capture_cycle_ms = 100"))
    here.plant.latency_s = 0.35
    await here.clock.advance(3.95)
    assert here.plant.requests("one") == pytest.approx([0.4 * turn for turn in range(10)])
    assert here.bus.ports()[0].missed == 27
    here.plant.latency_s = 0.01
    await here.clock.advance(1)
    assert len(here.plant.requests("one")) == 10 + 10


async def test_a_dead_slave_costs_the_others_its_probes_only(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", "a.dead", "b.three", slave="retries = 1"))
    here.plant.silent.add("dead")
    await here.clock.advance(130.5)
    dead = here.plant.requests("dead")
    assert len(dead) == 4 + 5  # two tries, twice one, then probes after 2 4 8 16 32 seconds
    gaps = [late - early for early, late in pairwise(dead[6:])]
    assert all(later >= earlier for earlier, later in pairwise(gaps))
    assert len(here.plant.requests("three")) == 131
    assert len(here.plant.requests("one")) >= 126
    assert here.online() == {"one": True, "dead": False, "three": True}
    assert here.stored("dead") == [(None, "DEVICE_OFFLINE")]


async def test_it_comes_back_and_is_logged_once_each_way(
    site: Any, make_toml: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    here = site(make_toml("a.one", offsets=(0, 1)))
    await here.clock.advance(1.5)
    here.plant.silent.add("one")
    await here.clock.advance(60)
    here.plant.silent.clear()
    await here.clock.advance(64)
    states = [quality for _, quality in here.stored("one")]
    assert states[:4] == ["GOOD", "GOOD", "DEVICE_OFFLINE", "GOOD"]
    assert set(states[4:]) == {"GOOD"}
    words = [record.message for record in caplog.records]
    assert words == ["one on a is offline: no answer within 500 ms", "one on a is back"]
    assert here.bus.states()[0].reason == "ok"


async def test_a_silent_slave_ends_its_cycle(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", offsets=range(0, 95, 5), slave="retries = 0\noptions = { max_gap = 0 }"))
    here.plant.silent.add("one")
    await here.clock.advance(0.9)
    assert len(here.plant.requests("one")) == 1


async def test_garbled_answers_are_reported_once_as_what_they_are(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one"))

    def garble(slave: str) -> None:
        raise BadFrame("wrong checksum")

    here.plant.fault = garble
    await here.clock.advance(100)
    assert here.stored("one") == [(None, "BAD_FRAME"), (None, "DEVICE_OFFLINE")]
    assert here.bus.states()[0].reason == "bad_frame"


async def test_a_port_that_is_down(site: Any, make_toml: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    here = site(make_toml("a.one", "b.two"))
    here.plant.down.add("a")
    await here.clock.advance(60.5)
    assert here.stored("one") == [(None, "PORT_DOWN")]
    assert len(here.stored("two")) == 61
    assert here.plant.opened.count("a") == 6  # 0 1 3 7 15 31
    port = here.bus.ports()[0]
    assert (port.open, port.last_error) == (False, "a: refused")
    assert here.bus.states()[0].reason == "port_down"
    with pytest.raises(PortDown, match="refused"):
        await here.bus.write(PointKey("one", "p0"), 1, 5)
    here.plant.down.clear()
    await here.clock.advance(31)
    assert here.stored("one")[1:3] == [(0, "GOOD"), (0, "GOOD")]
    here.plant.down.add("a")
    await here.clock.advance(10)
    assert here.stored("one")[-1] == (None, "PORT_DOWN")
    words = [record.message for record in caplog.records]
    assert words == ["port a is down: a: refused", "port a is open again", "port a is down: a: broken"]
    assert [getattr(each, ATTRIBUTE).code for each in caplog.records] == ["closed", "opened", "closed"]


async def test_a_silent_connection_is_opened_again_quietly(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one"))
    await here.clock.advance(1)
    here.plant.silent.add("one")
    await here.clock.advance(30)
    assert here.plant.opened.count("a") >= 2
    assert "PORT_DOWN" not in {quality for _, quality in here.stored("one")}


async def test_a_fault_in_the_code_of_one_port_touches_no_other(
    site: Any, make_toml: Any, caplog: pytest.LogCaptureFixture
) -> None:
    here = site(make_toml("a.one", "b.two"))

    def fault(slave: str) -> None:
        if slave == "one" and here.clock.now < 3:
            raise RuntimeError("planted")

    here.plant.fault = fault
    await here.clock.advance(10.5)
    assert len(here.stored("two")) == 11
    assert here.stored("one")[-1] == (0, "GOOD")
    assert [record.message for record in caplog.records] == ["port a failed, starting it again in 5 s"]


async def test_a_write_goes_before_the_rest_of_the_cycle(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", offsets=range(0, 95, 5), slave="options = { max_gap = 0 }"))
    here.plant.latency_s = 0.02
    await here.clock.advance(0.05)
    asked = asyncio.create_task(here.bus.write(PointKey("one", "p10"), 777, 5))
    await here.clock.advance(0.2)
    sample = await asked
    assert (sample.value, sample.quality) == (777, Quality.GOOD)
    kinds = [what for *_, what in here.plant.log[:6]]
    assert kinds == ["read 0+1", "read 5+1", "read 10+1", "write 10=777", "read 10+1", "read 15+1"]
    assert here.stored("one", "p10")[1] == (777, "GOOD")


async def test_a_command_wakes_an_idle_port_at_once(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", port="capture_cycle_ms = 3600000"))
    await here.clock.advance(100)
    asked = asyncio.create_task(here.bus.read(PointKey("one", "p0"), 5))
    await here.clock.advance(0.02)
    assert (await asked).value == 0
    assert here.plant.requests("one") == [0.0, 100.0]


async def test_what_a_write_refuses(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", point="max = 50.0") + "\nratio = 0.5")
    for key, value, words in (
        (PointKey("one", "p9"), 1, "no such point"),
        (PointKey("x", "p0"), 1, "no such point"),
        (PointKey("one", "p0"), 51, "at most 50.0"),
        (PointKey("one", "p0"), "on", "finite number"),
    ):
        with pytest.raises(BadValue, match=words):
            await here.bus.write(key, value, 1)
    fixed = site(make_toml("a.one").replace("readwrite", "readonly"))
    with pytest.raises(BadValue, match="read only"):
        await fixed.bus.write(PointKey("one", "p0"), 1, 1)
    blind = site(make_toml("a.one").replace("readwrite", "writeonly"))
    with pytest.raises(BadValue, match="cannot be read"):
        await blind.bus.read(PointKey("one", "p0"), 1)
    off = site(make_toml("a.one", port="enable = false"))
    assert off.bus.states()[0].reason == "disabled"
    with pytest.raises(PortDown, match="disabled"):
        await off.bus.write(PointKey("one", "p0"), 1, 1)


async def test_write_only_points_are_neither_polled_nor_read_back(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one").replace("readwrite", "writeonly"))
    asked = asyncio.create_task(here.bus.write(PointKey("one", "p0"), 5, 5))
    await here.clock.advance(3)
    assert (await asked).value == 5
    assert [what for *_, what in here.plant.log] == ["write 0=5"]


async def test_a_write_is_sent_once_and_a_late_one_never(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", slave="retries = 3", port="capture_cycle_ms = 3600000"))
    await here.clock.advance(1)
    here.plant.silent.add("one")
    asked = asyncio.create_task(here.bus.write(PointKey("one", "p0"), 5, 60))
    given_up = asyncio.create_task(here.bus.write(PointKey("one", "p0"), 6, 0.01))
    await asyncio.sleep(0.05)
    with pytest.raises(NoAnswer, match=r"not done within 0\.01 s"):
        await given_up
    await here.clock.advance(30)
    with pytest.raises(NoAnswer, match="500 ms"):
        await asked
    assert [what for *_, what in here.plant.log if what.startswith("write")] == ["write 0=5"]


async def test_the_command_queue_is_bounded(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one"))
    here.plant.silent.add("one")
    await here.clock.advance(0.1)
    waiting = [asyncio.create_task(here.bus.read(PointKey("one", "p0"), 600)) for _ in range(MAX_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(QueueFull, match="64 commands wait"):
        await here.bus.read(PointKey("one", "p0"), 1)
    assert here.bus.ports()[0].refused_commands == 1
    for task in waiting:
        task.cancel()


async def test_one_bad_address_costs_its_search_once(site: Any, make_toml: Any) -> None:
    memory = {n: n for n in range(100) if n != 7}
    here = site(make_toml("a.one", offsets=range(16)), one=memory)
    await here.clock.advance(0.9)
    searched = len(here.plant.requests("one"))
    assert 2 <= searched <= 12
    assert here.stored("one", "p7") == [(None, "DEVICE_ERROR")]
    assert here.stored("one", "p8") == [(8, "GOOD")]
    assert here.online() == {"one": True}
    await here.clock.advance(1)
    per_cycle = len(here.plant.requests("one")) - searched
    assert per_cycle <= 5
    await here.clock.advance(40)
    assert here.stored("one", "p7") == [(None, "DEVICE_ERROR")]
    memory[7] = 70
    await here.clock.advance(180)
    assert here.stored("one", "p7")[1] == (70, "GOOD")


async def test_a_device_that_refuses_everything_keeps_its_plan(site: Any, make_toml: Any) -> None:
    memory: dict[int, int] = {}
    here = site(make_toml("a.one", offsets=range(8)), one=memory)
    await here.clock.advance(30)
    assert here.bus.states()[0].reason == "device_error"
    memory.update({n: n for n in range(8)})
    await here.clock.advance(200)
    before = len(here.plant.requests("one"))
    await here.clock.advance(5)
    assert len(here.plant.requests("one")) - before == 5


async def test_refusal_of_a_command_is_reported(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", port="capture_cycle_ms = 3600000"), one={})
    await here.clock.advance(1)
    asked = asyncio.create_task(here.bus.read(PointKey("one", "p0"), 5))
    await here.clock.advance(1)
    with pytest.raises(DeviceRefused, match="illegal data address"):
        await asked


async def test_record_on_change_and_live_value(site: Any, make_toml: Any) -> None:
    memory = {0: 5}
    here = site(make_toml("a.one", point="record = 2\ndeadband = 1.0"), one=memory)
    for value in (5, 6, 7, 7):
        memory[0] = value
        await here.clock.advance(1)
    assert here.stored("one") == [(5, "GOOD"), (7, "GOOD")]
    assert here.live.get(1).value == 7


async def test_stopping_survives_a_swallowed_cancellation(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one"))
    await here.clock.advance(0.5)
    (task,) = here.bus._ports.values()
    swallowed: list[str] = []
    read = task._driver.read

    async def deaf(slave: Any, block: Any) -> Any:
        try:
            return await read(slave, block)
        except asyncio.CancelledError:
            swallowed.append(slave.name)
            return [0]

    task._driver.read = deaf
    await here.clock.advance(0.505)
    here.stop()
    async with asyncio.timeout(10):
        await here.stopped()
    assert swallowed == ["one"]


async def test_an_unused_port_is_listed_and_left_untouched(site: Any, make_toml: Any) -> None:
    spare = '\n[[ports]]\nname = "spare"\ntype = "COM"\ndevice = "/dev/ttyS9"'
    here = site(make_toml("a.one") + spare)
    await here.clock.advance(2)
    assert here.plant.opened == ["a"]
    assert [(port.name, port.where, port.open) for port in here.bus.ports()] == [
        ("a", "h:502", True),
        ("spare", "/dev/ttyS9", False),
    ]


async def test_alarm_points_interrupt_a_long_cycle(site: Any, make_toml: Any) -> None:
    """Twenty requests of 10 ms each second; the alarm's own is due ten times a second."""
    text = make_toml("a.one", offsets=range(0, 80, 4), slave="options = { max_gap = 0 }")
    text += (
        '\n[[slaves]]\nname = "guard"\nport = "a"\nprotocol = "modbus_tcp"\naddress = "9"'
        '\ncapture_cycle_ms = 100\n[[points]]\nslave = "guard"\nname = "p0"\npriority = "alarm"'
        '\naddress = { reg_type = "4X", offset = 0 }'
    )
    here = site(text)
    await here.clock.advance(5)
    times = here.plant.requests("guard")
    assert len(times) >= 49
    late = [at - number / 10 for number, at in enumerate(times)]
    assert max(late) <= 0.0101, "at most the request that was on the wire"
    assert len(here.plant.requests("one")) == 5 * 20


async def test_delay_and_on_demand(site: Any, make_toml: Any) -> None:
    here = site(
        make_toml("a.one", point="collect_delay_ms = 300")
        + '\n[[points]]\nslave = "one"\nname = "quiet"\ncollect_mode = "on_demand"'
        '\naddress = { reg_type = "4X", offset = 7 }'
    )
    await here.clock.advance(2.5)
    assert here.plant.requests("one") == [0.3, 1.3, 2.3]
    assert here.stored("one", "quiet") == []
    asked = asyncio.create_task(here.bus.read(PointKey("one", "quiet"), 1))
    await here.clock.advance(0.1)
    assert (await asked).value == 7


async def test_measured_cost_decides_about_gaps(site: Any, make_toml: Any) -> None:
    """Reading 60 registers along costs the plant nothing, which the first plan cannot know."""
    here = site(make_toml("a.one", offsets=(0, 60)))
    await here.clock.advance(60)
    whats = [what for _, _, _, what in here.plant.log]
    assert whats[:2] == ["read 0+1", "read 60+1"]
    assert whats[-1] == "read 0+61"


async def test_refused_blocks_are_remembered_until_the_configuration_changes(make_toml: Any) -> None:
    memory = MemoryPlans()

    async def requests(text: str) -> list[str]:
        configuration, clock = parse(text), SimulatedClock()
        plant = Plant(clock, {"one": {0: 0, 1: 1, 20: 20}})
        bus = Bus(
            configuration,
            number_points(configuration),
            Sink(),
            LiveTable(),
            clock=clock,
            driver=lambda port, protocol: PlantDriver(plant, port),
            memory=memory,
        )
        task = asyncio.create_task(bus.run())
        await clock.advance(0.5)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return [what for _, _, _, what in plant.log]

    text = make_toml("a.one", offsets=(0, 1, 20))
    assert await requests(text) == ["read 0+21", "read 0+2", "read 20+1"]
    assert await requests(text) == ["read 0+2", "read 20+1"]
    assert (await requests(text + "\nratio = 2.0"))[0] == "read 0+21"
