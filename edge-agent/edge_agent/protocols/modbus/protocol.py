"""Entries of Modbus in PROTOCOLS: over TCP, over a serial line, and RTU frames over TCP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols.base import Block, Direction, Driver, GapRule, RawRule, form_schema
from edge_agent.protocols.modbus import config, planner
from edge_agent.protocols.modbus.description import DESCRIPTIONS, HIGHEST, LOWEST
from edge_agent.protocols.modbus.frame_description import describe_rtu, describe_tcp


class ModbusProtocol:
    """One way to carry Modbus."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.gap_rule: GapRule | None = GapRule(
            unit_bytes=2, request_bytes=planner.REQUEST_BYTES, max_gap=120
        )
        self.raw_rule: RawRule | None = RawRule(count="offset", data_type="uint16")
        self.description = DESCRIPTIONS[name]
        self.scan_addresses: Sequence[str] = [str(unit) for unit in range(LOWEST, HIGHEST + 1)]

    def validate_slave(self, slave: Slave, port: Port) -> None:
        """Raises ConfigError for an address from which no unit answers, a line that cannot carry RTU, wrong
        options.
        """
        if not slave.address.isascii() or not slave.address.isdecimal() or len(slave.address) > 3:
            raise ConfigError("address", f"must be a number from {LOWEST} to {HIGHEST}")
        if not LOWEST <= int(slave.address) <= HIGHEST:
            remedy = "; another unit of a TCP server is options.unit_id" if self.name == "modbus_tcp" else ""
            raise ConfigError("address", f"must be from {LOWEST} to {HIGHEST}{remedy}")
        if port.type == "COM" and port.data_bits != 8:
            raise ConfigError(
                "port", f"must have 8 data bits for RTU frames, {port.name} has {port.data_bits}"
            )
        config.options_of(slave)

    def validate_point(self, point: Point, slave: Slave) -> None:
        config.check_point(point, config.options_of(slave))

    def schema(self) -> dict[str, Any]:
        return form_schema(config.options_type(self.name), config.Address)

    def plan(self, slave: Slave, points: Sequence[Point], gap: int | None = None) -> list[Block]:
        return planner.plan(slave, points, gap)

    def driver(self, port: Port) -> Driver:
        # Imported late: the simulator and "edge-agent check" need no pymodbus.
        from edge_agent.protocols.modbus.driver import ModbusDriver

        return ModbusDriver(self.name, port)

    def describe(self, frame: bytes, direction: Direction | None = None) -> dict[str, Any]:
        return describe_tcp(frame, direction) if self.name == "modbus_tcp" else describe_rtu(frame, direction)
