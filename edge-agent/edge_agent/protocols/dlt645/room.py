"""The DL/T 645-2007 room's entry."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols.base import Block, Driver, GapRule, form_schema
from edge_agent.protocols.dlt645 import config, planner
from edge_agent.protocols.dlt645.codec import BROADCAST, WILDCARD
from edge_agent.protocols.dlt645.items import items

ADDRESS = re.compile(r"A*[0-9]*")


class Dlt645Room:
    """Meters of the 2007 standard, on a serial line or behind a converter."""

    name = "dlt645_2007"
    port_types = frozenset({"COM", "NET"})
    gap_rule: GapRule | None = None

    def validate_slave(self, slave: Slave, port: Port) -> None:
        if len(slave.address) != 12 or not ADDRESS.fullmatch(slave.address):
            raise ConfigError("address", "must be 12 digits, or A in place of leading ones")
        if slave.address == BROADCAST:
            raise ConfigError("address", f"must not be the broadcast address {BROADCAST}")
        config.options_of(slave)

    def validate_point(self, point: Point, slave: Slave) -> None:
        item = config.item_of(point)
        if point.data_type == "string":
            raise ConfigError("data_type", "must be numeric")
        if point.rw != "readonly":
            if item.kind != "relay":
                raise ConfigError("rw", "must be readonly, only ONOFF can be written")
            if "A" in slave.address:
                raise ConfigError(
                    "rw", f"must be readonly where the meter's address is not whole ({WILDCARD[0]})"
                )

    def schema(self) -> dict[str, Any]:
        """The item's choices come from the table, with their words."""
        schema = form_schema(config.Options, config.Address)
        schema["items"] = [
            {
                "item": name,
                "di": item.di,
                "unit": item.unit,
                "decimals": item.decimals,
                "zh": item.zh,
                "en": item.en,
            }
            for name, item in items().items()
        ]
        return schema

    def plan(self, slave: Slave, points: Sequence[Point], gap: int | None = None) -> list[Block]:
        return planner.plan(slave, points)

    def driver(self, port: Port) -> Driver:
        # Imported late: the simulator and "edge-agent check" open no line.
        from edge_agent import transports
        from edge_agent.protocols.dlt645.driver import Dlt645Driver

        return Dlt645Driver(port, transports.create(port))
