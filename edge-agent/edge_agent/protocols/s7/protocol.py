"""Entries of Siemens PLCs in PROTOCOLS: S7 over ISO-on-TCP, and PPI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols.base import Block, Direction, Driver, GapRule, RawRule, form_schema
from edge_agent.protocols.s7 import config, frame_description, planner
from edge_agent.protocols.s7.description import DESCRIPTIONS

STATIONS = {"s7": (0, 255), "ppi": (1, 126)}
SCANNED = {"s7": ("1",), "ppi": tuple(map(str, range(1, 127)))}
"""Over TCP the address is a name only: one PLC stands behind one host."""


class S7Protocol:
    """One way to carry S7 jobs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.gap_rule: GapRule | None = GapRule(
            unit_bytes=1, request_bytes=planner.EMPTY_BYTES, max_gap=planner.REQUEST_COSTS["s7"]
        )

        self.raw_rule: RawRule | None = RawRule(count="offset", data_type="uint8")
        self.description = DESCRIPTIONS[name]
        self.scan_addresses: Sequence[str] = SCANNED[name]

    def validate_slave(self, slave: Slave, port: Port) -> None:
        """Raises ConfigError for an address or options that such a slave cannot have."""
        lowest, highest = STATIONS[self.name]
        if not slave.address.isascii() or not slave.address.isdecimal() or len(slave.address) > 3:
            raise ConfigError("address", f"must be a number from {lowest} to {highest}")
        if not lowest <= int(slave.address) <= highest:
            raise ConfigError("address", f"must be from {lowest} to {highest}")
        if self.name == "s7":
            config.link_of(slave)
        elif config.ppi_options_of(slave).master == int(slave.address):
            raise ConfigError("options.master", "must not be the PLC's own address")

    def validate_point(self, point: Point, slave: Slave) -> None:
        config.check_point(point, slave)

    def schema(self) -> dict[str, Any]:
        return form_schema(self.description.options, self.description.address)

    def plan(self, slave: Slave, points: Sequence[Point], gap: int | None = None) -> list[Block]:
        return planner.plan(slave, points, gap)

    def describe(self, frame: bytes, direction: Direction | None = None) -> dict[str, Any]:
        if self.name == "s7":
            return frame_description.iso_frame(frame, direction)
        return frame_description.ppi_frame(frame, direction)

    def driver(self, port: Port) -> Driver:
        # Imported late: the simulator and "edge-agent check" open no line.
        from edge_agent import transports
        from edge_agent.protocols.s7.driver import S7Driver
        from edge_agent.protocols.s7.ppi_driver import PpiDriver

        if self.name == "s7":
            return S7Driver(port, lambda: transports.create(port))
        return PpiDriver(port, transports.create(port))
