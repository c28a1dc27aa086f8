"""Options of a Siemens PLC and address of one of its points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from edge_agent.config.model import Point, Section, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols.base import label, section
from edge_agent.protocols.packing import SIZES
from edge_agent.protocols.s7.ppi_options import AreaCode, Encoding, MaxGap
from edge_agent.protocols.s7.ppi_options import Options as PpiOptions
from edge_agent.protocols.s7.tables import Area, Model, areas, models

READ_HEAD, WRITE_HEAD = 18, 28
"""Bytes of a PDU beside the data of its only item."""

AreaName = Literal["Q", "I", "M", "DB", "T", "C", "V", "AI", "AQ", "S", "SM"]
Tsap = Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Fa-f]{4}$(?!\n)")]


class Options(Section, frozen=True, kw_only=True):
    """Of a PLC over ISO-on-TCP. The remote TSAP is given, or made of connection, rack and slot."""

    model: Annotated[
        Literal["300", "400", "1200", "1500", "200_smart", "logo"], label("PLC 型号", "PLC model")
    ]
    rack: Annotated[int, msgspec.Meta(ge=0, le=7), label("机架号", "Rack")] | None = None
    slot: Annotated[int, msgspec.Meta(ge=0, le=31), label("槽号", "Slot")] | None = None
    connection: Annotated[Literal["pg", "op", "basic"], label("连接类型", "Connection type")] | None = None
    local_tsap: Annotated[Tsap, label("本地 TSAP(十六进制)", "Local TSAP, hexadecimal")] | None = None
    remote_tsap: Annotated[Tsap, label("远程 TSAP(十六进制)", "Remote TSAP, hexadecimal")] | None = None
    pdu: Annotated[int, msgspec.Meta(ge=112, le=960), label("PDU 长度", "PDU size")] | None = None
    max_gap: MaxGap | None = None
    bcd: Annotated[bool, label("定时器/计数器为 BCD 码", "Timers and counters are BCD")] = True
    encoding: Encoding = "utf-8"
    s_area: AreaCode = 4


class Address(Section, frozen=True, kw_only=True):
    """Of a point. offset: byte, or number of a timer or counter; bit: of that byte; length: characters."""

    area: Annotated[AreaName, label("存储区", "Memory area")]
    db: Annotated[int, msgspec.Meta(ge=1, le=65535), label("DB 号", "DB number")] | None = None
    offset: Annotated[int, msgspec.Meta(ge=0, le=65535), label("字节地址或编号", "Byte or number")]
    bit: Annotated[int, msgspec.Meta(ge=0, le=7), label("位", "Bit")] | None = None
    length: Annotated[int, msgspec.Meta(ge=1, le=254), label("字符数", "Characters")] | None = None
    text: Annotated[Literal["string", "chars"], label("字符串格式", "Text format")] = "string"


@dataclass(frozen=True)
class Link:
    """What a connection is made with."""

    local_tsap: int
    remote_tsap: int
    pdu: int


@dataclass(frozen=True)
class Habits:
    """What of a slave's options its points depend on."""

    model: Model
    pdu: int
    max_gap: int | None
    bcd: bool
    encoding: str
    s_area: int

    def area(self, name: str) -> Area:
        """ConfigError when the model has none of this name."""
        known = areas(self.model.family)
        if name not in known:
            raise ConfigError(
                "address.area", f"must be one of {', '.join(known)} for model {self.model.name}"
            )
        area = known[name]
        if name == "S":
            return Area(area.name, self.s_area, area.unit, area.base, area.writable)
        return area


def options_of(slave: Slave) -> Options:
    return section(Options, slave.options, "options")


def ppi_options_of(slave: Slave) -> PpiOptions:
    return section(PpiOptions, slave.options, "options")


def habits_of(slave: Slave) -> Habits:
    if slave.protocol == "ppi":
        ppi, model = ppi_options_of(slave), models()["200"]
        return Habits(model, model.pdu, ppi.max_gap, False, ppi.encoding, ppi.s_area)
    options = options_of(slave)
    model = models()[options.model]
    pdu = options.pdu or model.pdu
    return Habits(model, pdu, options.max_gap, options.bcd, options.encoding, options.s_area)


CONNECTIONS = {"pg": 1, "op": 2, "basic": 3}


def link_of(slave: Slave) -> Link:
    """ConfigError when the TSAPs are neither given nor known."""
    options = options_of(slave)
    model = models()[options.model]
    by_place = (options.rack, options.slot, options.connection) != (None, None, None)
    if options.remote_tsap is not None and by_place:
        raise ConfigError("options.remote_tsap", "must not be given together with rack, slot or connection")
    if by_place and not model.connection:
        raise ConfigError("options.rack", f"must not be given: model {model.name} is reached by its TSAPs")
    local = int(options.local_tsap, 16) if options.local_tsap else model.local_tsap
    if options.remote_tsap is not None:
        remote: int | None = int(options.remote_tsap, 16)
    elif by_place or model.remote_tsap is None:
        remote = _placed(options, model) if model.connection else None
    else:
        remote = model.remote_tsap
    if local is None:
        raise ConfigError("options.local_tsap", f"must be given for model {model.name}")
    if remote is None:
        raise ConfigError("options.remote_tsap", f"must be given for model {model.name}")
    return Link(local, remote, options.pdu or model.pdu)


def _placed(options: Options, model: Model) -> int:
    kind = CONNECTIONS[options.connection] if options.connection else model.connection
    rack = model.rack if options.rack is None else options.rack
    slot = model.slot if options.slot is None else options.slot
    return kind << 8 | rack << 5 | slot


def address_of(point: Point) -> Address:
    return section(Address, point.address, "address")


def check_point(point: Point, slave: Slave) -> None:
    """ConfigError when address and data type do not go together."""
    habits, address = habits_of(slave), address_of(point)
    area = habits.area(address.area)
    if (address.db is None) == (address.area == "DB"):
        rule = "must be given for area DB" if address.db is None else "must be given for area DB only"
        raise ConfigError("address.db", rule)
    if point.data_type == "var":
        raise ConfigError("data_type", "var is not a type of this PLC")
    if point.rw != "readonly" and not area.writable:
        raise ConfigError("rw", f"must be readonly for area {address.area} of model {habits.model.name}")
    if point.data_type == "string":
        _check_text(address, area)
    elif address.length is not None:
        raise ConfigError("address.length", "only a string has one")
    if address.bit is not None and (area.unit != "byte" or point.data_type in ("float", "double", "string")):
        raise ConfigError("address.bit", "must not be given but for an integer in an area of bytes")
    _check_unit(point, address, area)
    size = (address.length or 0) + 2 if point.data_type == "string" else SIZES[point.data_type]
    max_bytes = habits.pdu - (READ_HEAD if point.rw == "readonly" else WRITE_HEAD)
    if size > max_bytes:
        raise ConfigError(
            "address.length", f"must be at most {max_bytes - 2} with a PDU of {habits.pdu} bytes"
        )
    if area.unit in ("byte", "word") and address.offset + size > 65536:
        raise ConfigError("address.offset", "must lie within 65536 bytes")


def _check_text(address: Address, area: Area) -> None:
    if area.unit != "byte":
        raise ConfigError("data_type", f"must be numeric in area {address.area}")
    if address.length is None:
        raise ConfigError("address.length", "must be given for a string, in characters")


def _check_unit(point: Point, address: Address, area: Area) -> None:
    if area.unit == "word":
        if SIZES.get(point.data_type) != 2:
            raise ConfigError("data_type", f"must be uint16 or int16 in area {address.area}")
        if address.offset % 2:
            raise ConfigError("address.offset", f"must be even in area {address.area}")
    elif area.unit != "byte" and (point.data_type in ("float", "double") or SIZES[point.data_type] < 2):
        raise ConfigError("data_type", f"must be an integer of 16 bits or more in area {address.area}")
