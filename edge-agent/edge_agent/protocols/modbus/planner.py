"""Points of one slave to few requests. Pure.

A point is never cut over two requests. Gaps are read along as far as options.max_gap allows; a block that
the device refuses is cut at its gaps first, then halved between points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from edge_agent.config.model import Point, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.protocols.base import Block
from edge_agent.protocols.grouping import cut, joined
from edge_agent.protocols.modbus.codec import BitDecoder, Field, PairDecoder, RegisterDecoder
from edge_agent.protocols.modbus.config import (
    ORDERS,
    RTU_GAP,
    TCP_GAP,
    address_of,
    options_of,
    unit_of,
    width,
)
from edge_agent.protocols.modbus.frames import read_request

READ_FUNCTION = {"0X": 1, "1X": 2, "4X": 3, "3X": 4}
REQUEST_BYTES = 13
"""RTU: 8 of a request, 5 of an answer beside its data."""
CUTTING = {2, 3}
"""Illegal address, illegal value (count): smaller requests may be accepted."""


@dataclass(frozen=True)
class Item:
    """A point as the wire sees it. start: zero-based address; size: addresses taken.

    field: of a pair, its first half.
    """

    index: int
    unit: int
    function: int
    start: int
    size: int
    field: Field
    is_pair: bool = False

    @property
    def end(self) -> int:
        return self.start + self.size


@dataclass(frozen=True, eq=False)
class ModbusBlock:
    """One read request. items: by rising address.

    data_bytes: that an answer must hold. wire_bytes: of RTU frames. request: its PDU.
    """

    items: tuple[Item, ...]
    unit: int = field(init=False)
    function: int = field(init=False)
    start: int = field(init=False)
    count: int = field(init=False)
    data_bytes: int = field(init=False)
    wire_bytes: int = field(init=False)
    request: bytes = field(init=False, repr=False)
    decode: RegisterDecoder | BitDecoder | PairDecoder = field(init=False, repr=False)

    def __post_init__(self) -> None:
        first = self.items[0]
        count = max(item.end for item in self.items) - first.start
        data_bytes = count * 2 if first.function in (3, 4) else (count + 7) // 8
        for name, value in (
            ("unit", first.unit),
            ("function", first.function),
            ("start", first.start),
            ("count", count),
            ("data_bytes", data_bytes),
            ("wire_bytes", REQUEST_BYTES + data_bytes),
            ("request", read_request(first.function, first.start, count)),
            ("decode", _decoder(self.items)),
        ):
            object.__setattr__(self, name, value)

    @property
    def points(self) -> tuple[int, ...]:
        return self.decode.points

    def split(self, error: DeviceRefused) -> tuple[Block, ...]:
        if error.device_code not in CUTTING:
            return ()
        return tuple(ModbusBlock(part) for part in cut(self.items))


def plan(slave: Slave, points: Sequence[Point], gap: int | None = None) -> list[Block]:
    """Requests that read every point once, by area and rising address."""
    options = options_of(slave)
    if options.max_gap is not None:
        gap = options.max_gap
    elif gap is None:
        gap = TCP_GAP if slave.protocol == "modbus_tcp" else RTU_GAP
    items = [item(slave, index, point) for index, point in enumerate(points)]
    blocks: list[Block] = []
    for function in sorted({item.function for item in items}):
        registers = function in (3, 4)
        area = sorted((i for i in items if i.function == function), key=lambda i: (i.start, i.size))
        limit = options.max_registers if registers else options.max_bits
        blocks += [ModbusBlock(run) for run in joined(area, limit, gap if registers else gap * 16)]
    return blocks


def item(slave: Slave, index: int, point: Point) -> Item:
    """A point's place on the wire."""
    address = address_of(point)
    function = READ_FUNCTION[address.reg_type]
    options = options_of(slave)
    start = address.offset - options.one_based
    size = width(point, address)
    place = Field(
        index=index,
        at=0,
        size=size if point.is_pair else size * 2,
        data_type=point.data_type,
        order=ORDERS[address.endian],
        bit=address.bit,
        high_byte=address.byte == "high",
        narrow=point.data_type == "string" and address.byte is not None,
    )
    return Item(index, unit_of(slave, options), function, start, size, place, point.is_pair)


def _decoder(items: tuple[Item, ...]) -> RegisterDecoder | BitDecoder | PairDecoder:
    start = items[0].start
    if items[0].function in (1, 2):
        return BitDecoder(
            [one.start - start for one in items], [one.index for one in items], [one.size for one in items]
        )
    fields = [replace(one.field, at=(one.start - start) * 2) for one in items]
    pairs = [field for one, field in zip(items, fields, strict=True) if one.is_pair]
    return PairDecoder(fields, pairs) if pairs else RegisterDecoder(fields)
