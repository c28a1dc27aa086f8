"""What the Siemens package reports of itself: S7 over ISO-on-TCP, and PPI."""

from __future__ import annotations

from edge_agent.protocols.conditions import (
    among,
    both,
    either,
    equal,
    given,
    missing,
    negation,
    remainder,
    var,
)
from edge_agent.protocols.description import (
    AddressForm,
    Check,
    Connection,
    Description,
    MemoryArea,
    Rule,
    SerialFraming,
    Words,
)
from edge_agent.protocols.s7 import ppi_options
from edge_agent.protocols.s7.config import Address, Options
from edge_agent.protocols.s7.tables import areas as rows_of
from edge_agent.protocols.s7.tables import models
from edge_agent.protocols.usual_checks import (
    FRACTIONS,
    KNOWN_AREA,
    area_checks,
    station_check,
    type_of_area,
)

ISO_ON_TCP = 102
"""RFC 1006."""

LAST_BYTE = 65_535
UNIT_BITS = {"byte": 8, "word": 16}
TIMER_BITS = 16
PPI_FAMILY = "200"


def _areas(family: str) -> dict[str, MemoryArea]:
    return {
        name: MemoryArea(10, UNIT_BITS.get(row.unit, TIMER_BITS), row.writable, [(0, LAST_BYTE)], row.unit)
        for name, row in rows_of(family).items()
    }


def _point_checks() -> tuple[Check, ...]:
    data_type, unit = var("data_type"), var("area.unit")
    is_block, is_word = equal(var("address.area"), "DB"), equal(unit, "word")
    is_number = both(negation(equal(unit, "byte")), negation(is_word))
    no_bit = either(negation(equal(unit, "byte")), among(data_type, *FRACTIONS))
    odd = negation(equal(either(remainder(var("address.offset"), 2), 0), 0))
    return (
        *area_checks(),
        (
            Rule("address.db", "required", both(KNOWN_AREA, is_block, missing("db"))),
            Rule("address.db", "only_db", both(KNOWN_AREA, negation(is_block), given("db"))),
        ),
        (Rule("address.bit", "bit_area", both(KNOWN_AREA, given("bit"), no_bit)),),
        type_of_area(both(is_word, negation(among(data_type, "uint16", "int16"))), "uint16", "int16"),
        (Rule("address.offset", "even", both(KNOWN_AREA, is_word, odd)),),
        type_of_area(
            both(is_number, among(data_type, "uint8", "int8", *FRACTIONS)),
            "uint16", "int16", "uint32", "int32",
        ),
    )  # fmt: skip


ISO = Description(
    name="s7",
    title=Words("西门子 S7", "Siemens S7"),
    short="S7",
    stem="plc",
    port_types=frozenset({"NET"}),
    connection=Connection(
        "1",
        tcp_port=ISO_ON_TCP,
        choices={
            "model": {
                name: {"rack": model.rack, "slot": model.slot}
                for name, model in models().items()
                if model.connection and model.remote_tsap is None
            }
        },
    ),
    slave_address=AddressForm(
        Words("地址", "Address"),
        Words("自定编号，PLC 由 IP 地址区分", "A number of your choice: the IP address says which PLC it is"),
    ),
    options=Options,
    address=Address,
    missing_types={"var": "error"},
    choice_titles={
        "model": {
            "1200": "S7-1200", "1500": "S7-1500", "200_smart": "S7-200 SMART", "300": "S7-300",
            "400": "S7-400", "logo": "LOGO!",
        }
    },
    areas=lambda: {name: _areas(model.family) for name, model in models().items() if name != PPI_FAMILY},
    address_checks=(station_check(0, 255),),
    point_checks=_point_checks(),
)  # fmt: skip
"""Rack and slot are those of the CPU of each model in its usual place."""

OWN_ADDRESS = both(negation(equal(var("station"), None)), equal(var("option.master"), var("station")))

PPI = Description(
    name="ppi",
    title=Words("西门子 PPI", "Siemens PPI"),
    short="PPI",
    stem="plc",
    port_types=frozenset({"COM"}),
    connection=Connection("2", serial=SerialFraming(9600, "E"), multidrop=True),
    slave_address=AddressForm(
        Words("站地址", "Station address"),
        Words("1 至 126，CPU 出厂为 2", "1 to 126; the CPU is 2 as delivered"),
    ),
    options=ppi_options.Options,
    address=Address,
    missing_types={"var": "error", "string": "warning"},
    areas=lambda: {"": _areas(PPI_FAMILY)},
    address_checks=(station_check(1, 126),),
    slave_checks=((Rule("options.master", "own_address", OWN_ADDRESS),),),
    point_checks=_point_checks(),
)
"""PPI carries texts, though its points are offered none: a string is a warning."""

DESCRIPTIONS = {each.name: each for each in (ISO, PPI)}
