"""What a request costs is measured, and decides which holes are read along."""

from __future__ import annotations

import random

import msgspec
import pytest

from edge_agent.bus.gap_optimiser import ENOUGH, GapOptimiser, byte_s
from edge_agent.config.model import Port
from edge_agent.protocols.base import GapRule

REGISTERS = GapRule(unit_bytes=2, request_bytes=13, max_gap=120)


def port(**fields: object) -> Port:
    return msgspec.convert({"name": "p", **fields}, Port)


def test_byte_time_counts_every_bit_of_a_character() -> None:
    assert byte_s(port(type="NET", host="h")) is None
    assert byte_s(port(type="COM", baud=9600)) == pytest.approx(10 / 9600)
    assert byte_s(port(type="COM", baud=2400, parity="E")) == pytest.approx(11 / 2400)
    assert byte_s(port(type="COM", baud=9600, data_bits=7, parity="E", stop_bits=2)) == pytest.approx(
        11 / 9600
    )


@pytest.mark.parametrize(("turnaround_s", "expected"), [(0.005, 13), (0.020, 21), (0.050, 35)])
def test_break_even_on_a_serial_line(turnaround_s: float, expected: int) -> None:
    """13 characters, 4 ms of silence and the turnaround, in registers of two characters at 9600 baud."""
    optimiser, chance = GapOptimiser(10 / 9600), random.Random(1)
    for _ in range(100):
        size = 13 + 2 * chance.randrange(1, 60)
        optimiser.observe(size, turnaround_s + size * 10 / 9600 + chance.uniform(-0.001, 0.001))
    assert optimiser.gap(REGISTERS, 0.004) == pytest.approx(expected - 3, abs=2)


def test_nothing_is_said_before_enough_was_measured() -> None:
    optimiser = GapOptimiser(None)
    for _ in range(ENOUGH - 1):
        optimiser.observe(20, 0.01)
    assert optimiser.gap(REGISTERS, 0.0) is None
    optimiser.observe(20, 0.01)
    assert optimiser.gap(REGISTERS, 0.0) == REGISTERS.max_gap, "equal requests tell nothing about a byte"


def test_a_slow_network_is_measured_and_a_change_is_followed() -> None:
    optimiser, chance = GapOptimiser(None), random.Random(2)
    for _ in range(200):
        size = 13 + 2 * chance.randrange(1, 120)
        optimiser.observe(size, 0.003 + 0.001 * size)  # a converter with a slow line behind it
    base_s, slope = optimiser.costs() or (0.0, 0.0)
    assert (base_s, slope) == (pytest.approx(0.003, rel=0.01), pytest.approx(0.001, rel=0.01))
    assert optimiser.gap(REGISTERS, 0.0) == pytest.approx(8, abs=1)
    for _ in range(400):
        size = 13 + 2 * chance.randrange(1, 120)
        optimiser.observe(size, 0.200 + 0.001 * size)
    assert optimiser.gap(REGISTERS, 0.0) == pytest.approx(106, abs=2)


def test_what_costs_nothing_is_read_along() -> None:
    optimiser = GapOptimiser(None)
    for _ in range(16):
        assert optimiser.costs() is None, "sixteen requests are enough"
        optimiser.observe(20, 0.0)
    assert optimiser.costs() == (0.0, 0.0)
    assert optimiser.gap(REGISTERS, 0.0) == 120


@pytest.mark.parametrize(("base_s", "pause_s", "gap"), [
    (0.0, 0.0, 6), (0.010, 0.0, 11), (0.0, 0.010, 11), (0.226, 0.0, 119), (0.2275, 0.0, 120), (1.0, 0.0, 120),
])  # fmt: skip
def test_as_many_addresses_as_a_request_costs(base_s: float, pause_s: float, gap: int) -> None:
    """A request of 13 bytes beside base and pause, against two bytes an address, of a millisecond each."""
    optimiser = GapOptimiser(0.001)
    for _ in range(16):
        optimiser.observe(20, base_s + 0.020)
    assert optimiser.costs() == (pytest.approx(base_s, abs=1e-9), 0.001)
    assert optimiser.gap(REGISTERS, pause_s + 1e-9) == gap
