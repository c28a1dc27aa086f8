"""The budget of a configuration against what a port of these figures really needs."""

from __future__ import annotations

import pytest

from edge_agent.bus.budget import budget
from edge_agent.config.load import parse

LINE = """
[gateway]
id = "gw-test"
[[ports]]
name = "a"
type = "COM"
device = "/dev/ttyS1"
baud = 9600
capture_cycle_ms = {cycle}
"""
SLAVE = """
[[slaves]]
name = "s{n}"
port = "a"
protocol = "modbus_rtu"
address = "{n}"
options = {{ max_gap = 0 }}
"""
POINT = """
[[points]]
slave = "s{n}"
name = "p{offset}"
{more}
address = {{ reg_type = "4X", offset = {offset} }}
"""
REQUEST_S = 0.020 + 0.005 + 15 * 10 / 9600  # turnaround, pause, 15 characters


def text(slaves: int, offsets: range, cycle: int, more: str = "") -> str:
    parts = [LINE.format(cycle=cycle)]
    for n in range(1, slaves + 1):
        parts.append(SLAVE.format(n=n))
        parts += [POINT.format(n=n, offset=offset, more=more) for offset in offsets]
    return "\n".join(parts)


def test_use_of_a_line() -> None:
    [port] = budget(parse(text(4, range(0, 10, 5), 1000)))
    assert (port.slaves, port.points, port.requests_per_s) == (4, 8, 8.0)
    assert port.used_percent == pytest.approx(100 * 8 * REQUEST_S, rel=1e-6)
    assert port.worst_late_ms == pytest.approx(1000 * 6 * REQUEST_S, rel=1e-6), (
        "the last slave waits for three"
    )
    assert port.fits
    [grouped] = budget(parse(text(4, range(10), 1000)))
    assert (grouped.requests_per_s, grouped.requests_one_by_one_per_s) == (4.0, 40.0)
    [slower] = budget(parse(text(4, range(0, 10, 5), 1000)), turnaround_s=0.05)
    assert slower.used_percent == pytest.approx(port.used_percent + 100 * 8 * 0.03)


def test_a_line_that_is_too_busy_says_so_and_alarms_are_still_served() -> None:
    crowded = text(8, range(0, 30, 5), 1000)
    [port] = budget(parse(crowded))
    assert port.used_percent > 150
    assert not port.fits
    guard = SLAVE.format(n=99) + POINT.format(n=99, offset=0, more='priority = "alarm"')
    [port] = budget(parse(crowded + guard))
    assert not port.fits
    assert port.worst_late_ms > 1000


def test_disabled_slaves_and_ports_cost_nothing() -> None:
    assert budget(parse(text(1, range(1), 1000).replace("baud", "enable = false\nbaud"))) == []


def test_time_of_a_line_its_pause_and_how_long_is_looked_ahead() -> None:
    """Ten of the longest periods, at most an hour."""
    one = text(1, range(1), 1000)
    [port] = budget(parse(one))
    assert port.used_percent == pytest.approx(100 * REQUEST_S, rel=1e-6)
    assert 9 <= port.simulated_s <= 11
    [seldom] = budget(parse(text(1, range(1), 60_000)))
    assert 540 <= seldom.simulated_s <= 660
    [rare] = budget(parse(text(1, range(1), 3_600_000)))
    assert rare.simulated_s == 3600 and rare.fits
    [slow] = budget(parse(one.replace("baud = 9600", "baud = 9600\nmin_interval_ms = 100")))
    assert slow.used_percent == pytest.approx(100 * (REQUEST_S - 0.005 + 0.1), rel=1e-6)
    net = one.replace('"COM"', '"NET"').replace('device = "/dev/ttyS1"', 'host = "192.0.2.1"')
    [port] = budget(parse(net.replace("baud = 9600", "").replace("modbus_rtu", "modbus_tcp")))
    assert port.used_percent == pytest.approx(100 * (0.005 + 0.005)), "a PLC's answer and the pause"


def test_no_point_no_request() -> None:
    [port] = budget(parse(LINE.format(cycle=1000) + SLAVE.format(n=1)))
    assert (port.points, port.requests_per_s, port.used_percent, port.worst_late_ms) == (0, 0, 0, 0)
    assert port.fits


def test_a_slow_line_is_silent_longer_than_its_pause() -> None:
    """3.5 characters of 11 bits between two frames, which is 32 ms at 1200 baud."""
    [port] = budget(parse(text(1, range(1), 1000).replace("9600", "1200")))
    assert port.used_percent == pytest.approx(100 * (0.020 + 3.5 * 11 / 1200 + 15 * 10 / 1200), rel=1e-6)
