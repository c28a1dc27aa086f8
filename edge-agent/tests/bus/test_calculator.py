"""Calculated points on the simulated plant: when, of which time, with which quality."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from simulated_plant import EPOCH_MS

from edge_agent.config.load import ConfigErrors, parse
from edge_agent.errors import BadValue
from edge_agent.model import PointKey, Quality, Row


def calculated(slave: str, name: str, formula: str, more: str = "") -> str:
    return (
        f'\n[[points]]\nslave = "{slave}"\nname = "{name}"\ntype = "cal"\ndata_type = "double"\n'
        f'formula = "{formula}"\n{more}\n'
    )


async def test_one_result_a_cycle_of_the_time_of_its_operands(site: Any, make_toml: Any) -> None:
    # Offsets far apart are read with two requests: the result comes with the second one, once.
    text = make_toml("a.one", offsets=(1, 99)) + calculated(
        "one", "sum", "p1 + 2 * p99", "ratio = 0.5\ntofixed = 1"
    )
    here = site(text, one={1: 10, 99: 21})
    await here.clock.advance(3.5)
    assert len(here.plant.requests("one")) == 8
    assert here.stored("one", "sum") == [(26.0, "GOOD")] * 4
    number = here.numbers[PointKey("one", "sum")]
    times = [sample.t_ms - EPOCH_MS for sample in here.sink.samples if sample.point == number]
    assert times == [20, 1020, 2020, 3020], "two requests of 10 ms"


@pytest.mark.clause("C-164")
async def test_who_watches_gets_every_row_whatever_is_stored(site: Any, make_toml: Any) -> None:
    """Operands first; two that have one time come before the caller goes on."""
    text = make_toml("a.one", point="record = 0") + calculated("one", "twice", "2 * p0", "record = 0")
    rows: list[Row] = []
    here = site(text, watch=rows.append, one={0: 4})
    await here.clock.advance(1.5)
    names = {number: key.point for key, number in here.numbers.items()}
    seen = [(names[row.points[0]], row.values[0], row.t_ms - EPOCH_MS) for row in rows]
    assert seen == [("p0", 4, 10), ("twice", 8, 10), ("p0", 4, 1010), ("twice", 8, 1010)]
    assert here.sink.samples == []


async def test_a_dead_operand_shows_in_the_quality(site: Any, make_toml: Any) -> None:
    text = make_toml("a.one", "b.two") + calculated("one", "both", "p0 + two.p0")
    here = site(text, one={0: 1}, two={0: 2})
    await here.clock.advance(2.5)
    assert here.stored("one", "both")[-1] == (3, "GOOD")
    here.plant.silent.add("two")
    await here.clock.advance(60)
    assert here.stored("one", "both")[-1] == (None, "DEVICE_OFFLINE")
    here.plant.silent.clear()
    await here.clock.advance(90)
    assert here.stored("one", "both")[-1] == (3, "GOOD")


async def test_a_port_that_stops_makes_the_result_stale_or_down(site: Any, make_toml: Any) -> None:
    text = make_toml("a.one", "b.two") + calculated("one", "both", "p0 + two.p0")
    here = site(text, one={0: 1}, two={0: 2})
    await here.clock.advance(2.5)
    here.plant.down.add("b")
    await here.clock.advance(3)
    assert here.stored("one", "both")[-1] == (None, "PORT_DOWN")


async def test_formulas_over_formulas_and_conditions(site: Any, make_toml: Any) -> None:
    text = (
        make_toml("a.one", offsets=(0, 1))
        + calculated("one", "late", "early * 10 if p1 > 0 else -1")
        + calculated("one", "early", "p0 + 1")
    )
    here = site(text, one={0: 4, 1: 1})
    await here.clock.advance(1.5)
    assert here.stored("one", "late") == [(50, "GOOD")] * 2
    assert here.stored("one", "early") == [(5, "GOOD")] * 2
    here.plant.memory["one"][1] = 0
    await here.clock.advance(1)
    assert here.stored("one", "late")[-1] == (-1, "GOOD")


async def test_what_has_no_result_is_out_of_range(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", offsets=(0, 1)) + calculated("one", "part", "p0 / p1"), one={0: 4, 1: 0})
    await here.clock.advance(2.5)
    assert here.stored("one", "part") == [(None, "OUT_OF_RANGE")], "told once"
    here.plant.memory["one"][1] = 2
    await here.clock.advance(1)
    assert here.stored("one", "part")[-1] == (2.0, "GOOD")


async def test_record_mode_and_deadband_hold_for_results(site: Any, make_toml: Any) -> None:
    text = make_toml("a.one") + calculated("one", "twice", "2 * p0", "record = 2\ndeadband = 5.0")
    here = site(text, one={0: 1})
    for value in (1, 2, 3, 4, 20):
        here.plant.memory["one"][0] = value
        await here.clock.advance(1)
    assert [value for value, _ in here.stored("one", "twice")] == [2, 8, 40]


async def test_reading_and_writing_a_result(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one") + calculated("one", "twice", "2 * p0"), one={0: 21})
    key = PointKey("one", "twice")
    assert (await here.bus.read(key, 1)).quality is Quality.NOT_YET_READ
    await here.clock.advance(0.5)
    assert (await here.bus.read(key, 1)).value == 42
    with pytest.raises(BadValue, match=r"one\.twice: is calculated"):
        await here.bus.write(key, 1, 1)


async def test_a_result_over_an_untouched_setpoint_is_not_stale(site: Any, make_toml: Any) -> None:
    text = (
        make_toml("a.one", offsets=(0,))
        + (
            '\n[[points]]\nslave = "one"\nname = "wanted"\nrw = "readwrite"\ncollect_mode = "on_demand"\n'
            'address = { reg_type = "4X", offset = 7 }\n'
        )
        + calculated("one", "error", "wanted - p0")
    )
    here = site(text, one={0: 4, 7: 10})
    await here.clock.advance(1.5)
    assert here.stored("one", "error")[-1] == (None, "NOT_YET_READ")
    reading = asyncio.create_task(here.bus.read(PointKey("one", "wanted"), 5))
    await here.clock.advance(0.5)
    assert (await reading).value == 10
    await here.clock.advance(600)
    assert here.stored("one", "error")[-1] == (6, "GOOD")


def test_faults_of_formulas_all_at_once(make_toml: Any) -> None:
    text = (
        make_toml("a.one")
        + calculated("one", "wrong", "p0 +* 2")
        + calculated("one", "unknown", "p77 + two.p0")
        + calculated("one", "x", "y + 1")
        + calculated("one", "y", "one.x")
        + calculated("one", "writes", "p0", 'rw = "readwrite"\naddress = { offset = 1 }')
        + '\n[[points]]\nslave = "one"\nname = "plain"\nformula = "p0"\n'
        + 'address = { reg_type = "4X", offset = 1 }\n'
    )
    with pytest.raises(ConfigErrors) as caught:
        parse(text)
    rules = {error.field: error.rule for error in caught.value.errors}
    assert set(rules) == {
        "points[1].formula", "points[2].formula", "points[3].formula", "points[5].rw", "points[5].address",
        "points[6].formula",
    }, rules  # fmt: skip
    assert "column" in rules["points[1].formula"]
    assert "p77" in rules["points[2].formula"]
    assert "one.x -> one.y -> one.x" in rules["points[3].formula"]
