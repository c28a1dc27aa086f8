"""A device that need not be configured: protocol, port, address, and the points that somebody asks for."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from edge_agent.commissioning.words import typed
from edge_agent.config.model import Configuration, Point, Port, Slave
from edge_agent.config.network import file_fault, host_fault
from edge_agent.config.point import caught, point_faults, protocol_faults
from edge_agent.errors import ConfigError, ConfigErrors
from edge_agent.model import PointKey, PointKind, Seen
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.base import Driver, FieldProtocol, section

DIGITS = {8: "o", 10: "d", 16: "X"}
BASE_NAMES = {8: "octal", 10: "decimal", 16: "hexadecimal"}


@dataclass(frozen=True)
class Target:
    """One slave on a port that the tool has to itself."""

    protocol: FieldProtocol
    slave: Slave

    @contextlib.asynccontextmanager
    async def opened(self, port: Port, seen: Seen | None) -> AsyncIterator[Driver]:
        """The port's driver, connected; FieldbusError when it cannot be."""
        async with opened(self.protocol, port, seen) as driver:
            yield driver


@contextlib.asynccontextmanager
async def opened(protocol: FieldProtocol, port: Port, seen: Seen | None) -> AsyncIterator[Driver]:
    """A driver of the protocol on the port, connected meanwhile."""
    driver = protocol.driver(port)
    driver.watch(seen)
    try:
        await driver.connect()
        yield driver
    finally:
        await driver.close()


def protocol_of(name: str, port: Port) -> FieldProtocol:
    """An entry of PROTOCOLS. Raises ConfigError when it is unknown or does not run on such a port."""
    protocol = PROTOCOLS.get(name)
    if protocol is None:
        raise ConfigError("protocol", f"must be one of {', '.join(PROTOCOLS)}")
    types = protocol.description.port_types
    if port.type not in types:
        raise ConfigError("port", f"{name} needs a port of type {' or '.join(sorted(types))}")
    return protocol


def port_of(table: dict[str, Any]) -> Port:
    """A port from a table such as the configuration's [[ports]]; ConfigErrors name field and rule."""
    made = section(Port, table, "port")
    rules = {"device": file_fault(made.device)} if made.type == "COM" else {"host": host_fault(made.host)}
    _refuse("port", [ConfigError(field, rule) for field, rule in rules.items() if rule is not None])
    return made


def target_of(slave: dict[str, Any], port: Port) -> Target:
    """A target from a table such as the configuration's [[slaves]]; ConfigErrors name field and rule.

    Options may be words, as somebody typed them.
    """
    options = slave.get("options", {})
    protocol = protocol_of(str(slave.get("protocol")), port)
    table = {
        **slave,
        "options": typed(protocol, "options", options) if isinstance(options, dict) else options,
    }
    made = section(Slave, {"name": "target", "port": port.name, **table}, "slave")
    _refuse("slave", caught(lambda: protocol.validate_slave(made, port)))
    return Target(protocol, made)


def point_of(point: dict[str, Any], target: Target) -> Point:
    """A point from a table such as the configuration's [[points]]; ConfigErrors name field and rule.

    Its address may be words, as somebody typed them. The checks are those of a configured point.
    """
    address = point.get("address", {})
    table = {
        **point,
        "address": typed(target.protocol, "address", address) if isinstance(address, dict) else address,
    }
    made = section(Point, {"slave": target.slave.name, "name": "value", **table}, "point")
    on_device(made)
    _refuse("point", [*point_faults(made), *protocol_faults(made, target.slave)])
    return made


def on_device(point: Point) -> None:
    """ConfigError for a point that has no place in any device."""
    if point.type is PointKind.CALCULATED:
        raise ConfigError("point.type", f"{point.name} is calculated, no device holds it")


def _refuse(prefix: str, faults: Iterable[ConfigError]) -> None:
    named = [ConfigError(f"{prefix}.{fault.field}", fault.rule) for fault in faults]
    if named:
        raise ConfigErrors(named)


def configured(configuration: Configuration, key: PointKey) -> tuple[Port, Target, Point]:
    """A point of a configuration with its way to the device; ConfigError when there is none."""
    port, target = configured_slave(configuration, key.slave)
    for point in configuration.points:
        if (point.slave, point.name) == (key.slave, key.point):
            return port, target, point
    raise ConfigError("point", f"{key} is not configured")


def configured_slave(configuration: Configuration, name: str) -> tuple[Port, Target]:
    """A slave of a configuration and its port. Raises ConfigError when there is none of the name."""
    for slave in configuration.slaves:
        if slave.name == name:
            port = next(port for port in configuration.ports if port.name == slave.port)
            return port, Target(PROTOCOLS[slave.protocol], slave)
    raise ConfigError("slave", f"{name!r} is not configured")


def configured_port(configuration: Configuration, name: str) -> Port:
    """A port of a configuration. Raises ConfigError when there is none of the name."""
    for port in configuration.ports:
        if port.name == name:
            return port
    raise ConfigError("port", f"must be one of {', '.join(port.name for port in configuration.ports)}")


def with_line(port: Port, baud: int, parity: str) -> Port:
    """The same serial port with other line settings; ConfigErrors when no line has such ones."""
    return section(Port, {**msgspec.structs.asdict(port), "baud": baud, "parity": parity}, "port")


def protocol_on(configuration: Configuration, port: str) -> str:
    """The protocol that a configured port speaks; ConfigError when no slave says."""
    for slave in configuration.slaves:
        if slave.port == port:
            return slave.protocol
    raise ConfigError("protocol", f"must be given: no slave of port {port} says it")


def usual_options(configuration: Configuration, port: str, protocol: str) -> dict[str, Any]:
    """Options of the first slave on a port that speaks the protocol: mostly those of the others there."""
    for slave in configuration.slaves:
        if (slave.port, slave.protocol) == (port, protocol):
            return slave.options
    return {}


def raw_points(target: Target, address: dict[str, Any], count: int) -> Sequence[Point]:
    """Adjacent cells of a device's memory, from an address on; ConfigError where there are none."""
    rule = target.protocol.raw_rule
    if rule is None:
        raise ConfigError("protocol", f"{target.protocol.name} has no memory that could be read raw")
    words = typed(target.protocol, "address", address)
    start, base = words.get(rule.count), rule.base(target.slave, words)
    try:
        first = int(str(start), base)
    except ValueError:
        raise ConfigError(
            f"address.{rule.count}", f"must be the number of the first address, in {BASE_NAMES[base]} digits"
        ) from None
    return [
        point_of(
            {
                "name": f"c{n}",
                "data_type": rule.data_type,
                "address": {**words, rule.count: _printed(first + n, base, isinstance(start, str))},
            },
            target,
        )
        for n in range(count)
    ]


def _printed(number: int, base: int, text: bool) -> str | int:
    digits = format(number, DIGITS[base])
    return digits if text else int(digits)
