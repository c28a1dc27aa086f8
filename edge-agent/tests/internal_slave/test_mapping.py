"""Values to registers and back, and what a configuration may map where."""

from __future__ import annotations

import struct
from math import isnan
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edge_agent.config.load import ConfigErrors, parse
from edge_agent.config.model import InternalSlavePoint, Point
from edge_agent.errors import BadValue
from edge_agent.internal_slave.mapping import MappedPoint, RegisterMap, shortest_single, width_of
from edge_agent.model import PointKind
from edge_agent.points.scale import INTEGER_RANGE, LARGEST_FLOAT32

INTEGERS = ["uint16", "int16", "uint32", "int32", "uint64", "int64"]
ORDERS = ["ABCD", "CDAB", "BADC", "DCBA", "AB", "BA"]


def mapped(kind: PointKind = PointKind.NUMERIC, **row: Any) -> MappedPoint:
    fields = {"slave": "plc", "name": "a", "reg_type": "4X", "offset": 0} | row
    return MappedPoint(InternalSlavePoint(**fields), Point(slave="plc", name="a", type=kind), 1)


@given(
    st.data(),
    st.sampled_from(INTEGERS),
    st.sampled_from(ORDERS),
    st.sampled_from([1.0, 0.1, 10.0, -0.5]),
    st.sampled_from([0.0, -40.0, 2.5]),
)
def test_integers_come_back_within_half_a_step(
    data: Any, kind: str, order: str, ratio: float, bias: float
) -> None:
    low, high = INTEGER_RANGE[kind]
    raw = data.draw(st.integers(max(low, -(10**12)), min(high, 10**12)))
    one = mapped(data_type=kind, endian=order, ratio=ratio, bias=bias)
    registers = one.encoded(raw * ratio + bias)
    assert len(registers) == 2 * width_of(one.row)
    value = one.decoded(registers)
    assert isinstance(value, (int, float))
    assert value == pytest.approx(raw * ratio + bias, abs=abs(ratio) / 2 + abs(bias) * 1e-12, rel=1e-14)
    assert one.decoded(one.encoded(value)) == value


@given(st.integers(0, 2**16 - 1))
def test_integers_lie_as_the_field_has_them(raw: int) -> None:
    assert mapped().encoded(raw) == raw.to_bytes(2, "big")
    assert mapped(endian="BA").encoded(raw) == raw.to_bytes(2, "little")
    assert mapped(data_type="uint32", endian="CDAB").encoded(raw) == raw.to_bytes(2, "big") + b"\0\0"


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.sampled_from(ORDERS))
@example(LARGEST_FLOAT32, "ABCD")
def test_floats_come_back_as_their_shortest_decimal(raw: float, order: str) -> None:
    one = mapped(data_type="float", endian=order)
    value = one.decoded(one.encoded(raw))
    assert value == shortest_single(raw)
    assert one.decoded(one.encoded(value)) == value
    assert mapped(data_type="double").decoded(mapped(data_type="double").encoded(raw)) == raw


def test_a_float_that_a_master_means_is_the_decimal_that_it_wrote() -> None:
    one = mapped(data_type="float")
    assert one.decoded(one.encoded(0.1)) == 0.1
    assert one.decoded(one.encoded(21.5)) == 21.5
    assert mapped(data_type="uint16", ratio=0.1).decoded(b"\0\3") == 0.3


@given(st.text(st.characters(codec="ascii", exclude_characters="\0 "), max_size=10), st.sampled_from(ORDERS))
def test_texts_come_back(text: str, order: str) -> None:
    one = mapped(PointKind.STRING, data_type="string", length=5, endian=order)
    assert len(one.encoded(text)) == 10
    assert one.decoded(one.encoded(text)).strip() == text.strip()  # type: ignore[union-attr]


def test_bits_are_switches_or_numbers_of_0_and_1() -> None:
    switch, number = mapped(PointKind.SWITCH, reg_type="0X"), mapped(reg_type="1X")
    assert (switch.encoded(True), switch.encoded(False), number.encoded(1)) == (b"\1", b"\0", b"\1")
    assert (switch.decoded(b"\1"), number.decoded(b"\1")) == (True, 1)
    with pytest.raises(BadValue, match="2 is no bit"):
        number.encoded(2)
    assert mapped(PointKind.SWITCH).decoded(b"\0\1") is True
    with pytest.raises(BadValue, match="no position"):
        mapped(PointKind.SWITCH).decoded(b"\0\2")


@pytest.mark.parametrize(
    ("row", "value", "rule"),
    [
        ({}, 70_000, "outside uint16"),
        ({}, -1, "outside uint16"),
        ({"ratio": 1e-300}, 1e300, "too large"),
        ({"data_type": "float"}, 1e39, "too large for a float"),
        ({}, None, "no number"),
        ({}, "12", "no number"),
        ({"data_type": "string", "length": 1}, "abc", "3 bytes"),
        ({"data_type": "string", "length": 1}, 5, "no text"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(row: dict[str, Any], value: Any, rule: str) -> None:
    with pytest.raises(BadValue, match=rule):
        mapped(**row).encoded(value)


def test_what_is_no_value_is_refused_from_a_master() -> None:
    with pytest.raises(BadValue, match="no value"):
        mapped(data_type="float").decoded(b"\x7f\xc0\0\0")
    with pytest.raises(BadValue, match="no value"):
        mapped(data_type="float").decoded(b"\x7f\x80\0\0")


def test_fill_values_are_those_of_sunspec() -> None:
    assert mapped().filled() == b"\xff\xff"
    assert mapped(data_type="int16").filled() == b"\x80\0"
    assert mapped(data_type="int32", endian="CDAB").filled() == b"\0\0\x80\0"
    assert mapped(data_type="string", length=2).filled() == bytes(4)
    assert mapped(reg_type="1X").filled() == b"\0"
    assert isnan(struct.unpack(">f", mapped(data_type="float").filled())[0])


def test_covering_gives_the_points_of_mapped_addresses_only() -> None:
    one, two = mapped(offset=10, data_type="float"), mapped(offset=12)
    registers = RegisterMap([two, one, mapped(offset=12, reg_type="3X")])
    assert registers.covering("4X", 10, 3) == [one, two]
    assert registers.covering("4X", 11, 1) == [one]
    for start, count in ((9, 2), (12, 2), (0, 1), (13, 1), (65535, 1)):
        assert registers.covering("4X", start, count) is None
    assert registers.covering("0X", 10, 1) is None


HEAD = """
[gateway]
id = "gw-test"
[[ports]]
name = "lan"
type = "NET"
host = "h"
[[ports]]
name = "line"
type = "COM"
device = "/dev/ttyS1"
[[slaves]]
name = "plc"
port = "lan"
protocol = "modbus_tcp"
address = "1"
[[points]]
slave = "plc"
name = "a"
rw = "readwrite"
address = { reg_type = "4X", offset = 0 }
[[points]]
slave = "plc"
name = "b"
address = { reg_type = "4X", offset = 1 }
[[points]]
slave = "plc"
name = "t"
type = "str"
data_type = "string"
address = { reg_type = "4X", offset = 2, length = 2 }
"""
ROW = '[[internal_slave_points]]\nslave = "plc"\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f'{ROW}name = "a"\nreg_type = "4X"\noffset = 0', "internal_slave: must be given"),
        ("[internal_slave]\ntcp = false", "internal_slave.tcp: must be true, or device be given"),
        ("[internal_slave]\nid = 255", "internal_slave.id: must be at most 254"),
        ('[internal_slave]\nhost = "192.168.1.5"', "internal_slave.allow: must name the masters' addresses"),
        (
            '[internal_slave]\nhost = "0.0.0.0"\nallow = ["192.168.1.5/24"]',
            "internal_slave.allow: networks[1] must be an address",
        ),
        (
            "[internal_slave]\nport = 8090",
            "internal_slave.port: must not be 8090, the port of the local page",
        ),
        (
            '[internal_slave]\ndevice = "/dev/ttyS1"',
            "internal_slave.device: must be a line of its own, port line has it",
        ),
        (
            f'[internal_slave]\n{ROW}name = "z"\nreg_type = "4X"\noffset = 0',
            "internal_slave_points[0].name: must be a point of plc",
        ),
        (
            f'[internal_slave]\n{ROW}name = "b"\nreg_type = "4X"\noffset = 0\nwritable = true',
            "internal_slave_points[0].writable: must be false: plc.b cannot be written",
        ),
        (
            f'[internal_slave]\n{ROW}name = "a"\nreg_type = "3X"\noffset = 0\nwritable = true',
            "internal_slave_points[0].writable: must be false for 3X",
        ),
        (
            f'[internal_slave]\n{ROW}name = "a"\nreg_type = "0X"\noffset = 0\nratio = 2.0',
            "internal_slave_points[0].ratio: must not be given for 0X",
        ),
        (
            f'[internal_slave]\n{ROW}name = "a"\nreg_type = "4X"\noffset = 0\nratio = 0.0',
            "internal_slave_points[0].ratio: must not be 0",
        ),
        (
            f'[internal_slave]\n{ROW}name = "t"\nreg_type = "4X"\noffset = 0',
            "internal_slave_points[0].data_type: must be string",
        ),
        (
            f'[internal_slave]\n{ROW}name = "t"\nreg_type = "4X"\noffset = 0\ndata_type = "string"',
            "internal_slave_points[0].length: must be given for a string",
        ),
        (
            f'[internal_slave]\n{ROW}name = "a"\nreg_type = "4X"\noffset = 65535\ndata_type = "float"',
            "internal_slave_points[0].offset: must lie within 65536",
        ),
        (
            f'[internal_slave]\n{ROW}name = "b"\nreg_type = "4X"\noffset = 11\n'
            f'{ROW}name = "a"\nreg_type = "4X"\noffset = 10\ndata_type = "float"',
            "internal_slave_points[0].offset: must not overlap internal_slave_points[1] (plc.a, 4X 10 to 11)",
        ),
        (
            f'[internal_slave]\n{ROW}name = "a"\nreg_type = "4X"\noffset = 0\n'
            f'{ROW}name = "a"\nreg_type = "3X"\noffset = 0',
            "internal_slave_points[1].name: must be unique",
        ),
    ],
)  # fmt: skip
def test_faults_name_field_and_rule(text: str, fault: str) -> None:
    with pytest.raises(ConfigErrors) as raised:
        parse(HEAD + text)
    assert fault in str(raised.value)
