"""Entries of the MC protocol in PROTOCOLS: frames 1E and 3E."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, ConfigError
from edge_agent.protocols.base import Block, Direction, Driver, GapRule, RawRule, form_schema
from edge_agent.protocols.mc import config, options_1e, options_3e, planner
from edge_agent.protocols.mc.codec import HEX
from edge_agent.protocols.mc.description import DESCRIPTIONS
from edge_agent.protocols.mc.tables import areas

GAP_RULES = {
    "1e": GapRule(unit_bytes=2, request_bytes=14, max_gap=62),
    "3e": GapRule(unit_bytes=2, request_bytes=32, max_gap=958),
}


class McProtocol:
    """One frame type."""

    raw_rule: RawRule | None = RawRule(count="offset", data_type="uint16", base=config.base_of)
    scan_addresses: Sequence[str] = ("0",)

    def __init__(self, name: str) -> None:
        self.name = name
        self.description = DESCRIPTIONS[name]
        self._frame = config.FRAME_OF[name]
        self.gap_rule: GapRule | None = GAP_RULES[self._frame]

    def validate_slave(self, slave: Slave, port: Port) -> None:
        """Raises ConfigError for an address other than 0 to 255, or wrong options."""
        address = slave.address
        if not address.isascii() or not address.isdecimal() or len(address) > 3 or int(address) > 255:
            raise ConfigError("address", "must be a number from 0 to 255")
        config.habits_of(slave)

    def validate_point(self, point: Point, slave: Slave) -> None:
        config.check_point(point, config.habits_of(slave))

    def schema(self) -> dict[str, Any]:
        """The areas come from the table, with their words."""
        if self._frame == "1e":
            schema = form_schema(options_1e.Options, options_1e.Address)
        else:
            schema = form_schema(options_3e.Options, options_3e.Address)
        schema["areas"] = [
            {
                "area": area.name,
                "first": area.first,
                "last": area.last,
                "base": area.base,
                "bit": area.bit,
                "writable": area.writable,
                "zh": area.zh,
                "en": area.en,
            }
            for area in areas(self._frame)
        ]
        return schema

    def plan(self, slave: Slave, points: Sequence[Point], gap: int | None = None) -> list[Block]:
        return planner.plan(slave, points, gap)

    def driver(self, port: Port) -> Driver:
        # Imported late: the simulator and "edge-agent check" open no connection.
        from edge_agent import transports
        from edge_agent.protocols.mc.driver import McDriver

        return McDriver(port, transports.create(port))

    def describe(self, frame: bytes, direction: Direction | None = None) -> dict[str, Any]:
        """ASCII frames begin with two digits; the first bytes of binary ones are no digits.

        Raises BadFrame, which names field and rule.
        """
        if not frame:
            raise BadFrame("length: a frame has at least 2 bytes, 0 are there")
        spoken = config.FRAMES[self._frame, "ascii" if HEX.issuperset(frame[:2]) else "binary"]
        first = int(frame[:1], 16) * 16 if spoken.code == "ascii" else frame[0]
        from_plc = first >= 0x80
        if direction is not None and from_plc != (direction == "answer"):
            raise BadFrame(f"subheader: must be that of the {direction}, is {frame[:2].hex(' ')}")
        return spoken.describe(frame, from_plc)
