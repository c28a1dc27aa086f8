"""Where a point lies in a PLC's memory, and what asks for it or writes it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.config.model import Point
from edge_agent.protocols.base import Raw
from edge_agent.protocols.packing import SIZES
from edge_agent.protocols.s7.codec import (
    BIT,
    BYTE,
    COUNTER,
    COUNTER_200,
    DATA_BIT,
    DATA_OCTETS,
    DATA_WORD,
    TIMER,
    TIMER_200,
    WORD,
    Item,
    Value,
)
from edge_agent.protocols.s7.config import Habits, address_of
from edge_agent.protocols.s7.tables import Area, Unit
from edge_agent.protocols.s7.values import Field, Kind, encode

DATA_BLOCK = 0x84

ELEMENTS: dict[Unit, tuple[int, int]] = {
    "byte": (BYTE, 1), "word": (WORD, 2), "timer": (TIMER, 2), "counter": (COUNTER, 2),
    "timer_200": (TIMER_200, 5), "counter_200": (COUNTER_200, 3),
}  # fmt: skip
"""Transport of an item, and bytes of one element."""


@dataclass(frozen=True)
class Cell:
    """A point's place in the PLC. field: the value within it.

    start, size: bytes of the area; timers and counters lie behind each other from 0 with the bytes of each.
    """

    area: Area
    db: int
    start: int
    size: int
    field: Field

    @property
    def index(self) -> int:
        return self.field.index

    @property
    def end(self) -> int:
        return self.start + self.size


def cell(habits: Habits, index: int, point: Point) -> Cell:
    """Where a point lies."""
    address = address_of(point)
    area = habits.area(address.area)
    db = 1 if area.code == DATA_BLOCK and address.db is None else address.db or 0
    _, element = ELEMENTS[area.unit]
    if area.unit not in ("byte", "word"):
        return Cell(area, db, address.offset * element, element, _element(index, area.unit, habits.bcd))
    start = area.base + address.offset
    if point.data_type == "string":
        header = habits.model.text_header if address.text == "string" else 0
        size = header + (address.length or 0)
        text = Field(index, 0, size, address.text, header=header, encoding=habits.encoding)
        return Cell(area, db, start, size, text)
    if address.bit is not None:
        return Cell(area, db, start, 1, Field(index, 0, 1, "bit", bit=address.bit))
    size = SIZES[point.data_type]
    return Cell(area, db, start, size, Field(index, 0, size, data_type=point.data_type))


def item_of(first: Cell, size: int) -> Item:
    """What asks for so many bytes from a cell on."""
    transport, element = ELEMENTS[first.area.unit]
    address = first.start * 8 if first.area.unit in ("byte", "word") else first.start // element
    return Item(transport, size // element, first.db, first.area.code, address)


def write_of(one: Cell, raw: Raw) -> tuple[Item, Value]:
    """What writes a raw value, a bit alone without those beside it; BadValue when the place cannot hold it.

    Of an S7 string its maximum length stays as it is: it is written from its second byte on.
    """
    data = encode(one.field, raw)
    if one.field.kind == "bit":
        address = one.start * 8 + one.field.bit
        return Item(BIT, 1, one.db, one.area.code, address), Value(0, DATA_BIT, data)
    if one.area.unit == "byte":
        address = (one.start + (one.field.header == 2)) * 8
        return Item(BYTE, len(data), one.db, one.area.code, address), Value(0, DATA_WORD, data)
    place = item_of(one, one.size)
    return place, Value(0, DATA_WORD if one.area.unit == "word" else DATA_OCTETS, data)


def _element(index: int, unit: Unit, bcd: bool) -> Field:
    """The value of a timer or counter within its bytes."""
    if unit == "timer_200":
        return Field(index, 1, 4, data_type="int32")
    if unit == "counter_200":
        return Field(index, 1, 2, data_type="int16")
    kind: Kind = "s5_time" if unit == "timer" else "bcd_counter"
    return Field(index, 0, 2, kind) if bcd else Field(index, 0, 2, data_type="uint16")
