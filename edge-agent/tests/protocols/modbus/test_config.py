"""What a slave and a point may say, and the words about what they may not."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import ConfigError
from edge_agent.model import PointKind
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.modbus.config import BITS, Address, Options, TcpOptions, address_of, unit_of, width

COM = Port(name="c", type="COM", device="/dev/ttyS1")
NET = Port(name="n", type="NET", host="192.0.2.1")


def slave(protocol: str = "modbus_tcp", address: str = "1", **options: Any) -> Slave:
    return Slave(name="s", port="n", protocol=protocol, address=address, options=options)


def point(data_type: Any = "uint16", rw: Any = "readonly", **address: Any) -> Point:
    return Point(
        slave="s", name="p", data_type=data_type, rw=rw, address={"reg_type": "4X", "offset": 1} | address
    )


def pair(data_type: Any, **address: Any) -> Point:
    """A location of two values."""
    address = {"reg_type": "4X", "offset": 1} | address
    return Point(slave="s", name="p", type=PointKind.LOCATION, data_type=data_type, address=address)


def refusal(wanted: Point, **options: Any) -> str:
    with pytest.raises(ConfigError) as error:
        PROTOCOLS["modbus_tcp"].validate_point(wanted, slave(**options))
    return str(error.value)


def accepted(wanted: Point, **options: Any) -> None:
    PROTOCOLS["modbus_tcp"].validate_point(wanted, slave(**options))


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (point(reg_type="5X"), "address.reg_type: "),
        (point(offset=65537), "address.offset: "),
        (point(endian="ACBD"), "address.endian: "),
        (point(bit_offset=1), "address: must not have 'bit_offset': there is no such field"),
        (point("float", offset=65535), "address.offset: must lie within 65536 addresses"),
        (point("float", bit=0), "address.bit: must be left out: only an integer has bits"),
        (point("string", length=1, bit=0), "address.bit: must be left out"),
        (point("uint8", bit=8), "address.bit: must be at most 7 for uint8"),
        (point("int16", bit=16), "address.bit: must be at most 15 for int16"),
        (point("uint32", bit=32), "address.bit: must be at most 31 for uint32"),
        (point("int64", bit=64), "address.bit: "),
        (point(byte="low"), "address.byte: only an 8-bit data_type or a string has one"),
        (point("string"), "address.length: must be given for a string, in registers"),
        (point("var"), "address.length: must be given for a var, in registers"),
        (point("var", length=5), "address.length: must be at most 4 registers for a var"),
        (point("string", length=124), "address.length: "),
        (point(length=2), "address.length: only a string, a var or a number over several coils has one"),
        (point(reg_type="3X", rw="readwrite"), "rw: must be readonly for reg_type 3X"),
        (point(reg_type="1X", rw="writeonly"), "rw: must be readonly for reg_type 1X"),
        (point("float", reg_type="0X"), "address.reg_type: 0X and 1X hold single bits"),
        (point(reg_type="0X", bit=1), "address.reg_type: 0X and 1X hold single bits"),
        (point("int16", reg_type="0X", length=4), "address.length: more than one bit needs an unsigned"),
        (point("uint8", reg_type="1X", length=9), "address.length: more than one bit needs an unsigned"),
        (point(reg_type="0X", length=2, offset=65535), "address.offset: must lie within 65536 addresses"),
        (pair("float", reg_type="1X"), "address.reg_type: a location lies in 3X or 4X"),
        (pair("uint32", bit=1), "address.reg_type: a location lies in 3X or 4X, as whole values"),
        (pair("double", offset=65529), "address.offset: must lie within 65536 addresses"),
    ],
)
def test_refused_points(wanted: Point, words: str) -> None:
    assert words in refusal(wanted)


def test_what_each_type_takes() -> None:
    assert BITS == {
        "uint8": 8, "int8": 8, "uint16": 16, "int16": 16,
        "uint32": 32, "int32": 32, "uint64": 64, "int64": 64,
    }  # fmt: skip
    taken = {"uint8": 1, "int8": 1, "uint16": 1, "int16": 1, "uint32": 2, "int32": 2, "float": 2}
    taken |= {"uint64": 4, "int64": 4, "double": 4}
    for data_type, registers in taken.items():
        for wanted, count in ((point(data_type), registers), (pair(data_type), 2 * registers)):
            assert width(wanted, address_of(wanted)) == count


def test_the_unit_is_the_address_unless_another_is_stated() -> None:
    assert unit_of(slave(address="7"), TcpOptions()) == 7
    assert unit_of(slave(address="7"), TcpOptions(unit_id=0)) == 0
    assert unit_of(slave("modbus_rtu", address="7"), Options()) == 7


def test_limits_of_a_device() -> None:
    accepted(point("double"), max_registers=4)
    assert "needs 4 registers, options.max_registers allows 3" in refusal(point("double"), max_registers=3)
    assert "needs 17 registers" in refusal(point("string", length=17), max_registers=16)
    coils = point("uint32", reg_type="0X", length=20)
    accepted(coils, max_bits=20)
    assert "is 20 bits, options.max_bits allows 19" in refusal(coils, max_bits=19)
    single = {"max_write_registers": 1}
    accepted(point("float"), **single)
    accepted(point("uint64", "readwrite", bit=40), **single)
    words = "rw: writes 2 registers, options.max_write_registers allows 1"
    assert words in refusal(point("float", "readwrite"), **single)


@pytest.mark.parametrize(
    "options",
    [{"max_registers": 126}, {"max_registers": 0}, {"max_bits": 2001}, {"max_write_registers": 124},
     {"max_gap": -1}, {"one_based": 1}, {"max_register": 5}],
)  # fmt: skip
def test_refused_options(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(ConfigError, match=name) as error:
        PROTOCOLS["modbus_tcp"].validate_slave(slave(**options), NET)
    assert error.value.field.startswith("options")


def test_one_based() -> None:
    accepted(point(offset=65536), one_based=True)
    assert "must lie within 65536" in refusal(point(offset=65536))
    assert "at least 1 where addresses start at 1" in refusal(point(offset=0), one_based=True)


def test_every_data_type_and_its_highest_bit() -> None:
    for data_type, bits in BITS.items():
        accepted(point(data_type))
        accepted(point(data_type, bit=bits - 1))
    for data_type in ("float", "double"):
        accepted(point(data_type, endian="CDAB"))
    accepted(point("var", length=3))
    accepted(point("string", length=123, byte="high"))
    accepted(point("int8", byte="high"))
    accepted(point("int16", reg_type="0X", length=1))
    accepted(point("uint64", reg_type="1X", length=64))


@pytest.mark.parametrize(
    ("protocol", "address", "sound"),
    [("modbus_tcp", "0", False), ("modbus_tcp", "255", False), ("modbus_tcp", "247", True),
     ("modbus_rtu", "0", False), ("modbus_rtu", "247", True), ("modbus_rtu_tcp", "248", False),
     ("modbus_rtu", "1x", False), ("modbus_rtu", "٣", False), ("modbus_rtu", "0001", False)],
)  # fmt: skip
def test_slave_addresses(protocol: str, address: str, sound: bool) -> None:
    entry, port = PROTOCOLS[protocol], COM if protocol == "modbus_rtu" else NET
    if sound:
        entry.validate_slave(slave(protocol, address), port)
    else:
        with pytest.raises(ConfigError, match="address: must be"):
            entry.validate_slave(slave(protocol, address), port)


def test_rtu_frames_do_not_fit_into_seven_bits() -> None:
    seven = Port(name="c", type="COM", device="/dev/ttyS1", data_bits=7, parity="E")
    with pytest.raises(ConfigError, match="port: must have 8 data bits for RTU frames, c has 7"):
        PROTOCOLS["modbus_rtu"].validate_slave(slave("modbus_rtu"), seven)


def test_what_tools_are_offered() -> None:
    for name in ("modbus_tcp", "modbus_rtu", "modbus_rtu_tcp"):
        protocol = PROTOCOLS[name]
        assert protocol.raw_rule is not None
        assert protocol.raw_rule.count == "offset"
        assert (protocol.scan_addresses[0], protocol.scan_addresses[-1]) == ("1", "247")


def test_what_is_usual_where_nothing_is_stated() -> None:
    """Modbus application protocol 1.1b3, section 6: the most that one request reads and writes."""
    usual = Options()
    assert (usual.max_registers, usual.max_bits, usual.max_write_registers) == (125, 2000, 123)
    assert (usual.max_gap, usual.one_based, usual.write_multiple) == (None, False, False)
    assert address_of(point()).endian == "ABCD"


@pytest.mark.parametrize(
    ("field", "lowest", "highest"),
    [("max_registers", 1, 125), ("max_bits", 1, 2000), ("max_write_registers", 1, 123), ("max_gap", 0, 124),
     ("unit_id", 0, 255)],
)  # fmt: skip
def test_options_are_within_their_bounds(field: str, lowest: int, highest: int) -> None:
    for value in (lowest, highest):
        PROTOCOLS["modbus_tcp"].validate_slave(slave(**{field: value}), NET)
    for value in (lowest - 1, highest + 1):
        with pytest.raises(ConfigError) as error:
            PROTOCOLS["modbus_tcp"].validate_slave(slave(**{field: value}), NET)
        assert error.value.field == f"options.{field}"


@pytest.mark.parametrize(
    ("protocol", "gap"), [("modbus_rtu", 10), ("modbus_rtu_tcp", 10), ("modbus_tcp", 50)]
)
def test_registers_are_read_along_where_that_is_cheaper_than_a_request(protocol: str, gap: int) -> None:
    for between, requests in ((gap, 1), (gap + 1, 2)):
        points = [point(offset=0), point(offset=between + 1)]
        assert len(PROTOCOLS[protocol].plan(slave(protocol), points)) == requests
        bits = [point(offset=0, reg_type="0X"), point(offset=16 * between + 1, reg_type="0X")]
        assert len(PROTOCOLS[protocol].plan(slave(protocol), bits)) == requests


@pytest.mark.parametrize(("data_type", "registers"), [
    ("uint8", 1), ("int8", 1), ("uint16", 1), ("int16", 1), ("uint32", 2), ("int32", 2), ("float", 2),
    ("uint64", 4), ("int64", 4), ("double", 4),
])  # fmt: skip
def test_the_last_address_of_every_type(data_type: str, registers: int) -> None:
    accepted(point(data_type, offset=65536 - registers))
    assert "must lie within 65536 addresses" in refusal(point(data_type, offset=65537 - registers))
    accepted(point(data_type, offset=65537 - registers), one_based=True)
    assert width(point(data_type), address_of(point(data_type))) == registers


def test_what_was_configured_does_not_change() -> None:
    for kind in (Options, TcpOptions, Address):
        assert kind.__struct_config__.frozen, kind


def test_a_number_of_no_fixed_width_has_at_most_four_registers() -> None:
    accepted(point("var", length=1))
    accepted(point("var", length=4))
    assert refusal(point("var", length=5)) == "address.length: must be at most 4 registers for a var"
