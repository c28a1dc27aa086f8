"""Sections that only parameter groups have: their faults, and what they make of the rest of a configuration.

Models and dependencies are the contract's (`edge_contract/parameters`), so that cloud and gateway refuse the
same. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from edge_agent.config.lenient import Unjudged
from edge_agent.config.model import Calibration, Configuration, Point
from edge_agent.config.reach import literal, plain, special
from edge_agent.errors import ConfigError
from edge_agent.model import PointKind
from edge_contract.parameters.groups import GROUPS

SINGLE = ("registration", "network", "mobile", "hotspot")
"""Sections that are there once; each has the name of its group."""


def parameter_faults(configuration: Configuration, unjudged: Unjudged) -> Iterator[ConfigError]:
    """Of those sections. Points that cannot be read are not looked at."""
    for name in SINGLE:
        section = getattr(configuration, name)
        if section is not None:
            for fault in GROUPS[name].dependencies(section):
                yield ConfigError(f"{name}.{fault.field}", fault.rule)
    if not configuration.collection.enable and not configuration.tunnels.enable:
        yield ConfigError("collection.enable", "must be true unless tunnels.enable is")
    yield from _channel_faults(configuration, unjudged)
    if "points" not in unjudged.missing:
        yield from _calibration_faults(configuration)


def _channel_faults(configuration: Configuration, unjudged: Unjudged) -> Iterator[ConfigError]:
    ports = {port.name: port for port in configuration.ports}
    taken: dict[str, str] = {}
    for at, channel in enumerate(configuration.channels):
        faults = [(each.field, each.rule) for each in GROUPS["channels"].dependencies(channel)]
        address = literal(channel.server)
        kind = special(plain(address)) if address else ""
        if kind and kind != "loopback":
            faults.append(("server", f"must not lead to an address that is {kind}"))
        if channel.port not in ports and "ports" not in unjudged.missing:
            faults.append(("port", f"must be the name of a port, {channel.port!r} is none"))
        elif channel.port in ports and ports[channel.port].type != "COM":
            faults.append(("port", f"must be a COM port, {channel.port} is none"))
        if channel.enable and taken.setdefault(channel.port, channel.name) != channel.name:
            faults.append(("port", f"must not be the port of channel {taken[channel.port]} too"))
        for field, rule in faults:
            yield ConfigError(f"channels[{at}].{field}", rule)


def _calibration_faults(configuration: Configuration) -> Iterator[ConfigError]:
    if not configuration.calibrations:
        return
    points = {(point.slave, point.name): point for point in configuration.points}
    for at, row in enumerate(configuration.calibrations):
        point = points.get((row.slave, row.name))
        if point is None:
            rule = f"must be a point of {row.slave}, {row.name!r} is none"
        elif point.type is not PointKind.NUMERIC or point.data_type == "var":
            rule = f"must be a point of type num, {row.slave}.{row.name} has {point.type.value}"
        else:
            continue
        yield ConfigError(f"calibrations[{at}].name", rule)


def in_effect(configuration: Configuration) -> Configuration:
    """What runs: without collection no slave is enabled; a calibrated point has another ratio and bias."""
    if not configuration.collection.enable:
        slaves = [replace(slave, enable=False) for slave in configuration.slaves]
        configuration = replace(configuration, slaves=slaves)
    rows = {(row.slave, row.name): row for row in configuration.calibrations}
    if not rows:
        return configuration
    points = [
        _calibrated(point, row) if (row := rows.get((point.slave, point.name))) else point
        for point in configuration.points
    ]
    return replace(configuration, points=points)


def _calibrated(point: Point, row: Calibration) -> Point:
    """(raw * ratio + bias) * scale + offset, so that writes go the same way back."""
    return replace(point, ratio=point.ratio * row.scale, bias=point.bias * row.scale + row.offset)
