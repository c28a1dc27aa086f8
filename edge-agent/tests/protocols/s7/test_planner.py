"""Points to requests: neighbours, packing, the limits of a PDU, and what becomes of a refused item."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from edge_agent.config.model import Point, Slave
from edge_agent.errors import BadValue, ConfigError, DeviceRefused
from edge_agent.protocols.s7.cells import cell, write_of
from edge_agent.protocols.s7.codec import Item, Value, encode, read_answer, read_job
from edge_agent.protocols.s7.config import Link, check_point, habits_of, link_of
from edge_agent.protocols.s7.planner import ItemsRefused, S7Block, plan
from edge_agent.protocols.s7.protocol import S7Protocol


def made(area: str, offset: int, *, data_type: str = "uint16", rw: str = "readonly", **address: Any) -> Point:
    if area == "DB":
        address.setdefault("db", 1)
    return Point(
        slave="plc", name="p", data_type=data_type, rw=rw,
        address={"area": area, "offset": offset, **address},
    )  # type: ignore[arg-type]  # fmt: skip


def of(model: str, **options: Any) -> Slave:
    return Slave(name="plc", port="p", protocol="s7", address="1", options={"model": model, **options})


PPI = Slave(name="plc", port="p", protocol="ppi", address="2")
S1200, S300, SMART = of("1200"), of("300"), of("200_smart")
LOGO = of("logo", local_tsap="0300", remote_tsap="0200")


def planned(slave: Slave, *points: Point, gap: int | None = None) -> list[S7Block]:
    blocks = plan(slave, list(points), gap)
    assert sorted(index for block in blocks for index in block.points) == list(range(len(points)))
    return blocks  # type: ignore[return-value]


def items(slave: Slave, *points: Point) -> list[list[tuple[int, int, int, int, int]]]:
    return [
        [(i.transport, i.count, i.db, i.area, i.address) for i in block.items]
        for block in planned(slave, *points)
    ]


AREAS = [
    pytest.param(S1200, made("Q", 3), (2, 2, 0, 0x82, 24), id="Q"),
    pytest.param(S1200, made("I", 3, bit=5, data_type="uint8"), (2, 1, 0, 0x81, 24), id="I bit"),
    pytest.param(S1200, made("M", 10, data_type="float"), (2, 4, 0, 0x83, 80), id="M"),
    pytest.param(S1200, made("DB", 0, db=7, data_type="double"), (2, 8, 7, 0x84, 0), id="DB"),
    pytest.param(S300, made("T", 5), (0x1D, 1, 0, 0x1D, 5), id="T of a 300"),
    pytest.param(S300, made("C", 6), (0x1C, 1, 0, 0x1C, 6), id="C of a 300"),
    pytest.param(SMART, made("V", 100), (2, 2, 1, 0x84, 800), id="V"),
    pytest.param(SMART, made("T", 37, data_type="uint32"), (0x1F, 1, 0, 0x1F, 37), id="T of a 200"),
    pytest.param(SMART, made("C", 5), (0x1E, 1, 0, 0x1E, 5), id="C of a 200"),
    pytest.param(SMART, made("AI", 16), (4, 1, 0, 6, 128), id="AI"),
    pytest.param(SMART, made("AQ", 2), (4, 1, 0, 7, 16), id="AQ"),
    pytest.param(SMART, made("S", 1, data_type="uint8"), (2, 1, 0, 4, 8), id="S"),
    pytest.param(PPI, made("SM", 34, data_type="uint8"), (2, 1, 0, 5, 272), id="SM"),
    pytest.param(LOGO, made("AI", 2), (4, 1, 1, 0x84, 1034 * 8), id="AI of a LOGO"),
    pytest.param(LOGO, made("Q", 0, bit=1, data_type="uint8"), (2, 1, 1, 0x84, 1064 * 8), id="Q of a LOGO"),
    pytest.param(of("200_smart", s_area=3), made("S", 0), (2, 2, 0, 3, 0), id="S, another code"),
]  # fmt: skip


@pytest.mark.parametrize(("slave", "point", "item"), AREAS)
def test_areas(slave: Slave, point: Point, item: tuple[int, ...]) -> None:
    check_point(point, slave)
    assert items(slave, point) == [[item]]


def test_adjacent_points_become_one_item_and_scattered_points_one_request() -> None:
    assert items(S1200, made("DB", 0), made("DB", 2), made("DB", 10)) == [[(2, 12, 1, 0x84, 0)]]
    far = [made("M", 0), made("DB", 0), made("DB", 900), made("DB", 0, db=2), made("Q", 0)]
    assert [len(block) for block in items(S1200, *far)] == [5]
    assert items(replace(S1200, options={"model": "1200", "max_gap": 0}), made("M", 0), made("M", 3)) == [
        [(2, 2, 0, 0x83, 0), (2, 2, 0, 0x83, 24)]
    ]


def test_timers_are_never_read_along() -> None:
    assert items(S300, made("T", 1), made("T", 2), made("T", 4)) == [
        [(0x1D, 2, 0, 0x1D, 1), (0x1D, 1, 0, 0x1D, 4)]
    ]


def test_a_hole_is_read_along_where_it_saves_a_request() -> None:
    points = [made("DB", 24 * number) for number in range(21)]
    assert [len(block) for block in items(of("1500"), *points)] == [1]
    cheap = planned(of("1500"), *points, gap=42)
    assert [len(block.items) for block in cheap] == [20, 1]
    assert sum(block.wire_bytes for block in cheap) < planned(of("1500"), *points)[0].wire_bytes


def test_a_request_holds_up_to_twenty_items() -> None:
    points = [made("DB", 0, db=number + 1) for number in range(45)]
    assert [len(block) for block in items(of("1500"), *points)] == [20, 20, 5]
    assert [len(block) for block in items(S1200, *points)] == [19, 19, 7]


def at_db(area: str, db: int) -> dict[str, int]:
    return {"db": db} if area == "DB" else {}


POINTS = st.lists(
    st.builds(
        lambda area, db, offset, kind: made(area, offset, data_type=kind, **at_db(area, db)),
        st.sampled_from(["M", "DB", "Q"]), st.integers(1, 4), st.integers(0, 1000),
        st.sampled_from(["uint8", "int16", "float", "double"]),
    ), min_size=1, max_size=120,
)  # fmt: skip


@given(POINTS, st.sampled_from([112, 240, 480, 960]), st.sampled_from([None, 0, 100, 1000]))
@settings(max_examples=60, deadline=None)
def test_pdu_limits_and_values(points: list[Point], pdu: int, gap: int | None) -> None:
    """Every request and answer fits, both ways, and every point gets the bytes of its own address."""
    slave = of("1500", pdu=pdu)
    for block in planned(slave, *points, gap=gap):
        assert len(encode(read_job(1, block.items))) <= pdu
        values = [Value(0xFF, 4, memory(item)) for item in block.items]
        assert len(encode(read_answer(1, values))) + len(values[-1].data) % 2 <= pdu
        decoded = block.decode(b"".join(value.data for value in values))
        for index, value in zip(block.points, decoded, strict=True):
            place = cell(habits_of(slave), index, points[index])
            alone = S7Block((planned(slave, points[index])[0].runs[0],), pdu)
            (expected,) = alone.decode(memory(alone.items[0]))
            assert repr(value) == repr(expected), place


def memory(item: Item) -> bytes:
    """Every byte of a PLC has a value of its own, near enough."""
    start = item.address >> 3
    return bytes((at * 7 + item.area + item.db * 31) & 0xFF for at in range(start, start + item.size))


def test_a_refused_item_leaves_the_request() -> None:
    points = [made("M", 0), made("DB", 0), made("Q", 0), made("DB", 0, db=2), made("DB", 2, db=2)]
    (block,) = planned(S1200, *points)
    assert len(block.items) == 4
    number = next(n for n, item in enumerate(block.items) if item.db == 2)
    error = ItemsRefused({number: 0x05})
    assert str(error) == "device error 0x05: address out of range (1 items)"
    pieces = block.split(error)
    assert [sorted(piece.points) for piece in pieces] == [[0, 1, 2], [3, 4]]
    learned = block.split(DeviceRefused(error.device_code, "learned"))
    assert [piece.points for piece in learned] == [piece.points for piece in pieces]
    assert len(pieces[1].items) == 2  # type: ignore[attr-defined]  # halved, and asked for together
    assert [piece.points for piece in pieces[1].split(ItemsRefused({0: 0x05}))] == [(4,), (3,)]
    assert pieces[1].split(ItemsRefused({0: 0x05, 1: 0x05})) == ()


def test_a_missing_object_is_not_cut_and_a_hole_is_cut_first() -> None:
    (block,) = planned(S1200, made("DB", 0), made("DB", 2), made("DB", 10))
    assert block.split(ItemsRefused({0: 0x0A})) == ()
    (finer,) = block.split(ItemsRefused({0: 0x05}))
    assert [(item.address // 8, item.count) for item in finer.items] == [(0, 4), (10, 2)]  # type: ignore[attr-defined]


def test_a_request_refused_in_full_is_halved_only_if_that_helps() -> None:
    (block,) = planned(S1200, made("M", 0), made("DB", 0))
    assert [piece.points for piece in block.split(DeviceRefused(0x8500, ""))] == [(0,), (1,)]
    assert block.split(DeviceRefused(0x8104, "")) == ()
    assert planned(S1200, made("M", 0))[0].split(DeviceRefused(0x8500, "")) == ()


def test_a_smaller_pdu_keeps_every_point() -> None:
    points = [made("DB", 8 * number, data_type="double") for number in range(100)]
    (block,) = planned(of("1500"), *points)
    parts = block.fitted(240)
    assert len(parts) == 4
    assert all(part.fits(240) for part in parts)
    assert sorted(index for part in parts for index in part.points) == list(range(100))
    assert {block.number_of(part.runs[0]) for part in parts} == {0}


VALUES = [
    pytest.param(S1200, made("DB", 0, data_type="int16"), "FFFE", -2, id="int16"),
    pytest.param(S1200, made("DB", 0, data_type="int8"), "80", -128, id="int8"),
    pytest.param(S1200, made("DB", 0, data_type="uint32"), "00010000", 65536, id="uint32"),
    pytest.param(S1200, made("DB", 0, data_type="uint64"), "0000000100000000", 1 << 32, id="uint64"),
    pytest.param(S1200, made("DB", 0, data_type="float"), "41480000", 12.5, id="float"),
    pytest.param(S1200, made("DB", 0, data_type="double"), "4029000000000000", 12.5, id="double"),
    pytest.param(S1200, made("M", 0, bit=7, data_type="uint8"), "80", 1, id="bit"),
    pytest.param(S1200, made("DB", 0, data_type="string", length=5), "0503 616263 0000", "abc", id="STRING"),
    pytest.param(
        S1200, made("DB", 0, data_type="string", length=5), "0506 616263 0000", None, id="STRING, too long"
    ),
    pytest.param(
        S1200, made("DB", 0, data_type="string", length=4, text="chars"), "61622020", "ab", id="chars"
    ),
    pytest.param(SMART, made("V", 0, data_type="string", length=4), "02 6162 0000", "ab", id="200 text"),
    pytest.param(S300, made("T", 0), "1123", 12300, id="S5 time"),
    pytest.param(S300, made("T", 0), "1A23", None, id="no BCD"),
    pytest.param(S300, made("C", 0), "0123", 123, id="BCD counter"),
    pytest.param(of("300", bcd=False), made("C", 0), "0123", 0x123, id="binary counter"),
    pytest.param(SMART, made("T", 0), "02 00007FFF", 32767, id="T of a 200"),
    pytest.param(SMART, made("C", 0), "00 0015", 21, id="C of a 200"),
]


@pytest.mark.parametrize(("slave", "point", "data", "value"), VALUES)
def test_values(slave: Slave, point: Point, data: str, value: object) -> None:
    check_point(point, slave)
    (block,) = planned(slave, point)
    assert list(block.decode(bytes.fromhex(data))) == [value]


WRITES = [
    pytest.param(S1200, made("Q", 1, bit=3, data_type="uint8"), 1, (1, 1, 0, 0x82, 11), (3, "01"), id="bit"),
    pytest.param(S1200, made("DB", 4, data_type="float"), 12.5, (2, 4, 1, 0x84, 32), (4, "41480000"),
                 id="float"),
    pytest.param(S1200, made("DB", 0, data_type="string", length=5), "abc", (2, 4, 1, 0x84, 8),
                 (4, "03616263"),
                 id="STRING: current length and characters"),
    pytest.param(SMART, made("V", 0, data_type="string", length=5), "abc", (2, 4, 1, 0x84, 0),
                 (4, "03616263"),
                 id="text of a 200"),
    pytest.param(S1200, made("DB", 0, data_type="string", length=4, text="chars"), "ab", (2, 4, 1, 0x84, 0),
                 (4, "61622020"), id="chars"),
    pytest.param(SMART, made("AQ", 2, data_type="int16"), -1, (4, 1, 0, 7, 16), (4, "FFFF"), id="AQ"),
    pytest.param(S300, made("T", 3), 12300, (0x1D, 1, 0, 0x1D, 3), (9, "1123"), id="S5 time"),
    pytest.param(S300, made("C", 3), 7, (0x1C, 1, 0, 0x1C, 3), (9, "0007"), id="counter"),
]  # fmt: skip


@pytest.mark.parametrize(("slave", "point", "raw", "item", "value"), WRITES)
def test_writes(slave: Slave, point: Point, raw: Any, item: tuple[int, ...], value: tuple[int, str]) -> None:
    asked, written = write_of(cell(habits_of(slave), 0, point), raw)
    assert (asked.transport, asked.count, asked.db, asked.area, asked.address) == item
    assert (written.transport, written.data.hex().upper()) == value
    assert asked.size == len(written.data)


@pytest.mark.parametrize(("slave", "point", "raw"), [
    (S1200, made("Q", 0, bit=0, data_type="uint8"), 2), (S1200, made("DB", 0), 70000),
    (S1200, made("DB", 0), "x"),
    (S1200, made("DB", 0, data_type="string", length=2), "abc"), (S300, made("T", 0), 9_990_001),
    (S300, made("C", 0), 1000), (S300, made("C", 0), -1), (S300, made("T", 0), 10_001),
])  # fmt: skip
def test_what_a_place_cannot_hold(slave: Slave, point: Point, raw: Any) -> None:
    with pytest.raises(BadValue):
        write_of(cell(habits_of(slave), 0, point), raw)


WRONG = [
    (S1200, made("V", 0), "address.area", "must be one of Q, I, M, DB for model 1200"),
    (S1200, made("M", 0, db=1), "address.db", "area DB only"),
    (S1200, Point(slave="plc", name="p", address={"area": "DB", "offset": 0}), "address.db", "must be given"),
    (S1200, made("DB", 0, data_type="var"), "data_type", "no|not"),
    (S1200, made("I", 0, rw="readwrite"), "rw", "must be readonly for area I"),
    (SMART, made("T", 0, rw="readwrite"), "rw", "must be readonly for area T"),
    (S1200, made("DB", 0, data_type="string"), "address.length", "must be given"),
    (S1200, made("DB", 0, length=4), "address.length", "only a string"),
    (S1200, made("DB", 0, data_type="float", bit=1), "address.bit", "must not"),
    (SMART, made("AI", 1), "address.offset", "must be even"),
    (SMART, made("AI", 0, data_type="uint32"), "data_type", "uint16 or int16"),
    (S300, made("T", 0, data_type="float"), "data_type", "16 bits or more"),
    (S1200, made("DB", 65535), "address.offset", "within 65536"),
    (S1200, made("DB", 0, data_type="string", length=250), "address.length", "at most 220"),
    (S1200, made("DB", 0, bit=9), "address.bit", "must be at most 7"),
    (S1200, Point(slave="plc", name="p", address={"area": "DB", "ofset": 0}), "address", "not have 'ofset'"),
]


@pytest.mark.parametrize(("slave", "point", "field", "rule"), WRONG)
def test_wrong_points(slave: Slave, point: Point, field: str, rule: str) -> None:
    with pytest.raises(ConfigError, match=rule) as found:
        check_point(point, slave)
    assert found.value.field == field


@pytest.mark.parametrize(("slave", "local", "remote", "pdu"), [
    (of("300"), 0x0100, 0x0102, 240), (of("400", slot=2), 0x0100, 0x0102, 480),
    (of("1200"), 0x0100, 0x0101, 240),
    (of("1500", rack=1, slot=2, connection="basic"), 0x0100, 0x0322, 960), (SMART, 0x1000, 0x0300, 240),
    (LOGO, 0x0300, 0x0200, 240), (of("1500", remote_tsap="4d57", pdu=480), 0x0100, 0x4D57, 480),
])  # fmt: skip
def test_tsaps(slave: Slave, local: int, remote: int, pdu: int) -> None:
    assert link_of(slave) == Link(local, remote, pdu)


@pytest.mark.parametrize(("slave", "field"), [
    (of("logo"), "options.local_tsap"), (of("logo", local_tsap="0300"), "options.remote_tsap"),
    (of("logo", rack=0), "options.rack"), (of("300", slot=2, remote_tsap="0102"), "options.remote_tsap"),
    (of("s5"), "options.model"), (of("300", rack=9), "options.rack"), (replace(S300, address="x"), "address"),
    (replace(S300, address="256"), "address"),
])  # fmt: skip
def test_wrong_slaves(slave: Slave, field: str) -> None:
    with pytest.raises(ConfigError) as found:
        S7Protocol("s7").validate_slave(slave, None)  # type: ignore[arg-type]
    assert found.value.field == field


@pytest.mark.parametrize(("slave", "field"), [
    (replace(PPI, address="127"), "address"), (replace(PPI, address="0"), "address"),
    (replace(PPI, options={"master": 2}), "options.master"),
    (replace(PPI, options={"model": "200"}), "options"),
])  # fmt: skip
def test_wrong_stations(slave: Slave, field: str) -> None:
    with pytest.raises(ConfigError) as found:
        S7Protocol("ppi").validate_slave(slave, None)  # type: ignore[arg-type]
    assert found.value.field == field


def test_spaces_at_the_end_are_of_an_s7_string_but_fill_characters() -> None:
    string, characters = (
        made("DB", 0, data_type="string", length=5, **more) for more in ({}, {"text": "chars"})
    )
    (block,) = planned(S1200, string)
    assert list(block.decode(b"\x05\x04ab  \0")) == ["ab  "]
    assert list(block.decode(b"\x05\x00ab  \0")) == [""]
    assert list(block.decode(b"\x05\x05abcde")) == ["abcde"]
    assert list(block.decode(b"\x04\x05abcde")) == [None], "longer than it may be"
    (block,) = planned(S1200, characters)
    assert list(block.decode(b"ab  \0")) == ["ab"]


@pytest.mark.parametrize(
    ("word", "ms"),
    [
        ("0000", 0),
        ("0999", 9990),
        ("1999", 99_900),
        ("2999", 999_000),
        ("3999", 9_990_000),
        ("4001", 10),
        ("0A00", None),
        ("00A0", None),
        ("000A", None),
        ("3001", 10_000),
    ],
)
def test_times_of_s5_have_three_digits_and_four_bases(word: str, ms: int | None) -> None:
    (block,) = planned(S300, made("T", 0))
    assert list(block.decode(bytes.fromhex(word))) == [ms]
    (block,) = planned(S300, made("C", 0))
    counted = int(word[1:]) if word[0] == "0" and word.isdecimal() else None
    assert list(block.decode(bytes.fromhex(word))) == [counted]


@pytest.mark.parametrize(("ms", "word"), [
    (0, "0000"), (10, "0001"), (9990, "0999"), (10_000, "1100"), (99_900, "1999"), (100_000, "2100"),
    (999_000, "2999"), (1_000_000, "3100"), (9_990_000, "3999"),
])  # fmt: skip
def test_times_are_written_in_the_finest_base_that_holds_them(ms: int, word: str) -> None:
    _, written = write_of(cell(habits_of(S300), 0, made("T", 3)), ms)
    assert written.data.hex() == word


def test_items_of_every_request_are_at_most_twenty_and_bytes_those_of_the_wire() -> None:
    (one,) = planned(of("1500"), made("M", 0))
    assert one.wire_bytes == 12 + 12 + 14 + 4 + 2
    (two,) = planned(of("1500"), made("M", 0, data_type="uint8"), made("DB", 0))
    assert two.wire_bytes == 12 + 2 * 12 + 14 + 2 * 4 + 2 + 2, "an odd value is filled up"


def test_a_request_fits_into_a_pdu_of_its_own_size() -> None:
    (small,) = planned(S1200, made("M", 0))
    assert small.fits(24) and not small.fits(23), "a request of one item"
    (large,) = planned(S1200, *(made("M", 8 * n, data_type="double") for n in range(4)))
    assert large.fits(50) and not large.fits(49), "an answer of 32 bytes"


def test_a_hole_is_read_along_as_long_as_it_costs_less_than_a_request() -> None:
    """gap: bytes that cost as much as a request of one item, whose own bytes are 42."""
    points = [made("DB", 24 * number) for number in range(21)]
    together, apart = planned(of("1500"), *points), planned(of("1500"), *points, gap=42)
    more = sum(block.wire_bytes for block in together) - sum(block.wire_bytes for block in apart)
    assert more > 2
    assert len(planned(of("1500"), *points, gap=42 + more - 1)) == len(apart) == 2
    assert len(planned(of("1500"), *points, gap=42 + more + 1)) == len(together) == 1
    assert len(planned(of("1500"), *points, gap=0)) == 2
