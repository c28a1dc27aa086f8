"""What the cloud's forms and rules need to know of each field protocol, from the agent's rooms."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.dlt645.items import items
from edge_agent.protocols.fx.areas import areas as fx_areas
from edge_agent.protocols.mc.tables import areas as mc_areas
from edge_agent.protocols.s7.tables import areas as s7_areas
from edge_agent.protocols.s7.tables import models as s7_models

BYTES = 65_535
UNITS = {"byte": 8, "word": 16}

Form = dict[str, Any]


def text() -> str:
    """By protocol: port types, connection as delivered, options, address, areas by model, data items."""
    forms = {
        name: {
            "port_types": sorted(room.port_types),
            "connection": msgspec.to_builtins(room.connection),
            "options": _fields(room.schema()["options"]),
            "address": _fields(room.schema()["address"]),
            "areas": _areas(name),
            "items": _items(name),
        }
        for name, room in PROTOCOLS.items()
    }
    return json.dumps(forms, indent=1, ensure_ascii=False) + "\n"


def _fields(schema: Form) -> list[Form]:
    """Properties of a JSON schema as fields of a form: kind is integer, text, choice or switch."""
    (shape,) = schema["$defs"].values()
    return [_field(name, each, shape["required"]) for name, each in shape["properties"].items()]


def _field(name: str, schema: Form, required: list[str]) -> Form:
    parts = [part for part in schema.get("anyOf", [schema]) if part.get("type") != "null"]
    found = next((part for part in parts if "enum" in part or part.get("type") != "string"), parts[0])
    label = next(
        (part["x-label"] for part in (schema, *parts) if "x-label" in part), {"zh": name, "en": name}
    )
    kind = (
        "choice"
        if "enum" in found
        else {"boolean": "switch", "integer": "integer"}.get(found["type"], "text")
    )
    field = {"name": name, "kind": kind, **label, "required": name in required}
    for key, word in (("minimum", "min"), ("maximum", "max"), ("enum", "choices"), ("pattern", "pattern")):
        if key in found:
            field[word] = found[key].replace("(?!\\n)", "") if key == "pattern" else found[key]
    if any(part.get("x-secret") for part in (schema, *parts)):
        field["secret"] = True
    if schema.get("default") is not None:
        field["default"] = schema["default"]
    return field


def _areas(protocol: str) -> Form:
    """Areas by model, "" where the protocol has no models. ranges: first and last number, by value."""
    if protocol == "fx":
        models = next(
            field["choices"]
            for field in _fields(PROTOCOLS["fx"].schema()["options"])
            if field["name"] == "model"
        )
        return {
            model: {
                name: _area(
                    found[0].radix, found[0].bits, found[0].writable, [[a.first, a.last] for a in found]
                )
                for name, found in fx_areas(model).items()
            }
            for model in models
        }
    if protocol == "s7":
        return {name: _s7(model.family) for name, model in s7_models().items() if name != "200"}
    if protocol == "ppi":
        return {"": _s7("200")}
    if protocol in ("mc_1e", "mc_3e"):
        found: Form = {}
        for area in mc_areas("1e" if protocol == "mc_1e" else "3e"):
            bits = 1 if area.bit else 16 * area.words
            made = found.setdefault(area.name, _area(area.base or 0, bits, area.writable, []))
            made["ranges"].append([area.first, area.last])
        return {"": found}
    return {}


def _s7(family: str) -> Form:
    return {
        name: _area(10, UNITS.get(area.unit, 16), area.writable, [[0, BYTES]], area.unit)
        for name, area in s7_areas(family).items()
    }


def _area(radix: int, bits: int, writable: bool, ranges: list[list[int]], unit: str = "") -> Form:
    """radix 0: the PLC's series says. unit: of S7, what its numbers count."""
    return {"radix": radix, "bits": bits, "writable": writable, "ranges": ranges} | (
        {"unit": unit} if unit else {}
    )


def _items(protocol: str) -> Form:
    if not protocol.startswith("dlt645_"):
        return {}
    return {
        name: {
            "zh": item.zh,
            "en": item.en,
            "unit": item.unit,
            "kind": item.kind,
            "writable": item.writable,
            "decimals": item.decimals,
        }
        for name, item in items(protocol.removeprefix("dlt645_")).items()
    }
