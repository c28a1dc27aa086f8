"""Options of a DL/T 645 meter and address of one of its points."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from edge_agent.config.model import Point, Section, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols.base import label, section
from edge_agent.protocols.dlt645.items import Item, items
from edge_agent.protocols.dlt645.statutes import STATUTES, Statute
from edge_agent.rules import shortened

StatuteName = Annotated[Literal["2007", "1997"], label("规约", "Standard")]
Password = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{6}$(?!\n)"), label("密码", "Password", secret=True)]
Operator = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{8}$(?!\n)"), label("操作者代码", "Operator code")]
Identifier = Annotated[
    str,
    msgspec.Meta(pattern=r"^([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8})$(?!\n)"),
    label("数据标识", "Data identifier"),
]


class Options(Section, frozen=True, kw_only=True):
    """Of a meter. statute: the protocol's own when not given; a line with meters of both says it per meter.

    password and operator are numbers as printed; they go out lowest byte first.
    """

    statute: StatuteName | None = None
    password: Password = "000000"  # noqa: S105 (what a meter has when it leaves the works)
    operator: Operator = "00000000"
    level: Annotated[int, msgspec.Meta(ge=0, le=9), label("密码等级", "Password level")] = 2
    wake_up: Annotated[int, msgspec.Meta(ge=0, le=16), label("前导字节数", "Wake-up bytes")] = 4
    blocks: Annotated[bool, label("按数据块读取", "Read blocks")] = True


class Address(Section, frozen=True, kw_only=True):
    """Of a point: an item of the table, its format overridden or not, or an identifier with its format."""

    item: Annotated[str, label("数据项", "Item")] | None = None
    di: Identifier | None = None
    length: Annotated[int, msgspec.Meta(ge=1, le=8), label("字节数", "Bytes")] | None = None
    decimals: Annotated[int, msgspec.Meta(ge=0, le=9), label("小数位数", "Decimals")] | None = None
    signed: Annotated[bool, label("带符号", "Signed")] | None = None


def options_of(slave: Slave) -> Options:
    return section(Options, slave.options, "options")


def statute_of(slave: Slave) -> Statute:
    """The statute that the meter obeys."""
    return STATUTES[options_of(slave).statute or slave.protocol.rpartition("_")[2]]


def item_of(point: Point, statute: Statute) -> Item:
    """What a point is on the wire; ConfigError when its address says too little or something unknown."""
    address = section(Address, point.address, "address")
    if (address.item is None) == (address.di is None):
        raise ConfigError("address.item", "must be given, or di in its place")
    if address.item is not None:
        known = items(statute.name).get(address.item)
        if known is None:
            raise ConfigError("address.item", _no_such_item(address.item, statute))
        return _overridden(known, address)
    if address.length is None or address.di is None:
        raise ConfigError("address.length", "must be given with di")
    if len(address.di) != 2 * statute.di_bytes:
        digits = 2 * statute.di_bytes
        raise ConfigError("address.di", f"must be {digits} hexadecimal digits for a meter of {statute.name}")
    kind = "digits" if point.data_type == "string" else "bcd"
    return Item(
        address.di.upper(),
        address.length,
        address.decimals or 0,
        bool(address.signed),
        kind=kind,
        writable=True,
    )


def _no_such_item(name: str, statute: Statute) -> str:
    others = [other for other in STATUTES if other != statute.name and name in items(other)]
    if others:
        return f"must be an item of DL/T 645-{statute.name}, {name} exists in {others[0]} only"
    return f"must be an item of the table, {shortened(name)!r} is none"


def _overridden(known: Item, address: Address) -> Item:
    """A meter with another format is read item by item: its block would be laid out differently too."""
    if address.length is None and address.decimals is None and address.signed is None:
        return known
    return Item(
        di=known.di,
        length=known.length if address.length is None else address.length,
        decimals=known.decimals if address.decimals is None else address.decimals,
        signed=known.signed if address.signed is None else address.signed,
        unit=known.unit,
        kind=known.kind,
        writable=known.writable,
    )
