"""Options of a Modbus slave and address of a Modbus point."""

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
    max_gap: (
        Annotated[int, msgspec.Meta(ge=0, le=124), label("合并读取的最大间隔", "Largest gap read along")]
        | None
    ) = None
    one_based: Annotated[bool, label("地址从 1 开始", "Addresses start at 1")] = False
    write_multiple: Annotated[bool, label("始终用功能码 10H 写", "Always write with function 10H")] = False


class Address(Section, frozen=True, kw_only=True):
    """Of a point. length: registers of a string; bit: of a register, 0 lowest; byte: of an 8-bit type."""

    reg_type: Annotated[Literal["0X", "1X", "3X", "4X"], label("寄存器类型", "Register type")]
    offset: Annotated[int, msgspec.Meta(ge=0, le=65536), label("寄存器地址", "Register address")]
    endian: Annotated[
        Literal[
            "ABCD", "CDAB", "BADC", "DCBA", "AB", "BA", "ABCDEFGH", "GHEFCDAB", "BADCFEHG", "HGFEDCBA"
        ],
        label("字节顺序", "Byte order"),
    ] = "ABCD"  # fmt: skip
    bit: Annotated[int, msgspec.Meta(ge=0, le=15), label("位偏移", "Bit")] | None = None
    byte: Annotated[Literal["low", "high"], label("8 位类型取低/高字节", "Byte of an 8-bit type")] = "low"
    length: (
        Annotated[int, msgspec.Meta(ge=1, le=123), label("字符串寄存器数", "Registers of a string")] | None
    ) = None


def options_of(slave: Slave) -> Options:
    return section(Options, slave.options, "options")


def address_of(point: Point) -> Address:
    return section(Address, point.address, "address")


def check_point(point: Point, options: Options) -> None:
    """ConfigError when address and data type do not go together."""
    address = address_of(point)
    if address.offset == 0 and options.one_based:
        raise ConfigError("address.offset", "must be at least 1 where addresses start at 1")
    if address.reg_type in ("0X", "1X"):
        if point.data_type in ("float", "double", "string", "var") or address.bit is not None:
            raise ConfigError(
                "address.reg_type", "0X and 1X hold single bits: an integer data_type and no bit"
            )
        size = 1
    else:
        size = _registers(point, address)
    if address.reg_type in ("1X", "3X") and point.rw != "readonly":
        raise ConfigError("rw", f"must be readonly for reg_type {address.reg_type}")
    if address.offset - options.one_based + size > 65536:
        raise ConfigError("address.offset", "must lie within 65536 addresses")
    if address.reg_type in ("3X", "4X") and size > options.max_registers:
        raise ConfigError(
            "data_type", f"needs {size} registers, options.max_registers allows {options.max_registers}"
        )


def _registers(point: Point, address: Address) -> int:
    if point.data_type == "var":
        raise ConfigError("data_type", "var is not a Modbus type")
    if point.data_type == "string":
        if address.length is None:
            raise ConfigError("address.length", "must be given for a string, in registers")
        return address.length
    if address.length is not None:
        raise ConfigError("address.length", "only a string has one")
    if address.bit is not None and point.data_type in ("float", "double"):
        raise ConfigError("address.bit", "must not be given with a float")
    return 1 if address.bit is not None else REGISTERS[point.data_type]
