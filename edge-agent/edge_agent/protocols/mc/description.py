"""What the MC protocol package reports of itself, by frame type."""

from __future__ import annotations

from edge_agent.config.model import Section
from edge_agent.protocols.description import AddressForm, Connection, Description, MemoryArea, Words
from edge_agent.protocols.mc import options_1e, options_3e
from edge_agent.protocols.mc.tables import FrameName
from edge_agent.protocols.mc.tables import areas as rows_of
from edge_agent.protocols.usual_checks import (
    area_checks,
    double_word_area_check,
    single_bit_area_check,
    station_check,
)

TCP_PORT = 5007
"""That GX Works proposes for MC protocol; each connection of the module has its own."""

WORD_BITS = 16


def _areas(frame: FrameName) -> dict[str, dict[str, MemoryArea]]:
    """Areas of one name may be several runs of devices."""
    by_name: dict[str, MemoryArea] = {}
    for row in rows_of(frame):
        bits = 1 if row.bit else WORD_BITS * row.words
        area = by_name.setdefault(row.name, MemoryArea(row.base or 0, bits, row.writable, []))
        area.ranges.append((row.first, row.last))
    return {"": by_name}


def _description(frame: FrameName, title: str, options: type[Section], address: type[Section]) -> Description:
    return Description(
        name=f"mc_{frame}",
        title=Words(f"三菱 {title}", f"Mitsubishi {title}"),
        short=title,
        stem="plc",
        port_types=frozenset({"NET"}),
        connection=Connection("0", tcp_port=TCP_PORT),
        slave_address=AddressForm(
            Words("地址", "Address"),
            Words(
                "自定编号，PLC 由 IP 地址区分", "A number of your choice: the IP address says which PLC it is"
            ),
        ),
        options=options,
        address=address,
        missing_types={"var": "error"},
        areas=lambda: _areas(frame),
        address_checks=(station_check(0, 255),),
        point_checks=(*area_checks(), single_bit_area_check(), double_word_area_check()),
    )


DESCRIPTIONS = {
    each.name: each
    for each in (
        _description("1e", "MC 1E", options_1e.Options, options_1e.Address),
        _description("3e", "MC 3E", options_3e.Options, options_3e.Address),
    )
}
