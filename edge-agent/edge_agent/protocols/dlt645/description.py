"""What the DL/T 645 package reports of itself, by statute."""

from __future__ import annotations

from edge_agent.protocols.conditions import both, equal, negation, var
from edge_agent.protocols.description import (
    AddressForm,
    Connection,
    DataItem,
    Description,
    Rule,
    SerialFraming,
    Variant,
    Words,
)
from edge_agent.protocols.dlt645.codec import WILDCARD
from edge_agent.protocols.dlt645.config import Address, Options
from edge_agent.protocols.dlt645.items import items
from edge_agent.protocols.usual_checks import pattern_check

METER = "(?=.{12}$)(AA)*[0-9]*"
"""12 digits; pairs of A stand for leading ones that any may be."""

CONNECTIONS = {
    "2007": Connection(WILDCARD, serial=SerialFraming(2400, "E"), multidrop=True, capture_cycle_ms=30_000),
    "1997": Connection(WILDCARD, serial=SerialFraming(1200, "E"), multidrop=True, capture_cycle_ms=60_000),
}
"""By statute. The wildcard reads the only meter on a line, without its number."""


def _items(statute: str) -> dict[str, DataItem]:
    return {
        name: DataItem(item.zh, item.en, item.unit, item.kind, item.writable, item.decimals)
        for name, item in items(statute).items()
    }


def _description(statute: str) -> Description:
    title = f"DL/T 645-{statute}"
    item, by_name = var("address.item"), negation(equal(var("address.item"), ""))
    return Description(
        name=f"dlt645_{statute}",
        title=Words(title, title),
        short=title,
        stem="meter",
        port_types=frozenset({"COM", "NET"}),
        connection=CONNECTIONS[statute],
        slave_address=AddressForm(
            Words("表号", "Meter number"),
            Words(
                "铭牌上的 12 位表号；线路上只有一块表时可填 AAAAAAAAAAAA",
                "12 digits as on the nameplate; AAAAAAAAAAAA reads the only meter on a line",
            ),
            METER,
        ),
        options=Options,
        address=Address,
        variant=Variant("statute", {each: f"dlt645_{each}" for each in CONNECTIONS}),
        items=lambda: _items(statute),
        address_checks=(pattern_check(METER, "meter_address"),),
        point_checks=(
            (
                Rule("address.item", "item_or_di", equal(by_name, negation(equal(var("address.di"), "")))),
                Rule("address.item", "unknown_item", both(by_name, negation(var("item.known")))),
                Rule(
                    "rw", "area_read_only", both(by_name, var("writes"), negation(var("item.writable"))),
                    {"area": item},
                ),
            ),
        ),
    )  # fmt: skip


DESCRIPTIONS = {each.name: each for each in (_description("2007"), _description("1997"))}
