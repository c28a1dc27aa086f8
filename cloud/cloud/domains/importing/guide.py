"""What the template says of each column: its values in words, its range, and a row as an example. Pure."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from cloud.domains.devices.forms import DeviceFields
from cloud.domains.points.forms import FormField, forms
from cloud.domains.points.rules import POINT_RANGES, PORT_RANGES, SLAVE_RANGES
from cloud.domains.sheets.columns import CHOICES, GATEWAY, Language, SheetKind, column_of

EXAMPLE = "#"
"""A row whose serial number begins with it is an example or a remark, and is not imported."""

RANGES: Mapping[SheetKind, Mapping[str, tuple[int, int]]] = {
    "ports": {**PORT_RANGES, "min_interval_ms": (0, 10_000)},
    "slaves": {**SLAVE_RANGES, "storage_cycle_s": (0, 86_400)},
    "points": POINT_RANGES,
}

EXAMPLES: Mapping[SheetKind, Mapping[str, Any]] = {
    "devices": {"protocol": 3, "gateway_type": 2, "longitude": 121.47, "latitude": 31.23, "gis_show": True},
    "ports": {"name": "lan1", "type": "NET", "ip": "192.168.1.10", "port": 502, "enable": True},
    "slaves": {
        "name": "plc1", "port": "lan1", "protocol": "modbus_tcp", "address": "1", "capture_cycle_ms": 1000,
        "enable": True,
    },
    "points": {
        "slave": "plc1", "ds_name": "temperature", "ds_type": "num", "rw": "readonly", "data_type": "int16",
        "unit": "℃", "regtype": "4X", "addroffset": 0, "ratio": 0.1, "tofixed": 1, "record": 1,
    },
}  # fmt: skip
TITLES: Mapping[tuple[SheetKind, str], Mapping[Language, str]] = {
    ("devices", "device_title"): {"zh": "一号锅炉房", "en": "Boiler house 1"},
    ("slaves", "title"): {"zh": "锅炉控制器", "en": "Boiler controller"},
    ("points", "ds_title"): {"zh": "出水温度", "en": "Outlet temperature"},
}
WORD: Mapping[Language, str] = {"zh": "示例（不导入）", "en": "example (not imported)"}


def example(sheet: SheetKind, language: Language) -> dict[str, Any]:
    """A row by field, known as an example by its serial number."""
    titles = {field: words[language] for (kind, field), words in TITLES.items() if kind == sheet}
    return {GATEWAY: f"{EXAMPLE} {WORD[language]}", **titles, **EXAMPLES[sheet]}


def values_text(sheet: SheetKind, field: str, language: Language) -> str:
    """The values of a column with what they mean, such as "1=DTU, 2=Smart gateway", or what may stand there;
    "" without either.
    """
    named = [row for row in _rows() if (row["sheet"], row["field"]) == (sheet, field)]
    if named:
        return ", ".join("=".join(part for part in (row["value"], row[language]) if part) for row in named)
    return ", ".join(CHOICES.get((sheet, field), ()) or _chosen(sheet, field))


def range_text(sheet: SheetKind, field: str) -> str:
    """Such as "1 – 9" or "≤ 200", of characters when it is a text; "" without one."""
    bounds = RANGES.get(sheet, {}).get(field)
    if bounds is not None:
        return f"{bounds[0]} – {bounds[1]}"
    if sheet == "devices":
        return _device_range(field)
    form = _formed(sheet, field)
    return "" if form is None or form.min is None or form.max is None else f"{form.min} – {form.max}"


@cache
def _device_range(field: str) -> str:
    schema: Mapping[str, Any] = DeviceFields.model_json_schema()["properties"].get(field, {})
    one = next((each for each in schema.get("anyOf", ()) if each.get("type") != "null"), schema)
    if field in ("project_id", "product_id", "expire_ms", "protocol"):
        return ""
    if "maxLength" in one:
        return f"≤ {one['maxLength']}"
    if "minimum" in one and "maximum" in one:
        return f"{one['minimum']:g} – {one['maximum']:.0f}"
    return ""


def _chosen(sheet: SheetKind, field: str) -> Sequence[str]:
    form = _formed(sheet, field)
    return () if form is None else (form.choices or ())


@cache
def _formed(sheet: SheetKind, field: str) -> FormField | None:
    """What the protocols' forms say, where all that have the field say the same."""
    column = column_of(sheet, field)
    if column is None or column.path[0] not in ("options", "address") or len(column.path) < 2:
        return None
    matching: list[FormField] = []
    for form in forms().values():
        fields = form.options if column.path[0] == "options" else form.address
        matching += [each for each in fields if each.name == column.path[1]]
    said = {(each.kind, tuple(each.choices or ()), each.min, each.max) for each in matching}
    return matching[0] if len(said) == 1 else None


@cache
def _rows() -> list[dict[str, str]]:
    text = (resources.files(__package__) / "values.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
