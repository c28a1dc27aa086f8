"""What the FX package reports of itself."""

from __future__ import annotations

from typing import get_args

from edge_agent.protocols.conditions import both, equal, negation, var
from edge_agent.protocols.description import AddressForm, Connection, Description, MemoryArea, Rule, Words
from edge_agent.protocols.fx.areas import areas
from edge_agent.protocols.fx.config import ADDRESS, FRAMING, Address, ModelName, Options
from edge_agent.protocols.usual_checks import (
    KNOWN_AREA,
    area_checks,
    double_word_area_check,
    single_bit_area_check,
    station_check,
)

NUMBERED = both(KNOWN_AREA, {">=": [var("address.offset"), 0]})
"""A device number that can be looked up."""


def _areas() -> dict[str, dict[str, MemoryArea]]:
    return {
        model: {
            name: MemoryArea(
                ranges[0].radix, ranges[0].bits, ranges[0].writable, [(a.first, a.last) for a in ranges]
            )
            for name, ranges in areas(model).items()
        }
        for model in sorted(get_args(ModelName))
    }


DESCRIPTION = Description(
    name="fx",
    title=Words("三菱 FX 编程口", "Mitsubishi FX programming port"),
    short="FX",
    stem="plc",
    port_types=frozenset({"COM", "NET"}),
    connection=Connection(ADDRESS, serial=FRAMING),
    slave_address=AddressForm(
        Words("站地址", "Station address"), Words("编程口固定为 0", "Always 0 on the programming port")
    ),
    options=Options,
    address=Address,
    missing_types={"var": "error"},
    areas=_areas,
    address_checks=(station_check(int(ADDRESS), int(ADDRESS)),),
    point_checks=(
        *area_checks(),
        single_bit_area_check(),
        double_word_area_check(),
        (
            Rule(
                "address.offset", "octal",
                both(NUMBERED, equal(var("area.radix"), 8), negation(var("area.fits"))),
                {"area": var("address.area")},
            ),
            Rule(
                "address.offset", "area_numbers", both(NUMBERED, negation(var("area.listed"))),
                {"ranges": var("area.ranges")},
            ),
        ),
    ),
)  # fmt: skip
