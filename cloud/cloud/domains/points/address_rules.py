"""Faults of a point's address against its data type, its slave's protocol and the PLC's family. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cloud.domains.points.faults import Cell, Level, Shown, formed, text, whole
from cloud.domains.points.fields import PATHS
from cloud.domains.points.forms import Area, FormField, ProtocolForm

BITS = {
    "uint8": 8, "int8": 8, "uint16": 16, "int16": 16, "uint32": 32, "int32": 32, "uint64": 64, "int64": 64,
}  # fmt: skip
"""An integer's bits are counted from 0: the highest is 7, 15, 31 or 63."""

REGISTERS = {
    "uint8": 1, "int8": 1, "uint16": 1, "int16": 1, "uint32": 2, "int32": 2, "float": 2, "uint64": 4,
    "int64": 4, "double": 4,
}  # fmt: skip
PAIRS = ("int32", "uint32", "int64", "uint64", "float", "double")
"""Data types of which two, one behind the other, are a location."""

LONGEST_VAR = 4
ADDRESSES = 65_536
FRACTIONS = ("float", "double", "string")
TEXTS = {"ppi": ("var", "string"), "s7": ("var",), "fx": ("var",), "mc_1e": ("var",), "mc_3e": ("var",)}
"""Data types that a protocol does not offer. PPI carries texts, though its points are offered none."""

_FIELD = {path[1]: field for field, path in PATHS["points"].items() if path[0] == "address"}
"""Field of the editor by its name in an address."""


def address_faults(point: Shown, form: ProtocolForm, options: Mapping[str, object]) -> Iterator[Cell]:
    """options: of the slave."""
    data_type = text(point, "data_type", "uint16")
    if data_type in TEXTS.get(form.name, ()):
        level: Level = "warning" if form.name == "ppi" and data_type == "string" else "error"
        yield Cell("data_type", "type_of_protocol", {"protocol": form.name}, level)
        return
    fields = {_FIELD[field.name]: field for field in form.address if field.name in _FIELD}
    yield from _wanted(point, fields, form)
    if form.name.startswith("modbus"):
        yield from _modbus(point, data_type, bool(options.get("one_based")))
    elif form.items:
        yield from _meter(point, form)
    elif form.areas:
        yield from _plc(point, data_type, form, str(options.get("model", "")))


def overlaps(points: Sequence[Shown], protocol: str) -> Iterator[tuple[int, int]]:
    """Places of points that share registers of a Modbus slave but not exactly the same, each with another.

    Several points on the same registers, such as the bits of a word, are meant.
    """
    if not protocol.startswith("modbus"):
        return
    spans: dict[str, list[tuple[int, int, int]]] = {}
    for at, point in enumerate(points):
        offset, kind = whole(point, "addroffset"), text(point, "regtype")
        if offset is not None and kind and text(point, "ds_type", "num") != "cal":
            spans.setdefault(kind, []).append((offset, offset + width(point), at))
    for found in spans.values():
        found.sort()
        end, last = -1, (-1, -1, -1)
        for span in found:
            if span[0] < end and span[:2] != last[:2]:
                yield span[2], last[2]
            if span[1] > end:
                end, last = span[1], span


def width(point: Shown) -> int:
    """Modbus addresses that a point takes: bits in 0X and 1X, registers in 3X and 4X."""
    length = whole(point, "regslength")
    if length:
        return length
    data_type = text(point, "data_type", "uint16")
    one = 1 if text(point, "regtype") in ("0X", "1X") else REGISTERS.get(data_type, 1)
    return 2 * one if is_pair(point, data_type) else one


def is_pair(point: Shown, data_type: str) -> bool:
    """A location that lies in the device as two numbers."""
    return text(point, "ds_type", "num") == "loc" and data_type != "string"


def _wanted(point: Shown, fields: Mapping[str, FormField], form: ProtocolForm) -> Iterator[Cell]:
    """What the protocol's form says, and what is given though it knows no such field."""
    model_areas = "area" in fields
    for cell in formed(point, fields):
        if not (model_areas and cell.field == "area" and cell.code == "choice"):
            yield cell  # areas are judged by model
    for field in _FIELD.values():
        if field not in fields and point.get(field) is not None:
            yield Cell(field, "not_of_protocol", {"protocol": form.name})


def _modbus(point: Shown, data_type: str, one_based: bool) -> Iterator[Cell]:
    kind, offset = text(point, "regtype"), whole(point, "addroffset")
    if kind in ("1X", "3X") and text(point, "rw", "readonly") != "readonly":
        yield Cell("rw", "area_read_only", {"area": kind})
    if is_pair(point, data_type) and (kind in ("0X", "1X") or point.get("bit_offset") is not None):
        yield Cell("regtype", "location_area")
    elif kind in ("0X", "1X"):
        yield from _coils(point, data_type)
    elif kind:
        yield from _registers(point, data_type)
    if offset == 0 and one_based:
        yield Cell("addroffset", "range", {"min": 1, "max": ADDRESSES})
    elif offset is not None and offset - one_based + width(point) > ADDRESSES:
        yield Cell("addroffset", "address_end", {"most": ADDRESSES})


def _coils(point: Shown, data_type: str) -> Iterator[Cell]:
    if data_type not in BITS or point.get("bit_offset") is not None or point.get("byte") is not None:
        yield Cell("regtype", "single_bits")
    length = whole(point, "regslength") or 1
    if length > 1 and (not data_type.startswith("u") or length > BITS.get(data_type, 0)):
        yield Cell("regslength", "bits_type")


def _registers(point: Shown, data_type: str) -> Iterator[Cell]:
    length, bit = whole(point, "regslength"), whole(point, "bit_offset")
    if data_type in ("string", "var") and length is None:
        yield Cell("regslength", "length_needed")
    elif data_type not in ("string", "var") and length is not None:
        yield Cell("regslength", "length_excess")
    elif data_type == "var" and (length or 0) > LONGEST_VAR:
        yield Cell("regslength", "range", {"min": 1, "max": LONGEST_VAR})
    if point.get("byte") is not None and data_type not in ("uint8", "int8", "string"):
        yield Cell("byte", "byte_type")
    yield from _bit(bit, data_type)


def _bit(bit: int | None, data_type: str) -> Iterator[Cell]:
    if bit is None:
        return
    if data_type not in BITS:
        yield Cell("bit_offset", "bit_type")
    elif bit >= BITS[data_type]:
        yield Cell("bit_offset", "range", {"min": 0, "max": BITS[data_type] - 1})


def _meter(point: Shown, form: ProtocolForm) -> Iterator[Cell]:
    item, code = text(point, "item"), text(point, "di")
    if bool(item) == bool(code):
        yield Cell("item", "item_or_di")
    elif item and item not in form.items:
        yield Cell("item", "unknown_item")
    elif item and text(point, "rw", "readonly") != "readonly" and not form.items[item].writable:
        yield Cell("rw", "area_read_only", {"area": item})


def _plc(point: Shown, data_type: str, form: ProtocolForm, model: str) -> Iterator[Cell]:
    name = text(point, "area")
    areas = form.areas.get(model) or form.areas.get("")
    if not name or areas is None:
        return
    area = areas.get(name)
    if area is None:
        yield Cell(
            "area", "area_of_model", {"area": name, "model": model or form.name, "areas": ", ".join(areas)}
        )
        return
    if text(point, "rw", "readonly") != "readonly" and not area.writable:
        yield Cell("rw", "area_read_only", {"area": name})
    if data_type == "string" and point.get("regslength") is None:
        yield Cell("regslength", "length_needed")
    elif data_type != "string" and point.get("regslength") is not None:
        yield Cell("regslength", "length_excess")
    if form.name in ("s7", "ppi"):
        yield from _s7(point, data_type, name, area)
    else:
        yield from _mitsubishi(point, data_type, name, area, form.name)


def _s7(point: Shown, data_type: str, name: str, area: Area) -> Iterator[Cell]:
    if name == "DB" and point.get("db_num") is None:
        yield Cell("db_num", "required")
    elif name != "DB" and point.get("db_num") is not None:
        yield Cell("db_num", "only_db")
    offset, has_bit = whole(point, "addroffset"), point.get("bit_offset") is not None
    if has_bit and (area.unit != "byte" or data_type in FRACTIONS):
        yield Cell("bit_offset", "bit_area")
    if area.unit == "word":
        if data_type not in ("uint16", "int16"):
            yield Cell("data_type", "type_of_area", {"types": "uint16, int16", "area": name})
        if offset is not None and offset % 2:
            yield Cell("addroffset", "even")
    elif area.unit != "byte" and data_type in ("uint8", "int8", *FRACTIONS):
        yield Cell("data_type", "type_of_area", {"types": "uint16, int16, uint32, int32", "area": name})


def _mitsubishi(point: Shown, data_type: str, name: str, area: Area, protocol: str) -> Iterator[Cell]:
    has_bit = point.get("bit_offset") is not None
    if area.bits == 1 and (data_type in FRACTIONS or has_bit):
        yield Cell("area", "single_bits")
    if area.bits == 32 and (data_type not in ("uint32", "int32") or has_bit):
        yield Cell("data_type", "type_of_area", {"types": "uint32, int32", "area": name})
    if protocol == "fx":
        yield from _printed(point, name, area)


def _printed(point: Shown, name: str, area: Area) -> Iterator[Cell]:
    """A device number as printed against those that the model has."""
    offset = whole(point, "addroffset")
    if offset is None or offset < 0:
        return
    digits = str(offset)
    if area.radix == 8 and not set(digits) <= set("01234567"):
        yield Cell("addroffset", "octal", {"area": name})
        return
    value = int(digits, area.radix)
    if not any(first <= value <= last for first, last in area.ranges):
        form = "o" if area.radix == 8 else "d"
        said = ", ".join(f"{name}{first:{form}}-{name}{last:{form}}" for first, last in area.ranges)
        yield Cell("addroffset", "area_numbers", {"ranges": said})
