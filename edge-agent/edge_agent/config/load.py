"""gateway.toml to a Configuration: typed, cross-checked, every fault reported with its path and its rule."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator
from math import isfinite
from pathlib import Path

import msgspec

from edge_agent.config.calculated import calculated_of
from edge_agent.config.model import Configuration, Point, Port, Slave
from edge_agent.config.shape import shape_faults
from edge_agent.errors import ConfigError
from edge_agent.model import PointKind
from edge_agent.points.scale import selected
from edge_agent.protocols import PROTOCOLS

KINDS = {PointKind.NUMERIC, PointKind.SWITCH, PointKind.STRING, PointKind.CALCULATED}


class ConfigErrors(ConfigError):
    """Everything that is wrong. errors: one a fault; field and rule are those of the first."""

    def __init__(self, errors: list[ConfigError]) -> None:
        super().__init__(errors[0].field, errors[0].rule)
        self.errors = errors

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)


def load(path: Path) -> Configuration:
    """Configuration of a file; ConfigErrors lists every fault."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigErrors([ConfigError(str(path), f"must be a readable UTF-8 file: {error}")]) from None
    return parse(text)


def parse(text: str) -> Configuration:
    """Configuration of TOML text."""
    try:
        tables = tomllib.loads(text)
        configuration = msgspec.convert(tables, Configuration, strict=True)
    except tomllib.TOMLDecodeError as error:
        raise ConfigErrors([ConfigError("file", f"must be TOML: {error}")]) from None
    except msgspec.ValidationError:
        raise ConfigErrors(list(shape_faults(tables, Configuration))) from None
    faults = list(check(configuration))
    if faults:
        raise ConfigErrors(faults)
    return configuration


def check(configuration: Configuration) -> Iterator[ConfigError]:
    """Faults that only show when the parts are seen together."""
    ports = {port.name: port for port in configuration.ports}
    slaves = {slave.name: slave for slave in configuration.slaves}
    yield from _unique("ports", "name", [port.name for port in configuration.ports])
    yield from _unique("slaves", "name", [slave.name for slave in configuration.slaves])
    yield from _unique("points", "name", [f"{point.slave}.{point.name}" for point in configuration.points])
    yield from _unique("scripts", "name", [script.name for script in configuration.scripts])
    yield from _unique("slaves", "address", [_bus_address(slave) for slave in configuration.slaves])
    for index, port in enumerate(configuration.ports):
        yield from _prefixed(f"ports[{index}]", _port_faults(port))
    protocol_of: dict[str, str] = {}
    sound: set[str] = set()
    for index, slave in enumerate(configuration.slaves):
        faults = list(_slave_faults(slave, ports.get(slave.port), protocol_of))
        yield from _prefixed(f"slaves[{index}]", faults)
        if not faults:
            sound.add(slave.name)
    for index, point in enumerate(configuration.points):
        yield from _prefixed(f"points[{index}]", _point_faults(point, slaves.get(point.slave), sound))
    for index, script in enumerate(configuration.scripts):
        if script.slave not in slaves:
            yield ConfigError(
                f"scripts[{index}].slave", f"must be the name of a slave, {script.slave!r} is none"
            )
    yield from calculated_of(configuration.points, configuration.scripts).faults


def period_ms(slave: Slave, port: Port, point: Point) -> int:
    """Expected time between two reads of a point."""
    cycle = port.capture_cycle_ms if slave.capture_cycle_ms is None else slave.capture_cycle_ms
    return cycle * point.capture_freq


def _bus_address(slave: Slave) -> str:
    address = slave.address
    return f"{slave.port} {int(address) if address.isdecimal() else address}"


def _unique(section: str, field: str, names: list[str]) -> Iterator[ConfigError]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield ConfigError(f"{section}[{index}].{field}", f"must be unique, {name!r} stands there twice")
        seen.add(name)


def _prefixed(prefix: str, faults: Iterable[ConfigError]) -> Iterator[ConfigError]:
    for fault in faults:
        yield ConfigError(f"{prefix}.{fault.field}", fault.rule)


def _port_faults(port: Port) -> Iterator[ConfigError]:
    if port.type == "COM" and not port.device:
        yield ConfigError("device", "must be given for a COM port, such as /dev/ttyS1")
    if port.type == "NET" and not port.host:
        yield ConfigError("host", "must be given for a NET port")


def _slave_faults(slave: Slave, port: Port | None, protocol_of: dict[str, str]) -> Iterator[ConfigError]:
    room = PROTOCOLS.get(slave.protocol)
    if port is None:
        yield ConfigError("port", f"must be the name of a port, {slave.port!r} is none")
    if room is None:
        yield ConfigError("protocol", f"must be one of {', '.join(PROTOCOLS)}")
    if port is None or room is None:
        return
    spoken = protocol_of.setdefault(port.name, slave.protocol)
    if spoken != slave.protocol:
        yield ConfigError("protocol", f"must be {spoken}, which the first slave of port {port.name} speaks")
    if port.type not in room.port_types:
        yield ConfigError(
            "port", f"{slave.protocol} needs a port of type {' or '.join(sorted(room.port_types))}"
        )
    yield from _caught(lambda: room.validate_slave(slave, port))


def _point_faults(point: Point, slave: Slave | None, sound: set[str]) -> Iterator[ConfigError]:
    for field in ("ratio", "bias", "deadband"):
        if not isfinite(getattr(point, field)):
            yield ConfigError(field, "must be a finite number")
    if point.ratio == 0:
        yield ConfigError("ratio", "must not be 0")
    if point.min is not None and point.max is not None and point.min > point.max:
        yield ConfigError("min", "must not exceed max")
    if point.on_value is not None and point.on_value == point.off_value:
        yield ConfigError("on_value", "must differ from off_value")
    yield from _selector_faults(point)
    if point.type not in KINDS:
        yield ConfigError("type", "must be num, str, swh or cal")
    if (point.type is PointKind.STRING) != (point.data_type == "string"):
        yield ConfigError("data_type", "must be string for a point of type str, and only there")
    if slave is None:
        yield ConfigError("slave", f"must be the name of a slave, {point.slave!r} is none")
    elif slave.name in sound and point.type is not PointKind.CALCULATED:
        yield from _caught(lambda: PROTOCOLS[slave.protocol].validate_point(point, slave))


def _selector_faults(point: Point) -> Iterator[ConfigError]:
    if point.selector and point.type is not PointKind.NUMERIC:
        yield ConfigError("selector", "must be empty for a point that is not of type num")
    for value in point.selector:
        if selected(value) is None:
            yield ConfigError("selector", f"must name numbers, {value!r} is none")


def _caught(validate: Callable[[], None]) -> Iterator[ConfigError]:
    try:
        validate()
    except ConfigError as error:
        yield error
