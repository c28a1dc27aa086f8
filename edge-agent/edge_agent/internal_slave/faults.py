"""What is wrong with the internal slave of a configuration and its mapped points. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from edge_agent.config.model import Configuration, InternalSlave, InternalSlavePoint, Point
from edge_agent.config.network import file_fault, host_fault, is_loopback, own_host_fault
from edge_agent.config.reach import networks_of
from edge_agent.errors import ConfigError
from edge_agent.internal_slave.mapping import ADDRESSES, BIT_AREAS, WRITABLE_AREAS, width_of
from edge_agent.model import PointKey, PointKind

TEXTS = frozenset({PointKind.STRING, PointKind.LOCATION})


def slave_faults(configuration: Configuration) -> Iterator[ConfigError]:
    """Of the section. Raises nothing."""
    slave = configuration.internal_slave
    if slave is None:
        if configuration.internal_slave_points:
            yield ConfigError("internal_slave", "must be given where there are internal_slave_points")
        return
    rules = {
        "host": host_fault(slave.host) or own_host_fault(slave.host),
        "allow": _allow_fault(slave),
        "tcp": None if slave.tcp or slave.device else "must be true, or device be given",
        "device": file_fault(slave.device) or _device_fault(configuration, slave.device),
    }
    if slave.enable and slave.tcp:
        page = configuration.local_page
        if page.enable and page.port == slave.port:
            rules["port"] = f"must not be {page.port}, the port of the local page"
    for field, rule in rules.items():
        if rule is not None:
            yield ConfigError(f"internal_slave.{field}", rule)


def row_faults(
    rows: Sequence[InternalSlavePoint], points: Mapping[PointKey, Point] | None
) -> Iterator[ConfigError]:
    """Of the mapped points, each by itself and of those that overlap. points: None when not all are known."""
    for index, row in enumerate(rows):
        point = None if points is None else points.get(PointKey(row.slave, row.name))
        field = f"internal_slave_points[{index}]"
        if points is not None and point is None:
            yield ConfigError(f"{field}.name", f"must be a point of {row.slave}, {row.name!r} is none")
        for name, rule in _row_rules(row, point):
            yield ConfigError(f"{field}.{name}", rule)
    yield from _overlaps(rows)


def _row_rules(row: InternalSlavePoint, point: Point | None) -> Iterator[tuple[str, str]]:
    is_text = row.data_type == "string"
    if row.reg_type in BIT_AREAS:
        for name, usual in (("data_type", None), ("length", None), ("ratio", 1.0), ("bias", 0.0)):
            if getattr(row, name) != usual:
                yield name, f"must not be given for {row.reg_type}, which holds one bit"
    elif is_text != (row.length is not None):
        yield "length", "must be given for a string, and for nothing else"
    if is_text and (row.ratio, row.bias) != (1.0, 0.0):
        yield "ratio", "must not be given for a string, nor bias"
    if row.ratio == 0:
        yield "ratio", "must not be 0"
    if row.offset + width_of(row) > ADDRESSES:
        yield "offset", f"must lie within {ADDRESSES} addresses"
    if row.writable and row.reg_type not in WRITABLE_AREAS:
        yield "writable", f"must be false for {row.reg_type}, which a master cannot write"
    if point is None:
        return
    if (point.type in TEXTS) != is_text and point.type is not PointKind.CALCULATED:
        words = "string" if point.type in TEXTS else "a number"
        yield "data_type", f"must be {words} for a point of type {point.type.value}"
    if row.writable and (point.rw == "readonly" or point.type is PointKind.CALCULATED):
        yield "writable", f"must be false: {point.slave}.{point.name} cannot be written"


def _overlaps(rows: Sequence[InternalSlavePoint]) -> Iterator[ConfigError]:
    placed = sorted(enumerate(rows), key=lambda each: (each[1].reg_type, each[1].offset, each[0]))
    widest: tuple[int, InternalSlavePoint] | None = None
    for index, row in placed:
        if widest is not None and widest[1].reg_type == row.reg_type:
            before, other = widest
            last = other.offset + width_of(other) - 1
            if row.offset <= last:
                taken = f"{other.reg_type} {other.offset} to {last}"
                yield ConfigError(
                    f"internal_slave_points[{index}].offset",
                    f"must not overlap internal_slave_points[{before}] ({other.slave}.{other.name}, {taken})",
                )
                if row.offset + width_of(row) - 1 <= last:
                    continue
        widest = index, row


def _allow_fault(slave: InternalSlave) -> str | None:
    try:
        networks_of(slave.allow)
    except ConfigError as error:
        return f"{error.field} {error.rule}"
    if slave.enable and slave.tcp and not slave.allow and not is_loopback(slave.host):
        return "must name the masters' addresses when host is not loopback"
    return None


def _device_fault(configuration: Configuration, device: str) -> str | None:
    if not device:
        return None
    ports = (port for port in configuration.ports if port.type == "COM" and port.device == device)
    if (port := next(ports, None)) is not None:
        return f"must be a line of its own, port {port.name} has it"
    if configuration.cellular is not None and configuration.cellular.device == device:
        return "must be a line of its own, the modem has it"
    return None
