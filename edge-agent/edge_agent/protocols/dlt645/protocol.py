"""Entries of DL/T 645 in PROTOCOLS: one for each statute."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import ConfigError
from edge_agent.model import Direction
from edge_agent.protocols.base import Block, Driver, GapRule, RawRule, form_schema
from edge_agent.protocols.dlt645 import config, frame_description, planner
from edge_agent.protocols.dlt645.codec import BROADCAST, WILDCARD
from edge_agent.protocols.dlt645.description import DESCRIPTIONS
from edge_agent.protocols.dlt645.items import items

ADDRESS = re.compile(r"(AA){0,6}[0-9]*")


class Dlt645Protocol:
    """Meters on a serial line or behind a converter. statute: of those that do not say theirs."""

    gap_rule: GapRule | None = None
    raw_rule: RawRule | None = None
    scan_addresses: Sequence[str] = (WILDCARD,)

    def __init__(self, statute: str) -> None:
        self.name = f"dlt645_{statute}"
        self._statute = statute
        self.description = DESCRIPTIONS[self.name]

    def validate_slave(self, slave: Slave, port: Port) -> None:
        """Raises ConfigError for an address that is no meter's, or wrong options."""
        if len(slave.address) != 12 or not ADDRESS.fullmatch(slave.address):
            raise ConfigError("address", "must be 12 digits, or pairs of A in place of leading ones")
        if slave.address == BROADCAST:
            raise ConfigError("address", f"must not be the broadcast address {BROADCAST}")
        config.options_of(slave)

    def validate_point(self, point: Point, slave: Slave) -> None:
        """Raises ConfigError when item, data type and access do not go together."""
        item = config.item_of(point, config.statute_of(slave))
        if item.kind == "digits" and point.data_type != "string":
            raise ConfigError("data_type", "must be string for an item of digits")
        if item.kind != "digits" and point.data_type == "string":
            raise ConfigError("data_type", "must be numeric")
        if point.rw != "readonly":
            if not item.writable:
                raise ConfigError("rw", "must be readonly, the meter measures this and does not take it")
            if "A" in slave.address:
                raise ConfigError("rw", "must be readonly where the meter's address is not whole (A)")

    def schema(self) -> dict[str, Any]:
        """The item's choices come from the statute's table, with their words."""
        schema = form_schema(config.Options, config.Address)
        schema["items"] = [
            {
                "item": name,
                "di": item.di,
                "unit": item.unit,
                "decimals": item.decimals,
                "writable": item.writable,
                "zh": item.zh,
                "en": item.en,
            }
            for name, item in items(self._statute).items()
        ]
        return schema

    def plan(self, slave: Slave, points: Sequence[Point], gap: int | None = None) -> list[Block]:
        return planner.plan(slave, points)

    def describe(self, frame: bytes, direction: Direction | None = None) -> dict[str, Any]:
        return frame_description.describe(frame, direction, self._statute)

    def driver(self, port: Port) -> Driver:
        # Imported late: the simulator and "edge-agent check" open no line.
        from edge_agent import transports
        from edge_agent.protocols.dlt645.driver import Dlt645Driver

        return Dlt645Driver(port, transports.create(port))
