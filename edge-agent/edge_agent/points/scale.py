"""One value: raw to engineering units and back.

engineering = raw * ratio + bias, rounded to tofixed decimals. A switch is its position, True or False, and
nothing else: on_value and off_value exist between this file and the device. A location is a text
(location.py). None stands for "not representable".

A position without a configured value never has the value of the other one.
"""

from __future__ import annotations

from math import inf, isfinite

from edge_agent.config.model import Point
from edge_agent.errors import BadValue
from edge_agent.model import PointKind, Value
from edge_agent.points.location import position_of

Raw = float | int | str | None

INTEGER_RANGE = {
    "uint8": (0, 2**8 - 1), "int8": (-(2**7), 2**7 - 1),
    "uint16": (0, 2**16 - 1), "int16": (-(2**15), 2**15 - 1),
    "uint32": (0, 2**32 - 1), "int32": (-(2**31), 2**31 - 1),
    "uint64": (0, 2**64 - 1), "int64": (-(2**63), 2**63 - 1),
    "var": (0, 2**64 - 1),
}  # fmt: skip
LARGEST_FLOAT32 = (2 - 2**-23) * 2.0**127
FLOAT32_STEP = 2.0**-23  # relative distance of two neighbouring float32
FLOAT64_STEP = 2.0**-52
EXACTLY = 1e-9
"""Relative: what a number may lose on its way from a text or a formula."""


def integral(number: float) -> float | int:
    """An int where nothing is lost by it, so that an integer scaled by 1 or 10 stays an integer."""
    return int(number) if number.is_integer() else number


def unsigned_zero(rounded: float) -> float:
    """What was rounded to nothing has no sign left."""
    return rounded or abs(rounded)


def finite(number: float) -> bool:
    """Whether a number has a place among floats: not NaN, not infinite, no integer beyond them."""
    try:
        return isfinite(number)
    except OverflowError:
        return False


def value_of(point: Point, raw: Raw) -> Value:
    """Engineering value of a raw one; None when it is none (NaN, infinite, no switch position)."""
    if raw is None:
        return None
    if point.type is PointKind.STRING:
        return str(raw)
    if point.type is PointKind.LOCATION:
        return position_of(str(raw), point.coordinates, point.ratio, point.bias)
    if point.type is PointKind.SWITCH:
        return _position(point, raw)
    if isinstance(raw, str) or not finite(raw):
        return None
    if isinstance(raw, bool) and point.type is PointKind.CALCULATED:
        return raw  # a formula that compares says yes or no
    try:
        value = raw * integral(point.ratio) + integral(point.bias)
    except OverflowError:
        return None
    if not finite(value):
        return None
    return value if point.tofixed is None else unsigned_zero(round(value, point.tofixed))


def raw_of(point: Point, value: Value) -> Raw:
    """Raw value to write; BadValue names the rule that the value breaks."""
    if point.type is PointKind.STRING:
        if not isinstance(value, str):
            raise BadValue(f"{point.name}: must be a text")
        return value
    if point.type is PointKind.LOCATION:
        raise BadValue(f"{point.name}: a location is read only")
    if point.type is PointKind.SWITCH:
        return _raw_position(point, value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not finite(value):
        raise BadValue(f"{point.name}: must be a finite number")
    if point.min is not None and value < point.min:
        raise BadValue(f"{point.name}: must be at least {point.min}")
    if point.max is not None and value > point.max:
        raise BadValue(f"{point.name}: must be at most {point.max}")
    if point.selector and not any(selected(one) == value for one in point.selector):
        named = ", ".join(f"{one} ({title})" for one, title in point.selector.items())
        raise BadValue(f"{point.name}: must be one of {named}")
    bias, ratio = integral(point.bias), integral(point.ratio)
    try:
        raw = value - bias if ratio == 1 else (value - bias) / ratio
    except OverflowError:
        raw = inf
    if not finite(raw) or (point.data_type == "float" and abs(raw) > LARGEST_FLOAT32):
        raise BadValue(f"{point.name}: {value:g} is too large for the device")
    if point.data_type not in INTEGER_RANGE:
        return raw
    lowest, highest = INTEGER_RANGE[point.data_type]
    nearest = round(raw)
    if not lowest <= nearest <= highest:
        raise BadValue(f"{point.name}: {value} is {nearest} in the device, outside {point.data_type}")
    if not _holds(point, nearest, value):
        step = f"a multiple of {abs(ratio):g}" + (f", counted from {bias:g}" if bias else "")
        raise BadValue(f"{point.name}: must be {step}; {value} would become {value_of(point, nearest)}")
    return nearest


def _holds(point: Point, raw: int, value: float) -> bool:
    """Whether an integer of the device is this value, exactly or as it is shown."""
    exact = raw * integral(point.ratio) + integral(point.bias)
    near = EXACTLY * max(abs(value), abs(point.bias), abs(point.ratio))
    rounded = exact if point.tofixed is None else round(exact, point.tofixed)
    return abs(exact - value) <= near or abs(rounded - value) <= near


def selected(text: str) -> float | None:
    """The number that a selector names; None when it is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def same_value(point: Point, wanted: Value, read: Value) -> bool:
    """Whether a value read back is the one written, as exactly as the device holds it."""
    if wanted is None or read is None or isinstance(wanted, str) or isinstance(read, str):
        return wanted is not None and wanted == read
    if point.type is PointKind.SWITCH:
        return bool(wanted) == bool(read)
    return abs(wanted - read) <= _tolerance(point, float(wanted))


def _tolerance(point: Point, wanted: float) -> float:
    rounded = 0.0 if point.tofixed is None else 0.5 * 10.0**-point.tofixed
    if point.data_type in INTEGER_RANGE:
        held = abs(point.ratio) / 2
    else:
        step = FLOAT64_STEP if point.data_type == "double" else FLOAT32_STEP
        held = step * (abs(wanted) + abs(point.bias))
    return (held + rounded) * (1 + 1e-9)


def _position(point: Point, raw: Raw) -> bool | None:
    on, off = point.on_value, point.off_value
    if on is None and off is None:
        return bool(raw)
    if on is not None and raw == on:
        return True
    if off is not None and raw == off:
        return False
    return None if on is not None and off is not None else on is None


def _raw_position(point: Point, value: Value) -> Raw:
    if not isinstance(value, bool):
        raise BadValue(f"{point.name}: must be true or false")
    mine, other = (point.on_value, point.off_value) if value else (point.off_value, point.on_value)
    if mine is None:
        usual = int(value)
        return usual if usual != other else 1 - usual  # the other position has the usual value
    if isinstance(mine, str):
        raise BadValue(f"{point.name}: {mine!r} is no number, and a device holds numbers for a switch")
    return int(mine) if isinstance(mine, float) and mine.is_integer() else mine
