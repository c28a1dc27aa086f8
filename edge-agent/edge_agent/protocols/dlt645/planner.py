"""Points of one meter to few requests, and answers to values. Pure.

Two or more items of one block (three phases, a total with its tariffs) are read by the block's identifier;
a meter that does not know the block is then asked item by item.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from edge_agent.config.model import Point, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.protocols.base import Block, Raw
from edge_agent.protocols.dlt645.config import item_of, options_of, statute_of
from edge_agent.protocols.dlt645.items import Item
from edge_agent.protocols.dlt645.statutes import NOT_AUTHORISED, wire_di
from edge_agent.protocols.dlt645.values import digits_of, reader

FRAME_BYTES = 4 + 12
"""A frame without data, behind four wake-up bytes."""


@dataclass(frozen=True, eq=False)
class MeterBlock:
    """One read request. di: in transmission order; fields: each point's position in the plan and its item.

    decode: makes values of the bytes behind the identifier; None for an item that is missing or no number.
    """

    di: bytes
    fields: tuple[tuple[int, Item], ...]
    is_block: bool  # the identifier asks for a block of items
    decode: Callable[[bytes], list[Raw]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "decode", _decoder(self.fields, self.is_block))

    @property
    def points(self) -> tuple[int, ...]:
        return tuple(index for index, _ in self.fields)

    @property
    def wire_bytes(self) -> int:
        return 2 * (FRAME_BYTES + len(self.di)) + sum(item.length for _, item in self.fields)

    def split(self, error: DeviceRefused) -> tuple[Block, ...]:
        if not self.is_block or error.device_code & NOT_AUTHORISED:
            return ()
        return tuple(_by_di(self.fields))


def plan(slave: Slave, points: Sequence[Point]) -> list[Block]:
    """Requests that read every point once, in the order in which the points first name them."""
    statute = statute_of(slave)
    fields = [(index, item_of(point, statute)) for index, point in enumerate(points)]
    members: dict[str, set[str]] = {}
    if options_of(slave).blocks:
        for _, item in fields:
            if item.block:
                members.setdefault(item.block, set()).add(item.di)
    blocks: list[Block] = []
    for block, dis in members.items():
        if len(dis) > 1:
            own = tuple(one for one in fields if one[1].block == block)
            blocks.append(MeterBlock(wire_di(block), own, True))
            fields = [one for one in fields if one[1].block != block]
    return blocks + _by_di(fields)


def _by_di(fields: Sequence[tuple[int, Item]]) -> list[Block]:
    groups: dict[str, list[tuple[int, Item]]] = {}
    for one in fields:
        groups.setdefault(one[1].di, []).append(one)
    return [MeterBlock(wire_di(di), tuple(group), False) for di, group in groups.items()]


def _decoder(fields: Sequence[tuple[int, Item]], is_block: bool) -> Callable[[bytes], list[Raw]]:
    readers = [reader(item, item.position * item.length if is_block else None) for _, item in fields]
    if len(readers) > 1:
        return lambda data: [read(digits) for digits in (digits_of(data),) for read in readers]
    read = readers[0]
    return lambda data: [read(digits_of(data))]
