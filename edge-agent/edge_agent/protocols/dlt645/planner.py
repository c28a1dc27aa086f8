"""Points of one meter to few requests, and answers to values. Pure.

Two or more items of one block (three phases, a total with its tariffs) are read by the block's identifier;
a meter that does not know the block is then asked item by item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edge_agent.config.model import Point, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.protocols.base import Block, Raw
from edge_agent.protocols.dlt645.codec import bcd_to_int
from edge_agent.protocols.dlt645.config import item_of, options_of
from edge_agent.protocols.dlt645.items import Item

RELAY_OPEN = 0x10  # run-status word 3, bit 4
OTHER_ERROR, NO_SUCH_DATA = 0x01, 0x02
REQUEST_BYTES = 2 * (4 + 12 + 4)
"""Request and answer beside the answer's data: wake-up bytes, frame, identifier."""


@dataclass(frozen=True, eq=False)
class MeterBlock:
    """One read request. di: in transmission order; fields: each point's position in the plan and its item."""

    di: bytes
    fields: tuple[tuple[int, Item], ...]
    whole: bool  # the identifier asks for a block of items

    @property
    def points(self) -> tuple[int, ...]:
        return tuple(index for index, _ in self.fields)

    @property
    def wire_bytes(self) -> int:
        return REQUEST_BYTES + sum(item.length for _, item in self.fields)

    def decode(self, data: bytes) -> list[Raw]:
        """Values of the bytes behind the identifier; None for an item that is missing or no number."""
        return [self._value(item, data) for _, item in self.fields]

    def _value(self, item: Item, data: bytes) -> Raw:
        if not self.whole:
            return value_of(item, data)
        start = item.position * item.length
        return value_of(item, data[start : start + item.length])

    def pieces(self, error: DeviceRefused) -> tuple[Block, ...]:
        if not self.whole or not error.device_code & (OTHER_ERROR | NO_SUCH_DATA):
            return ()
        return tuple(_by_di(self.fields))


def value_of(item: Item, data: bytes) -> Raw:
    """A number from exactly item.length bytes; None when there are more or fewer or a nibble is above 9."""
    if len(data) != item.length:
        return None
    if item.kind == "relay":
        return 0 if data[0] & RELAY_OPEN else 1
    negative = item.signed and data[-1] & 0x80
    number = bcd_to_int(data[:-1] + bytes((data[-1] & 0x7F,)) if negative else data)
    if number is None:
        return None
    if negative:
        number = -number
    return number / 10**item.decimals if item.decimals else number


def plan(slave: Slave, points: Sequence[Point]) -> list[Block]:
    """Requests that read every point once, in the order in which the points first name them."""
    fields = [(index, item_of(point)) for index, point in enumerate(points)]
    members: dict[str, set[str]] = {}
    if options_of(slave).blocks:
        for _, item in fields:
            if item.block:
                members.setdefault(item.block, set()).add(item.di)
    blocks: list[Block] = []
    for block, dis in members.items():
        if len(dis) > 1:
            own = tuple(field for field in fields if field[1].block == block)
            blocks.append(MeterBlock(di_bytes(block), own, True))
            fields = [field for field in fields if field[1].block != block]
    return blocks + _by_di(fields)


def di_bytes(di: str) -> bytes:
    """Printed identifier to transmission order."""
    return bytes.fromhex(di)[::-1]


def _by_di(fields: Sequence[tuple[int, Item]]) -> list[Block]:
    groups: dict[str, list[tuple[int, Item]]] = {}
    for field in fields:
        groups.setdefault(field[1].di, []).append(field)
    return [MeterBlock(di_bytes(di), tuple(group), False) for di, group in groups.items()]
