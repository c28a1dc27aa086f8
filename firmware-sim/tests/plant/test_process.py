from math import exp

import pytest

from firmware_sim import scenario
from firmware_sim.process.process import Process
from firmware_sim.process.signals import Controller, Integral, Lag, Limit, Product, Schedule, Setpoint, Signal

TEN_O_CLOCK = 10 * 3600.0


def process(*signals: Signal, step_s: float = 0.1, seed: int = 1, day_s: float = 0.0) -> Process:
    return Process(signals, step_s=step_s, seed=seed, day_s=day_s)


def run(made: Process, seconds: float) -> None:
    for _ in range(round(seconds / made.step_s)):
        made.step()


def boiler_house(seed: int = 1) -> Process:
    plant = scenario.describe("boiler_house")
    return Process(plant.signals, step_s=plant.step_s, seed=seed, day_s=TEN_O_CLOCK)


def test_lag_reaches_63_percent_after_its_time_constant() -> None:
    made = process(Setpoint(name="u", value=10), Lag(name="y", tau_s=5, of={"u": 2}, bias=1, initial=0))
    run(made, 5)
    assert made.value("y") == pytest.approx(21 * (1 - exp(-1)), rel=1e-9)


def test_lag_starts_at_its_target_and_holds_it_within_limits() -> None:
    made = process(Setpoint(name="u", value=10), Lag(name="y", tau_s=5, of={"u": 2}, max=15))
    assert made.value("y") == 15
    run(made, 1)
    assert made.value("y") == 15


def test_integral_is_energy_of_power() -> None:
    made = process(
        Setpoint(name="kw", value=36), Integral(name="kwh", of={"kw": 1 / 3600}, initial=100), step_s=0.5
    )
    run(made, 600)
    assert made.value("kwh") == pytest.approx(106)


def test_schedule_goes_by_the_time_of_day_and_repeats() -> None:
    made = process(
        Schedule(name="s", steps=[(6, 1), (22, 2)], period=24, unit_s=3600), step_s=60, day_s=5.5 * 3600
    )
    assert made.value("s") == 2  # before the first step: still yesterday's last
    run(made, 3600)
    assert made.value("s") == 1
    run(made, 24 * 3600 - 3600)
    assert made.value("s") == 2


def test_product_multiplies_all() -> None:
    made = process(
        Setpoint(name="a", value=3), Setpoint(name="b", value=4), Product(name="p", of=["a", "b"], gain=0.5)
    )
    assert made.value("p") == 6


def test_limit_has_hysteresis() -> None:
    made = process(Setpoint(name="x", value=0), Limit(name="high", of="x", above=10, hysteresis=2))
    seen = []
    for x in (9, 11, 9, 7.9, 9):
        made.set("x", x)
        made.step()
        seen.append(made.value("high"))
    assert seen == [0, 1, 1, 0, 0]


def test_control_brings_the_measure_to_its_setpoint_and_does_not_wind_up() -> None:
    made = process(
        Setpoint(name="wanted", value=1000),
        Controller(name="out", measure="level", setpoint="wanted", kp=2, ti_s=10, min=0, max=100),
        Lag(name="level", tau_s=20, of={"out": 1}, initial=0),
    )
    run(made, 300)
    assert made.value("level") == pytest.approx(100, abs=0.1)  # what it can do
    made.set("wanted", 50)
    run(made, 60)
    assert made.value("level") == pytest.approx(50, abs=2)


def test_set_refuses_what_is_no_setpoint_or_out_of_limits() -> None:
    made = process(Setpoint(name="s", value=1, min=0, max=2), Lag(name="y", tau_s=1))
    for name, value in (("y", 1.0), ("s", 2.1), ("s", float("nan"))):
        with pytest.raises(ValueError, match=name):
            made.set(name, value)
    assert made.value("s") == 1


def test_same_seed_same_values_other_seed_other_values() -> None:
    first, second, other = boiler_house(), boiler_house(), boiler_house(seed=2)
    for made in (first, second, other):
        run(made, 120)
    assert first.values() == second.values()
    assert first.value("steam_pressure") != other.value("steam_pressure")
    assert first.value("steam_pressure") == pytest.approx(other.value("steam_pressure"), abs=0.02)


def test_the_boiler_stays_within_its_alarms_through_the_batches() -> None:
    made = boiler_house()
    for _ in range(25):
        run(made, 60)
        assert 1.1 < made.value("steam_pressure") < 1.45
        assert abs(made.value("drum_level")) < 50
        assert 0 == made.value("low_water") == made.value("high_water") == made.value("over_pressure")


def test_a_setpoint_moves_the_boiler() -> None:
    made = boiler_house()
    run(made, 600)
    before = made.value("steam_pressure")
    made.set("pressure_setpoint", 1.45)
    run(made, 120)
    assert made.value("steam_pressure") > before + 0.1


def test_a_slow_pump_ends_in_low_water() -> None:
    made = boiler_house()
    run(made, 600)
    made.set("pump_setpoint", 22)
    run(made, 300)
    assert made.value("low_water") == 1


def test_energy_grows_by_the_power_of_the_open_contact() -> None:
    made = boiler_house()
    run(made, 60)
    before = made.value("energy")
    run(made, 60)
    grown = made.value("energy") - before
    assert grown == pytest.approx(made.value("power") / 60, rel=0.1)
    made.set("main_contact", 0)
    run(made, 1)
    before = made.value("energy")
    run(made, 60)
    assert made.value("power") == 0
    assert made.value("energy") == before
