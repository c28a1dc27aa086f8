"""Where points lie in a PLC, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.config.model import Point, Slave
from edge_agent.protocols.s7.cells import cell, item_of, write_of
from edge_agent.protocols.s7.config import habits_of


def lies(model: str, area: str, offset: int, *, data_type: Any = "uint16", **address: Any) -> Any:
    point = Point(
        slave="plc", name="p", data_type=data_type, address={"area": area, "offset": offset, **address}
    )
    slave = Slave(name="plc", port="p", protocol="s7", address="1", options={"model": model})
    return cell(habits_of(slave), 7, point)


@pytest.mark.parametrize(
    ("model", "area", "offset", "more", "place"),
    [
        # db, first byte, bytes; byte within them, bytes of the value, bytes before a text
        ("1200", "M", 10, {}, (0, 10, 2, 0, 2, 0)),
        ("1200", "M", 10, {"data_type": "double"}, (0, 10, 8, 0, 8, 0)),
        ("1200", "M", 10, {"bit": 7, "data_type": "uint8"}, (0, 10, 1, 0, 1, 0)),
        ("1200", "DB", 4, {"db": 9, "data_type": "uint8"}, (9, 4, 1, 0, 1, 0)),
        ("1200", "DB", 4, {"db": 9, "data_type": "string", "length": 5}, (9, 4, 7, 0, 7, 2)),
        ("1200", "DB", 4, {"db": 9, "data_type": "string", "length": 5, "text": "chars"}, (9, 4, 5, 0, 5, 0)),
        ("200_smart", "V", 4, {"data_type": "string", "length": 5}, (1, 4, 6, 0, 6, 1)),
        ("200_smart", "AI", 4, {}, (0, 4, 2, 0, 2, 0)),
        ("200_smart", "T", 3, {"data_type": "uint32"}, (0, 15, 5, 1, 4, 0)),
        ("200_smart", "C", 3, {}, (0, 9, 3, 1, 2, 0)),
        ("300", "T", 3, {}, (0, 6, 2, 0, 2, 0)),
        ("300", "C", 3, {}, (0, 6, 2, 0, 2, 0)),
    ],
)
def test_places(model: str, area: str, offset: int, more: dict[str, Any], place: tuple[int, ...]) -> None:
    found = lies(model, area, offset, **more)
    field = found.field
    assert (found.db, found.start, found.size, field.at, field.size, field.header) == place
    assert (found.index, found.end) == (7, place[1] + place[2])


def test_what_asks_for_several_elements() -> None:
    timers = item_of(lies("200_smart", "T", 3, data_type="uint32"), 10)
    assert (timers.transport, timers.count, timers.address) == (0x1F, 2, 3)
    counters = item_of(lies("300", "C", 5), 6)
    assert (counters.transport, counters.count, counters.address) == (0x1C, 3, 5)
    words = item_of(lies("200_smart", "AI", 4), 6)
    assert (words.transport, words.count, words.address) == (4, 3, 32)


def test_a_bit_is_written_alone() -> None:
    item, value = write_of(lies("1200", "M", 10, bit=7, data_type="uint8"), 1)
    assert (item.transport, item.count, item.address, value.data) == (1, 1, 87, b"\x01")
