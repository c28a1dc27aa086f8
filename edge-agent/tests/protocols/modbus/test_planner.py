"""Points to requests."""

from __future__ import annotations

import struct
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.config.model import Point, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.model import PointKind
from edge_agent.protocols.modbus.planner import ModbusBlock, plan


def slave(protocol: str = "modbus_tcp", **options: Any) -> Slave:
    return Slave(name="s", port="p", protocol=protocol, address="7", options=options)


def register(offset: int, data_type: Any = "uint16", reg_type: str = "4X", **address: Any) -> Point:
    address |= {"reg_type": reg_type, "offset": offset}
    return Point(slave="s", name=f"p{offset}", data_type=data_type, address=address)


def place(offset: int, data_type: Any, **address: Any) -> Point:
    address |= {"reg_type": "4X", "offset": offset}
    return Point(slave="s", name=f"l{offset}", type=PointKind.LOCATION, data_type=data_type, address=address)


def spans(blocks: list[Any]) -> list[tuple[int, int, int]]:
    return [(block.function, block.start, block.count) for block in blocks]


def test_areas_and_gaps() -> None:
    points = [
        register(0),
        register(3, "float"),
        register(30),
        register(99, reg_type="3X"),
        register(5, reg_type="0X"),
    ]
    assert spans(plan(slave(), points)) == [(1, 5, 1), (3, 0, 31), (4, 99, 1)]
    assert spans(plan(slave(max_gap=0), points)) == [(1, 5, 1), (3, 0, 1), (3, 3, 2), (3, 30, 1), (4, 99, 1)]
    assert spans(plan(slave("modbus_rtu"), points)) == [(1, 5, 1), (3, 0, 5), (3, 30, 1), (4, 99, 1)]


def test_limits() -> None:
    points = [register(offset) for offset in range(300)]
    assert spans(plan(slave(), points)) == [(3, 0, 125), (3, 125, 125), (3, 250, 50)]
    assert spans(plan(slave(max_registers=100), points)) == [(3, 0, 100), (3, 100, 100), (3, 200, 100)]
    floats = [register(offset, "float") for offset in range(0, 250, 2)]
    assert spans(plan(slave(), floats)) == [(3, 0, 124), (3, 124, 124), (3, 248, 2)]
    coils = [register(offset, reg_type="1X") for offset in range(2500)]
    assert spans(plan(slave(), coils)) == [(2, 0, 2000), (2, 2000, 500)]


def test_two_values_behind_each_other_are_a_position() -> None:
    """Latitude and longitude in one request with what lies beside them, in either byte order."""
    points = [register(0), place(2, "float"), place(6, "int32", endian="CDAB"), register(10, "float")]
    (block,) = plan(slave(), points)
    assert spans([block]) == [(3, 0, 12)]
    data = struct.pack(">HxxffHHHHf", 7, 31.25, 121.5, 1000, 1, 2000, 2, 2.5)
    values = dict(zip(block.points, block.decode(data), strict=True))
    assert values == {0: 7, 1: "31.25,121.5", 2: f"{65536 + 1000},{2 * 65536 + 2000}", 3: 2.5}
    (alone,) = plan(slave(), [place(0, "double")])
    assert (alone.count, list(alone.decode(struct.pack(">dd", 31.2304, 121.4737)))) == (
        8,
        ["31.2304,121.4737"],
    )


def test_one_based_and_overlapping() -> None:
    assert spans(plan(slave(one_based=True), [register(1), register(40001)])) == [(3, 0, 1), (3, 40000, 1)]
    points = [register(0, "uint32"), register(0), register(1, bit=3), register(1, "float")]
    (block,) = plan(slave(), points)
    assert spans([block]) == [(3, 0, 3)]
    assert sorted(block.points) == [0, 1, 2, 3]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 600), st.sampled_from(["uint16", "float", "double"])), max_size=60),
       st.integers(4, 125), st.integers(0, 60))  # fmt: skip
def test_every_point_is_read_once_within_the_limits(places: list[Any], limit: int, gap: int) -> None:
    points = [register(offset, data_type) for offset, data_type in places]
    blocks: list[Any] = plan(slave(max_registers=limit, max_gap=gap), points)
    assert sorted(index for block in blocks for index in block.points) == list(range(len(points)))
    for block in blocks:
        assert block.count <= limit
        assert all(
            block.start <= item.start and item.end <= block.start + block.count for item in block.items
        )


def test_a_refused_block_is_cut_at_its_gaps_then_halved() -> None:
    refused, busy = DeviceRefused(2, "illegal data address"), DeviceRefused(6, "busy")
    (block,) = plan(slave(), [register(n) for n in (0, 1, 10, 11, 12, 13)])
    assert block.split(busy) == ()
    first, second = block.split(refused)
    assert spans([first, second]) == [(3, 0, 2), (3, 10, 4)]
    halves = second.split(refused)
    assert spans(list(halves)) == [(3, 10, 2), (3, 12, 2)]
    (single, _) = first.split(refused)
    assert isinstance(single, ModbusBlock)
    assert single.split(refused) == ()


def test_input_registers_have_the_limits_of_registers_and_coils_those_of_bits() -> None:
    inputs = [register(offset, reg_type="3X") for offset in range(126)]
    assert spans(plan(slave(max_registers=100, max_bits=16), inputs)) == [(4, 0, 100), (4, 100, 26)]
    for reg_type, function in (("0X", 1), ("1X", 2)):
        bits = [register(offset, reg_type=reg_type) for offset in range(33)]
        assert spans(plan(slave(max_registers=4, max_bits=16), bits)) == [
            (function, 0, 16), (function, 16, 16), (function, 32, 1),
        ]  # fmt: skip


def test_a_gap_of_registers_is_as_long_on_the_wire_in_bits() -> None:
    """A register has sixteen bits."""
    for reg_type, function, gap in (("3X", 4, 2), ("4X", 3, 2), ("0X", 1, 32), ("1X", 2, 32)):
        for hole, blocks in (
            (gap, [(function, 0, gap + 2)]),
            (gap + 1, [(function, 0, 1), (function, gap + 2, 1)]),
        ):
            points = [register(0, reg_type=reg_type), register(hole + 1, reg_type=reg_type)]
            assert spans(plan(slave(max_gap=2), points)) == blocks


def test_bytes_of_a_request_on_a_serial_line() -> None:
    """Eight of a request, five of an answer beside two for each register, or one for eight bits."""
    for reg_type, last, data_bytes in (("4X", 2, 6), ("3X", 2, 6), ("0X", 7, 1), ("0X", 8, 2), ("1X", 15, 2)):
        (block,) = plan(slave(), [register(0, reg_type=reg_type), register(last, reg_type=reg_type)])
        assert isinstance(block, ModbusBlock)
        assert (block.data_bytes, block.wire_bytes) == (data_bytes, 13 + data_bytes)


def test_only_an_illegal_address_or_count_is_worth_smaller_requests() -> None:
    (block,) = plan(slave(), [register(0), register(1)])
    assert [bool(block.split(DeviceRefused(code, "refused"))) for code in range(1, 12)] == [
        code in (2, 3) for code in range(1, 12)
    ]
