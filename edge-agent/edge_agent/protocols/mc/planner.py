"""Points of one PLC to few batch reads. Pure.

A point is never cut over two requests. Gaps are read along as far as options.max_gap allows, never from one
run of devices to another; a block that the PLC refuses is cut at its gaps first, then halved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from edge_agent.config.model import Point, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.protocols.base import Block
from edge_agent.protocols.grouping import cut, joined
from edge_agent.protocols.mc.codec import Answer, Frame, Request
from edge_agent.protocols.mc.config import WIDEST_GAP, Habits, address_of, habits_of, place_of
from edge_agent.protocols.mc.tables import Area, end_codes
from edge_agent.protocols.mc.values import BitDecoder
from edge_agent.protocols.word_values import WordDecoder, WordField

BITS_A_WORD = 4
"""A bit takes a nibble: as many of them as a word are worth reading along."""


@dataclass(frozen=True)
class Item:
    """A point as the wire sees it. start, size: bits, or words from number 0 of the device."""

    area: Area
    start: int
    size: int
    field: WordField

    @property
    def end(self) -> int:
        return self.start + self.size


@dataclass(frozen=True, eq=False)
class McBlock:
    """One batch read. items: by rising place, of one area."""

    items: tuple[Item, ...]
    habits: Habits = field(repr=False)
    request: Request = field(init=False)
    wire_bytes: int = field(init=False)
    decode: WordDecoder | BitDecoder = field(init=False, repr=False)

    def __post_init__(self) -> None:
        area, start = self.items[0].area, self.items[0].start
        count = max(item.end for item in self.items) - start
        placed = [_moved(item, start) for item in self.items]
        decode = BitDecoder(placed) if area.bit else WordDecoder(placed)
        request = batch(self.habits, area, start, count)
        answer = self.frame.encode_answer(request, Answer(data=bytes(count if area.bit else 2 * count)))
        wire_bytes = len(self.frame.encode_request(request)) + len(answer)
        for name, value in (("request", request), ("wire_bytes", wire_bytes), ("decode", decode)):
            object.__setattr__(self, name, value)

    @property
    def frame(self) -> Frame:
        return self.habits.frame

    @property
    def points(self) -> tuple[int, ...]:
        return self.decode.points

    def split(self, error: DeviceRefused) -> tuple[Block, ...]:
        known = end_codes(self.frame.name).get(error.device_code)
        if known is None or known.effect != "cut":
            return ()
        return tuple(McBlock(part, self.habits) for part in cut(self.items))


def plan(slave: Slave, points: Sequence[Point], gap: int | None = None) -> list[Block]:
    """Requests that read every point once, by device and rising number."""
    habits = habits_of(slave)
    if habits.max_gap is not None:
        gap = habits.max_gap
    elif gap is None:
        gap = WIDEST_GAP[habits.frame.name]
    runs: dict[Area, list[Item]] = {}
    for index, point in enumerate(points):
        one = item(habits, index, point)
        runs.setdefault(one.area, []).append(one)
    blocks: list[Block] = []
    for area in sorted(runs, key=lambda area: (area.name, area.first)):
        limit = habits.max_bits if area.bit else habits.max_words
        items = sorted(runs[area], key=lambda one: (one.start, one.size))
        blocks += [
            McBlock(run, habits) for run in joined(items, limit, gap * BITS_A_WORD if area.bit else gap)
        ]
    return blocks


def item(habits: Habits, index: int, point: Point) -> Item:
    """A point's place on the wire."""
    place = place_of(point, habits)
    address = address_of(point, habits.frame.name)
    one_byte = address.bit is None and point.data_type in ("uint8", "int8")
    size = 1 if one_byte else address.length or 2 * place.size
    value = WordField(
        index=index,
        at=int(one_byte and address.byte == "high"),
        size=size,
        data_type=point.data_type,
        bit=address.bit,
        encoding=habits.encoding,
    )
    return Item(place.area, place.start * place.area.words, place.size, value)


def batch(habits: Habits, area: Area, start: int, count: int, data: bytes | None = None) -> Request:
    """A read, or with data a write. start, count: as in Item."""
    return Request(
        command="read" if data is None else "write",
        bits=area.bit,
        device=area.code,
        start=start // area.words,
        count=count,
        timer=habits.timer,
        route=habits.route,
        data=data or b"",
    )


def _moved(item: Item, start: int) -> WordField:
    """The item's field within a block that begins at start."""
    one, unit = item.field, 1 if item.area.bit else 2
    at = (item.start - start) * unit + one.at
    return WordField(one.index, at, one.size, one.data_type, one.bit, one.encoding)
