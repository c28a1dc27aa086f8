"""Read a block as it lies, read a point once, write a point once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from edge_agent.commissioning.interpretation import Interpretation, interpretations, texts
from edge_agent.commissioning.target import Target, raw_points
from edge_agent.config.model import Point, Port
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, FieldbusError
from edge_agent.model import Quality, Seen, Value
from edge_agent.points import PointBlock, raw_of, same_value
from edge_agent.protocols.base import Driver, Raw
from edge_agent.system.clock import Clock

MAX_CELLS = 120


@dataclass(frozen=True)
class Once:
    """raw: as the device holds it; value: in engineering units; same: what was written was read back."""

    raw: Raw
    value: Value
    quality: Quality
    took_ms: float
    same: bool = True


@dataclass(frozen=True)
class RawBlock:
    """Bytes from the first address on, and what they may mean. texts: by the order of bytes."""

    data: bytes
    took_ms: float
    readings: list[Interpretation]
    texts: dict[str, str]

    @property
    def meets(self) -> bool:
        """Whether any reading is the expected value."""
        return any(one.ratio is not None for one in self.readings)


async def read_raw(
    port: Port, target: Target, address: dict[str, Any], count: int, expected: float | None, clock: Clock,
    seen: Seen | None,
) -> RawBlock:  # fmt: skip
    """count cells from an address on. ConfigError, FieldbusError."""
    points = raw_points(target, address, count)
    values: dict[int, Raw] = {}
    begun = clock.monotonic()
    async with target.opened(port, seen) as driver:
        for block in target.protocol.plan(target.slave, points, 0):
            values.update(zip(block.points, await driver.read(target.slave, block), strict=True))
    rule = target.protocol.raw_rule
    size = 1 if rule is not None and rule.data_type == "uint8" else 2
    data = b"".join(_cell(values[n], size) for n in range(count))
    return RawBlock(data, _since(clock, begun), interpretations(data, expected), texts(data))


async def read_once(port: Port, target: Target, point: Point, clock: Clock, seen: Seen | None) -> Once:
    """A point's value now. FieldbusError; BadValue when the point cannot be read."""
    if point.rw == "writeonly":
        raise BadValue(f"{point.name}: cannot be read")
    begun = clock.monotonic()
    async with target.opened(port, seen) as driver:
        raw = await _read(driver, target, point)
    return _once(point, raw, clock, begun)


async def write_once(
    port: Port, target: Target, point: Point, value: Value, clock: Clock, seen: Seen | None
) -> Once:
    """Write, then read back. FieldbusError; BadValue when the value does not fit the point."""
    if point.rw == "readonly":
        raise BadValue(f"{point.name}: is read only")
    wanted = raw_of(point, value)
    begun = clock.monotonic()
    async with target.opened(port, seen) as driver:
        try:
            await driver.write(target.slave, point, wanted)
        except FieldbusError as error:
            if error.may_have_acted is None:
                error.may_have_acted = not isinstance(error, DeviceRefused)
            raise
        try:
            raw = wanted if point.rw == "writeonly" else await _read(driver, target, point)
        except FieldbusError as error:
            error.may_have_acted = True
            raise
    done = _once(point, raw, clock, begun)
    return replace(done, same=same_value(point, value, done.value))


async def _read(driver: Driver, target: Target, point: Point) -> Raw:
    (block,) = target.protocol.plan(target.slave, [point])
    (raw,) = await driver.read(target.slave, block)
    return raw


def _once(point: Point, raw: Raw, clock: Clock, begun: float) -> Once:
    (sample,) = PointBlock([point], [0]).row([raw], clock.now_ms()).samples()
    return Once(raw, sample.value, sample.quality, _since(clock, begun))


def _cell(value: Raw, size: int) -> bytes:
    if not isinstance(value, int) or not 0 <= value < 256**size:
        raise BadFrame(f"a cell of {size} bytes holds {value!r}")
    return value.to_bytes(size, "big")


def _since(clock: Clock, begun: float) -> float:
    return round((clock.monotonic() - begun) * 1000, 1)
