"""The FX entry of PROTOCOLS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols.base import Block, Direction, Driver, GapRule, RawRule, form_schema
from edge_agent.protocols.fx import config, planner
from edge_agent.protocols.fx.description import DESCRIPTION
from edge_agent.protocols.fx.frame_description import describe


class FxProtocol:
    """The programming port, on a serial line or behind a serial device server."""

    name = "fx"
    gap_rule: GapRule | None = GapRule(unit_bytes=2, request_bytes=planner.REQUEST_CHARS, max_gap=64)
    raw_rule: RawRule | None = RawRule(count="offset", data_type="uint16", base=config.base_of)
    scan_addresses: Sequence[str] = (config.ADDRESS,)
    description = DESCRIPTION

    def validate_slave(self, slave: Slave, port: Port) -> None:
        """Raises ConfigError for another address than the programming port's, a wrong line or options."""
        if slave.address != config.ADDRESS:
            raise ConfigError(
                "address", f"must be {config.ADDRESS}: the programming port has no station numbers"
            )
        config.check_port(port)
        config.options_of(slave)

    def validate_point(self, point: Point, slave: Slave) -> None:
        config.check_point(point, slave)

    def schema(self) -> dict[str, Any]:
        return form_schema(config.Options, config.Address)

    def plan(self, slave: Slave, points: Sequence[Point], gap: int | None = None) -> list[Block]:
        return planner.plan(slave, points, gap)

    def describe(self, frame: bytes, direction: Direction | None = None) -> dict[str, Any]:
        return describe(frame, direction)

    def driver(self, port: Port) -> Driver:
        # Imported late: the simulator and "edge-agent check" open no line.
        from edge_agent import transports
        from edge_agent.protocols.fx.driver import FxDriver

        return FxDriver(port, transports.create(port))
