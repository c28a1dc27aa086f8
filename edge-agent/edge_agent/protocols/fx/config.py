"""Options of an FX controller and address of one of its points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from edge_agent.config.model import Point, Port, Section, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols.base import label, section
from edge_agent.protocols.description import SerialFraming
from edge_agent.protocols.fx.areas import Area, areas
from edge_agent.protocols.packing import SIZES
from edge_agent.protocols.word_values import WordField

ADDRESS = "0"
"""The port has no station numbers: every controller stands alone at its end."""

FRAMING = SerialFraming(9600, "E", data_bits=7)

ModelName = Literal["FX1S", "FX2N", "FX3S", "FX3U"]
AreaName = Literal["X", "Y", "S", "M", "T", "C", "D", "TV", "CV", "CN"]


class Options(Section, frozen=True, kw_only=True):
    """Of a controller. max_bytes: of memory in a request; max_gap: bytes read along to save a request."""

    model: Annotated[ModelName, label("型号", "Model")]
    max_bytes: Annotated[int, msgspec.Meta(ge=8, le=255), label("单次最大字节数", "Bytes per request")] = 64
    max_gap: (
        Annotated[int, msgspec.Meta(ge=0, le=254), label("合并读取的最大间隔", "Largest gap read along")]
        | None
    ) = None
    handshake: Annotated[bool, label("连接时握手", "Handshake after connecting")] = True


class Address(Section, frozen=True, kw_only=True):
    """Of a point. offset: the device's number as printed, so X17 is area X, offset 17 (octal digits).

    bit: of a word, 0 lowest; byte: of an 8-bit type; length: characters of a string, two in a word.
    """

    area: Annotated[AreaName, label("软元件", "Device")]
    offset: Annotated[
        int, msgspec.Meta(ge=0, le=9999), label("编号（X、Y 为八进制）", "Number (X, Y: octal)")
    ]
    bit: Annotated[int, msgspec.Meta(ge=0, le=15), label("位偏移", "Bit")] | None = None
    byte: Annotated[Literal["low", "high"], label("8 位类型取低/高字节", "Byte of an 8-bit type")] = "low"
    length: Annotated[int, msgspec.Meta(ge=1, le=254), label("字符数", "Characters")] | None = None


@dataclass(frozen=True)
class Place:
    """A point in the controller's memory. start, size: whole devices that it needs, in bytes.

    field: the value within them, its index that of the point. fills: it fills them.
    """

    area: Area
    number: int
    start: int
    size: int
    field: WordField

    @property
    def end(self) -> int:
        return self.start + self.size

    @property
    def fills(self) -> bool:
        return self.field.bit is None and self.field.size == self.size


def options_of(slave: Slave) -> Options:
    return section(Options, slave.options, "options")


def check_port(port: Port) -> None:
    """ConfigError when a serial line is not set as the programming port wants it."""
    if port.type == "NET":
        return  # the converter has its own settings
    wanted = (("data_bits", FRAMING.data_bits), ("parity", FRAMING.parity), ("stop_bits", FRAMING.stop_bits))
    wrong = [(name, must) for name, must in wanted if getattr(port, name) != must]
    if wrong:
        rules = ", ".join(f"{name} = {must!r}".replace("'", '"') for name, must in wrong)
        raise ConfigError(
            f"port.{wrong[0][0]}", f"must be 7 data bits, even parity, 1 stop bit: set {rules} on {port.name}"
        )


def place_of(point: Point, slave: Slave, index: int = 0) -> Place:
    """Where a point lies; ConfigError when its address, data type and model do not go together."""
    model = options_of(slave).model
    if point.address.get("area") == "R":
        raise ConfigError("address.area", "R cannot be reached on the programming port, over MC 1E it can")
    address = section(Address, point.address, "address")
    area, number = _device(address, model)
    if point.data_type == "var":
        raise ConfigError("data_type", "var is not a type of this controller")
    if address.length is not None and point.data_type != "string":
        raise ConfigError("address.length", "only a string has one")
    if address.byte == "high" and (point.data_type not in ("uint8", "int8") or area.bits != 16):
        raise ConfigError("address.byte", "only an 8-bit type in an area of words has one")
    if area.bits == 1:
        return _bit_place(point, address, area, number, index)
    return _word_place(point, address, area, number, index)


def check_point(point: Point, slave: Slave) -> None:
    """ConfigError when the point cannot be read or written."""
    place = place_of(point, slave)
    if point.rw != "readonly" and not place.area.writable:
        raise ConfigError(
            "rw", f"must be readonly in area {place.area.name} of model {options_of(slave).model}"
        )
    max_bytes = options_of(slave).max_bytes
    if place.size > max_bytes:
        field = "address.length" if point.data_type == "string" else "data_type"
        raise ConfigError(field, f"needs {place.size} bytes, options.max_bytes allows {max_bytes}")


def base_of(slave: Slave, address: Mapping[str, Any]) -> int:
    """Base in which the numbers of an address's area are printed; 10 where there is no such area."""
    ranges = areas(options_of(slave).model).get(str(address.get("area")))
    return ranges[0].radix if ranges else 10


def _device(address: Address, model: str) -> tuple[Area, int]:
    """Area and number behind an offset as printed."""
    ranges = areas(model)[address.area]
    radix = ranges[0].radix
    try:
        number = int(str(address.offset), radix)
    except ValueError:
        raise ConfigError("address.offset", f"must have octal digits in area {address.area}") from None
    for area in ranges:
        if area.first <= number <= area.last:
            return area, number
    allowed = " or ".join(f"{area.printed(area.first)} to {area.printed(area.last)}" for area in ranges)
    raise ConfigError("address.offset", f"must be from {allowed} for model {model}")


def _bit_place(point: Point, address: Address, area: Area, number: int, index: int) -> Place:
    if point.data_type in ("float", "double", "string") or address.bit is not None:
        raise ConfigError(
            "address.area", f"{address.area} holds single bits: an integer data_type and no bit"
        )
    field = WordField(index, 0, 1, point.data_type, area.bit_of(number))
    return Place(area, number, area.byte_of(number), 1, field)


def _word_place(point: Point, address: Address, area: Area, number: int, index: int) -> Place:
    kind, unit = point.data_type, area.bits // 8
    if area.bits == 32 and (kind not in ("uint32", "int32") or address.bit is not None):
        raise ConfigError("data_type", f"must be uint32 or int32, without a bit, in area {address.area}")
    if kind == "string" and address.length is None:
        raise ConfigError("address.length", "must be given for a string, in characters")
    if address.bit is not None:
        if kind in ("float", "double", "string"):
            raise ConfigError("address.bit", "must not be given with a float or a string")
        field = WordField(index, address.bit // 8, 1, kind, address.bit % 8)
    else:
        size = (address.length or 0) if kind == "string" else SIZES[kind]
        field = WordField(index, 1 if address.byte == "high" else 0, size, kind)
    devices = -(-(field.at + field.size) // unit) if address.bit is None else 1
    if number + devices - 1 > area.last:
        raise ConfigError(
            "address.offset", f"needs {devices} devices, the last one is {area.printed(area.last)}"
        )
    return Place(area, number, area.byte_of(number), devices * unit, field)
