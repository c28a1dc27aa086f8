"""Whether a write that failed may have reached its device."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from edge_agent.errors import DeviceRefused, FieldbusError, NoAnswer, PortDown
from edge_agent.model import PointKey

KEY = PointKey("one", "p0")


async def failed(here: Any, value: float, timeout_s: float, advance_s: float) -> FieldbusError:
    asked = asyncio.create_task(here.bus.write(KEY, value, timeout_s))
    await here.clock.advance(advance_s)
    if timeout_s < 1:
        await asyncio.sleep(timeout_s * 2)
    with pytest.raises(FieldbusError) as error:
        await asked
    return error.value


@pytest.fixture
async def here(site: Any, make_toml: Any) -> Any:
    made = site(make_toml("a.one", port="capture_cycle_ms = 3600000"))
    await made.clock.advance(1)
    return made


@pytest.mark.clause("C-125")
async def test_a_silent_device_may_have_been_written(here: Any) -> None:
    here.plant.silent.add("one")
    assert (await failed(here, 5, 60, 30)).may_have_acted is True


@pytest.mark.clause("C-125")
async def test_a_write_whose_time_ended_on_the_wire_may_have_been_done(here: Any) -> None:
    here.plant.latency_s = 5.0
    error = await failed(here, 5, 0.02, 0.5)
    assert (type(error), error.may_have_acted) == (NoAnswer, True)
    await here.clock.advance(30)
    assert here.plant.memory["one"][0] == 5


@pytest.mark.clause("C-125")
async def test_a_write_whose_time_ended_before_is_held_off_the_wire(site: Any, make_toml: Any) -> None:
    """Also when its turn had come, and the pause before its request was under way."""
    slow = "capture_cycle_ms = 3600000\nmin_interval_ms = 800"
    here = site(make_toml("a.one").replace("min_interval_ms = 0", slow))
    await here.clock.advance(0.1)
    error = await failed(here, 5, 0.02, 0.1)
    assert error.may_have_acted is False
    await here.clock.advance(30)
    assert not here.plant.requests("one", "write")


@pytest.mark.clause("C-125")
async def test_a_write_that_was_confirmed_and_not_read_back_may_have_been_done(here: Any) -> None:
    def break_off(slave: str) -> None:
        if here.plant.log[-1][-1].startswith("read"):
            raise PortDown("broken")

    here.plant.fault = break_off
    assert (await failed(here, 5, 60, 30)).may_have_acted is True


async def test_a_refusal_and_a_port_that_is_down_have_written_nothing(here: Any) -> None:
    def refuse(slave: str) -> None:
        raise DeviceRefused(3, "illegal data value")

    here.plant.fault = refuse
    assert (await failed(here, 5, 60, 5)).may_have_acted is False
    here.plant.fault = lambda slave: None
    here.plant.down.add("a")
    await failed(here, 5, 60, 5)  # finds out that the connection is gone
    assert not (await failed(here, 6, 60, 5)).may_have_acted
