"""Points to requests, and answers to values."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.config.model import Point, Slave
from edge_agent.errors import BadValue, DeviceRefused
from edge_agent.protocols.fx.areas import areas
from edge_agent.protocols.fx.codec import encode
from edge_agent.protocols.fx.config import place_of
from edge_agent.protocols.fx.planner import FxBlock, force_request, identity_of, identity_requests, plan
from edge_agent.protocols.fx.values import insert
from edge_agent.protocols.word_values import WordField
from edge_agent.protocols.word_values import encode as encode_value

REFUSED = DeviceRefused(0x15, "NAK")


def slave(model: str = "FX3U", **options: Any) -> Slave:
    return Slave(name="s", port="p", protocol="fx", address="0", options={"model": model, **options})


def point(area: str, offset: int, data_type: Any = "uint16", **address: Any) -> Point:
    return Point(
        slave="s", name="x", data_type=data_type, address={"area": area, "offset": offset, **address}
    )


def spans(blocks: Any) -> list[tuple[str, int, int]]:
    return [(block.places[0].area.name, block.request.address, block.request.count) for block in blocks]


def values(block: Any, data: bytes) -> dict[int, Any]:
    return dict(zip(block.points, block.decode(data), strict=True))


def test_adjacent_points_and_gaps() -> None:
    points = [point("D", 0), point("D", 3, "float"), point("D", 13), point("D", 14), point("D", 30)]
    assert spans(plan(slave(), points)) == [("D", 0x4000, 30), ("D", 0x403C, 2)]
    assert spans(plan(slave(), points, 4)) == [("D", 0x4000, 10), ("D", 0x401A, 4), ("D", 0x403C, 2)]
    assert spans(plan(slave(max_gap=100), points, 4)) == [("D", 0x4000, 62)]
    assert spans(plan(slave(max_gap=0), points)) == [
        ("D", 0x4000, 2), ("D", 0x4006, 4), ("D", 0x401A, 4), ("D", 0x403C, 2),
    ]  # fmt: skip


def test_areas_are_not_mixed() -> None:
    points = [point("M", 0), point("Y", 0), point("X", 0), point("X", 7), point("D", 8000), point("D", 7999)]
    assert spans(plan(slave("FX2N"), points)) == [
        ("D", 0x4E7E, 2), ("D", 0x0E00, 2), ("M", 0x0100, 1), ("X", 0x0080, 1), ("Y", 0x00A0, 1),
    ]  # fmt: skip
    across = [point("M", 1535), point("M", 1536)]
    assert [block.request.set for block in plan(slave("FX2N"), across)] == ["classic", "extended"]  # type: ignore[attr-defined]


def test_limit() -> None:
    points = [point("D", number, "float") for number in range(0, 80, 2)]
    assert spans(plan(slave(), points)) == [("D", 0x4000, 64), ("D", 0x4040, 64), ("D", 0x4080, 32)]
    assert spans(plan(slave(max_bytes=10), points[:5])) == [
        ("D", 0x4000, 8), ("D", 0x4008, 8), ("D", 0x4010, 4),
    ]  # fmt: skip


def test_golden_requests() -> None:
    def read(model: str, one: Point) -> str:
        (block,) = plan(slave(model), [one])
        assert isinstance(block, FxBlock)
        assert block.wire_bytes == len(encode(block.request)) + 4 + 2 * block.request.count
        return encode(block.request).hex(" ").upper()

    assert read("FX1S", point("D", 123, "uint32")) == "02 30 31 30 46 36 30 34 03 37 34"
    assert read("FX1S", point("M", 8000)) == "02 30 30 31 45 30 30 31 03 36 41"
    assert read("FX2N", point("CN", 200, "int32")) == "02 30 30 43 30 30 30 34 03 36 41"
    assert read("FX2N", point("TV", 0)) == "02 30 30 38 30 30 30 32 03 35 44"
    assert read("FX3U", point("D", 10)) == "02 45 30 30 34 30 31 34 30 32 03 44 33"
    assert read("FX3U", point("X", 7)) == "02 45 30 30 38 43 41 30 30 31 03 46 35"


def test_golden_forces() -> None:
    def force(model: str, one: Point, on: bool) -> str:
        return encode(force_request(place_of(one, slave(model)), on)).hex(" ").upper()

    assert force("FX2N", point("M", 100), True) == "02 37 36 34 30 38 03 30 43"
    assert force("FX2N", point("Y", 0), False) == "02 38 30 30 30 35 03 30 30"
    assert force("FX1S", point("S", 10), True) == "02 37 30 41 30 30 03 30 42"
    assert force("FX3U", point("Y", 0), True) == "02 45 37 30 30 35 45 03 35 39"
    assert force("FX3U", point("M", 0), False) == "02 45 38 30 30 34 30 03 34 34"


def test_values() -> None:
    points = [
        point("D", 0),
        point("D", 0, "int16"),
        point("D", 1, "uint32"),
        point("D", 1, bit=15),
        point("D", 3, "float"),
        point("D", 5, "string", length=5),
        point("D", 0, "uint8", byte="high"),
        point("D", 0, "int8"),
        point("D", 1, bit=0),
    ]
    (block,) = plan(slave(), points)
    data = bytes.fromhex("FEFF 3412 7856") + struct.pack("<f", 2.5) + b"PUMP \0"
    assert values(block, data) == {
        0: 65534, 1: -2, 2: 0x56781234, 3: 0, 4: 2.5, 5: "PUMP", 6: 255, 7: -2, 8: 0,
    }  # fmt: skip
    bits = plan(slave(), [point("M", number) for number in (0, 1, 15, 8)])
    assert values(bits[0], bytes.fromhex("0180")) == {0: 1, 1: 0, 2: 1, 3: 0}


def test_text_that_is_none() -> None:
    (block,) = plan(slave(), [point("D", 5, "string", length=4)])
    assert values(block, b"\xff\xfe\0\0") == {0: None}


def test_parts_of_a_refused_block() -> None:
    (block,) = plan(slave(), [point("D", 0), point("D", 1), point("D", 2), point("D", 6)])
    holes = block.split(REFUSED)
    assert spans(holes) == [("D", 0x4000, 6), ("D", 0x400C, 2)]
    halves = holes[0].split(REFUSED)
    assert spans(halves) == [("D", 0x4000, 2), ("D", 0x4002, 4)]
    assert halves[0].split(REFUSED) == ()
    assert sorted(index for piece in holes for index in piece.points) == [0, 1, 2, 3]


def test_identity() -> None:
    old, new = slave("FX1S"), slave("FX3U")
    assert [(number, request.address) for number, request in identity_requests(old)] == [(8001, 0xE02)]
    assert [number for number, _ in identity_requests(new)] == [8101, 8001]
    assert identity_of(old, 8001, bytes.fromhex("C256")) == "FX1S V2.10"
    assert identity_of(old, 8001, bytes.fromhex("6266")) == "FX1N V2.10"
    assert identity_of(new, 8101, (16305).to_bytes(2, "little")) == "FX3U V3.05"
    assert identity_of(new, 8001, (99001 & 0xFFFF).to_bytes(2, "little")) == "type 33 V4.65"


@pytest.mark.parametrize(
    ("field", "raw", "rule"),
    [
        (WordField(0, 0, 2, "uint16"), 65536, "is no uint16"),
        (WordField(0, 0, 2, "uint16"), "7", "is no uint16"),
        (WordField(0, 0, 2, "uint16"), None, "is no uint16"),
        (WordField(0, 0, 4, "float"), 1e40, "is no float"),
        (WordField(0, 0, 4, "string"), "PUMPE", "text of 5 bytes, the point holds 4"),
    ],
)
def test_values_that_do_not_fit(field: WordField, raw: Any, rule: str) -> None:
    with pytest.raises(BadValue, match=rule):
        encode_value(field, raw)


def test_parts_of_a_word() -> None:
    assert insert(WordField(0, 1, 1, "uint16", bit=7), b"\x34\x12", 1) == b"\x34\x92"
    assert insert(WordField(0, 0, 1, "uint16", bit=2), b"\x34\x12", 0) == b"\x30\x12"
    assert insert(WordField(0, 1, 1, "int8"), b"\x34\x12", -1) == b"\x34\xff"
    with pytest.raises(BadValue, match="2 is no bit"):
        insert(WordField(0, 0, 1, "uint16", bit=2), b"\0\0", 2)


KINDS = {"uint8": 1, "int8": 1, "uint16": 1, "int16": 1, "uint32": 2, "int32": 2, "float": 2,
         "uint64": 4, "int64": 4, "double": 4}  # fmt: skip


@st.composite
def any_points(draw: st.DrawFn) -> tuple[str, list[Point]]:
    model = draw(st.sampled_from(["FX1S", "FX2N", "FX3S", "FX3U"]))
    points = []
    for _ in range(draw(st.integers(1, 30))):
        area = draw(st.sampled_from([area for found in areas(model).values() for area in found]))
        number = draw(st.integers(area.first, area.last))
        kind = draw(st.sampled_from(list(KINDS))) if area.bits == 16 else "int32"
        number = min(number, area.last + 1 - KINDS[kind]) if area.bits == 16 else number
        printed = int(f"{number:o}") if area.radix == 8 else number
        points.append(point(area.name, printed, kind))
    return model, points


@settings(max_examples=40, deadline=None)
@given(any_points(), st.integers(8, 255), st.integers(0, 60))
def test_every_point_is_read_once_and_never_split(
    given_: tuple[str, list[Point]], limit: int, gap: int
) -> None:
    model, points = given_
    one = slave(model, max_bytes=limit)
    blocks = plan(one, points, gap)
    assert sorted(index for block in blocks for index in block.points) == list(range(len(points)))
    for block in blocks:
        assert isinstance(block, FxBlock)
        assert 1 <= block.request.count <= limit
        for place in block.places:
            assert block.request.address <= place.start
            assert place.end <= block.request.address + block.request.count
        assert len(block.decode(bytes(block.request.count))) == len(block.points)


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(list(KINDS)), st.data())
def test_value_identity(kind: str, data: st.DataObject) -> None:
    if kind in ("float", "double"):
        raw: Any = data.draw(st.floats(allow_nan=False, width=32 if kind == "float" else 64))
    else:
        size = {"8": 8, "6": 16, "2": 32, "4": 64}[kind[-1]]
        low, high = (0, 2**size - 1) if kind[0] == "u" else (-(2 ** (size - 1)), 2 ** (size - 1) - 1)
        raw = data.draw(st.integers(low, high))
    (block,) = plan(slave(), [point("D", 10, kind)])
    assert isinstance(block, FxBlock)
    place = block.places[0]
    assert block.decode(insert(place.field, bytes(place.size), raw)) == [raw]
