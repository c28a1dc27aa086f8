"""Faults of ports, slaves and points, cell by cell, as the editor shows them while one types. Pure.

A draft may hold them: the gateway checks it as a whole before it runs anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from cloud.domains.points.address_rules import AddressCheck, address_check, overlaps
from cloud.domains.points.alarm_rules import alarm_faults
from cloud.domains.points.conditions import Facts
from cloud.domains.points.facts import make_point_facts, port_facts, slave_facts
from cloud.domains.points.faults import Cell, Shown, checked, chosen, formed, integer, number, ranged, text
from cloud.domains.points.forms import ProtocolDescription
from edge_contract.hosts import LONGEST_HOST, host_fault

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
POINT_NAME = re.compile(r"[A-Za-z0-9_]{1,64}")
PORT_RANGES = {"baud": (300, 921_600), "port": (1, 65_535), "capture_cycle_ms": (10, 86_400_000)}
SLAVE_RANGES = {"capture_cycle_ms": (10, 86_400_000), "response_timeout_ms": (10, 60_000), "retries": (0, 10)}
POINT_RANGES = {"tofixed": (0, 9), "capture_freq": (1, 100_000), "collect_delay_ms": (0, 86_400_000)}
STORAGE_STEP_S = 10

TYPES = ("num", "str", "swh", "loc", "cal")
ACCESSES = ("readonly", "writeonly", "readwrite")
DATA_TYPES = (
    "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double", "var",
    "string",
)  # fmt: skip

PAIRS = ("int32", "uint32", "int64", "uint64", "float", "double")
"""Data types of which two, one behind the other, are a location."""

COORDINATES = ("lat_lon", "lon_lat", "lat_lon_minutes", "lon_lat_minutes")


def port_faults(port: Shown, form: ProtocolDescription | None = None) -> Iterator[Cell]:
    """form: of the protocol that its slaves speak, None without any."""
    yield from _named(port, NAME)
    yield from chosen(port, "type", ("COM", "NET"))
    yield from chosen(port, "parity", ("N", "O", "E"))
    yield from chosen(port, "data_bits", ("7", "8"))
    yield from chosen(port, "stop_bits", ("1", "2"))
    for field in {"COM": ("device",), "NET": ("ip",)}.get(text(port, "type"), ("type",)):
        if not text(port, field):
            yield Cell(field, "required")
    host = text(port, "ip")
    if host and (fault := host_fault(host)) is not None:
        yield Cell("ip", fault, {"max": LONGEST_HOST} if fault == "host_length" else {})
    for field, (lowest, highest) in PORT_RANGES.items():
        yield from ranged(port, field, lowest, highest)
    yield from ranged(port, "min_interval_ms", 0, 10_000)
    if form is not None:
        yield from checked(form.compiled.port, port_facts(port))


def slave_faults(
    slave: Shown, port: Shown | None, form: ProtocolDescription | None, spoken: str = ""
) -> Iterator[Cell]:
    """port: that it names; form: of its protocol; spoken: what the first slave of that port speaks."""
    yield from _named(slave, NAME)
    if port is None:
        yield Cell("port", "unknown_port")
    if form is None:
        yield Cell("protocol", "unknown_protocol")
        return
    if port is not None and text(port, "type") not in form.port_types:
        yield Cell("port", "port_type", {"types": ", ".join(form.port_types)})
    if spoken and spoken != text(slave, "protocol"):
        yield Cell("protocol", "port_protocol", {"protocol": spoken})
    options = slave.get("options")
    given = options if isinstance(options, Mapping) else {}
    yield from _station(slave, form, given)
    for field, (lowest, highest) in SLAVE_RANGES.items():
        yield from ranged(slave, field, lowest, highest)
    storage_s = integer(slave, "storage_cycle_s")
    if storage_s is not None and (storage_s < 0 or storage_s > 86_400 or storage_s % STORAGE_STEP_S):
        yield Cell("storage_cycle_s", "multiple", {"of": STORAGE_STEP_S})
    for cell in formed(given, {field.name: field for field in form.options}):
        yield Cell(f"options.{cell.field}", cell.code, cell.arguments, cell.level)
    yield from checked(form.compiled.slave, slave_facts(text(slave, "address"), form, given))


def points_faults(
    points: Sequence[Shown], form: ProtocolDescription | None, options: Mapping[str, object]
) -> list[list[Cell]]:
    """Faults of each point of one slave, in their order; form and options are the slave's."""
    names: dict[str, int] = {}
    for point in points:
        names[text(point, "ds_name")] = names.get(text(point, "ds_name"), 0) + 1
    facts_of = make_point_facts(form, options) if form is not None else lambda _: {}
    facts = [facts_of(point) for point in points]
    check = address_check(form) if form is not None else None
    found = [[*_point_faults(point, form, told, check)] for point, told in zip(points, facts, strict=True)]
    for cells, point in zip(found, points, strict=True):
        if names[text(point, "ds_name")] > 1:
            cells.append(Cell("ds_name", "twice"))
    if form is not None:
        for at, other in overlaps(points, facts, form):
            cell = Cell("addroffset", "overlap", {"other": text(points[other], "ds_name")}, "warning")
            found[at].append(cell)
    return found


def _point_faults(
    point: Shown, form: ProtocolDescription | None, facts: Facts, check: AddressCheck | None
) -> Iterator[Cell]:
    yield from _named(point, POINT_NAME, "ds_name")
    kind, data_type = text(point, "ds_type", "num"), text(point, "data_type", "uint16")
    yield from chosen(point, "ds_type", TYPES)
    yield from chosen(point, "rw", ACCESSES)
    yield from chosen(point, "data_type", DATA_TYPES)
    if kind != "loc" and (kind == "str") != (data_type == "string"):
        yield Cell("data_type", "string_type")
    for field, (lowest, highest) in POINT_RANGES.items():
        yield from ranged(point, field, lowest, highest)
    yield from ranged(point, "record", 0, 2)
    if number(point, "ratio") == 0:
        yield Cell("ratio", "zero")
    if (number(point, "deadband") or 0) < 0:
        yield Cell("deadband", "negative")
    elif number(point, "deadband") and kind in ("str", "swh"):
        yield Cell("deadband", "no_deadband")
    lowest_value, highest_value = number(point, "min"), number(point, "max")
    if lowest_value is not None and highest_value is not None and lowest_value > highest_value:
        yield Cell("min", "above_max")
    if point.get("on_value") is not None and point.get("on_value") == point.get("off_value"):
        yield Cell("on_value", "same_value")
    yield from _positions(point, kind)
    yield from alarm_faults(point)
    if point.get("selector") and kind != "num":
        yield Cell("selector", "only_numeric")
    if kind == "cal":
        yield from _calculated(point)
        return
    if kind == "loc":
        yield from _location(point, data_type, form)
    elif point.get("coordinates") is not None:
        yield Cell("coordinates", "only_location")
    for field in ("formula", "script"):
        if point.get(field):
            yield Cell(field, "only_calculated")
    if check is not None:
        yield from check(point, facts)


def _positions(point: Shown, kind: str) -> Iterator[Cell]:
    for field in ("on_value", "off_value"):
        if kind == "swh" and point.get(field) is not None and number(point, field) is None:
            yield Cell(field, "number", level="warning")
    for field in ("on_text", "off_text"):
        if point.get(field) and kind not in ("swh", "cal"):
            yield Cell(field, "only_switch")
    if point.get("on_text") and point.get("on_text") == point.get("off_text"):
        yield Cell("on_text", "same_text")


def _location(point: Shown, data_type: str, form: ProtocolDescription | None) -> Iterator[Cell]:
    if text(point, "rw", "readonly") != "readonly":
        yield Cell("rw", "read_only")
    yield from chosen(point, "coordinates", COORDINATES)
    if data_type == "string":
        return
    if data_type not in PAIRS:
        yield Cell("data_type", "location_type", {"types": ", ".join(("string", *PAIRS))})
    elif form is not None and not form.reads_pairs:
        yield Cell("data_type", "location_text", {"protocol": form.name})


def _calculated(point: Shown) -> Iterator[Cell]:
    if text(point, "rw", "readonly") != "readonly":
        yield Cell("rw", "read_only")
    if not point.get("formula") and not point.get("script"):
        yield Cell("formula", "required")
    if point.get("formula") and point.get("script"):
        yield Cell("formula", "formula_or_script")
    for field in ("regtype", "area", "addroffset", "item", "di"):
        if point.get(field) is not None:
            yield Cell(field, "not_calculated")


def _station(slave: Shown, form: ProtocolDescription, options: Mapping[str, object]) -> Iterator[Cell]:
    address = text(slave, "address")
    if not address:
        yield Cell("address", "required")
    else:
        yield from checked(form.compiled.address, slave_facts(address, form, options))


def _named(row: Shown, pattern: re.Pattern[str], field: str = "name") -> Iterator[Cell]:
    name = text(row, field)
    if not name:
        yield Cell(field, "required")
    elif not pattern.fullmatch(name):
        yield Cell(field, "point_name" if field == "ds_name" else "name")
