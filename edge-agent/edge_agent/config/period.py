"""How often a point is read. Pure."""

from __future__ import annotations

from edge_agent.config.model import Point, Port, Slave


def period_ms(slave: Slave, port: Port, point: Point) -> int:
    """Expected time between two reads of a point."""
    cycle = port.capture_cycle_ms if slave.capture_cycle_ms is None else slave.capture_cycle_ms
    return cycle * point.capture_freq
