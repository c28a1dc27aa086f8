"""What the conditions of a protocol's document are asked about: facts of a port, slave or point. Pure.

The agent's protocols/description.py lists them; the portal's facts.ts makes the same ones of a point.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from cloud.domains.points.faults import Shown, integer, number, text
from cloud.domains.points.fields import PATHS
from cloud.domains.points.forms import Area, ProtocolDescription

INTEGER_BITS = {
    "uint8": 8, "int8": 8, "uint16": 16, "int16": 16, "uint32": 32, "int32": 32, "uint64": 64, "int64": 64,
}  # fmt: skip
BYTES = {name: bits // 8 for name, bits in INTEGER_BITS.items()} | {"float": 4, "double": 8}
STATION = re.compile(r"[0-9]{1,3}")
RADIX_FORMAT = {8: "o", 10: "d", 16: "x"}
DIGITS = {radix: frozenset("0123456789abcdef"[:radix]) for radix in RADIX_FORMAT}

EDITOR_NAMES = {
    f"address.{path[1]}": field for field, path in PATHS["points"].items() if path[0] == "address"
}
"""Field of the editor by its name in the agent's configuration."""

PointFacts = Callable[[Shown], dict[str, Any]]


def editor_name(address_field: str) -> str:
    """Of a field of an address that some protocol has."""
    return EDITOR_NAMES[f"address.{address_field}"]


def port_facts(port: Shown) -> dict[str, Any]:
    return {"port.type": text(port, "type"), "port.min_interval_ms": number(port, "min_interval_ms")}


def slave_facts(address: str, form: ProtocolDescription, options: Mapping[str, object]) -> dict[str, Any]:
    station = int(address) if STATION.fullmatch(address) else None
    return {"address": address, "station": station, **_options(form, options)}


def is_pair(point: Shown) -> bool:
    """A location that lies in the device as two numbers."""
    return text(point, "ds_type", "num") == "loc" and text(point, "data_type", "uint16") != "string"


def make_point_facts(form: ProtocolDescription, options: Mapping[str, object]) -> PointFacts:
    """Facts of the points of one slave."""
    model = str(options.get("model", ""))
    areas = form.areas.get(model) or form.areas.get("") or {}
    of_slave = {
        "protocol": form.name, "model": model, "areas": ", ".join(areas), **_options(form, options)
    }  # fmt: skip
    known = {name: (area, _area_facts(name, area)) for name, area in areas.items()}
    fields = [
        (editor_name(field.name), f"address.{field.name}", f"given.{field.name}", field.kind == "integer")
        for field in form.address
    ]

    def facts(point: Shown) -> dict[str, Any]:
        data_type = text(point, "data_type", "uint16")
        found = {
            **of_slave,
            "data_type": data_type,
            "integer_bits": INTEGER_BITS.get(data_type),
            "unsigned": data_type.startswith("u"),
            "bytes": BYTES.get(data_type, 0),
            "writes": text(point, "rw", "readonly") != "readonly",
            "pair": is_pair(point),
        }
        for name, value, given, is_integer in fields:
            found[value] = integer(point, name) if is_integer else text(point, name)
            found[given] = point.get(name) is not None
        if areas:
            _add_area(found, known)
        if form.items:
            item = form.items.get(found["address.item"])
            found["item.known"], found["item.writable"] = item is not None, item is not None and item.writable
        return found

    return facts


def _options(form: ProtocolDescription, options: Mapping[str, object]) -> dict[str, Any]:
    return {f"option.{field.name}": options.get(field.name, field.default) for field in form.options}


def _add_area(facts: dict[str, Any], known: Mapping[str, tuple[Area, Mapping[str, Any]]]) -> None:
    """known: areas of the model, each with its own facts."""
    facts["area.known"] = facts["address.area"] in known
    if not facts["area.known"]:
        return
    area, of_area = known[facts["address.area"]]
    facts |= of_area
    offset = facts["address.offset"]
    if area.radix and offset is not None and offset >= 0:
        digits = str(offset)
        facts["area.fits"] = DIGITS[area.radix].issuperset(digits)
        value = int(digits, area.radix) if facts["area.fits"] else -1
        facts["area.listed"] = any(first <= value <= last for first, last in area.ranges)


def _area_facts(name: str, area: Area) -> dict[str, Any]:
    form = RADIX_FORMAT[area.radix] if area.radix else "d"
    ranges = ", ".join(f"{name}{first:{form}}-{name}{last:{form}}" for first, last in area.ranges)
    told = {f"area.{each}": getattr(area, each) for each in ("radix", "bits", "unit", "writable")}
    return told | ({"area.ranges": ranges} if area.radix else {})
