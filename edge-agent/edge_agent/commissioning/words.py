"""What somebody typed into a command or a form, as the value that a field protocol wants. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal

from edge_agent.config.model import Point
from edge_agent.errors import BadValue
from edge_agent.model import PointKind, Value
from edge_agent.points import selected
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.base import FieldProtocol

Part = Literal["options", "address"]
POSITION = {"true": True, "on": True, "false": False, "off": False}
"""Of a switch. 1 and 0 are none: they may be what the device holds for the other position."""
BOOLEAN = {**POSITION, "1": True, "0": False}
"""Of an option or a field of an address."""
INTEGER = re.compile(r"[+-]?[0-9]{1,25}|0[xX][0-9A-Fa-f]{1,20}")
NUMBER = re.compile(r"[+-]?([0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?")


def typed(protocol: FieldProtocol, part: Part, words: Mapping[str, Any]) -> dict[str, Any]:
    """Each text as the type that the protocol's schema has for its field; a text that it wants stays a text.

    What fits no type is left as it is: the protocol's own check names the rule.
    """
    fields = fields_of(protocol.name, part)
    return {name: _typed(fields.get(name, {}), value) for name, value in words.items()}


@cache
def fields_of(protocol: str, part: Part) -> dict[str, Any]:
    """Schemas of the fields of a protocol's options or address, by name."""
    schema = PROTOCOLS[protocol].schema()[part]
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    struct = schema.get("$defs", {}).get(name, schema)
    properties: dict[str, Any] = struct.get("properties", {})
    return properties


def entered(point: Point, text: str) -> Value:
    """The value to write that a text means to a point; BadValue when it means none."""
    if point.type is PointKind.STRING:
        return text
    word = text.strip()
    if point.type is PointKind.SWITCH:
        return _position(point, word)
    for value, name in point.selector.items():
        if word == name:
            return _number(point, value)
    return _number(point, word)


def as_text(point: Point, value: Value) -> str:
    """A value in words: of a switch its position as the configuration calls it, of a selector the name."""
    if isinstance(value, bool):
        return (point.on_text or "on") if value else (point.off_text or "off")
    if isinstance(value, (int, float)):
        names = (name for text, name in point.selector.items() if selected(text) == value)
        return next(names, str(value))
    return str(value)


def _position(point: Point, word: str) -> bool:
    own = {point.on_text: True, point.off_text: False}
    if word and word in own:
        return own[word]
    if word.lower() in POSITION:
        return POSITION[word.lower()]
    named = "".join(f", {text}" for text in own if text)
    raise BadValue(f"{point.name}: must be one of on, off, true, false{named}")


def _number(point: Point, word: str) -> Value:
    if INTEGER.fullmatch(word):
        return _integer(word)
    if not NUMBER.fullmatch(word):
        raise BadValue(f"{point.name}: must be a number")
    return float(word)


def _typed(schema: Mapping[str, Any], value: Any) -> Any:
    if not isinstance(value, str):
        return value
    kinds = list(_kinds(schema))
    for one in kinds:
        if value in one.get("enum", ()) or one.get("type") == "string":
            return value
    for one in kinds:
        names = {str(choice): choice for choice in one.get("enum", ())}
        if value in names:
            return names[value]
        if one.get("type") == "integer" and INTEGER.fullmatch(value):
            return _integer(value)
        if one.get("type") == "number" and NUMBER.fullmatch(value):
            return float(value)
        if one.get("type") == "boolean" and value.lower() in BOOLEAN:
            return BOOLEAN[value.lower()]
    return value


def _kinds(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The types that a field may have, each by itself."""
    if "anyOf" not in schema:
        yield schema
    for one in schema.get("anyOf", ()):
        yield from _kinds(one)


def _integer(text: str) -> int:
    return int(text, 16) if text[:2].lower() == "0x" else int(text)
