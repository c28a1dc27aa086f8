"""The document of every protocol's description, as the cloud and the portal read it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from edge_agent.config.model import Section
from edge_agent.protocols.description import Description

Json = dict[str, Any]

FORM = ("port_types", "connection", "options", "address", "areas", "items")
"""What the cloud's API reports of a protocol; the rest the portal reads from its own document."""

KINDS = {"boolean": "switch", "integer": "integer", "number": "number", "array": "list"}
"""Of a field's JSON type; every other one is a text."""

CHECKS = ("port_checks", "address_checks", "slave_checks", "point_checks")


def document(descriptions: Iterable[Description]) -> Json:
    """By name of the protocol."""
    return {each.name: _protocol(each) for each in descriptions}


def portal_part(described: Json) -> Json:
    """What the portal needs beside the answers of the API."""
    return {
        name: {key: value for key, value in each.items() if key not in FORM}
        for name, each in described.items()
    }


def _protocol(description: Description) -> Json:
    return {
        "port_types": sorted(description.port_types),
        "connection": msgspec.to_builtins(description.connection),
        "options": fields_of(description.options),
        "address": fields_of(description.address),
        "areas": _areas(description),
        "items": msgspec.to_builtins(description.items()),
        "title": msgspec.to_builtins(description.title),
        "short": description.short,
        "stem": description.stem,
        "slave_address": msgspec.to_builtins(description.slave_address),
        "reads_pairs": description.reads_pairs,
        "missing_types": dict(description.missing_types),
        "choice_titles": msgspec.to_builtins(description.choice_titles),
        "variant": msgspec.to_builtins(description.variant),
        "extent": msgspec.to_builtins(description.extent),
        **{checks: msgspec.to_builtins(getattr(description, checks)) for checks in CHECKS},
        "fault_words": msgspec.to_builtins(description.fault_words),
    }


def _areas(description: Description) -> Json:
    """A unit is reported where there is one."""
    by_model: Json = msgspec.to_builtins(description.areas())
    return {
        model: {
            name: {key: value for key, value in area.items() if key != "unit" or value}
            for name, area in areas.items()
        }
        for model, areas in by_model.items()
    }


def fields_of(struct: type[Section]) -> list[Json]:
    """Fields of a form: kind is integer, number, list, text, choice or switch."""
    schema = msgspec.json.schema(struct)
    (shape,) = schema["$defs"].values()
    return [_field(name, each, shape["required"]) for name, each in shape["properties"].items()]


def _field(name: str, schema: Json, required: list[str]) -> Json:
    parts = [part for part in schema.get("anyOf", [schema]) if part.get("type") != "null"]
    typed_part = next((part for part in parts if "enum" in part or part.get("type") != "string"), parts[0])
    label = next(
        (part["x-label"] for part in (schema, *parts) if "x-label" in part), {"zh": name, "en": name}
    )
    kind = "choice" if "enum" in typed_part else KINDS.get(typed_part["type"], "text")
    field = {"name": name, "kind": kind, **label, "required": name in required}
    for key, word in (("minimum", "min"), ("maximum", "max"), ("enum", "choices"), ("pattern", "pattern")):
        if key in typed_part:
            field[word] = typed_part[key].replace("(?!\\n)", "") if key == "pattern" else typed_part[key]
    if any(part.get("x-secret") for part in (schema, *parts)):
        field["secret"] = True
    if schema.get("default") is not None:
        field["default"] = schema["default"]
    return field
