"""Options of a Modbus slave and address of a Modbus point. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from edge_agent.config.model import Point, Section, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols.base import label, section

RTU_GAP = 10
"""Registers worth reading along rather than asking twice: at 9600 baud a request costs about 10 of them."""

TCP_GAP = 50

REGISTERS = {"uint8": 1, "int8": 1, "uint16": 1, "int16": 1, "uint32": 2, "int32": 2, "float": 2,
             "uint64": 4, "int64": 4, "double": 4}  # fmt: skip
BITS = {
    "uint8": 8,
    "int8": 8,
    "uint16": 16,
    "int16": 16,
    "uint32": 32,
    "int32": 32,
    "uint64": 64,
    "int64": 64,
}
VAR_REGISTERS = 4
"""Longest number of no fixed width: 64 bits, as long as the longest of the fixed ones."""

ByteOrder = Literal["ABCD", "CDAB", "BADC", "DCBA"]
ORDERS: dict[str, ByteOrder] = {
    "ABCD": "ABCD", "CDAB": "CDAB", "BADC": "BADC", "DCBA": "DCBA",
    "AB": "ABCD", "BA": "DCBA",
    "ABCDEFGH": "ABCD", "GHEFCDAB": "CDAB", "BADCFEHG": "BADC", "HGFEDCBA": "DCBA",
}  # fmt: skip


class Options(Section, frozen=True, kw_only=True):
    """Of a slave. max_gap: registers (bits: times 16) read along to save a request, 0 reads none."""

    max_registers: Annotated[
        int, msgspec.Meta(ge=1, le=125), label("单次最大寄存器数", "Registers per request")
    ] = 125
    max_bits: Annotated[int, msgspec.Meta(ge=1, le=2000), label("单次最大位数", "Bits per request")] = 2000
    max_write_registers: Annotated[
        int, msgspec.Meta(ge=1, le=123), label("单次最大写寄存器数", "Registers per write")
    ] = 123
    max_gap: (
        Annotated[int, msgspec.Meta(ge=0, le=124), label("合并读取的最大间隔", "Largest gap read along")]
        | None
    ) = None
    one_based: Annotated[bool, label("地址从 1 开始", "Addresses start at 1")] = False
    write_multiple: Annotated[
        bool, label("始终用功能码 0FH、10H 写", "Always write with functions 0F and 10")
    ] = False


class TcpOptions(Options, frozen=True, kw_only=True):
    """unit_id: unit identifier in the frames; the slave's address where it is not stated."""

    unit_id: (
        Annotated[
            int,
            msgspec.Meta(ge=0, le=255),
            label("单元标识符（缺省为从机地址）", "Unit identifier (default: address)"),
        ]
        | None
    ) = None


class Address(Section, frozen=True, kw_only=True):
    """Of a point.

    length: registers of a string or a var, bits of a number over several coils. bit: of the value, 0 lowest.
    byte: of an 8-bit type, low unless said; of a string with one character a register.
    """

    reg_type: Annotated[Literal["0X", "1X", "3X", "4X"], label("寄存器类型", "Register type")]
    offset: Annotated[int, msgspec.Meta(ge=0, le=65536), label("寄存器地址", "Register address")]
    endian: Annotated[
        Literal[
            "ABCD", "CDAB", "BADC", "DCBA", "AB", "BA", "ABCDEFGH", "GHEFCDAB", "BADCFEHG", "HGFEDCBA"
        ],
        label("字节顺序", "Byte order"),
    ] = "ABCD"  # fmt: skip
    bit: Annotated[int, msgspec.Meta(ge=0, le=63), label("位偏移", "Bit")] | None = None
    byte: Annotated[Literal["low", "high"], label("取低/高字节", "Low or high byte")] | None = None
    length: (
        Annotated[
            int, msgspec.Meta(ge=1, le=123), label("长度（寄存器数或位数）", "Length (registers or bits)")
        ]
        | None
    ) = None


def options_of(slave: Slave) -> Options:
    return section(options_type(slave.protocol), slave.options, "options")


def options_type(protocol: str) -> type[Options]:
    """Only Modbus TCP has servers that want another unit than the address."""
    return TcpOptions if protocol == "modbus_tcp" else Options


def unit_of(slave: Slave, options: Options) -> int:
    """What stands in the frames; options: the slave's own."""
    stated = options.unit_id if isinstance(options, TcpOptions) else None
    return int(slave.address) if stated is None else stated


def address_of(point: Point) -> Address:
    return section(Address, point.address, "address")


def width(point: Point, address: Address) -> int:
    """Addresses that a point takes: bits in 0X and 1X, registers in 3X and 4X."""
    one = address.length or (1 if address.reg_type in ("0X", "1X") else REGISTERS[point.data_type])
    return 2 * one if point.is_pair else one


def check_point(point: Point, options: Options) -> None:
    """ConfigError when address and data type do not go together, or the slave's limits forbid the point."""
    address = address_of(point)
    if address.offset == 0 and options.one_based:
        raise ConfigError("address.offset", "must be at least 1 where addresses start at 1")
    if address.reg_type in ("1X", "3X") and point.rw != "readonly":
        raise ConfigError("rw", f"must be readonly for reg_type {address.reg_type}")
    if point.is_pair and (address.reg_type in ("0X", "1X") or address.bit is not None):
        raise ConfigError("address.reg_type", "a location lies in 3X or 4X, as whole values")
    if address.reg_type in ("0X", "1X"):
        _check_bits(point, address, options)
    else:
        _check_registers(point, address, options)
    if address.offset - options.one_based + width(point, address) > 65536:
        raise ConfigError("address.offset", "must lie within 65536 addresses")


def _check_bits(point: Point, address: Address, options: Options) -> None:
    if point.data_type not in BITS or address.bit is not None or address.byte is not None:
        raise ConfigError(
            "address.reg_type", "0X and 1X hold single bits: an integer data_type, no bit and no byte"
        )
    if address.length is None or address.length == 1:
        return
    if not point.data_type.startswith("u") or address.length > BITS[point.data_type]:
        raise ConfigError("address.length", "more than one bit needs an unsigned data_type that holds them")
    if address.length > options.max_bits:
        raise ConfigError(
            "address.length", f"is {address.length} bits, options.max_bits allows {options.max_bits}"
        )


def _check_registers(point: Point, address: Address, options: Options) -> None:
    kind = point.data_type
    if (kind in ("string", "var")) != (address.length is not None):
        rule = "only a string, a var or a number over several coils has one"
        raise ConfigError(
            "address.length", rule if address.length else f"must be given for a {kind}, in registers"
        )
    if kind == "var" and width(point, address) > VAR_REGISTERS:
        raise ConfigError("address.length", f"must be at most {VAR_REGISTERS} registers for a var")
    if address.byte is not None and kind not in ("uint8", "int8", "string"):
        raise ConfigError("address.byte", "only an 8-bit data_type or a string has one")
    if address.bit is not None and address.bit >= BITS.get(kind, 0):
        highest = (
            f"at most {BITS[kind] - 1} for {kind}" if kind in BITS else "left out: only an integer has bits"
        )
        raise ConfigError("address.bit", f"must be {highest}")
    size = width(point, address)
    if size > options.max_registers:
        raise ConfigError(
            "data_type", f"needs {size} registers, options.max_registers allows {options.max_registers}"
        )
    written = 1 if address.bit is not None else size
    if point.rw != "readonly" and written > options.max_write_registers:
        raise ConfigError(
            "rw",
            f"writes {written} registers, options.max_write_registers allows {options.max_write_registers}",
        )
