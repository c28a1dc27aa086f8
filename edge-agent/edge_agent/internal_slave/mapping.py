"""Which registers of the internal slave hold which points, and a value as it lies in them. Pure.

register value = (value - bias) / ratio, the nearest integer of an integer type. A coil or input is one bit: a
switch, or a number that is 0 or 1.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from edge_agent.config.model import InternalSlavePoint, Point
from edge_agent.errors import BadValue
from edge_agent.model import PointKey, PointKind, Value
from edge_agent.points.scale import INTEGER_RANGE, LARGEST_FLOAT32, finite, integral
from edge_agent.protocols.modbus.codec import Field, RegisterDecoder, encode
from edge_agent.protocols.modbus.config import ORDERS, REGISTERS

BIT_AREAS = frozenset({"0X", "1X"})
WRITABLE_AREAS = frozenset({"0X", "4X"})
ADDRESSES = 65536
DIGITS = 15
"""Significant decimals of a double: more are the rounding of a product."""
SINGLE_DIGITS = range(6, 10)
"""Decimals among which the shortest that means one float32 is."""


def width_of(row: InternalSlavePoint) -> int:
    """Addresses that a row takes: 1 in 0X and 1X, else registers."""
    if row.reg_type in BIT_AREAS:
        return 1
    return row.length or REGISTERS.get(row.data_type or "uint16", 1)


@dataclass(frozen=True)
class MappedPoint:
    """A row with its point. number: of the point in the store."""

    row: InternalSlavePoint
    point: Point
    number: int

    @property
    def start(self) -> int:
        return self.row.offset

    @property
    def end(self) -> int:
        """First address behind it."""
        return self.row.offset + width_of(self.row)

    @property
    def is_bit(self) -> bool:
        return self.row.reg_type in BIT_AREAS

    @property
    def field(self) -> Field:
        """The value within its own registers."""
        row = self.row
        return Field(0, 0, 2 * width_of(row), row.data_type or "uint16", ORDERS[row.endian])

    def encoded(self, value: Value) -> bytes:
        """Registers of a value, or one byte 0 or 1 of a bit. BadValue: they cannot hold it."""
        if self.is_bit:
            if isinstance(value, str) or value not in (0, 1):
                raise BadValue(f"{value!r} is no bit")
            return bytes((int(value),))
        if self.field.data_type == "string":
            if not isinstance(value, str):
                raise BadValue(f"{value!r} is no text")
            return encode(self.field, value)
        if value is None or isinstance(value, str) or not finite(value):
            raise BadValue(f"{value!r} is no number")
        return encode(self.field, self._raw_of(float(value) if isinstance(value, float) else int(value)))

    def decoded(self, data: bytes) -> Value:
        """The value that a master means by these registers, or by this bit. BadValue: none."""
        is_switch = self.point.type is PointKind.SWITCH
        if self.is_bit:
            return bool(data[0]) if is_switch else int(data[0])
        (raw,) = RegisterDecoder([self.field])(data)
        if isinstance(raw, str):
            return raw
        if raw is None or not finite(raw):
            raise BadValue("the registers hold no value")
        if self.field.data_type == "float":
            raw = shortest_single(raw)
        ratio, bias = integral(self.row.ratio), integral(self.row.bias)
        value = raw * ratio + bias
        if is_switch:
            if value not in (0, 1):
                raise BadValue(f"{value!r} is no position of a switch")
            return bool(value)
        if not isinstance(value, float):
            return value
        return integral(value if (ratio, bias) == (1, 0) else float(f"{value:.{DIGITS}g}"))

    def filled(self) -> bytes:
        """What stands for "no value": the values by which SunSpec marks a point as not implemented (SunSpec
        Information Model Specification, types), all bits of an unsigned integer, the lowest signed one, NaN,
        an empty text; 0 of a bit.
        """
        kind, size = self.field.data_type, self.field.size
        if self.is_bit:
            return b"\0"
        if kind == "string":
            return bytes(size)
        if kind in ("float", "double"):
            return encode(self.field, float("nan"))
        lowest, highest = INTEGER_RANGE[kind]
        return encode(self.field, lowest or highest)

    def _raw_of(self, value: float) -> float:
        ratio, bias, kind = integral(self.row.ratio), integral(self.row.bias), self.field.data_type
        try:
            raw = value - bias if ratio == 1 else (value - bias) / ratio
        except OverflowError:
            raise BadValue(f"{value!r} is too large") from None
        if not finite(raw) or (kind == "float" and abs(raw) > LARGEST_FLOAT32):
            raise BadValue(f"{value!r} is too large for a {kind}")
        if kind not in INTEGER_RANGE:
            return raw
        lowest, highest = INTEGER_RANGE[kind]
        nearest = round(raw)
        if not lowest <= nearest <= highest:
            raise BadValue(f"{value!r} is {nearest} in the register, outside {kind}")
        return nearest


def shortest_single(raw: float) -> float:
    """The shortest decimal that a float32 stands for: 0.1 and not 0.10000000149."""
    single = struct.pack(">f", raw)
    for digits in SINGLE_DIGITS:
        decimal = float(f"{raw:.{digits}g}")
        if abs(decimal) <= LARGEST_FLOAT32 and struct.pack(">f", decimal) == single:
            return decimal
    return raw


class RegisterMap:
    """Mapped points by area and address. They do not overlap."""

    def __init__(self, mapped: Iterable[MappedPoint]) -> None:
        self._areas: dict[str, list[MappedPoint]] = {}
        for one in sorted(mapped, key=lambda one: one.start):
            self._areas.setdefault(one.row.reg_type, []).append(one)
        self._starts = {area: [one.start for one in rows] for area, rows in self._areas.items()}

    def covering(self, area: str, start: int, count: int) -> list[MappedPoint] | None:
        """Points that lie in count addresses from start on, by address; None when one of these has none."""
        rows, at = self._areas.get(area, []), start
        first = bisect_right(self._starts.get(area, []), start) - 1
        if first < 0:
            return None
        covering: list[MappedPoint] = []
        for one in rows[first:]:
            if at >= start + count:
                break
            if not one.start <= at < one.end:
                return None
            covering.append(one)
            at = one.end
        return covering if at >= start + count else None


def mapped_points(
    rows: Iterable[InternalSlavePoint],
    points: Mapping[PointKey, Point],
    numbers: Mapping[PointKey, int],
) -> list[MappedPoint]:
    """Rows of a valid configuration with their points."""
    keys = ((row, PointKey(row.slave, row.name)) for row in rows)
    return [MappedPoint(row, points[key], numbers[key]) for row, key in keys]
