"""A device that need not be configured: protocol, port, address, and the points that somebody asks for."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from edge_agent.config.model import Configuration, Point, Port, Slave
from edge_agent.errors import ConfigError
from edge_agent.model import PointKey, Seen
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.base import Driver, Room, section


@dataclass(frozen=True)
class Target:
    """One slave on a port that the tool has to itself."""

    room: Room
    slave: Slave

    @contextlib.asynccontextmanager
    async def opened(self, port: Port, seen: Seen | None) -> AsyncIterator[Driver]:
        """The port's driver, connected; FieldbusError when it cannot be."""
        async with opened(self.room, port, seen) as driver:
            yield driver


@contextlib.asynccontextmanager
async def opened(room: Room, port: Port, seen: Seen | None) -> AsyncIterator[Driver]:
    """A driver of the room on the port, connected meanwhile."""
    driver = room.driver(port)
    driver.watch(seen)
    try:
        await driver.connect()
        yield driver
    finally:
        await driver.close()


def room_of(protocol: str, port: Port) -> Room:
    """ConfigError when the protocol is unknown or does not speak on such a port."""
    room = PROTOCOLS.get(protocol)
    if room is None:
        raise ConfigError("protocol", f"must be one of {', '.join(PROTOCOLS)}")
    if port.type not in room.port_types:
        raise ConfigError("port", f"{protocol} needs a port of type {' or '.join(sorted(room.port_types))}")
    return room


def target_of(slave: dict[str, Any], port: Port) -> Target:
    """A target from a table such as the configuration's [[slaves]]; ConfigError names field and rule."""
    made = section(Slave, {"name": "target", "port": port.name, **slave}, "slave")
    room = room_of(made.protocol, port)
    try:
        room.validate_slave(made, port)
    except ConfigError as error:
        raise ConfigError(f"slave.{error.field}", error.rule) from None
    return Target(room, made)


def point_of(point: dict[str, Any], target: Target) -> Point:
    """A point from a table such as the configuration's [[points]]; ConfigError names field and rule."""
    made = section(Point, {"slave": target.slave.name, "name": "value", **point}, "point")
    try:
        target.room.validate_point(made, target.slave)
    except ConfigError as error:
        raise ConfigError(f"point.{error.field}", error.rule) from None
    return made


def configured(configuration: Configuration, key: PointKey) -> tuple[Port, Target, Point]:
    """A point of a configuration with its way to the device; ConfigError when there is none."""
    port, target = configured_slave(configuration, key.slave)
    for point in configuration.points:
        if (point.slave, point.name) == (key.slave, key.point):
            return port, target, point
    raise ConfigError("point", f"{key} is not configured")


def configured_slave(configuration: Configuration, name: str) -> tuple[Port, Target]:
    """A slave of a configuration and its port."""
    for slave in configuration.slaves:
        if slave.name == name:
            port = next(port for port in configuration.ports if port.name == slave.port)
            return port, Target(PROTOCOLS[slave.protocol], slave)
    raise ConfigError("slave", f"{name!r} is not configured")


def configured_port(configuration: Configuration, name: str) -> Port:
    """A port of a configuration."""
    for port in configuration.ports:
        if port.name == name:
            return port
    raise ConfigError("port", f"must be one of {', '.join(port.name for port in configuration.ports)}")


def with_line(port: Port, baud: int, parity: str) -> Port:
    """The same serial port with other line settings."""
    return msgspec.structs.replace(port, baud=baud, parity=parity)


def protocol_on(configuration: Configuration, port: str) -> str:
    """The protocol that a configured port speaks; ConfigError when no slave says."""
    for slave in configuration.slaves:
        if slave.port == port:
            return slave.protocol
    raise ConfigError("protocol", f"must be given: no slave of port {port} says it")


def raw_points(target: Target, address: dict[str, Any], count: int) -> Sequence[Point]:
    """Neighbouring cells of a device's memory, from an address on; ConfigError where there are none."""
    rule = target.room.raw_rule
    if rule is None:
        raise ConfigError("protocol", f"{target.room.name} has no memory that could be read raw")
    start = address.get(rule.count)
    if not isinstance(start, int):
        raise ConfigError(f"address.{rule.count}", "must be the number of the first address")
    return [
        point_of(
            {"name": f"c{n}", "data_type": rule.data_type, "address": {**address, rule.count: start + n}},
            target,
        )
        for n in range(count)
    ]
