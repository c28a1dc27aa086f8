"""Faults of one point of a configuration, for itself and for the protocol of its slave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite

from edge_agent.config.model import Point, Slave
from edge_agent.errors import ConfigError, ConfigErrors
from edge_agent.model import PointKind
from edge_agent.points.scale import selected
from edge_agent.protocols import PROTOCOLS
from edge_agent.rules import shortened

TWO_POSITIONS = {PointKind.SWITCH, PointKind.CALCULATED}
PAIRS = ("int32", "uint32", "int64", "uint64", "float", "double")
"""Data types of which two lie one behind the other as a location."""
LARGEST_FACTOR = 1e150
"""Of ratio and bias: times a float32, and twice over in a formula, it is still a number."""


def caught(validate: Callable[[], None]) -> Iterator[ConfigError]:
    """Every fault that a check raises."""
    try:
        validate()
    except ConfigErrors as error:
        yield from error.errors
    except ConfigError as error:
        yield error


def protocol_faults(point: Point, slave: Slave) -> Iterator[ConfigError]:
    """Faults for the slave's protocol, without those of the slave's own options."""
    if point.type is PointKind.CALCULATED:
        return
    if point.is_pair and not PROTOCOLS[slave.protocol].description.reads_pairs:
        yield ConfigError("data_type", f"must be string for a point of type loc of protocol {slave.protocol}")
        return
    for fault in caught(lambda: PROTOCOLS[slave.protocol].validate_point(point, slave)):
        if fault.field.partition(".")[0] != "options":
            yield fault


def point_faults(point: Point) -> Iterator[ConfigError]:
    """Faults of a point whatever its protocol."""
    yield from _number_faults(point)
    if point.min is not None and point.max is not None and point.min > point.max:
        yield ConfigError("min", "must not exceed max")
    if point.on_value is not None and point.on_value == point.off_value:
        yield ConfigError("on_value", "must differ from off_value")
    yield from _selector_faults(point)
    yield from _position_text_faults(point)
    if point.deadband and point.type in (PointKind.STRING, PointKind.SWITCH):
        yield ConfigError("deadband", "must be 0 for a point of type str or swh")
    if point.type is PointKind.LOCATION:
        yield from _location_faults(point)
        return
    if point.coordinates is not None:
        yield ConfigError("coordinates", "must be left out for a point that is not of type loc")
    if (point.type is PointKind.STRING) != (point.data_type == "string"):
        yield ConfigError("data_type", "must be string for a point of type str, and only there")


def _location_faults(point: Point) -> Iterator[ConfigError]:
    if point.rw != "readonly":
        yield ConfigError("rw", "must be readonly for a point of type loc")
    if point.data_type not in ("string", *PAIRS):
        yield ConfigError("data_type", f"must be string, {', '.join(PAIRS)} for a point of type loc")


def number_fault(value: object) -> str | None:
    """Rule that a number breaks which no device and no message holds."""
    if isinstance(value, float) and not isfinite(value):
        return "must be a finite number"
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return "must be a whole number of at most 64 bits"
    return None


def _number_faults(point: Point) -> Iterator[ConfigError]:
    for field in ("ratio", "bias", "deadband", "min", "max", "on_value", "off_value"):
        value = getattr(point, field)
        if rule := number_fault(value):
            yield ConfigError(field, rule)
        elif field in ("ratio", "bias") and abs(value) > LARGEST_FACTOR:
            yield ConfigError(field, f"must be at most {LARGEST_FACTOR:g}, positive or negative")
    if point.ratio == 0:
        yield ConfigError("ratio", "must not be 0")


def _selector_faults(point: Point) -> Iterator[ConfigError]:
    if point.selector and point.type is not PointKind.NUMERIC:
        yield ConfigError("selector", "must be empty for a point that is not of type num")
    for value in point.selector:
        if selected(value) is None:
            yield ConfigError("selector", f"must name numbers, {shortened(value)!r} is none")


def _position_text_faults(point: Point) -> Iterator[ConfigError]:
    for field in ("on_text", "off_text"):
        if getattr(point, field) and point.type not in TWO_POSITIONS:
            yield ConfigError(field, "must be empty for a point that is not of type swh or cal")
    if point.on_text and point.on_text == point.off_text:
        yield ConfigError("on_text", "must differ from off_text")
